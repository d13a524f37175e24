"""How much time is left, learned from what is done."""

import time

import pytest

from sidelight.studies import Game, Player, World
from sidelight.studies.forecast import Forecast
from sidelight.studies.plan import Cell
from sidelight.studies.work import Spent, tasks
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
    for task, spent in zip(pending, costs, strict=True):
        core = free.index(min(free))
        free[core] += sum(spent)
        ends.append((free[core], task, spent))
    whole = max(free)
    started = clock.now
    for end, task, spent in sorted(ends, key=lambda each: each[0]):
        if end > until * whole:
            break
        clock.now = started + end
        forecast.finished(task, spent)
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
        lambda task: Spent(speed[task.cell.player.name] * task.count * (2 if task.cell.game.name == "bartok" else 1)),
        cores,
        0.1,
        clock,
    )
    assert forecast.remaining() == pytest.approx(rest, rel=0.2)
    assert forecast.share == pytest.approx(0.1, abs=0.03)


PLAYERS = ("CBP", "TSPM", "IDS", "Greedy")
GAMES = ("apple-tasting", "bartok", "difference", "matching-pennies")
SPEED = dict(zip(PLAYERS, (0.1, 2.0, 1.0, 0.1), strict=True)) | dict(zip(GAMES, (1.0, 3.0, 0.5, 10.0), strict=True))


def speed_of(task):
    """The cost of a task, as the product of what its player and its game take."""
    return SPEED[task.cell.player.name] * SPEED[task.cell.game.name] * task.count


@pytest.mark.parametrize("workers", [None, 2])
def test_compiling_is_told_from_playing(workers):
    """The first task of each loop takes a minute more, and none of the others does."""
    cells = [cell(name, game, runs=100) for name in PLAYERS for game in GAMES]
    pending = in_order([task for each in cells for task in tasks(each)])
    first = {task.kernel: task for task in reversed(pending)}
    forecast, rest = work_off(
        pending,
        lambda task: Spent(speed_of(task), 60.0 * (first[task.kernel] is task)),
        2,
        0.2,
        Clock(),
        workers,
    )
    assert forecast.remaining() == pytest.approx(rest, rel=0.2)


def test_loops_that_are_not_compiled_yet_will_take_as_long_as_the_others_did():
    """Of two loops of one strategy the second has not begun."""
    side = Cell(Game("apple-tasting"), World("contexts", "linear", {"d": 2}), Player("CBP"), 1000, 20, block=2)
    known, unknown = tasks(cell("CBP", runs=20)), tasks(side)
    forecast = Forecast([*known, *unknown], 1, Clock())
    forecast.finished(known[0], Spent(1.0, 30.0))
    for task in known[1:]:
        forecast.finished(task, Spent(1.0))
    assert forecast.remaining() == pytest.approx(10 * 1.0 + 30.0)
    for task in unknown[1:]:
        forecast.finished(task, None)  # another process did them, at once
    assert forecast.remaining() == pytest.approx((1.0 + 30.0) / (1 + 9 / 40))
    forecast.failed(unknown[0])
    assert forecast.remaining() == 0.0


def test_a_kind_that_has_not_begun_is_predicted_from_its_strategy_and_its_place():
    """Each player has played in three of the four games, and each game was played by three of the four players."""
    cells = {(name, game): cell(name, game, runs=20) for name in PLAYERS for game in GAMES}
    pending = {key: tasks(each) for key, each in cells.items()}
    forecast = Forecast([task for each in pending.values() for task in each], 1, Clock())
    left = 0.0
    for (name, game), each in pending.items():
        if PLAYERS.index(name) == GAMES.index(game):
            left += sum(map(speed_of, each))
        else:
            for task in each:
                forecast.finished(task, Spent(speed_of(task)))
    assert forecast.remaining() == pytest.approx(left, rel=0.3)


def test_a_single_task_that_took_long_says_less_than_many():
    """Tasks of a kind take 0.1 s or 10 s; one that took 100 s does not mean that all of its kind will."""
    odd, *usual = [cell("CBP", game, runs=20) for game in GAMES]
    forecast = Forecast([task for each in (odd, *usual) for task in tasks(each)], 1, Clock())
    for each in usual:
        for task in tasks(each):
            forecast.finished(task, Spent(0.1 if task.first % 4 else 10.0))
    forecast.finished(tasks(odd)[0], Spent(100.0))
    first = forecast.remaining()
    assert 9 * 20.0 < first < 9 * 90.0
    forecast.finished(tasks(odd)[1], Spent(1.0))
    assert forecast.remaining() < 0.8 * first


def test_predictions_count_little_where_tasks_of_a_kind_are_alike():
    """Kinds differ a thousandfold, for no reason, and tasks of a kind hardly; the dear kinds are done first."""
    cells = [cell("CBP", game, runs=20, horizon=horizon) for game in GAMES for horizon in (100, 1000, 10_000)]
    costs = [1000.0 * 0.5**k for k in range(len(cells))]
    forecast = Forecast([task for each in cells for task in tasks(each)], 1, Clock())
    left = 0.0
    for k, (each, seconds) in enumerate(zip(cells, costs, strict=True)):
        for task in tasks(each)[: 10 if k < 6 else 1]:
            forecast.finished(task, Spent(seconds * (1.05 if task.first % 4 else 0.95)))
        left += 0.0 if k < 6 else 9 * seconds
    assert forecast.remaining() == pytest.approx(left, rel=0.2)


def test_nothing_is_said_before_anything_is_known_and_nothing_is_left_in_the_end():
    pending = tasks(cell("CBP"))
    clock = Clock()
    forecast = Forecast(pending, clock=clock)
    assert forecast.remaining() is None
    for task in pending[:-1]:
        forecast.finished(task, Spent(1.0))
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
        forecast.finished(task, Spent(2.0))
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
        forecast.finished(task, Spent(10.0))
    forecast.advance(pending[1], 5)
    forecast.failed(pending[1])
    assert forecast.remaining() == pytest.approx(20.0)
    forecast.finished(pending[1], Spent(3.0))  # nobody says that twice, but it would not count
    assert forecast.remaining() == pytest.approx(20.0)


def test_nothing_is_said_until_something_is_known_of_every_strategy():
    slow = [*tasks(cell("TSPM", runs=20)), *tasks(cell("TSPM", "bartok", runs=20))]
    pending = [*tasks(cell("CBP", runs=40)), *slow]
    forecast = Forecast(pending, 1, Clock())
    for task in pending[:20]:
        forecast.finished(task, Spent(1.0))
    assert forecast.remaining() is None
    forecast.finished(slow[0], Spent(3.0))
    assert forecast.remaining() == pytest.approx(19 * 3.0)


def test_a_strategy_whose_tasks_all_failed_is_not_waited_for():
    good, bad = tasks(cell("CBP", runs=8)), tasks(cell("TSPM", runs=4))
    forecast = Forecast([*good, *bad], 1, Clock())
    for rounds in (10, 20):
        forecast.advance(bad[0], rounds)
    for task in bad:
        forecast.failed(task)
    forecast.finished(good[0], Spent(5.0))
    assert forecast.remaining() == pytest.approx(15.0)
    assert forecast.share == pytest.approx(0.25)


def test_one_slow_strategy_says_nothing_about_the_others():
    """Of four strategies one is a thousand times slower, and one has begun only on another game."""
    names = ("PMDMEDHinge", "CBP", "Greedy", "Uniform")
    pending = {name: tasks(cell(name, runs=20)) for name in names}
    other = tasks(cell("Uniform", "bartok", runs=2))
    forecast = Forecast([*(task for each in pending.values() for task in each), *other], 1, Clock())
    for name in names[:3]:
        for task in pending[name][:2]:
            forecast.finished(task, Spent(90.0 if name == "PMDMEDHinge" else 0.1))
    forecast.finished(other[0], Spent(0.1))
    assert forecast.remaining() == pytest.approx(8 * 90.0 + 26 * 0.1, rel=0.01)


def test_a_task_that_takes_long_is_measured_while_it_is_under_way():
    """A thousand rounds of two thousand took a minute to compile and 10 s each hundred."""
    (task,) = tasks(cell("CBP", runs=2))
    clock = Clock()
    forecast = Forecast([task], 1, clock)
    forecast.advance(task, 0)
    clock.now += 60.0
    forecast.advance(task, 100)
    assert forecast.remaining() is None
    for _ in range(9):
        clock.now += 10.0
        forecast.advance(task, 100)
    assert forecast.remaining() == pytest.approx(100.0)
    assert forecast.share == pytest.approx(0.5)


def test_a_thousand_kinds_are_no_burden():
    """The bar asks several times a second."""
    cells = [cell("CBP", runs=2, horizon=horizon) for horizon in range(1, 3001)]
    pending = [task for each in cells for task in tasks(each)]
    forecast = Forecast(pending)
    for task in pending[::2]:
        forecast.finished(task, Spent(1.0))
    started = time.process_time()
    for task in pending[1:20:2]:
        forecast.remaining()
        forecast.finished(task, Spent(1.0))
    assert time.process_time() - started < 1.0


def test_tasks_under_way_count():
    pending = tasks(cell("CBP", runs=6))
    clock = Clock()
    forecast = Forecast(pending, 1, clock)
    for task in pending[:2]:
        clock.now += 10.0
        forecast.finished(task, Spent(10.0))
    forecast.advance(pending[2], pending[2].rounds // 2)
    assert forecast.remaining() == pytest.approx(5.0)
