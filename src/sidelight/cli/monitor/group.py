"""`sidelight monitor`: watch a classifier from the shell, or find out what that would have cost."""

from __future__ import annotations

from sidelight.cli.group import CommandsInOrder
from sidelight.cli.monitor import file
from sidelight.cli.monitor.options import change_monitor_command
from sidelight.cli.monitor.plan import plan_monitor_command
from sidelight.cli.monitor.replay import replay_monitor_command

monitor_command = CommandsInOrder(
    "monitor",
    help="""Watch a classifier: which predictions to verify, and which classes are wrong too often.

    'plan' says how many labels a verdict takes, and 'replay' what monitoring would have cost on labeled data. The other
    commands keep a monitor in a file: create one with 'new', ask 'decide' about each prediction, tell 'answer' what a
    verification showed, and read the 'report'; 'change' sets other limits. Several processes can use one file at the
    same time.
    """,
)


for _command in (*file.COMMANDS, change_monitor_command, plan_monitor_command, replay_monitor_command):
    monitor_command.add_command(_command)
