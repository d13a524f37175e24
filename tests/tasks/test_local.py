"""Tasks on threads: all of them once, compiled loops first, and an end when somebody wants one."""

import threading
from dataclasses import dataclass

import pytest

from sidelight.tasks import cores, run_here

from .making import Squaring


def done_here(tasks, workers=None, advance=lambda task, rounds: None):
    found = {}
    run_here(tasks, found.__setitem__, advance, workers=workers)
    return found


@pytest.mark.parametrize("workers", [1, 2, 7, None])
def test_every_task_is_done_once(workers):
    tasks = [Squaring(k, seconds=k, kernel="ab"[k % 2]) for k in range(20)]
    assert done_here(tasks, workers) == {task: task.number**2 for task in tasks}
    assert cores() >= 1


def test_nothing_to_do():
    assert done_here([]) == {}


def test_one_task_of_each_kernel_comes_first():
    """And among them the longest, so that what must be compiled is compiled early."""
    tasks = [Squaring(k, seconds=k, kernel="ab"[k % 2]) for k in range(6)]
    assert [task.number for task in done_here(tasks, workers=1)][:2] == [5, 4]
    tasks = [Squaring(k, seconds=k, kernel="a" if k else "b") for k in range(4)]
    assert [task.number for task in done_here(tasks, workers=1)] == [3, 0, 2, 1]


def test_one_task_of_each_kind_comes_before_the_others():
    """So that what each kind costs is known early; which ones come first does not depend on their place in the list."""
    tasks = [Squaring(10 * k + n, kind=kind) for k, kind in enumerate("abcdefgh") for n in range(3)]
    order = [task.number for task in done_here(tasks, workers=1)]
    first = order[:8]
    assert sorted(number // 10 for number in first) == list(range(8))
    assert first != sorted(first)
    assert {number % 10 for number in first} == {0, 1, 2}
    assert sorted(order) == sorted(task.number for task in tasks)


def test_what_takes_long_comes_before_what_does_not():
    """What a kind takes is known once one of its tasks is done; guesses do not count then."""
    quick = [Squaring(k, seconds=9.0, kind="quick") for k in range(3)]
    slow = [Squaring(k, seconds=0.1, kind="slow", pause=0.6) for k in range(10, 13)]
    order = [task.number for task in done_here([*quick, *slow], workers=1)]
    assert {number // 10 for number in order[:2]} == {0, 1}
    assert [number // 10 for number in order[2:]] == [1, 1, 0, 0]


def test_nobody_waits_for_a_loop_that_another_worker_compiles(monkeypatch):
    """The first task of one loop tells of no round until all others are done, which do not need that loop."""
    monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", 1e9)
    all_done = threading.Event()

    @dataclass(frozen=True)
    class Compiling(Squaring):
        def perform(self, progress=False):
            assert all_done.wait(60.0)
            return 0

    blocked = [Compiling(0, seconds=9.0, kernel="slow"), *(Squaring(k, kernel="slow") for k in range(1, 4))]
    order = []

    def finished(task, result):
        order.append(task.number)
        if len(order) == 4:
            all_done.set()

    others = [Squaring(k, kernel="quick") for k in range(10, 14)]
    run_here([*blocked, *others], finished, lambda task, rounds: None, workers=2)
    assert set(order[:4]) == {10, 11, 12, 13}
    assert len(order) == 8


def test_progress_is_passed_on():
    heard = []
    tasks = [Squaring(1), Squaring(2)]
    done_here(tasks, advance=lambda task, rounds: heard.append((task.number, rounds)))
    assert sorted(heard) == [(1, 1)] * 4 + [(2, 1)] * 4


def test_an_error_ends_the_others():
    heard = []
    tasks = [Squaring(0, seconds=2.0, fails=True), *(Squaring(k, pause=0.4) for k in range(1, 50))]
    with pytest.raises(ZeroDivisionError, match="no square"):
        done_here(tasks, workers=2, advance=lambda task, rounds: heard.append(task.number))
    assert max(heard) < 10


def test_an_interrupt_where_results_arrive_ends_the_work():
    seen = []

    def interrupted(task, result):
        seen.append(result)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_here([Squaring(k, pause=0.1) for k in range(50)], interrupted, lambda task, rounds: None, workers=2)
    assert len(seen) == 1
