"""`sidelight admin key|reviewer`: keys of programs, and people who sign in."""

from __future__ import annotations

import time
import unicodedata
from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.group import CommandsInOrder
from sidelight.cli.server.database import (
    DATABASE,
    MONITORS,
    URL,
    add_admin_list_command,
    admin_get,
    admin_list_moment,
    admin_post,
)
from sidelight.errors import SidelightError

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
_DAY = 86_400.0
KEY = click.argument("key", metavar="KEY")


key_group = CommandsInOrder(
    "key",
    short_help="Manage the keys that programs use.",
    help="Create, list, rotate and revoke the keys that programs send as 'Authorization: Bearer KEY'.",
)


@key_group.command(
    "create",
    short_help="Create a key, and print it.",
    epilog="""\b
Examples:
  sidelight admin key create --scope decide
  sidelight admin key create --scope decide \\
      --scope answer --monitor digits --days 90
""",
)
@DATABASE
@SCOPE
@MONITORS
@click.option("--name", default="made by a command", show_default=True, metavar="TEXT", help="What the key is for.")
@click.option(
    "--days",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="The key expires after N days; by default, never.",
)
def create_key_command(
    database: str, scopes: tuple[str, ...], only: tuple[str, ...], name: str, days: float | None
) -> None:
    """Create a key and print nothing but the key; it is never shown again.

    The scopes are 'decide' to ask about predictions, 'answer' to hand in answers, 'settle' to settle disagreements,
    'report' to read reports and metrics, 'admin' for everything else.
    """
    seconds = None if days is None else days * _DAY
    body = {"name": name, "scopes": list(scopes), "monitors": list(only) or None, "expires_in": seconds}
    click.echo(admin_post(database, "/v1/keys", body)["key"])


def _key_state_for_command(key: dict[str, Any]) -> str:
    if key["revoked_at"] is not None:
        return "revoked"
    return "expired" if key["expires_at"] is not None and key["expires_at"] <= time.time() else "works"


add_admin_list_command(
    key_group,
    "/v1/keys",
    "List the keys, newest first; the keys themselves are not stored.",
    lambda one: (
        {name: one[name] for name in ("id", "name", "scopes", "monitors")}
        | {
            "state": _key_state_for_command(one),
            "expires": admin_list_moment(one["expires_at"]),
            "used": admin_list_moment(one["used_at"]),
        }
    ),
    "no keys yet: create one with 'sidelight admin key create'",
)


@key_group.command("rotate", short_help="Replace a key with a new one.")
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
def rotate_key_command(key: str, database: str, hours: float) -> None:
    """Print a new key with the scopes of KEY, which is an id from the list, a prefix, or the key itself."""
    click.echo(
        admin_post(database, f"/v1/keys/{_find_key_id_for_command(key)}/rotate", {"grace": 3600.0 * hours})["key"]
    )


@key_group.command("revoke", short_help="Revoke a key.")
@KEY
@DATABASE
def revoke_key_command(key: str, database: str) -> None:
    """Revoke KEY, which is an id from the list, a prefix, or the key itself; servers notice within five seconds."""
    admin_post(database, f"/v1/keys/{_find_key_id_for_command(key)}/revoke")
    terminal.write_to_terminal("revoked")


def _find_key_id_for_command(key: str) -> str:
    """Return the id of a key, given its id, its prefix or the whole key."""
    id = key.removeprefix("sl_").partition("_")[0]
    if len(id) != 10 or not id.isalnum() or not id.isascii():
        raise SidelightError("there is no such key: list the keys with `sidelight admin key list`")
    return id


_NAME = click.argument("name", metavar="NAME")


reviewer_group = CommandsInOrder(
    "reviewer",
    short_help="Manage the people who sign in.",
    help="Invite people who review in the browser, list them, and disable or enable them.",
)


@reviewer_group.command("invite", short_help="Add a person, and print a link for them.")
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
def invite_reviewer_command(name: str, database: str, scopes: tuple[str, ...], only: tuple[str, ...], url: str) -> None:
    """Add a person called NAME and print a link to choose a password; it works for a week."""
    body = {"name": name, "scopes": list(scopes), "monitors": list(only) or None}
    click.echo(admin_post(database, "/v1/reviewers", body, url)["link"])


add_admin_list_command(
    reviewer_group,
    "/v1/reviewers",
    "List the people who can sign in, and those who no longer can.",
    lambda one: (
        {name: one[name] for name in ("name", "scopes", "monitors")}
        | {
            "state": "disabled" if one["disabled_at"] is not None else "works" if one["ready"] else "invited",
            "since": admin_list_moment(one["created_at"]),
        }
    ),
    "no reviewers yet: add one with 'sidelight admin reviewer invite'",
)


@reviewer_group.command("link", short_help="Print a new link, for a forgotten password.")
@_NAME
@DATABASE
@URL
def link_reviewer_command(name: str, database: str, url: str) -> None:
    """Print a link for NAME to choose a new password; it works for a week, and the old password works until then."""
    click.echo(
        admin_post(database, f"/v1/reviewers/{_find_reviewer_id_for_command(database, name)}/link", url=url)["link"]
    )


@reviewer_group.command("disable", short_help="Stop a person from signing in.")
@_NAME
@DATABASE
def disable_reviewer_command(name: str, database: str) -> None:
    """Stop NAME from signing in: sessions end, verifications they held are released, their answers stay."""
    admin_post(database, f"/v1/reviewers/{_find_reviewer_id_for_command(database, name)}/disable")
    terminal.write_to_terminal("disabled")


@reviewer_group.command("enable", short_help="Let a person sign in again.")
@_NAME
@DATABASE
def enable_reviewer_command(name: str, database: str) -> None:
    """Let NAME sign in again, with the old password."""
    admin_post(database, f"/v1/reviewers/{_find_reviewer_id_for_command(database, name)}/enable")
    terminal.write_to_terminal("enabled")


def _find_reviewer_id_for_command(database: str, name: str) -> str:
    spelled = unicodedata.normalize("NFC", name.strip())
    for one in admin_get(database, "/v1/reviewers")["reviewers"]:
        if spelled in (one["name"], one["id"]):
            id: str = one["id"]
            return id
    raise SidelightError(f"there is no reviewer {name!r}: list them with `sidelight admin reviewer list`")
