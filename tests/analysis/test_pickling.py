"""Analyses and what is learned with them travel between threads and processes."""

import copy
import pickle
import threading

import numpy as np
import pytest

import sidelight as sl
from sidelight.analysis import analysis as module
from sidelight.kernels import interpreted
from sidelight.strategies import CBP, RandCBP


@pytest.fixture(params=["bartok", "apple-tasting", "hopeless", "trivial"])
def game(request):
    return sl.games.load(request.param)


def test_an_analysis_survives_a_pickle_in_another_process(game, monkeypatch):
    original = sl.analyze(game)
    data = pickle.dumps(original)
    monkeypatch.setattr(module, "_recent", {})  # as in a process that has not met the game
    copied = pickle.loads(data)
    assert copied is not original
    assert copied.to_dict() == original.to_dict()
    assert copied.explain() == original.explain()
    assert sl.analyze(game) is copied


def test_within_a_process_all_copies_are_one(game):
    original = sl.analyze(game)
    assert pickle.loads(pickle.dumps(original)) is original
    assert copy.deepcopy(original) is original
    assert copy.copy(original) is original


def test_after_play_fresh_strategies_of_the_same_game_can_be_pickled():
    game = sl.games.load("bartok")
    played = CBP(game)
    for _ in range(20):
        played.observe(game.feedback[played.act()][0])
    for strategy in (played, CBP(game), RandCBP(game)):
        assert len(pickle.dumps(strategy)) < 20_000
        copy.deepcopy(strategy)


def test_plausible_sets_can_be_pickled():
    sets = RandCBP(sl.games.load("bartok")).plausible_sets
    assert pickle.loads(pickle.dumps(sets)) is sets


def test_pickles_are_made_while_others_learn():
    game = sl.games.load("dynamic-pricing", prices=6)
    strategy, stop, problems = RandCBP(game), threading.Event(), []

    def pickle_on():
        while not stop.is_set():
            try:
                pickle.dumps(strategy)
            except RuntimeError as error:
                problems.append(error)

    thread = threading.Thread(target=pickle_on)
    thread.start()
    try:
        with interpreted():  # compiling would take most of the time
            sl.simulate(strategy, sl.environments.IID(np.full(game.n_outcomes, 1 / game.n_outcomes)), 60, runs=1)
    finally:
        stop.set()
        thread.join()
    assert not problems
