"""Rows about keys, people, monitors and webhooks, as a table or as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.server.database import get
from sidelight.table import Column, Table

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def moment(seconds: float | None) -> str | None:
    """Return a time in readable form, in UTC."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def monitor_names(database: str) -> Callable[[Sequence[str] | None], list[str] | None]:
    """Return a function that turns ids of monitors into names; None stays None, for all."""
    names = {one["id"]: one["name"] for one in get(database, "/v1/monitors")["monitors"]}
    return lambda ids: None if ids is None else sorted(names.get(id, id) for id in ids)


def write_rows(rows: Sequence[Mapping[str, Any]], as_json: bool, none: str) -> None:
    """Write rows; None in the column "monitors" stands for all, elsewhere for nothing."""
    if as_json:
        terminal.write_json(list(rows))
        return
    if not rows:
        terminal.write(terminal.wrapped(none))
        return
    cells = [[_cell(value, "all" if name == "monitors" else "-") for name, value in row.items()] for row in rows]
    table = Table([Column(name, str, left=True) for name in rows[0]], cells)
    terminal.write(table.to_text(terminal.width()))


def _cell(value: Any, nothing: str) -> str:
    if value is None:
        return nothing
    return " ".join(value) if isinstance(value, list) else str(value)
