"""`sidelight admin backup|copy|export|check|prune|erase|recover`: what is stored."""

from __future__ import annotations

import os
import sys
from urllib.parse import quote

import click

from sidelight.cli import terminal
from sidelight.cli.server.database import (
    DATABASE,
    URL,
    admin_get,
    admin_post,
    note_taken_by_command,
    open_command_database,
)
from sidelight.errors import SidelightError
from sidelight.text import count, thousands

_WHAT = ("decisions", "journal")


@click.command(
    "backup",
    short_help="Write everything to one file.",
    epilog="""\b
Example, in a nightly job:
  sidelight admin backup /backups/$(date +%F).db
""",
)
@click.argument("file", metavar="FILE")
@DATABASE
def backup_database_command(file: str, database: str) -> None:
    """Write everything to a new SQLite FILE, completely or not at all, even while the server is running.

    To restore it, stop the server and replace its database with FILE (and remove the -wal and -shm files next to it),
    or copy it into an empty PostgreSQL database with 'admin copy'.
    """
    from sidelight.service.maintenance.copy import back_up_database

    with open_command_database(database) as storage:
        size = back_up_database(storage, file)
    note_taken_by_command(database, "backup made", os.path.basename(file), bytes=size)
    terminal.write_to_terminal(f"{file}: {thousands(size)} bytes")


@click.command(
    "copy",
    short_help="Copy everything to a new database.",
    epilog="""\b
Example:
  sidelight admin copy --database sidelight.db \\
      postgresql://db/monitor
""",
)
@click.argument("target", metavar="TARGET")
@DATABASE
def copy_database_command(target: str, database: str) -> None:
    """Copy everything to TARGET, a new SQLite file or an empty PostgreSQL database.

    Stop the server first if you want to continue with the copy: changes made while it is being copied are not in it.
    """
    from sidelight.service.maintenance.copy import copy_database
    from sidelight.service.store import open_storage

    with open_command_database(database) as source:
        place = open_storage(target)
        try:
            copied = copy_database(source, place)
        finally:
            place.close()
    note_taken_by_command(database, "copy made", "", journal=copied["journal"])
    terminal.write_to_terminal(
        f"{count(copied['monitors'], 'monitor')}, {count(copied['journal'], 'entry')} of the journal copied"
    )


@click.command(
    "export",
    short_help="Write decisions or the journal for other programs.",
    epilog="""\b
Examples:
  sidelight admin export --monitor digits > digits.jsonl
  sidelight admin export --what journal \\
      --out journal.parquet
""",
)
@DATABASE
@click.option(
    "--what",
    type=click.Choice(_WHAT),
    default="decisions",
    show_default=True,
    metavar="WHAT",
    help="decisions (each prediction and its outcome) or journal (everything that happened).",
)
@click.option("--monitor", "monitors", multiple=True, metavar="NAME", help="Only this monitor; repeatable.")
@click.option(
    "--out", metavar="PATH", help="Write to a file, as Parquet if its name ends in .parquet; by default, to stdout."
)
def export_database_command(database: str, what: str, monitors: tuple[str, ...], out: str | None) -> None:
    """Write stored data as JSON Lines (one object per line), or as Parquet with the extra 'parquet'."""
    from sidelight.service.maintenance import export

    with open_command_database(database) as storage:
        rows = export.export_rows(storage, what, monitors)
        note_taken_by_command(
            database, "data exported", what, monitors=list(monitors)
        )  # before, as it may be cut short
        if out is None:
            export.write_export_as_json_lines(rows, sys.stdout)
        else:
            click.echo(f"{thousands(export.write_export(rows, what, out))} rows written to {out}", err=True)


@click.command("check", short_help="Check that everything is as it was stored.")
@DATABASE
@click.pass_context
def check_database_command(context: click.Context, database: str) -> None:
    """Check the journals, and that the stored state follows from them; exit with code 1 if anything is wrong."""
    from sidelight.service.domain import monitors
    from sidelight.service.maintenance.check import check_database

    with open_command_database(database) as storage:
        findings = check_database(storage)
        with storage.read() as tx:
            found = monitors.list_served_monitors(tx, archived=True)
    for one in findings:
        terminal.write_to_terminal(terminal.wrap_to_terminal(str(one)))
    if findings:
        context.exit(1)
    entries = sum(one.last - one.base for one in found)
    terminal.write_to_terminal(f"all is well: {count(len(found), 'monitor')}, {thousands(entries)} entries replayed")


@click.command("prune", short_help="Replace old journal entries with sealed snapshots.")
@DATABASE
@click.option(
    "--days", type=click.FloatRange(min=0), metavar="N", help="Keep the entries of the last N days; 7 by default."
)
def prune_journal_command(database: str, days: float | None) -> None:
    """Delete older journal entries, after replaying them into a snapshot that takes their place.

    Predictions that were let pass before then are forgotten: if you send them again, they count again.
    """
    failed = []
    for name in [one["name"] for one in admin_get(database, "/v1/monitors")["monitors"]]:
        try:
            deleted = admin_post(database, f"/v1/monitors/{name}/prune", {"days": days})["deleted"]
            terminal.write_to_terminal(f"{name}: {thousands(deleted)} entries deleted")
        except SidelightError as error:  # prune the others anyway
            failed.append(f"{name}: {error}")
    if failed:
        raise SidelightError(f"some monitors could not be pruned: {'; '.join(failed)}")


@click.command("erase", short_help="Delete the payloads of predictions.")
@click.argument("monitor", metavar="MONITOR")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@DATABASE
def erase_payloads_command(monitor: str, ids: tuple[str, ...], database: str) -> None:
    """Delete the payloads of predictions of MONITOR; verifications that wait for a reviewer are released.

    Ids, classes and answers stay in the journal.
    """
    for one in admin_post(database, f"/v1/monitors/{quote(monitor, safe='')}/erase", {"ids": list(ids)})["erased"]:
        said = f"{one['status']}, {'payload deleted' if one['payload'] else 'there was no payload'}"
        terminal.write_to_terminal(f"{one['id']}: {'no such verification' if one['status'] == 'unknown' else said}")


@click.command("recover", short_help="Print a link for an administrator who cannot sign in.")
@DATABASE
@URL
def recover_administrator_command(database: str, url: str) -> None:
    """Print a link that works for 15 minutes and makes the person who opens it an administrator with a new password."""
    click.echo(admin_post(database, "/v1/reviewers/recover", url=url)["link"])


COMMANDS = (
    backup_database_command,
    copy_database_command,
    export_database_command,
    check_database_command,
    prune_journal_command,
    erase_payloads_command,
    recover_administrator_command,
)
