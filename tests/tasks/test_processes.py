"""Tasks in processes of their own: the same results, and whatever a task does, only the task suffers."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
import warnings
from dataclasses import dataclass

import pytest

from sidelight.tasks import DiedError, run_here
from sidelight.tasks.processes import NoProcessError, Process
from sidelight.tasks.task import TaskError

from .making import Squaring


@dataclass(frozen=True)
class Doing(Squaring):
    """Does something else than squaring."""

    what: str = ""

    def perform(self, progress=False):
        return eval(self.what, {"os": os, "sys": sys, "time": time, "progress": progress} | globals())


class Rounds:
    """Counts rounds."""

    count = 0

    def advance(self, count):
        self.count += count


@pytest.fixture
def process():
    started = Process()
    yield started
    started.end()


@pytest.fixture
def at_once(monkeypatch):
    """Start processes at once instead of after seconds."""
    monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", -1.0)


def own_number(process):
    return process.perform(Doing(0, what="os.getpid()"), Rounds())


def test_results_and_progress_come_back(process):
    rounds = Rounds()
    assert process.perform(Squaring(7, pause=0.5), rounds) == 49
    assert 1 <= rounds.count <= 4
    first = own_number(process)
    assert first not in (os.getpid(), None)
    assert own_number(process) == first


def test_what_a_task_prints_or_reads_does_not_mix_with_results(process, capfd):
    """It is printed where errors are, as this process may print results of its own."""
    task = Doing(0, what="[print('hello'), os.write(1, b'there'), sys.stdin.read()]")
    assert process.perform(task, Rounds()) == [None, 5, ""]
    process.end()
    out, err = capfd.readouterr()
    assert (out, "hello" in err, "there" in err) == ("", True, True)


def test_errors_come_back(process):
    with pytest.raises(ZeroDivisionError, match="no square today"):
        process.perform(Squaring(3, fails=True), Rounds())
    for number, what in enumerate(("lambda: 3", "Unsendable('no')", "Unreadable(1, 2)")):
        with pytest.raises(TaskError, match=r"cannot be (sent back|read)"):
            process.perform(Doing(number, what=what), Rounds())
    with pytest.raises(OSError, match="disk"):
        process.perform(Doing(0, what="failed(OSError('disk'))"), Rounds())
    assert process.perform(Squaring(3), Rounds()) == 9


class Unsendable(Exception):  # noqa: N818 - it is the result
    def __reduce__(self):
        raise TypeError("not me")


class Unreadable(Exception):  # noqa: N818 - it is the result
    def __init__(self, one, two):
        super().__init__("other arguments than its own")


def failed(error):
    raise error


def test_a_task_that_the_process_does_not_know_is_an_error(process):
    """As one whose module is only here."""
    module = types.ModuleType("only_here")
    exec("class Task:\n    title = 'one'\n    def perform(self, progress):\n        return 1", vars(module))
    sys.modules["only_here"] = module
    module.Task.__module__ = "only_here"
    try:
        with pytest.raises(ModuleNotFoundError, match="only_here"):
            process.perform(module.Task(), Rounds())
    finally:
        del sys.modules["only_here"]
    assert process.perform(Squaring(3), Rounds()) == 9


@pytest.mark.parametrize("executable", ["/no/such/python", "", "/bin/true"])
def test_where_no_process_can_be_started_threads_do_the_work(at_once, monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(NoProcessError):
        Process().perform(Squaring(1), Rounds())
    task = Doing(1, what="os.getpid()")
    found = {}
    run_here([task], found.__setitem__, lambda task, rounds: None)
    assert found[task] == os.getpid()


def warn():
    warnings.warn("take care", UserWarning, stacklevel=2)
    return 1


def test_warnings_come_back(process):
    with pytest.warns(UserWarning, match="take care"):
        assert process.perform(Doing(0, what="warn()"), Rounds()) == 1


@pytest.mark.parametrize(
    ("what", "how"),
    [("os._exit(3)", "with exit code 3"), ("os.kill(os.getpid(), 9)", "by signal SIGKILL"), ("os.abort()", "SIGABRT")],
)
def test_a_process_that_dies_is_told_of_and_replaced(process, what, how):
    with pytest.raises(DiedError, match=f"the process that performed the square of 5 ended.*{how}"):
        process.perform(Doing(5, what=what), Rounds())
    assert process.perform(Squaring(5), Rounds()) == 25


def spin():
    """Leave a thread that never ends and keeps the interpreter busy."""

    def forever():
        while True:
            pass

    threading.Thread(target=forever, daemon=True).start()


def test_a_process_in_which_something_is_left_running_is_not_used_again(process):
    """And whoever comes next is not harmed."""
    first = own_number(process)
    assert process.perform(Doing(0, what="spin()"), Rounds()) is None
    assert own_number(process) != first


def fork_and_die(note):
    """Leave a process that sleeps, and end this one."""
    number = os.fork()
    if number == 0:
        time.sleep(600)
    with open(note, "w", encoding="ascii") as stream:
        stream.write(str(number))
    os._exit(3)


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="needs fork and waitid")
def test_what_a_task_has_forked_keeps_nobody_waiting(process, tmp_path):
    note = str(tmp_path / "number")
    with pytest.raises(DiedError, match="with exit code 3"):
        process.perform(Doing(0, what=f"fork_and_die({note!r})"), Rounds())
    with open(note, encoding="ascii") as stream:
        assert wait_for_end(int(stream.read()))
    assert process.perform(Squaring(3), Rounds()) == 9


def test_progress_does_not_leak_into_the_next_task(process):
    rounds = Rounds()
    process.perform(Doing(0, what="progress.advance(1) or progress.advance(100)"), rounds)
    assert rounds.count == 1
    process.perform(Doing(0, what="progress.advance(7)"), rounds)
    assert rounds.count == 8


def test_whoever_does_not_want_to_hear_more_ends_the_task(process):
    class Impatient:
        def advance(self, count):
            raise StopIteration

    started = time.monotonic()
    with pytest.raises(StopIteration):
        process.perform(Doing(1, what="progress.advance(1) or time.sleep(60)"), Impatient())
    assert time.monotonic() - started < 30


def test_the_same_results_as_on_threads(at_once):
    tasks = [Squaring(k, kind=str(k % 3)) for k in range(12)]
    found = {}
    run_here(tasks, found.__setitem__, lambda task, rounds: None, workers=2)
    assert found == {task: task.number**2 for task in tasks}


def test_one_death_does_not_end_the_others(at_once):
    tasks = [Squaring(k) for k in range(6)] + [Doing(6, what="os._exit(1)")]
    found = {}
    run_here(tasks, found.__setitem__, lambda task, rounds: None, workers=2)
    died = [task.number for task, result in found.items() if isinstance(result, DiedError)]
    assert (died, len(found)) == ([6], 7)


def test_what_cannot_be_sent_is_done_here(at_once):
    here = Doing(1, what="os.getpid()", where="here")
    away = Doing(2, what="os.getpid()")
    found = {}
    run_here([here, away], found.__setitem__, lambda task, rounds: None, workers=1)
    assert found[here] == os.getpid()
    assert found[away] != os.getpid()


def test_what_is_better_done_apart_begins_in_a_process(monkeypatch):
    monkeypatch.setattr("sidelight.tasks.local._WORTHWHILE", 1e9)
    apart, anywhere = Doing(1, what="os.getpid()", where="apart"), Doing(2, what="os.getpid()")
    found = {}
    run_here([apart, anywhere], found.__setitem__, lambda task, rounds: None, workers=1)
    assert found[apart] != os.getpid()
    assert found[anywhere] == os.getpid()


def test_what_need_not_be_done_is_not(at_once):
    tasks = [Squaring(k) for k in range(4)]
    found = {}
    instead = {1: "known"}
    run_here(
        tasks,
        found.__setitem__,
        lambda task, rounds: None,
        workers=2,
        instead=lambda task: instead.get(task.number),
    )
    assert [found[task] for task in tasks] == [0, "known", 4, 9]


def alive(number):
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"  # which is over, though nobody has asked
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(number):
    for _ in range(200):
        if not alive(number):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc")
def test_an_interrupt_ends_the_processes(at_once, tmp_path):
    """Also those that are busy."""
    note = tmp_path / "number"
    busy = Doing(1, what=f"[open({str(note)!r}, 'w').write(str(os.getpid())), time.sleep(600)]")

    def interrupt(task, result):
        for _ in range(600):
            if note.exists() and note.read_text():
                break
            time.sleep(0.05)
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_here([Doing(0, what="os.getpid()"), busy], interrupt, lambda task, rounds: None, workers=2)
    assert time.monotonic() - started < 60
    assert wait_for_end(int(note.read_text()))


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc")
def test_processes_end_with_the_one_that_started_them(tmp_path):
    """Even if that is killed, and even if they are busy."""
    script = """
        import sys, threading
        from sidelight.tasks.processes import NoProcessError, Process
        from tests.tasks.test_processes import Doing, Rounds

        process = Process()
        print(process.perform(Doing(0, what="os.getpid()"), Rounds()), flush=True)
        process.perform(Doing(1, what="time.sleep(600)"), Rounds())
    """
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    starter = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True, cwd=root
    )
    number = int(starter.stdout.readline())
    assert alive(number)
    threading.Event().wait(0.5)
    starter.send_signal(signal.SIGKILL)
    starter.communicate()
    assert wait_for_end(number)
