"""`sidelight admin webhook create|list|remove`: where the service reports events."""

from __future__ import annotations

from typing import TextIO

import click

from sidelight.cli import terminal
from sidelight.cli.group import InOrder
from sidelight.cli.server.database import DATABASE, add_list, moment, post

_EVENTS = ("verdict.changed", "budget.used_up", "answers.overdue")
_FORMATS = ("generic", "slack", "pagerduty")


group = InOrder(
    "webhook",
    short_help="Manage webhooks.",
    help="Create, list and remove webhooks, the addresses to which the service reports events.",
)


@group.command("create", short_help="Create a webhook, and print its secret.")
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
def create_command(
    address: str, database: str, events: tuple[str, ...], only: tuple[str, ...], format: str, key: TextIO | None
) -> None:
    """Report events to ADDRESS (https://...), and print nothing but the secret that signs the messages.

    Messages to Slack and PagerDuty are not signed, so there the id of the webhook is printed.
    """
    body = {"url": address, "events": list(events), "monitors": list(only) or None, "format": format}
    made = post(database, "/v1/webhooks", body | ({} if key is None else {"routing_key": key.read().strip()}))
    click.echo(made["secret"] or made["id"])


add_list(
    group,
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
        | {"state": one["failure"] or "works", "since": moment(one["created_at"])}
    ),
    "no webhooks yet: create one with 'sidelight admin webhook create'",
)


@group.command("remove", short_help="Remove a webhook.")
@click.argument("id", metavar="ID")
@DATABASE
def remove_command(id: str, database: str) -> None:
    """Remove the webhook with this ID, which 'list' shows; messages that wait are dropped."""
    post(database, f"/v1/webhooks/{id}/remove")
    terminal.write("removed")
