"""Check the arguments of `simulate`: their order, and whether they fit together."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from sidelight.environments.base import Environment
from sidelight.errors import SidelightError, WrongTypeError
from sidelight.game import Game
from sidelight.strategies.base import Strategy

_ORDER = "give simulate(strategy, environment, ...)"
_LEAST = {"horizon": 1, "runs": 1, "seed": 0, "first_run": 0, "workers": 1}
# Rounds are counted with 64 bits, and the numbers of runs, of which random numbers are made, with 32. A seed only has
# to have a decimal form that files can hold.
_BITS = {"seed": 1024, "runs": 31, "first_run": 31}


def bound(signature: inspect.Signature, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name, whether or not the game comes first."""
    if arguments and isinstance(arguments[0], Game):
        if "game" in options:
            raise WrongTypeError(f"the game was given twice, first and as game=: {_ORDER}")
        options = options | {"game": arguments[0]}
        arguments = arguments[1:]
    try:
        return signature.bind(*arguments, **options).arguments
    except TypeError as error:
        raise WrongTypeError(f"simulate has {error}: {_ORDER}") from None


def check_players(strategy: Any, environment: Any, game: Any) -> Game:
    """Return the game that is played, or raise an error if strategy and environment do not fit it."""
    for what, value, kind in (("strategy", strategy, Strategy), ("environment", environment, Environment)):
        if isinstance(value, type) and issubclass(value, kind):
            raise WrongTypeError(f"{what} is the class {value.__name__}: make one of it first")
        if not isinstance(value, kind):
            raise WrongTypeError(f"{what} is {_shown(value)}, not of the class {kind.__name__}: {_ORDER}")
    if game is None:
        game = strategy.game
    if not isinstance(game, Game):
        raise WrongTypeError(f"game is {_shown(game)}, not of the class Game: leave it out, or load it first")
    if strategy.game != game:
        raise SidelightError(f"the strategy was made for another game ({strategy.game.name or 'unnamed'})")
    if strategy.dimension and strategy.dimension != environment.dimension:
        have = f"the environment has {environment.dimension or 'none'}"
        raise SidelightError(f"{strategy.name} wants contexts of {strategy.dimension} numbers, {have}")
    return game


def check_numbers(**numbers: Any) -> None:
    """Raise unless horizon, runs, seed and so on are whole numbers of a sensible size."""
    for name, number in numbers.items():
        least, bits = _LEAST[name], _BITS.get(name, 63)
        if number is None and name == "workers":
            continue
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
            raise SidelightError(f"{name} is {number!r}: give a whole number of at least {least}")
        if int(number).bit_length() > bits:
            raise SidelightError(f"{name} is too large: give a whole number below 2**{bits}")


def _shown(value: Any) -> str:
    """Describe a value in a few words."""
    text = repr(value)
    return f"{text} ({type(value).__name__})" if len(text) <= 40 else f"a {type(value).__name__}"
