"""Rows about keys and people, as a table or as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from sidelight.cli import terminal
from sidelight.table import Column, Table

if TYPE_CHECKING:
    from sidelight.service.store.base import Transaction

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def moment(seconds: float | None) -> str | None:
    """Return a time in readable form, in UTC."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def monitor_names(tx: Transaction) -> dict[str, str]:
    """Return the names of monitors by id."""
    rows: list[Any] = tx.all("SELECT id, name FROM monitors")
    return dict(rows)


def write_rows(rows: Sequence[Mapping[str, Any]], as_json: bool, none: str, everything: str) -> None:
    """Write rows; None in the column `everything` stands for all, elsewhere for nothing."""
    if as_json:
        terminal.write_json(list(rows))
        return
    if not rows:
        terminal.write(terminal.wrapped(none))
        return
    cells = [[_cell(value, "all" if name == everything else "-") for name, value in row.items()] for row in rows]
    table = Table([Column(name, str, left=True) for name in rows[0]], cells)
    terminal.write(table.to_text(terminal.width()))


def _cell(value: Any, nothing: str) -> str:
    if value is None:
        return nothing
    return " ".join(value) if isinstance(value, list) else str(value)
