"""The command line: one file per command, imported when the command is used."""

from __future__ import annotations

import click

from sidelight import __version__
from sidelight.cli.group import CommandLine

__all__ = ["main"]


@click.group(
    cls=CommandLine,
    commands_in={
        "games": ("sidelight.cli.research.games", "List the catalogue of games, or describe one of them."),
        "strategies": ("sidelight.cli.research.strategies", "List the strategies, or describe one of them."),
        "analyze": ("sidelight.cli.research.analyze", "Say what kind of problem a game is, and prove it."),
        "recommend": ("sidelight.cli.research.recommend", "Recommend a strategy for a game, and show the evidence."),
        "play": ("sidelight.cli.research.play", "Watch a strategy play a game, round by round, with its reasons."),
        "simulate": (
            "sidelight.cli.research.simulate",
            "Compare strategies on a game: a table and a figure of regret.",
        ),
        "limits": ("sidelight.cli.research.limits", "Say how good any strategy can be."),
        "monitor": (
            "sidelight.cli.monitor.group",
            "Watch a classifier: which predictions to verify, and which classes are wrong too often.",
        ),
        "study": (
            "sidelight.cli.research.study",
            "Run an experiment of your own: games, worlds and strategies in a file, tables and figures in a folder.",
        ),
        "serve": (
            "sidelight.cli.server.serve",
            "Serve monitors over HTTP: durable decisions, a queue for reviewers, reports in the browser.",
        ),
        "service": (
            "sidelight.cli.server.admin",
            "Manage the service: keys, reviewers, backups, copies, exports, checks.",
        ),
        "reproduce": (
            "sidelight.cli.research.reproduce",
            "Reproduce the tables and figures of the ICML 2024 paper, and say which numbers hold.",
        ),
        "warm": ("sidelight.cli.research.compile", "Compile everything now, so that simulations start at once."),
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
