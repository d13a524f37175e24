"""`sidelight service`: keys, reviewers, backups and what else an administrator does outside the pages."""

from __future__ import annotations

import click

from sidelight.cli.group import InOrder
from sidelight.cli.server import data, keys, reviewers


@click.group("service", cls=InOrder, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Manage the service: keys, reviewers, backups, copies, exports, checks.

    All commands work on the database itself (--database): before the first start, while the server is running, and when
    it is stopped.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (keys.group, reviewers.group, *data.COMMANDS):
    command.add_command(_command)
