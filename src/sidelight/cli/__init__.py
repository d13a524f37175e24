"""The command line: one file per command, imported when the command is used."""

from __future__ import annotations

import click

from sidelight import __version__
from sidelight.cli.group import CommandLine

__all__ = ["main"]

_RESEARCH = {
    "games": "List the catalogue of games, or describe one of them.",
    "strategies": "List the strategies, or describe one of them.",
    "analyze": "Say what kind of problem a game is, and prove it.",
    "recommend": "Recommend a strategy for a game, and show the evidence.",
    "play": "Watch a strategy play a game, round by round, with its reasons.",
    "simulate": "Compare strategies on a game: a table and a figure of regret.",
    "limits": "Say how good any strategy can be.",
    "study": "Run an experiment of your own: games, worlds and strategies in a file, tables and figures in a folder.",
    "reproduce": "Reproduce the tables and figures of the ICML 2024 paper, and say which numbers hold.",
    "compile": "Compile everything now, so that simulations start at once.",
}
_WATCHING = {
    "monitor": (
        "monitor.group",
        "Watch a classifier: which predictions to verify, and which classes are wrong too often.",
    ),
    "serve": (
        "server.serve",
        "Serve monitors over HTTP: durable decisions, a queue for reviewers, reports in the browser.",
    ),
    "admin": ("server.admin", "Administer the service: keys, people, monitors, backups, checks."),
}


@click.group(
    cls=CommandLine,
    sections={
        "Research": {name: (f"sidelight.cli.research.{name}", line) for name, line in _RESEARCH.items()},
        "Watching a classifier": {name: (f"sidelight.cli.{at}", line) for name, (at, line) in _WATCHING.items()},
    },
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'sidelight COMMAND --help' explains a command.",
)
@click.version_option(__version__, message="sidelight %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Decide well when the world never tells you the loss, only a symbol that says something about it.

    This is partial monitoring. Start with 'sidelight games'.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
