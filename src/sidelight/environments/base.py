"""Where outcomes come from: a world draws them. It also knows what an action costs, which the strategy never learns."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, Literal

import numpy as np

from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import generic, implements
from sidelight.kernels.arrays import Floats

_MOST_SHOWN = 12  # numbers of an array in a repr

RegretKind = Literal["pseudo-regret", "hindsight"]

draw = generic("draw", ("world", "context", "rng"))
"""Draw the next outcome; write the context that the strategy sees, if there is one, into `context`."""
cost = generic("cost", ("world", "action", "outcome"))
"""Return what the action costs in this round: its gap to the best action, or its loss if no law is known."""
baseline = generic("baseline", ("world",))
"""Return what to subtract from the summed costs to make them regret: 0, or the loss of the best fixed action."""


def charges_gaps(cls: type) -> type:
    """Say that a world keeps the gaps of the current round in `gaps`: they are the cost, and nothing is subtracted."""
    implements(cost, cls)(_gap_of_chosen_action)
    return subtracts_nothing(cls)


def subtracts_nothing(cls: type) -> type:
    """Say that the costs of a world are already measured relative to the best action."""
    implements(baseline, cls)(_subtract_nothing_from_loss)
    return cls


def _gap_of_chosen_action(world: Any, action: int, outcome: int) -> float:
    return world.gaps[action]


def _subtract_nothing_from_loss(world: Any) -> float:
    return 0.0


class Environment(ABC):
    """A source of outcomes for many independent runs."""

    dimension: int = 0
    """How many numbers a context has; 0 if there are none."""
    regret_kind: RegretKind = "pseudo-regret"
    """Against what regret is measured: the best action under the known law, or the best fixed action in hindsight."""

    @property
    def name(self) -> str:
        """What files and tables call it: its class."""
        return type(self).__name__

    @abstractmethod
    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise an error unless this environment can serve this many runs of this length."""

    @abstractmethod
    def start(self, game: Game, run: int, rng: np.random.Generator) -> Any:
        """Return the world of one run: a named tuple for which draw, cost and baseline are implemented."""

    def describe(self) -> dict[str, Any]:
        """Describe this environment by its name and the arguments of its constructor, as plain data."""
        arguments = inspect.signature(type(self)).parameters
        return {"name": self.name} | {name: plain_argument_of_environment(getattr(self, name)) for name in arguments}

    def __repr__(self) -> str:
        shown = []
        for name, parameter in inspect.signature(type(self)).parameters.items():
            value = self._environment_argument(name)
            if parameter.default is parameter.empty:
                shown.append(_short_argument_of_environment(value))
            elif value is not None and not np.all(np.asarray(value) == parameter.default):
                shown.append(f"{name}={_short_argument_of_environment(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def _environment_argument(self, name: str) -> Any:
        """Return a constructor argument for printing."""
        return getattr(self, name, None)


def checked_numbers(what: str, values: Any) -> Floats:
    """Return an array of floats, or raise an error that names what is none."""
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise SidelightError(f"{what}: not numeric, or rows that differ in length: {values!r}") from None


def checked_whole(name: str, value: Any, least: int = 1) -> int:
    """Return a parameter that is a whole number, of at least `least` and of a size that arrays can hold."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= value < 2**62:
        raise ParameterError(f"{name} is {value!r}: give a whole number of at least {least}, below 2**62", name)
    return int(value)


def checked_law(law: Any, outcomes: int | None = None, where: str = "the law") -> Floats:
    """Return an outcome law as floats that sum to one."""
    values = checked_numbers(where, law)
    if values.ndim != 1 or (outcomes is not None and values.shape != (outcomes,)):
        wanted = "a probability for each outcome" if outcomes is None else f"{outcomes} probabilities, one per outcome"
        raise SidelightError(f"{where} has shape {values.shape}: give {wanted}")
    if not np.isfinite(values).all() or (values < 0).any():
        raise SidelightError(f"{where} is {values.tolist()}: probabilities are finite and not negative")
    if abs(values.sum() - 1.0) > 1e-9:
        raise SidelightError(f"{where} is {values.tolist()}, which sums to {values.sum():.12g} and not to 1")
    return np.asarray(values / values.sum())


def checked_laws(laws: Any, what: str = "law") -> Floats:
    """Return several laws as floats that sum to one each; errors call the first of them `what` 0."""
    rows = checked_numbers(f"{what}s", laws)
    if rows.ndim != 2 or 0 in rows.shape:
        raise SidelightError(f"give several laws, a row of probabilities each, not {laws!r}")
    return np.array([checked_law(row, where=f"{what} {n}") for n, row in enumerate(rows)])


def checked_law_of_runs(law: Any) -> Floats:
    """Return one law for all runs, (M,), or one for each, (runs, M), as floats that sum to one."""
    rows = checked_numbers("the law", law)
    if rows.ndim not in (1, 2):
        raise SidelightError(f"the law has shape {rows.shape}: give one law, (M,), or a row per run, (runs, M)")
    checked = [checked_law(row, where=f"the law of run {r}") for r, row in enumerate(np.atleast_2d(rows))]
    return np.array(checked).reshape(rows.shape)


def plain_argument_of_environment(value: Any) -> Any:
    """Return an argument as plain data: arrays as lists, environments by their description, functions by their name."""
    if isinstance(value, Environment):
        return value.describe()
    if callable(value):
        return getattr(value, "__name__", repr(value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _short_argument_of_environment(value: Any) -> str:
    """Return an argument as it could be written, or the shape of an array that is too large for that."""
    array = np.asarray(value)
    if array.dtype.kind in "biuf" and array.ndim:
        return repr(array.tolist()) if array.size <= _MOST_SHOWN else f"<array of shape {array.shape}>"
    return str(getattr(value, "__name__", repr(value))) if inspect.isfunction(value) else repr(value)


def gaps(game: Game, law: Floats) -> Floats:
    """Return by how much each action's expected loss exceeds the least one."""
    expected = loss_matrix(game) @ law
    return np.asarray(expected - expected.min())
