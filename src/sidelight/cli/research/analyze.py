"""`sidelight analyze`: what kind of problem a game is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sidelight.cli import catalogue, terminal
from sidelight.cli.catalogue import set_option

if TYPE_CHECKING:
    from sidelight.analysis import Analysis

_EXAMPLES = """\b
Examples:
  sidelight analyze dynamic-pricing --set prices=3
  sidelight analyze bartok --figure bartok.svg
  sidelight analyze my-game.toml --json
"""


@click.command("analyze", epilog=_EXAMPLES)
@click.argument("game", metavar="NAME|FILE")
@set_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--figure", metavar="PATH", help="Also draw the game; PATH ends in .svg, .pdf or .png.")
def analyze_command(game: str, settings: tuple[str, ...], as_json: bool, figure: str | None) -> None:
    """Say what kind of problem a game is, and prove it.

    NAME is a game in the catalogue ('sidelight games' lists them); FILE is your own game, a path that ends in .toml or
    .json. Prints the matrices, which actions can be best, which of them are neighbors, what the feedback says about
    each pair, and the class that follows: trivial, easy, hard or hopeless.
    """
    if figure is not None:
        catalogue.check_figure_option(figure)
    known = catalogue.load_command_line_game(game, settings)
    from sidelight.analysis import analyze

    analysis = analyze(known)
    if figure is not None:
        _draw_figure_of_analyze_command(analysis, figure)
    if as_json:
        terminal.write_terminal_json(analysis.to_dict())
    else:
        explanation = terminal.wrap_to_terminal(analysis.explain().strip(), catalogue.terminal_action_labels(known))
        terminal.write_to_terminal(
            f"{catalogue.terminal_game_title(known)}\n\n{terminal.write_matrices_for_terminal(known)}\n\n{explanation}"
        )
    if figure is not None:
        click.echo(("" if as_json else "\n") + f"Figure written to {figure}", err=as_json)


def _draw_figure_of_analyze_command(analysis: Analysis, path: str) -> None:
    from sidelight.report.figures.games.game import draw_game_figure
    from sidelight.report.figures.saving import save_figure

    save_figure(draw_game_figure(analysis), path)
