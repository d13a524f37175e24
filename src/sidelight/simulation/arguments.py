"""Check the arguments of `simulate`, and whether they fit together."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.environments.base import Environment
from sidelight.errors import ParameterError, SidelightError, WrongTypeError
from sidelight.strategies.base import Strategy

_ORDER = "give simulate(strategy, environment, ...)"
_LEAST = {"horizon": 1, "runs": 1, "seed": 0, "first_run": 0, "workers": 1}
# Rounds are counted with 64 bits, and the numbers of runs, of which random numbers are made, with 32. A seed only has
# to have a decimal form that files can hold.
_BITS = {"seed": 1024, "runs": 31, "first_run": 31}


def check_simulated_players(strategy: Any, environment: Any) -> None:
    """Raise an error unless strategy and environment have the right types and fit each other."""
    for what, value, kind in (("strategy", strategy, Strategy), ("environment", environment, Environment)):
        if isinstance(value, type) and issubclass(value, kind):
            raise WrongTypeError(f"{what} is the class {value.__name__}: make one of it first")
        if not isinstance(value, kind):
            raise WrongTypeError(
                f"{what} is {_show_argument_of_simulation(value)}, not of the class {kind.__name__}: {_ORDER}"
            )
    if strategy.dimension and strategy.dimension != environment.dimension:
        have = f"the environment has {environment.dimension or 'none'}"
        raise SidelightError(f"{strategy.name} wants contexts of {strategy.dimension} numbers, {have}")


def check_numbers_of_simulation(**numbers: Any) -> None:
    """Raise unless horizon, runs, seed and so on are whole numbers of a sensible size."""
    for name, number in numbers.items():
        least, bits = _LEAST[name], _BITS.get(name, 63)
        if number is None and name == "workers":
            continue
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
            raise ParameterError(f"{name} is {number!r}: give a whole number of at least {least}", name)
        if int(number).bit_length() > bits:
            raise SidelightError(f"{name} is too large: give a whole number below 2**{bits}")


def _show_argument_of_simulation(value: Any) -> str:
    """Describe a value in a few words."""
    text = repr(value)
    return f"{text} ({type(value).__name__})" if len(text) <= 40 else f"a {type(value).__name__}"
