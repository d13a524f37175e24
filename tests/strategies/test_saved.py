"""Strategies that were saved: nested states, and what is not saved."""

from typing import NamedTuple

import numpy as np
import pytest

import sidelight as sl
from sidelight.kernels import implements
from sidelight.strategies import Strategy
from sidelight.strategies.base import KernelStrategy, act, observe


class Inner(NamedTuple):
    total: np.ndarray
    scratch: np.ndarray


class Belief(NamedTuple):
    inner: Inner
    mean: np.ndarray


class Scratch(NamedTuple):
    room: np.ndarray


class Nested(NamedTuple):
    clock: np.ndarray
    belief: Belief
    scratch: Scratch


class Rule(NamedTuple):
    actions: int


@implements(act, Rule)
def _act(parameters, state, context, rng):
    state.scratch.room[0] = state.clock[0]
    state.clock[0] += 1
    return int(state.scratch.room[0] + state.belief.inner.total[0]) % parameters.actions


@implements(observe, Rule)
def _observe(parameters, state, action, symbol, context):
    state.belief.inner.total[0] += symbol + 1
    state.belief.mean[0] = state.belief.inner.total[0] / state.clock[0]


class Nesting(KernelStrategy):
    def __init__(self, game, seed=0):
        super().__init__(game, seed=seed)

    def _compile(self):
        return Rule(self.game.n_actions)

    def _start(self):
        inner = Inner(np.zeros(1), np.zeros(2))
        return Nested(np.zeros(1, np.int64), Belief(inner, np.zeros(1)), Scratch(np.zeros(3)))


GAME = sl.games.load("bartok")


def play(strategy, rounds):
    played = []
    for _ in range(rounds):
        played.append(strategy.act())
        strategy.observe(GAME.symbols(played[-1])[0])
    return played


def test_nested_states_are_saved_without_their_scratch(tmp_path):
    strategy = Nesting(GAME)
    play(strategy, 5)
    data = strategy.save(tmp_path / "nesting.npz")
    assert data["format"] == "sidelight-strategy-1"
    assert data["state"].keys() == {"clock", "belief"}
    assert data["state"]["belief"]["inner"].keys() == {"total"}
    for loaded in (Nesting.load(data), Nesting.load(tmp_path / "nesting.npz")):
        assert type(loaded.state.belief.inner) is Inner
        assert loaded.state.clock.dtype == np.int64
        assert loaded.state.belief.mean == strategy.state.belief.mean != 0
        assert not loaded.state.scratch.room.any()
        assert play(loaded, 6) == play(strategy.clone(), 6)


@pytest.mark.parametrize("state", [{}, [], {"clock": np.zeros(1), "belief": np.zeros(1)}], ids=str)
def test_states_of_another_layout_are_refused(state):
    with pytest.raises(sl.SidelightError, match="does not fit"):
        Nesting.load(Nesting(GAME).save() | {"state": state})


@pytest.mark.parametrize("key", ["strategy", "parameters", "game", "seed", "random", "under_way", "context", "state"])
def test_incomplete_data_is_refused(key):
    data = Nesting(GAME).save()
    del data[key]
    with pytest.raises(sl.SidelightError, match=f"lacks '{key}'"):
        Nesting.load(data)


class Listing(Strategy):
    """Keeps a list of arrays, and whatever a test adds."""

    def _start(self):
        return {"per": [np.zeros(2), {"inner": np.ones(3, np.int64)}, "text"], "clock": 0}

    def _act(self, context):
        self.state["clock"] += 1
        return int(self.rng.integers(self.game.n_actions))

    def _observe(self, action, symbol, context):
        self.state["per"][0][action] += 1
        self.state["per"][1]["inner"][0] += symbol


def test_lists_of_arrays_are_saved(tmp_path):
    game = sl.games.load("apple-tasting")
    sl.check_strategy(Listing, games=[game])
    one = Listing(game)
    for outcome in (0, 1, 1):
        one.observe(game.feedback[one.act()][outcome])
    one.save(tmp_path / "one.npz")
    other = Listing.load(tmp_path / "one.npz")
    assert other.state["per"][0].tolist() == one.state["per"][0].tolist()
    assert other.state["per"][1]["inner"].tolist() == one.state["per"][1]["inner"].tolist()
    assert other.state["per"][1]["inner"].dtype == np.int64
    assert other.state["per"][2] == "text"
    assert [other.act() for _ in range(5)] == [one.act() for _ in range(5)]


def test_a_state_that_no_file_can_hold_is_refused_in_words(tmp_path):
    one = Listing(sl.games.load("apple-tasting"))
    one.state["seen"] = {1, 2}
    with pytest.raises(sl.SidelightError, match=r"the state of Listing cannot be saved .*set.*: keep arrays, numbers"):
        one.save(tmp_path / "one.npz")
    assert not list(tmp_path.iterdir())
