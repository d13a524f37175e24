"""Contexts as rows, for ProspectModel: numbers, or whatever else a model accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sidelight.errors import SidelightError


def row_of(context: Any) -> Any:
    """Return a copy of a context: an array of numbers, a list, a text, a dictionary or a pandas Series."""
    if hasattr(context, "iterrows"):
        raise SidelightError("a context is one row: give frame.iloc[i] to act, or the whole frame to act_many")
    if hasattr(context, "to_frame"):
        return context.copy()
    if isinstance(context, str | bytes | Mapping):
        return dict(context) if isinstance(context, Mapping) else context
    row = np.array(context, dtype=object) if not isinstance(context, np.ndarray) else context.copy()
    if row.ndim != 1:
        raise SidelightError(f"a context is one row, and this one has the shape {row.shape}")
    try:
        return row.astype(float)
    except (TypeError, ValueError):
        return row.tolist()


def numeric_row(context: Any, width: int | None, name: str) -> Any:
    """Return a context of finite numbers, `width` of them unless it is the first."""
    try:
        row = np.array(context, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise SidelightError(f"the context is not numeric, and {name} with a built-in model wants numbers") from None
    if row.ndim != 1 or (width is not None and len(row) != width):
        wanted = "one row of numbers" if width is None else f"({width},) as before"
        raise SidelightError(f"the context has shape {row.shape}, but {name} wants {wanted}")
    if not np.isfinite(row).all():
        raise SidelightError(f"the context holds {row[~np.isfinite(row)][0]}; {name} wants finite numbers")
    return row


def rows_of(contexts: Any) -> list[Any]:
    """Return the rows of a data frame, an array or a sequence."""
    return [row for _, row in contexts.iterrows()] if hasattr(contexts, "iterrows") else list(contexts)


def key(row: Any) -> Any:
    """Return what tells rows apart."""
    return row.tobytes() if isinstance(row, np.ndarray) else repr(row if not hasattr(row, "tolist") else row.tolist())


def stacked_rows(rows: Sequence[Any]) -> Any:
    """Return rows in the form in which models take them: an array, a data frame, or a list (of texts, of mappings)."""
    if not rows or isinstance(rows[0], np.ndarray):
        return np.array(rows, float) if rows else np.zeros((0, 0))
    if hasattr(rows[0], "to_frame"):
        import pandas

        return pandas.DataFrame(list(rows)).infer_objects()
    return np.array(rows, dtype=object) if isinstance(rows[0], list) else list(rows)


def joined_rows(first: Any, second: Any) -> Any:
    """Return the rows of two results of `stacked_rows`, one after the other."""
    if not len(first):
        return second
    if hasattr(first, "iterrows"):
        import pandas

        return pandas.concat([first, second])
    return np.concatenate([first, second]) if isinstance(first, np.ndarray) else [*first, *second]


def chosen_rows(rows: Any, places: Any) -> Any:
    """Return some of the rows of a result of `stacked_rows`."""
    if hasattr(rows, "iloc"):
        return rows.iloc[places]
    return rows[places] if isinstance(rows, np.ndarray) else [rows[i] for i in places]


def to_plain(rows: Sequence[Any]) -> Any:
    """Return rows as plain data and arrays."""
    if rows and isinstance(rows[0], np.ndarray):
        return np.array(rows)
    if rows and hasattr(rows[0], "to_frame"):
        return {"columns": rows[0].index.tolist(), "rows": [row.tolist() for row in rows]}
    return list(rows)


def from_plain(data: Any) -> list[Any]:
    """Return the rows that `to_plain` was given."""
    if isinstance(data, Mapping):
        import pandas

        return [pandas.Series(row, index=data["columns"]) for row in data["rows"]]
    return list(data)
