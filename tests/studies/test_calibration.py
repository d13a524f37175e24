"""What a study will cost: that it is learned from short tries, and what is made of them."""

import time

import pytest

from sidelight.studies import Game, Player, World, calibration
from sidelight.studies.plan import Cell
from sidelight.studies.work import tasks

from .making import write_mine

WORLD = World("laws", "balanced")


def cell(player, horizon=1000, runs=10, game="apple-tasting", **more):
    return Cell(Game(game), WORLD, Player(player), horizon, runs, block=5, **more)


@pytest.fixture
def tries(monkeypatch):
    """Replace tries by a law for the seconds of a run, and remember which ones there were."""
    done = []

    def law(cell, rounds, runs=1):
        done.append((cell.player.name, cell.game.name, rounds, runs))
        return 0.001 + runs * law.of(cell, rounds)

    law.done = done
    monkeypatch.setattr(calibration, "_seconds", law)
    monkeypatch.setattr(calibration, "_STORING", 0.0)
    return law


@pytest.mark.parametrize("power", [1, 2])
def test_the_cost_of_many_rounds_is_told_from_few(tries, power):
    tries.of = lambda cell, rounds: 1e-6 * rounds**power
    cost = calibration.estimate([cell("CBP", 10**8)])
    assert cost.rounds == 10**9
    assert max(rounds for *_, rounds, _ in tries.done) < 10**7
    assert cost.seconds == pytest.approx(10 * 1e-6 * 10.0 ** (8 * power), rel=0.1)


def test_costs_that_begin_high_are_not_taken_to_stay_so(tries):
    """A strategy that does all its work in the first hundred rounds."""
    tries.of = lambda cell, rounds: 1e-3 * min(rounds, 100) + 1e-6 * rounds
    cost = calibration.estimate([cell("CBP", 20_000)])
    assert cost.seconds == pytest.approx(10 * (0.1 + 0.02), rel=0.2)


def test_what_costs_most_is_tried_most(tries):
    """And what does not matter is not tried again."""
    tries.of = lambda cell, rounds: rounds * (1e-3 if cell.player.name == "TSPM" else 5e-7)
    calibration.estimate([cell("CBP", 20_000), cell("TSPM", 20_000)])
    assert [(name, rounds) for name, _, rounds, _ in tries.done[-4:]] == [
        ("TSPM", 16),
        ("TSPM", 64),
        ("TSPM", 256),
        ("TSPM", 1024),
    ]


def test_workers_share_the_work():
    cost = calibration.Cost(rounds=1, seconds=600.0, failures={})
    assert [cost.minutes(workers) for workers in (1, 2, 4)] == [10.0, 5.0, 2.5]


def test_games_that_are_left_when_a_player_has_had_its_time_are_taken_to_be_like_the_others(tries, monkeypatch):
    monkeypatch.setattr(calibration, "_ENOUGH", -1.0)
    tries.of = lambda cell, rounds: 1e-6 * rounds
    names = ("apple-tasting", "bartok", "difference")
    cost = calibration.estimate([cell("CBP", game=name) for name in names])
    assert {game for _, game, *_ in tries.done} == {"apple-tasting"}
    assert cost.seconds == pytest.approx(3 * (2 * 0.001 + 10 * 0.001), rel=0.1)


def test_what_fails_in_a_try_is_told(tmp_path):
    failing = Cell(Game("apple-tasting"), WORLD, write_mine(tmp_path, "raise ValueError('no')"), 100, 2)
    good = cell("Uniform")
    cost = calibration.estimate([failing, good])
    assert {each: why.reason for each, why in cost.failures.items()} == {failing: "ValueError: no"}
    assert cost.seconds > 0
    assert cost.rounds == 10_200


def test_the_estimate_is_right_for_a_small_study():
    """Within a factor of two, though other tests run beside this one."""
    cells = [cell(name, 5_000, 40) for name in ("CBP", "EpsilonGreedy", "Uniform")]
    pieces = [task for each in cells for task in tasks(each)]
    for task in pieces[:1] + pieces[8:9] + pieces[16:17]:
        task.perform()  # compiles
    started = time.process_time()
    for task in pieces:
        task.perform()
    taken = time.process_time() - started
    found = calibration.estimate(cells).seconds - calibration._STORING * len(pieces)
    assert taken / 2 < found < 2 * taken
