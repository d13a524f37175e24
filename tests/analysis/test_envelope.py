"""Games of two outcomes are analyzed by sorting: the same answers as by linear programs, for many actions, too."""

import random

import pytest

from analysis.certificates import check_certificates
from sidelight import Game, analyze
from sidelight.analysis.cells import Cells
from sidelight.analysis.envelope import TwoOutcomeEnvelope


def game_with_ties(seed, actions=9, largest=4):
    """Return a game whose rows are few enough to be parallel, equal, or to cross at one point."""
    rng = random.Random(seed)
    loss = [[rng.randint(0, largest) for _ in range(2)] for _ in range(actions)]
    return Game(loss, [["a", "b"]] * actions)


def tangents(count):
    """Return a game in which every action is Pareto-optimal: tangents of a parabola."""
    return Game([[s * s, (count - s) ** 2] for s in range(count)], [["a", "b"]] * count)


@pytest.mark.parametrize("seed", range(120))
def test_all_answers_are_those_of_linear_programs(seed):
    game = game_with_ties(seed, actions=1 + seed % 11, largest=1 + seed % 6)
    quick, slow = TwoOutcomeEnvelope(game), Cells(game)
    assert [quick.status(i) for i in range(game.n_actions)] == [slow.status(i) for i in range(game.n_actions)]
    assert quick.neighbors == slow.neighbors
    for pair in quick.neighbors:
        assert quick.on_line(*pair) == slow.on_line(*pair)
        assert quick.neighbor_certificate(*pair) == slow.neighbor_certificate(*pair)


@pytest.mark.parametrize("seed", range(40))
def test_all_answers_are_proved(seed):
    check_certificates(analyze(game_with_ties(1000 + seed)))


def test_a_thousand_actions():
    analysis = analyze(tangents(1000))
    assert len(analysis.pareto) == 1000
    assert analysis.neighbors == tuple((i, i + 1) for i in range(999))
    assert analysis.kind == "easy"


def test_no_linear_program_is_solved(monkeypatch):
    def never(*arguments):
        raise AssertionError("a linear program for two outcomes")

    for module in ("cells.maximize_exactly", "cells.decide_positive_alternative"):
        monkeypatch.setattr(f"sidelight.analysis.{module}", never)
    assert TwoOutcomeEnvelope(tangents(30)).neighbors == tuple((i, i + 1) for i in range(29))
    assert TwoOutcomeEnvelope(game_with_ties(3, actions=30, largest=9)).certificates
