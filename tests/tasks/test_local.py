"""Tasks on threads and in processes: the same results, and whatever a task does, only the task suffers."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from sidelight.tasks import Failure, cores, run_here

from .making import Doing, Squaring


@pytest.fixture
def at_once(monkeypatch):
    """Start processes at once instead of after seconds."""
    monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", -1.0)


def done_here(tasks, workers=None, **options):
    found = {}
    run_here(tasks, found.__setitem__, workers=workers, **options)
    return found


@pytest.mark.parametrize("workers", [1, 2, None])
@pytest.mark.parametrize("seconds", [1e9, -1.0])
def test_every_task_is_done_once(workers, seconds, monkeypatch):
    monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", seconds)
    tasks = [Squaring(k) for k in range(12)]
    assert done_here(tasks, workers) == {task: task.number**2 for task in tasks}
    assert done_here([]) == {}
    assert cores() >= 1


def test_where_tasks_are_done(monkeypatch):
    monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", 1e9)
    tasks = [Doing(k, what="os.getpid()", where=where) for k, where in enumerate(("here", "anywhere", "apart"))]
    found = done_here(tasks, workers=1)
    assert [found[task] == os.getpid() for task in tasks] == [True, True, False]
    monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", -1.0)
    found = done_here(tasks, workers=1)
    assert [found[task] == os.getpid() for task in tasks] == [True, False, False]


def test_what_need_not_be_done_is_not():
    tasks = [Squaring(k) for k in range(4)]
    found = done_here(tasks, workers=2, instead=lambda task: "known" if task.number == 1 else None)
    assert [found[task] for task in tasks] == [0, "known", 4, 9]


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("sys.exit()", "SystemExit"),
        ("lambda: 3", "pickle"),
        ("os._exit(3)", "the process that performed the square of 5 ended with exit code 3"),
        ("os.kill(os.getpid(), 9)", "the process that performed the square of 5 ended by signal SIGKILL"),
        ("progress.advance(1) or time.sleep(600)", "no round was finished for 1 s"),
        ("progress.advance(1) or [1 for k in iter(int, 1)]", "no round was finished for 1 s"),
    ],
)
def test_a_task_that_fails_harms_no_other(at_once, what, reason):
    bad = Doing(5, what=what, patience=1.0)
    tasks = [Squaring(1), Squaring(2), bad, *(Squaring(k) for k in range(6, 9))]
    found = done_here(tasks, workers=2)
    assert isinstance(found[bad], Failure)
    assert reason in found[bad].reason
    assert "no round" not in reason or "making.py" in found[bad].traceback
    assert [found[task] for task in tasks if task is not bad] == [1, 4, 36, 49, 64]


def test_a_failure_on_a_thread():
    (failure,) = done_here([Squaring(3, fails=True, where="here")]).values()
    assert failure.reason == "ZeroDivisionError: no square today"


def test_what_a_task_prints_or_warns_of(at_once, capfd):
    """It is printed where errors are, as this process may print results of its own."""
    with pytest.warns(UserWarning, match="take care"):
        done_here([Doing(0, what="[print('hello'), warnings.warn('take care')]")])
    out, err = capfd.readouterr()
    assert (out, "hello" in err) == ("", True)


def test_an_interrupt_where_results_arrive_ends_the_work():
    seen = []

    def interrupted(task, result):
        seen.append(result)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_here([Squaring(k, pause=0.1) for k in range(50)], interrupted, workers=2)
    assert len(seen) == 1


def alive(number):
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"  # which is over, though nobody has asked
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(number):
    for _ in range(400):
        if not alive(number):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc")
def test_an_interrupt_ends_busy_processes(at_once, tmp_path):
    note = tmp_path / "number"
    busy = Doing(1, what=f"[open({str(note)!r}, 'w').write(str(os.getpid())), time.sleep(600)]")

    def interrupt(task, result):
        while not (note.exists() and note.read_text()):
            time.sleep(0.05)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_here([Doing(0, what="os.getpid()"), busy], interrupt, workers=2)
    assert wait_for_end(int(note.read_text()))


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc")
def test_processes_end_with_the_one_that_started_them(tmp_path):
    """Even if that is killed while they are busy; and the script is not run again by them."""
    script = """
        from sidelight.tasks import run_here
        from tests.tasks.making import Doing

        print("begun", flush=True)
        sleeping = Doing(1, what="[print(os.getpid(), file=open('number', 'w')), time.sleep(600)]", where="apart")
        run_here([sleeping], print)
    """
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    (tmp_path / "script.py").write_text(textwrap.dedent(script))
    starter = subprocess.Popen(
        [sys.executable, "script.py"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": root},
    )
    note = tmp_path / "number"
    while not (note.exists() and note.read_text().strip()):
        time.sleep(0.05)
    number = int(note.read_text())
    assert alive(number)
    starter.send_signal(signal.SIGKILL)
    assert starter.communicate()[0].split() == ["begun"]
    assert wait_for_end(number)
