"""How much time is left, learned from what is done."""

import time

import pytest

from sidelight.studies import Game, Player, World
from sidelight.studies.forecast import Forecast
from sidelight.studies.plan import Cell
from sidelight.studies.work import tasks
from sidelight.tasks.order import in_order

WORLD = World("laws", "balanced")


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def cell(player, game="apple-tasting", runs=40, horizon=1000):
    return Cell(Game(game), WORLD, Player(player), horizon, runs, block=2)


def work_off(pending, cost, cores, until, clock, workers=None):
    """Do tasks in order on so many cores until a share of all seconds is spent; return forecast and true rest."""
    forecast = Forecast(pending, workers, clock)
    costs = [cost(task) for task in pending]
    free = [0.0] * cores
    ends = []
    for task, seconds in zip(pending, costs, strict=True):
        core = free.index(min(free))
        free[core] += seconds
        ends.append((free[core], task, seconds))
    whole = max(free)
    started = clock.now
    for end, task, seconds in sorted(ends, key=lambda each: each[0]):
        if end > until * whole:
            break
        clock.now = started + end
        forecast.finished(task, seconds)
        forecast.advance(task, task.rounds)  # as a cluster does, too late to count
    clock.now = started + until * whole
    return forecast, (1 - until) * whole


def interleaved(*cells):
    lists = [tasks(each) for each in cells]
    return [task for group in zip(*lists, strict=True) for task in group]


@pytest.mark.parametrize("cores", [1, 2, 8])
def test_after_a_tenth_the_rest_is_known_within_a_fifth(cores):
    """Players that differ a hundredfold, on two games; a guess of one second for each says nothing about that."""
    cells = [cell(name, game, runs=200) for name in ("CBP", "TSPM", "IDS") for game in ("apple-tasting", "bartok")]
    speed = {"CBP": 0.01, "TSPM": 0.2, "IDS": 1.0}
    clock = Clock()
    forecast, rest = work_off(
        interleaved(*cells),
        lambda task: speed[task.cell.player.name] * task.count * (2 if task.cell.game.name == "bartok" else 1),
        cores,
        0.1,
        clock,
    )
    assert forecast.remaining() == pytest.approx(rest, rel=0.2)
    assert forecast.share == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize("workers", [None, 2])
def test_what_is_compiled_first_does_not_count(workers):
    """The first task of each loop takes a minute more."""
    players, games = ("CBP", "TSPM", "IDS", "Greedy"), ("apple-tasting", "bartok", "difference", "matching-pennies")
    cells = [cell(name, game, runs=100) for name in players for game in games]
    pending = in_order([task for each in cells for task in tasks(each)])
    kernels = {}
    for task in pending:
        kernels.setdefault(task.kernel, task)
    speed = {"CBP": 0.1, "TSPM": 2.0, "IDS": 1.0, "Greedy": 0.1}
    forecast, rest = work_off(
        pending,
        lambda task: speed[task.cell.player.name] * task.count + 60.0 * (kernels[task.kernel] is task),
        2,
        0.2,
        Clock(),
        workers,
    )
    assert forecast.remaining() == pytest.approx(rest, rel=0.2)


def test_a_player_that_has_not_begun_is_guessed_from_its_other_games():
    known, unknown = cell("CBP"), cell("CBP", "bartok")
    pending = tasks(known) + tasks(unknown)
    clock = Clock()
    forecast = Forecast(pending, clock=clock)
    for task in tasks(known):
        clock.now += 3.0
        forecast.finished(task, 3.0)
    assert forecast.remaining() == pytest.approx(60.0)


def test_nothing_is_said_before_anything_is_known_and_nothing_is_left_in_the_end():
    pending = tasks(cell("CBP"))
    clock = Clock()
    forecast = Forecast(pending, clock=clock)
    assert forecast.remaining() is None
    for task in pending[:-1]:
        forecast.finished(task, 1.0)
    forecast.failed(pending[-1])
    assert forecast.remaining() == 0.0
    assert forecast.share == 1.0


def test_what_another_process_does_counts():
    """Two processes share the work, and each has half of the time that it would take alone."""
    pending = tasks(cell("CBP", runs=80))
    clock = Clock()
    forecast = Forecast(pending, 1, clock)
    for task in pending[:10]:
        clock.now += 2.0
        forecast.finished(task, 2.0)
    for task in pending[10:20]:
        forecast.finished(task, None)
    assert forecast.remaining() == pytest.approx(20.0)
    assert forecast.share == pytest.approx(0.5)


def test_a_task_that_failed_is_neither_done_nor_left():
    pending = tasks(cell("CBP", runs=10))
    clock = Clock()
    forecast = Forecast(pending, clock=clock)
    for task in pending[3:]:
        clock.now += 10.0
        forecast.finished(task, 10.0)
    forecast.advance(pending[1], 5)
    forecast.failed(pending[1])
    assert forecast.remaining() == pytest.approx(20.0)
    forecast.finished(pending[1], 3.0)  # nobody says that twice, but it would not count
    assert forecast.remaining() == pytest.approx(20.0)


def test_nothing_is_said_until_half_of_the_work_is_known():
    pending = [*tasks(cell("CBP", runs=4)), *tasks(cell("TSPM", runs=40))]
    clock = Clock()
    forecast = Forecast(pending, 1, clock)
    for task in pending[:2]:
        clock.now += 1.0
        forecast.finished(task, 1.0)
    assert forecast.remaining() is None
    for task in pending[2:4]:
        clock.now += 3.0
        forecast.finished(task, 3.0)
    assert forecast.remaining() == pytest.approx(18 * 3.0)


def test_one_slow_player_says_nothing_about_the_others():
    """Of four players one is a thousand times slower, and one has not begun."""
    names = ("PMDMEDHinge", "CBP", "Greedy", "Uniform")
    pending = [task for name in names for task in tasks(cell(name, runs=20))]
    clock = Clock()
    forecast = Forecast(pending, 1, clock)
    for task in pending[:2] + pending[10:12] + pending[20:22]:
        seconds = 90.0 if task.cell.player.name == "PMDMEDHinge" else 0.1
        clock.now += seconds
        forecast.finished(task, seconds)
    assert forecast.remaining() == pytest.approx(8 * 90.0 + 26 * 0.1, rel=0.01)


def test_a_task_that_takes_longer_than_compiling_counts_at_once():
    pending = tasks(cell("CBP", runs=20))
    forecast = Forecast(pending, 2, Clock())
    forecast.finished(pending[0], 600.0)
    assert forecast.remaining() == pytest.approx(9 * 600.0 / 2)


def test_a_thousand_kinds_are_no_burden():
    """The bar asks several times a second."""
    cells = [cell("CBP", runs=2, horizon=horizon) for horizon in range(1, 3001)]
    pending = [task for each in cells for task in tasks(each)]
    forecast = Forecast(pending)
    for task in pending[::2]:
        forecast.finished(task, 1.0)
    started = time.process_time()
    for _ in range(10):
        forecast.remaining()
    assert time.process_time() - started < 1.0


def test_tasks_under_way_count():
    pending = tasks(cell("CBP", runs=6))
    clock = Clock()
    forecast = Forecast(pending, 1, clock)
    for task in pending[:2]:
        clock.now += 10.0
        forecast.finished(task, 10.0)
    forecast.advance(pending[2], pending[2].rounds // 2)
    assert forecast.remaining() == pytest.approx(5.0)
