"""`sidelight recommend`: which strategy to use for a game."""

from __future__ import annotations

import click

from sidelight.cli import terminal
from sidelight.cli.catalogue import load_command_line_game, set_option
from sidelight.cli.numbers import COUNT, WHOLE

_EPILOG = """\b
Examples:
  sidelight recommend apple-tasting
  sidelight recommend dynamic-pricing --set prices=6 --horizon 5000
  sidelight recommend my.toml --dimension 10 --json
"""


@click.command("recommend", epilog=_EPILOG)
@click.argument("game", metavar="NAME|FILE")
@click.option("--horizon", type=COUNT, metavar="N", help="How many rounds you will play, if you know.")
@click.option(
    "--dimension",
    type=WHOLE,
    metavar="D",
    default=0,
    show_default=True,
    help="How many numbers a context has; 0 means no contexts.",
)
@set_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def recommend_command(game: str, horizon: int | None, dimension: int, settings: tuple[str, ...], as_json: bool) -> None:
    """Recommend a strategy for a game, and show the evidence.

    NAME is a game in the catalogue ('sidelight games' lists them); FILE is your own game (.toml or .json). The
    recommendation rests on the benchmark stored in the library. It uses the benchmark games of the same class whose
    numbers of outcomes, actions and neighbor pairs are nearest, and shows how near they are and how the strategies did
    there. A hopeless game is refused: no strategy learns to play it well.
    """
    from sidelight.recommendation import recommend

    found = recommend(load_command_line_game(game, settings), horizon, dimension)
    if as_json:
        terminal.write_terminal_json(found.to_dict())
    else:
        terminal.write_to_terminal(found.explain())
