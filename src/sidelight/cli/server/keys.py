"""`sidelight service key create|list|rotate|revoke`: keys of programs."""

from __future__ import annotations

import click

from sidelight.cli import terminal
from sidelight.cli.group import InOrder
from sidelight.cli.server.database import DATABASE, change, reading
from sidelight.cli.server.tables import JSON, moment, monitor_names, write_rows

SCOPES = ("decide", "answer", "settle", "report", "admin")
SCOPE = click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice(SCOPES),
    metavar="SCOPE",
    help="What the key allows: decide, answer, settle, report or admin; repeatable, no scope includes another.",
)
MONITOR = click.option(
    "--monitor", "only", multiple=True, metavar="NAME", help="Allow it for this monitor only; repeatable."
)
KEY = click.argument("key", metavar="KEY")


@click.group("key", cls=InOrder, short_help="Manage the keys that programs use.", invoke_without_command=True)
@click.pass_context
def group(context: click.Context) -> None:
    """Create, list, rotate and revoke the keys that programs send as 'Authorization: Bearer KEY'."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@group.command(
    "create",
    short_help="Create a key, and print it.",
    epilog="""\b
Examples:
  sidelight service key create --scope decide
  sidelight service key create --scope decide \\
      --scope answer --monitor digits --days 90
""",
)
@DATABASE
@SCOPE
@MONITOR
@click.option("--name", default="made by a command", show_default=True, metavar="TEXT", help="What the key is for.")
@click.option(
    "--days",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="The key expires after N days; by default, never.",
)
def create_command(
    database: str | None, scopes: tuple[str, ...], only: tuple[str, ...], name: str, days: float | None
) -> None:
    """Create a key and print nothing but the key; it is never shown again.

    The scopes are 'decide' to ask about predictions, 'answer' to hand in answers, 'settle' to settle disagreements,
    'report' to read reports and metrics, 'admin' for everything else.
    """
    click.echo(change(database, "key create", name=name, scopes=list(scopes), only=list(only) or None, days=days))


@group.command("list", short_help="List the keys.")
@DATABASE
@JSON
def list_command(database: str | None, as_json: bool) -> None:
    """List the keys, newest first; the keys themselves are not stored."""
    from sidelight.service.auth import keys

    with reading(database) as storage, storage.read() as tx:
        found, names, now = keys.listed(tx), monitor_names(tx), tx.now()
    rows = []
    for one in found:
        ended = one.expires_at is not None and one.expires_at <= now
        only = None if one.monitors is None else sorted(names.get(id, id) for id in one.monitors)
        row = {
            "id": one.id,
            "name": one.name,
            "scopes": list(one.scopes),
            "monitors": only,
            "state": "revoked" if one.revoked_at is not None else "expired" if ended else "works",
            "expires": moment(one.expires_at),
            "used": moment(one.used_at),
        }
        rows.append(row)
    write_rows(rows, as_json, "no keys yet: create one with 'sidelight service key create'", everything="monitors")


@group.command("rotate", short_help="Replace a key with a new one.")
@KEY
@DATABASE
@click.option(
    "--hours",
    type=click.FloatRange(min=0),
    default=24.0,
    show_default=True,
    metavar="N",
    help="How long the old key still works.",
)
def rotate_command(key: str, database: str | None, hours: float) -> None:
    """Print a new key with the scopes of KEY, which is an id from the list, a prefix, or the key itself."""
    click.echo(change(database, "key rotate", key=key, hours=hours))


@group.command("revoke", short_help="Revoke a key.")
@KEY
@DATABASE
def revoke_command(key: str, database: str | None) -> None:
    """Revoke KEY, which is an id from the list, a prefix, or the key itself; servers notice within five seconds."""
    change(database, "key revoke", key=key)
    terminal.write("revoked")
