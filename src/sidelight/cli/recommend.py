"""`sidelight recommend`: which strategy to use for a game."""

from __future__ import annotations

import click

from sidelight.cli import _text
from sidelight.cli._catalogue import load_game
from sidelight.cli._numbers import COUNT, WHOLE

_EPILOG = """\b
Examples:
  sidelight recommend apple-tasting
  sidelight recommend dynamic-pricing --set prices=6 --horizon 5000
  sidelight recommend my.toml --dimension 10 --json
"""


@click.command("recommend", epilog=_EPILOG)
@click.argument("game", metavar="NAME|FILE")
@click.option("--horizon", type=COUNT, metavar="N", help="How many rounds will be played, if that is known.")
@click.option(
    "--dimension", type=WHOLE, metavar="D", default=0, show_default=True, help="How many numbers a context has."
)
@click.option("--set", "settings", multiple=True, metavar="PARAMETER=VALUE", help="Change a parameter of a known game.")
@click.option("--json", "as_json", is_flag=True, help="Print plain data instead of text.")
def command(game: str, horizon: int | None, dimension: int, settings: tuple[str, ...], as_json: bool) -> None:
    """Say which strategy to use for a game, and on which evidence.

    NAME is a game of the catalogue ('sidelight games' lists it), FILE a game of your own (.toml or .json). The answer
    comes from the benchmark that is stored in the library: from those of its games that are of the same kind and
    nearest in their numbers of outcomes, actions and pairs of neighbors. How near they are, and how the strategies did
    there, is shown. A hopeless game is refused: no strategy learns to play it well.
    """
    from sidelight.benchmark import recommend

    found = recommend(load_game(game, settings), horizon, dimension)
    if as_json:
        _text.write_json(found.to_dict())
    else:
        _text.write(found.explain())
