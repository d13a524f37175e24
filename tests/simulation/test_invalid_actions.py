"""A compiled strategy that plays an action its game does not have."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import sidelight as sl
from sidelight.kernels import compiled, implements, interpreted
from sidelight.strategies.base import KernelStrategy, act, observe


class Wrong(NamedTuple):
    action: int


class State(NamedTuple):
    clock: Any


@implements(act, Wrong)
def _act(parameters, state, context, rng):
    state.clock[0] += 1
    return parameters.action if state.clock[0] > 20 else 0


@implements(observe, Wrong)
def _observe(parameters, state, action, symbol, context):
    pass


class Beyond(KernelStrategy):
    """Plays action 0 for twenty rounds, and then one that may not be there."""

    def __init__(self, game, action=2, seed=0):
        super().__init__(game, seed=seed)
        self.action = action

    def _compile(self):
        return Wrong(self.action)

    def _start(self):
        return State(np.zeros(1, np.int64))


@pytest.mark.parametrize("how", [compiled, interpreted])
@pytest.mark.parametrize("action", [2, 10**9])
def test_it_is_refused(action, how):
    game = sl.games.load("apple-tasting")
    with how(), pytest.raises(sl.SidelightError, match=f"Beyond chose action {action}: there are actions 0 to 1"):
        sl.simulate(Beyond(game, action), sl.environments.IID([0.3, 0.7]), 100, 2)


def test_the_last_action_is_not():
    game = sl.games.load("apple-tasting")
    results = sl.simulate(Beyond(game, 1), sl.environments.IID([0.3, 0.7]), 100, 2)
    assert results.plays.tolist() == [[20, 80], [20, 80]]
