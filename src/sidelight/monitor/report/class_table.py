"""The table of predicted classes, for reports of a monitor and of a replay: what its columns can show."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sidelight.monitor.report.records import ClassReport
from sidelight.table import Cell, Column, Table
from sidelight.text import fitting_characters, printable_line, width_of

_LONGEST_NAME = 60
_END = 10


def class_table(
    classes: Iterable[ClassReport],
    columns: Mapping[str, str],
    *,
    extra: Callable[[ClassReport], dict[str, Any]] = lambda one: {},
    between: str = "-",
    title: str = "",
    **written: Callable[[Any], str],
) -> Table:
    """Return one row per class.

    `columns` maps the title of each column to what it shows: a field of `ClassReport`, "verdict_tolerance" (with the
    tolerance if it is certain), "verdict_colored", or something that `extra` adds. `written` says how the values of a
    column are written if not plainly; `between` stands between the ends of an interval.
    """
    written = {
        "name": functools.partial(short_name, longest=_LONGEST_NAME),
        "estimate": "{:.4f}".format,
        "interval": lambda ends: f"{ends[0]:.4f}{between}{ends[1]:.4f}",
        **written,
    }
    values = [_values(one) | extra(one) for one in classes]
    return Table(
        [Column(heading, written.get(key, str)) for heading, key in columns.items()],
        [[row[key] for key in columns.values()] for row in values],
        title=title,
    )


def short_name(name: object, longest: int) -> str:
    """Return the name of a class on one line, cut where it takes more columns of a terminal than `longest`.

    The end of a long name is kept as well, because names that start alike often differ there.
    """
    text = printable_line(str(name)) if str(name).strip() else repr(str(name))
    if width_of(text) <= longest:
        return text
    end = text[len(text) - fitting_characters(text[::-1], _END) :] if longest >= 4 * _END else ""
    return f"{text[: fitting_characters(text, longest - 1 - width_of(end))]}…{end}"


def _values(one: ClassReport) -> dict[str, Any]:
    """Return everything that a row can show."""
    undecided = one.verdict == "unknown"
    return vars(one) | {
        "verdict_tolerance": one.verdict if undecided else f"{one.verdict} {one.tolerance:g}",
        "verdict_colored": Cell(one.verdict, look=one.verdict),
        "needed": None if not undecided else "many" if one.needed is None else f"~{one.needed}",
    }
