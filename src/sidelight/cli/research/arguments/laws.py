"""Outcome laws as they are written on a command line: `--law 1/3,2/3`, or `--law-from dirichlet` for one per run."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import click

from sidelight.errors import SidelightError
from sidelight.text import count, list_some

if TYPE_CHECKING:
    from sidelight.environments import IID
    from sidelight.game import Game

DEFAULT = "dirichlet"
_ROUNDING = Fraction(1, 10**9)
law_option = click.option("--law", metavar="P,P,...", help="The probability of each outcome: 0.3,0.7 or 1/3,2/3.")
law_from_option = click.option(
    "--law-from",
    metavar="KIND",
    help="Draw the outcome law of each run: dirichlet (any law, the default), balanced (near the middle; p in "
    "[0.4, 0.6] for two outcomes), imbalanced (one outcome has 80 % or more), rare (95 %), near-vertex (70 % or "
    "more), sparse (a few outcomes have nearly all the probability), near-border or near-tie (5 to 30 % or 1 to 5 "
    "% away from where the best action changes), or, for two outcomes, uniform.",
)


def environment_from_law_options(game: Game, law: str | None, law_from: str | None) -> IID:
    """Return the environment that the options describe."""
    from sidelight.environments import IID, laws

    if law is not None and law_from is not None:
        raise SidelightError("give --law (one law) or --law-from (a law for each run), not both")
    if law is None:
        return IID(laws.load(law_from or DEFAULT, game))
    return IID(read_law_option(law, game))


def read_law_option(text: str, game: Game) -> list[float]:
    """Read the probability of each outcome."""
    try:
        values = [Fraction(part.strip()) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        raise SidelightError(f"--law is {text!r}: give numbers with commas between them, as in 0.3,0.7") from None
    if len(values) != game.n_outcomes:
        raise SidelightError(
            f"--law gives {count(len(values), 'probability')}, but the game has {count(game.n_outcomes, 'outcome')} "
            f"({list_some(game.outcomes, 6)})"
        )
    if any(value < 0 for value in values):
        raise SidelightError(f"--law is {text!r}: a probability cannot be negative")
    total = sum(values, Fraction(0))
    if abs(total - 1) > _ROUNDING:
        hint = "; fractions such as 1/3 are exact" if abs(total - 1) < Fraction(1, 10) else ""
        raise SidelightError(f"--law is {text!r}, which sums to {float(total):.9g} and not to 1{hint}")
    return [float(value) for value in values]
