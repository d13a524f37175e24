"""`sidelight service reviewer invite|list|link|disable|enable`: people who sign in."""

from __future__ import annotations

import click

from sidelight.cli import terminal
from sidelight.cli.group import InOrder
from sidelight.cli.server.database import DATABASE, URL, change, reading
from sidelight.cli.server.keys import MONITOR, SCOPES
from sidelight.cli.server.tables import JSON, moment, monitor_names, write_rows

_NAME = click.argument("name", metavar="NAME")


@click.group("reviewer", cls=InOrder, short_help="Manage the people who sign in.", invoke_without_command=True)
@click.pass_context
def group(context: click.Context) -> None:
    """Invite people who review in the browser, list them, and disable or enable them."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@group.command("invite", short_help="Add a person, and print a link for them.")
@_NAME
@DATABASE
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES[1:]),
    default=("answer", "report"),
    show_default=True,
    metavar="SCOPE",
    help="What they may do: answer, settle, report or admin; repeatable.",
)
@MONITOR
@URL
def invite_command(name: str, database: str | None, scopes: tuple[str, ...], only: tuple[str, ...], url: str) -> None:
    """Add a person called NAME and print a link to choose a password; it works for a week."""
    click.echo(change(database, "reviewer invite", url, name=name, scopes=list(scopes), only=list(only) or None))


@group.command("list", short_help="List the people.")
@DATABASE
@JSON
def list_command(database: str | None, as_json: bool) -> None:
    """List the people who can sign in, and those who no longer can."""
    from sidelight.service.auth import reviewers

    with reading(database) as storage, storage.read() as tx:
        found, names = reviewers.listed(tx), monitor_names(tx)
    rows = [
        {
            "name": one.name,
            "scopes": list(one.scopes),
            "monitors": None if one.monitors is None else sorted(names.get(id, id) for id in one.monitors),
            "state": "disabled" if one.disabled_at is not None else "works" if one.ready else "invited",
            "since": moment(one.created_at),
        }
        for one in found
    ]
    write_rows(
        rows, as_json, "no reviewers yet: add one with 'sidelight service reviewer invite'", everything="monitors"
    )


@group.command("link", short_help="Print a new link, for a forgotten password.")
@_NAME
@DATABASE
@URL
def link_command(name: str, database: str | None, url: str) -> None:
    """Print a link for NAME to choose a new password; it works for a week, and the old password works until then."""
    click.echo(change(database, "reviewer link", url, name=name))


@group.command("disable", short_help="Stop a person from signing in.")
@_NAME
@DATABASE
def disable_command(name: str, database: str | None) -> None:
    """Stop NAME from signing in: sessions end, items they held are released, their answers stay."""
    change(database, "reviewer disable", name=name)
    terminal.write("disabled")


@group.command("enable", short_help="Let a person sign in again.")
@_NAME
@DATABASE
def enable_command(name: str, database: str | None) -> None:
    """Let NAME sign in again, with the old password."""
    change(database, "reviewer enable", name=name)
    terminal.write("enabled")
