"""`sidelight admin`: keys, reviewers, monitors, webhooks and the stored data, outside the pages."""

from __future__ import annotations

from sidelight.cli.group import CommandsInOrder
from sidelight.cli.server import accounts, data, monitors

admin_command = CommandsInOrder(
    "admin",
    help="""Administer the service: keys, people, monitors, backups, checks.

    All commands work on the database itself (--database): before the first start, while the server is running, and when
    it is stopped.
    """,
)


for _command in (
    accounts.key_group,
    accounts.reviewer_group,
    monitors.monitor_group,
    monitors.webhook_group,
    *data.COMMANDS,
):
    admin_command.add_command(_command)
