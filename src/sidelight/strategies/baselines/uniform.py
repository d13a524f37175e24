"""Two strategies that learn nothing: random actions, and always the same action."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.errors import ParameterError
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, observe


class Anything(NamedTuple):
    """How many actions there are to draw from."""

    actions: int


class Always(NamedTuple):
    """The action to play."""

    action: int


class Nothing(NamedTuple):
    """A state that never changes."""


@implements(act, Anything)
def _draw(parameters: Anything, state: Nothing, context: Context, rng: np.random.Generator) -> int:
    return int(rng.random() * parameters.actions)


@implements(observe, Anything)
@implements(observe, Always)
def _ignore(parameters: Anything | Always, state: Nothing, action: int, symbol: int, context: Context) -> None:
    pass


@implements(act, Always)
def _same(parameters: Always, state: Nothing, context: Context, rng: np.random.Generator) -> int:
    return parameters.action


class Uniform(KernelStrategy):
    """Play a uniformly random action in every round, whatever was seen: a baseline for what learning is worth.

    Parameters
    ----------
    game
        Any game.
    seed
        Where the draws start.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.Uniform(sl.games.load("bartok"), seed=1)
    >>> [s.act() for _ in range(5)]
    [1, 2, 0, 2, 0]
    """

    guarantee: ClassVar[str] = "none: its regret grows linearly in every game that is not trivial"

    def _compile(self) -> Anything:
        return Anything(self.game.n_actions)

    def _start(self) -> Nothing:
        return Nothing()


class FixedAction(KernelStrategy):
    """Always play the same action.

    Parameters
    ----------
    game
        Any game.
    action
        The action: its index, or its name.
    seed
        Not used; every strategy takes one.

    Examples
    --------
    >>> import sidelight as sl
    >>> sl.strategies.FixedAction(sl.games.load("apple-tasting"), "taste").act()
    1
    """

    guarantee: ClassVar[str] = "none: its regret is linear unless the action happens to be the best one"

    def __init__(self, game: Game, action: int | str, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.action = action
        self._index = self._found(action)

    def _found(self, action: int | str) -> int:
        actions = self.game.actions
        if isinstance(action, str) and action in actions:
            return actions.index(action)
        whole = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if whole and 0 <= int(action) < len(actions):
            return int(action)
        named = ", ".join(actions[:8]) + (" ..." if len(actions) > 8 else "")
        raise ParameterError(
            f"action is {action!r}: give an index from 0 to {len(actions) - 1}, or a name ({named})", "action"
        )

    def _compile(self) -> Always:
        return Always(self._index)

    def _start(self) -> Nothing:
        return Nothing()
