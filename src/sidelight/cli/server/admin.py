"""`sidelight admin`: keys, reviewers, monitors, webhooks and the stored data, outside the pages."""

from __future__ import annotations

import click

from sidelight.cli.group import InOrder
from sidelight.cli.server import data, keys, monitors, reviewers, webhooks


@click.group("admin", cls=InOrder, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Administer the service: keys, people, monitors, backups, checks.

    All commands work on the database itself (--database): before the first start, while the server is running, and when
    it is stopped.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (keys.group, reviewers.group, monitors.group, webhooks.group, *data.COMMANDS):
    command.add_command(_command)
