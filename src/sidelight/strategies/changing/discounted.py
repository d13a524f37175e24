"""Discounted: another strategy whose counts fade, so that it follows a law that drifts or jumps.

Every W / 100 rounds all counts of the strategy, those of plays, of symbols and of rounds, are multiplied by
exp(-1 / 100). What was seen s rounds ago then weighs about exp(-s / W), and the strategy plays as if about W rounds had
passed, however many have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Integers
from sidelight.strategies.base import UNANSWERED, Context, Seed, act, check_whole, observe
from sidelight.strategies.changing.wrapped import Wrapped
from sidelight.strategies.shared.rounds import fade

_STEPS = 100  # in which a window fades
_KEPT = math.exp(-1.0 / _STEPS)


class Parameters(NamedTuple):
    """What Discounted knows before the first round."""

    every: int  # rounds
    inner: Any


class State(NamedTuple):
    """What play changes."""

    clock: Integers
    inner: Any


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    chosen = act(parameters.inner, state.inner, context, rng)
    if chosen != UNANSWERED:
        state.clock[0] += 1
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    observe(parameters.inner, state.inner, action, symbol, context)
    if state.clock[0] >= parameters.every:
        state.clock[0] -= parameters.every
        fade(state.inner, _KEPT)


class Discounted(Wrapped):
    """Another strategy whose counts fade: for laws that are sure to change where play is blind and looks are expensive.

    Unlike `Restarting` it never decides that something has changed: what it has not seen for long becomes uncertain, so
    that it looks again, which it pays for where the law stays, too. Nothing is proved about it. Measured over eight
    games, its regret is 1.6 times that of RandCBP where the law stays, and two thirds of it where the law jumps or
    drifts; Restarting does better in all but those in which the action played shows nothing.

    Parameters
    ----------
    game
        The game; what the strategy refuses is refused.
    strategy
        The name of the strategy, one that counts: CBP, RandCBP, KLUCB or BetaThompson.
    options
        Its parameters, by name.
    window
        W: what was seen so many rounds ago counts for about a third.
    seed
        Where the draws start.

    References
    ----------
    After A. Garivier, E. Moulines, "On upper-confidence bound policies for switching bandit problems", ALT 2011, for
    symbols instead of rewards.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.Discounted(sl.games.load("apple-tasting"), strategy="CBP")
    >>> s.act(), s.observe("nothing"), s.act()
    (0, None, 1)
    """

    def __init__(
        self,
        game: Game,
        strategy: str = "RandCBP",
        options: Mapping[str, Any] | None = None,
        window: int = 20_000,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, strategy, options, seed)
        self.window = check_whole("window", window, least=_STEPS)
        if type(self.inner._start()) not in fade.implementations:
            raise SidelightError(f"{strategy} has no counts that could fade: give CBP, RandCBP, KLUCB or BetaThompson")

    def _compile(self) -> Parameters:
        return Parameters(int(self.window) // _STEPS, self.inner.compiled_parameters)

    def _start(self) -> State:
        return State(np.zeros(1, np.int64), self.inner._start())
