"""`sidelight admin monitor|webhook`: monitors of the service, and where it reports events."""

from __future__ import annotations

import json
from typing import Any, TextIO

import click

from sidelight.cli import terminal
from sidelight.cli.group import CommandsInOrder
from sidelight.cli.server.database import DATABASE, add_admin_list_command, admin_list_moment, admin_post
from sidelight.errors import SidelightError

_NAME = click.argument("name", metavar="NAME")


monitor_group = CommandsInOrder(
    "monitor",
    short_help="Manage monitors.",
    help="Create, list and archive monitors.",
)


@monitor_group.command(
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
def create_service_monitor_command(name: str, settings: tuple[str, ...], database: str) -> None:
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
    admin_post(database, "/v1/monitors", {"name": name, "settings": given})
    terminal.write_to_terminal("created")


add_admin_list_command(
    monitor_group,
    "/v1/monitors",
    "List the monitors that are not archived.",
    lambda one: {
        "name": one["name"],
        "settings": one["settings"],
        "entries": one["number"],
        "since": admin_list_moment(one["created_at"]),
    },
    "no monitors yet: create one with 'sidelight admin monitor create'",
)


@monitor_group.command("archive", short_help="Archive a monitor.")
@_NAME
@DATABASE
def archive_service_monitor_command(name: str, database: str) -> None:
    """Close the monitor NAME for good; its data stays, and a new monitor may use its name."""
    admin_post(database, f"/v1/monitors/{name}/archive")
    terminal.write_to_terminal("archived")


_EVENTS = ("verdict.changed", "budget.used_up", "answers.overdue")
_FORMATS = ("generic", "slack", "pagerduty")


webhook_group = CommandsInOrder(
    "webhook",
    short_help="Manage webhooks.",
    help="Create, list and remove webhooks, the addresses to which the service reports events.",
)


@webhook_group.command("create", short_help="Create a webhook, and print its secret.")
@click.argument("address", metavar="ADDRESS")
@DATABASE
@click.option(
    "--event",
    "events",
    multiple=True,
    type=click.Choice(_EVENTS),
    default=_EVENTS,
    metavar="EVENT",
    help=f"What to report: {', '.join(_EVENTS)}; repeatable, by default everything.",
)
@click.option("--monitor", "only", multiple=True, metavar="NAME", help="Only of this monitor; repeatable.")
@click.option(
    "--format",
    type=click.Choice(_FORMATS),
    default="generic",
    show_default=True,
    metavar="FORMAT",
    help=f"What the receiver accepts: {', '.join(_FORMATS)}.",
)
@click.option(
    "--routing-key-file",
    "key",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="A file with the integration key of PagerDuty; - reads it from the input.",
)
def create_webhook_command(
    address: str, database: str, events: tuple[str, ...], only: tuple[str, ...], format: str, key: TextIO | None
) -> None:
    """Report events to ADDRESS (https://...), and print nothing but the secret that signs the messages.

    Messages to Slack and PagerDuty are not signed, so there the id of the webhook is printed.
    """
    body = {"url": address, "events": list(events), "monitors": list(only) or None, "format": format}
    made = admin_post(database, "/v1/webhooks", body | ({} if key is None else {"routing_key": key.read().strip()}))
    click.echo(made["secret"] or made["id"])


add_admin_list_command(
    webhook_group,
    "/v1/webhooks",
    "List the webhooks, newest first; removed ones are left out.",
    lambda one: (
        None
        if one["disabled_at"] is not None
        else {
            "id": one["id"],
            "address": one["url"],
            "format": one["format"],
            "events": one["events"],
            "monitors": one["monitors"],
        }
        | {"state": one["failure"] or "works", "since": admin_list_moment(one["created_at"])}
    ),
    "no webhooks yet: create one with 'sidelight admin webhook create'",
)


@webhook_group.command("remove", short_help="Remove a webhook.")
@click.argument("id", metavar="ID")
@DATABASE
def remove_webhook_command(id: str, database: str) -> None:
    """Remove the webhook with this ID, which 'list' shows; messages that wait are dropped."""
    admin_post(database, f"/v1/webhooks/{id}/remove")
    terminal.write_to_terminal("removed")
