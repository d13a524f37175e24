"""Rows about keys, people, monitors and webhooks, as a table or as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.server.database import DATABASE, get
from sidelight.table import Column, Table


def moment(seconds: float | None) -> str | None:
    """Return a time in readable form, in UTC."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def add_list(
    group: click.Group, path: str, help: str, row: Callable[[dict[str, Any]], dict[str, Any] | None], none: str
) -> None:
    """Give a group the command that lists what the service has at a path; `row` returns what is shown of one."""

    @group.command("list", short_help=help.partition(";")[0].rstrip(".") + ".", help=help)
    @DATABASE
    @click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
    def list_command(database: str, as_json: bool) -> None:
        found = [row(one) for one in get(database, path)[path.rpartition("/")[2]]]
        _write_rows([one for one in found if one is not None], as_json, none)


def _write_rows(rows: Sequence[Mapping[str, Any]], as_json: bool, none: str) -> None:
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
    if isinstance(value, dict):  # the settings of a monitor
        return " ".join([f"{name}={each}" for name, each in value.items()][:3])
    return " ".join(value) if isinstance(value, list) else str(value)
