"""`sidelight admin monitor create|list|archive`: monitors of the service."""

from __future__ import annotations

import json
from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.group import InOrder
from sidelight.cli.server.database import DATABASE, add_list, moment, post
from sidelight.errors import SidelightError

_NAME = click.argument("name", metavar="NAME")


group = InOrder(
    "monitor",
    short_help="Manage monitors.",
    help="Create, list and archive monitors.",
)


@group.command(
    "create",
    short_help="Create a monitor.",
    epilog="""\b
Examples:
  sidelight admin monitor create digits tolerance=0.05
  sidelight admin monitor create fruit tolerance=0.1 \\
      daily_cap=200 blind=true 'labels=["apple", "pear"]'
""",
)
@_NAME
@click.argument("settings", nargs=-1, required=True, metavar="SETTING=VALUE...")
@DATABASE
def create_command(name: str, settings: tuple[str, ...], database: str) -> None:
    """Create a monitor called NAME with these settings; a value is JSON, or else text.

    The settings are those of 'sidelight monitor new' and of the review queue, with underscores in their names.
    """
    given: dict[str, Any] = {}
    for one in settings:
        key, equals, text = one.partition("=")
        if not equals:
            raise SidelightError(f"{one!r} is not a setting: write it as in tolerance=0.05")
        try:
            given[key] = json.loads(text)
        except ValueError:
            given[key] = text
    post(database, "/v1/monitors", {"name": name, "settings": given})
    terminal.write("created")


add_list(
    group,
    "/v1/monitors",
    "List the monitors that are not archived.",
    lambda one: {
        "name": one["name"],
        "settings": one["settings"],
        "entries": one["number"],
        "since": moment(one["created_at"]),
    },
    "no monitors yet: create one with 'sidelight admin monitor create'",
)


@group.command("archive", short_help="Archive a monitor.")
@_NAME
@DATABASE
def archive_command(name: str, database: str) -> None:
    """Close the monitor NAME for good; its data stays, and a new monitor may use its name."""
    post(database, f"/v1/monitors/{name}/archive")
    terminal.write("archived")
