"""Outcome laws as they are written on a command line: `--p 1/3,2/3`, or `--p-from dirichlet` for one per run."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.environments import IID
    from sidelight.game import Game

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT = "dirichlet"
_ROUNDING = Fraction(1, 10**9)


def law_options(command: F) -> F:
    """Add the options that choose where outcomes come from."""
    for option in (
        click.option(
            "--p-from",
            "p_from",
            metavar="KIND",
            help="Draw the outcome law of each run: dirichlet (any law, the default), or for games of two outcomes "
            "uniform, balanced (p in [0.4, 0.6]) or imbalanced (p below 0.2 or above 0.8).",
        ),
        click.option("--p", "p", metavar="P,P,...", help="The probability of each outcome: 0.3,0.7 or 1/3,2/3."),
    ):
        command = option(command)
    return command


def environment(game: Game, p: str | None, p_from: str | None) -> IID:
    """Return the environment that the options describe."""
    from sidelight.environments import IID, laws

    if p is not None and p_from is not None:
        raise SidelightError("give --p (one law) or --p-from (a law for each run), not both")
    if p is None:
        return IID(laws.load(p_from or DEFAULT, game.n_outcomes))
    return IID(law(p, game))


def law(text: str, game: Game) -> list[float]:
    """Read the probability of each outcome."""
    try:
        values = [Fraction(part.strip()) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        raise SidelightError(f"--p is {text!r}: give numbers with commas between them, as in 0.3,0.7") from None
    if len(values) != game.n_outcomes:
        raise SidelightError(
            f"--p gives {_count(len(values), 'probability')}, but the game has {_count(game.n_outcomes, 'outcome')} "
            f"({_listed(game.outcomes)})"
        )
    if any(value < 0 for value in values):
        raise SidelightError(f"--p is {text!r}: no probability is negative")
    total = sum(values, Fraction(0))
    if abs(total - 1) > _ROUNDING:
        hint = "; fractions such as 1/3 are exact" if abs(total - 1) < Fraction(1, 10) else ""
        raise SidelightError(f"--p is {text!r}, which sums to {float(total):.9g} and not to 1{hint}")
    return [float(value) for value in values]


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown}, ..."


def _count(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
