"""`sidelight admin webhook create|list|remove`: where the service reports events."""

from __future__ import annotations

import click

from sidelight.cli import terminal
from sidelight.cli.group import InOrder
from sidelight.cli.server.database import DATABASE, get, post
from sidelight.cli.server.tables import JSON, moment, monitor_names, write_rows

_EVENTS = ("verdict.changed", "budget.used_up", "answers.overdue")


@click.group("webhook", cls=InOrder, short_help="Manage webhooks.", invoke_without_command=True)
@click.pass_context
def group(context: click.Context) -> None:
    """Create, list and remove webhooks, the addresses to which the service reports events."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


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
def create_command(address: str, database: str, events: tuple[str, ...], only: tuple[str, ...]) -> None:
    """Report events to ADDRESS (https://...), and print nothing but the secret that signs the messages."""
    body = {"url": address, "events": list(events), "monitors": list(only) or None}
    click.echo(post(database, "/v1/webhooks", body)["secret"])


@group.command("list", short_help="List the webhooks.")
@DATABASE
@JSON
def list_command(database: str, as_json: bool) -> None:
    """List the webhooks, newest first; removed ones are left out."""
    names = monitor_names(database)
    rows = [
        {
            "id": one["id"],
            "address": one["url"],
            "events": one["events"],
            "monitors": names(one["monitors"]),
            "state": one["failure"] or "works",
            "since": moment(one["created_at"]),
        }
        for one in get(database, "/v1/webhooks")["webhooks"]
        if one["disabled_at"] is None
    ]
    write_rows(rows, as_json, "no webhooks yet: create one with 'sidelight admin webhook create'")


@group.command("remove", short_help="Remove a webhook.")
@click.argument("id", metavar="ID")
@DATABASE
def remove_command(id: str, database: str) -> None:
    """Remove the webhook with this ID, which 'list' shows; messages that wait are dropped."""
    post(database, f"/v1/webhooks/{id}/remove")
    terminal.write("removed")
