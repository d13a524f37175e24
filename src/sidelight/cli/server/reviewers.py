"""`sidelight admin reviewer invite|list|link|disable|enable`: people who sign in."""

from __future__ import annotations

import unicodedata

import click

from sidelight.cli import terminal
from sidelight.cli.group import InOrder
from sidelight.cli.server.database import DATABASE, MONITORS, URL, add_list, get, moment, post
from sidelight.cli.server.keys import SCOPES
from sidelight.errors import SidelightError

_NAME = click.argument("name", metavar="NAME")


group = InOrder(
    "reviewer",
    short_help="Manage the people who sign in.",
    help="Invite people who review in the browser, list them, and disable or enable them.",
)


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
@MONITORS
@URL
def invite_command(name: str, database: str, scopes: tuple[str, ...], only: tuple[str, ...], url: str) -> None:
    """Add a person called NAME and print a link to choose a password; it works for a week."""
    body = {"name": name, "scopes": list(scopes), "monitors": list(only) or None}
    click.echo(post(database, "/v1/reviewers", body, url)["link"])


add_list(
    group,
    "/v1/reviewers",
    "List the people who can sign in, and those who no longer can.",
    lambda one: (
        {name: one[name] for name in ("name", "scopes", "monitors")}
        | {
            "state": "disabled" if one["disabled_at"] is not None else "works" if one["ready"] else "invited",
            "since": moment(one["created_at"]),
        }
    ),
    "no reviewers yet: add one with 'sidelight admin reviewer invite'",
)


@group.command("link", short_help="Print a new link, for a forgotten password.")
@_NAME
@DATABASE
@URL
def link_command(name: str, database: str, url: str) -> None:
    """Print a link for NAME to choose a new password; it works for a week, and the old password works until then."""
    click.echo(post(database, f"/v1/reviewers/{_id_of(database, name)}/link", url=url)["link"])


@group.command("disable", short_help="Stop a person from signing in.")
@_NAME
@DATABASE
def disable_command(name: str, database: str) -> None:
    """Stop NAME from signing in: sessions end, verifications they held are released, their answers stay."""
    post(database, f"/v1/reviewers/{_id_of(database, name)}/disable")
    terminal.write("disabled")


@group.command("enable", short_help="Let a person sign in again.")
@_NAME
@DATABASE
def enable_command(name: str, database: str) -> None:
    """Let NAME sign in again, with the old password."""
    post(database, f"/v1/reviewers/{_id_of(database, name)}/enable")
    terminal.write("enabled")


def _id_of(database: str, name: str) -> str:
    spelled = unicodedata.normalize("NFC", name.strip())
    for one in get(database, "/v1/reviewers")["reviewers"]:
        if spelled in (one["name"], one["id"]):
            id: str = one["id"]
            return id
    raise SidelightError(f"there is no reviewer {name!r}: list them with `sidelight admin reviewer list`")
