"""What callers hand to a monitor, made plain: labels, ids, moments, columns."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.decisions import Id, Label


def label(value: Any) -> Label:
    """Return a class as plain text or number; NumPy's numbers become Python's."""
    plain = _python_value(value)
    if isinstance(plain, str | int | bool) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise SidelightError(f"{value!r} is not a class: give text or a number")


def identifier(value: Any) -> Id:
    """Return an id as plain text or whole number."""
    plain = _python_value(value)
    if isinstance(plain, str | int) and not isinstance(plain, bool):
        return plain
    raise SidelightError(f"{value!r} is not an id: give text or a whole number")


def plain_number(value: Any) -> Any:
    """Return a number of NumPy, or a fraction, as a plain integer or float; anything else as it is."""
    plain = _python_value(value)
    if not isinstance(plain, Fraction):
        return plain
    try:
        return plain.numerator if plain.denominator == 1 else float(plain)
    except OverflowError:  # a fraction beyond all floats
        return plain


def _python_value(value: Any) -> Any:
    """Return the Python value of a NumPy scalar; anything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


def day_of(time: Any) -> str:
    """Return the day of a moment; moments with a time zone, and seconds since 1970, are taken in UTC."""
    moment = datetime.now(UTC) if time is None else time
    if hasattr(moment, "astype"):
        moment = moment.astype("datetime64[s]").item()
    try:
        if isinstance(moment, str):
            moment = datetime.fromisoformat(moment)
        elif isinstance(moment, int | float) and not isinstance(moment, bool):
            moment = datetime.fromtimestamp(moment, UTC)
    except (ValueError, OverflowError, OSError):
        moment = None
    if isinstance(moment, datetime):
        return (moment.astimezone(UTC) if moment.tzinfo else moment).date().isoformat()
    if isinstance(moment, date):
        return moment.isoformat()
    raise SidelightError(f"time is {time!r}: give a datetime, a date, ISO text or seconds since 1970")


def listed(values: Any) -> list[Any]:
    """Return a list, of plain values where the column can make them."""
    if isinstance(values, str | bytes):
        raise SidelightError(
            f"predictions is the text {values!r}: give a list or a column; `decide` takes a single one"
        )
    for method in ("to_list", "tolist"):
        if hasattr(values, method):
            plain = getattr(values, method)()
            return plain if isinstance(plain, list) else [plain]
    return list(values)


def column(name: str, values: Any, length: int) -> list[Any]:
    """Return as many values as there are predictions; Nones where there is nothing."""
    if values is None:
        return [None] * length
    found = listed(values)
    if len(found) != length:
        raise SidelightError(f"there are {length} predictions and {len(found)} {name}: give one for each")
    return found
