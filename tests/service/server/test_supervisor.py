"""Server processes: none outlives its parent, all are replaced when they die, and stopping loses no answer."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import psutil
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs signals"),
]
SCRIPT = Path(__file__).with_name("trivial.py")
PATIENCE = 60.0


def until(condition, what):
    """Wait for a condition, a long time if need be: a busy machine is no failure."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.05)
    return found


class Running:
    """A server of `trivial.py` and its children."""

    def __init__(self, role="supervise", processes=2, grace=10.0, *more):
        command = [sys.executable, str(SCRIPT), role, str(processes), str(grace), *more]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.seen = []

    def children(self):
        with contextlib.suppress(psutil.NoSuchProcess):
            self.seen = list({*self.seen, *psutil.Process(self.process.pid).children(recursive=True)})
        return [child for child in self.seen if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]

    def get(self, path="/", **options):
        return httpx.get(self.url + path, timeout=PATIENCE, trust_env=False, **options)

    def workers(self):
        """Ask until two different processes have answered, and return their ids."""
        found = set()
        until(lambda: found.add(int(self.get().text)) or len(found) >= 2, "answers of two processes")
        return found

    def end(self):
        _, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, err

    def clear(self):
        for child in self.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def running():
    started = []

    def run(*arguments):
        started.append(Running(*arguments))
        return started[-1]

    yield run
    for one in started:
        one.clear()


@pytest.mark.parametrize(
    ("role", "number"),
    [
        ("alone", signal.SIGTERM),
        ("alone", signal.SIGINT),
        ("supervise", signal.SIGTERM),
        ("supervise", signal.SIGINT),
        ("supervise", signal.SIGHUP),
    ],
)
def test_a_signal_to_stop_is_answered_with_0(running, role, number):
    server = running(role)
    assert server.get().status_code == 200
    children = server.children()
    server.process.send_signal(number)
    assert server.end() == (0, "")
    assert not any(child.is_running() for child in children)


def test_a_process_that_is_still_starting_may_be_stopped(running):
    """The signal comes before the children know what it means."""
    server = running("supervise", 2)
    until(server.children, "a child")
    server.process.send_signal(signal.SIGTERM)
    assert server.end() == (0, "")


class Waiting:
    """Requests that the server has accepted and does not answer before there is a file `go`."""

    def __init__(self, server, folder, count):
        self.folder, self.found = folder, []
        self.threads = [threading.Thread(target=self._ask, args=(server,)) for _ in range(count)]
        for thread in self.threads:
            thread.start()
        until(lambda: len(list(folder.iterdir())) == count, "that all requests are accepted")

    def _ask(self, server):
        try:
            self.found.append(server.get(f"/wait{self.folder}").status_code)
        except httpx.HTTPError:
            self.found.append(None)

    def results(self):
        for thread in self.threads:
            thread.join()
        return self.found


@pytest.mark.parametrize("role", ["alone", "supervise"])
def test_what_was_accepted_is_answered(running, role, tmp_path):
    server = running(role, 2, PATIENCE)
    waiting = Waiting(server, tmp_path, 8)
    server.process.terminate()
    until(lambda: not _answers(server), "that nobody accepts any more")
    (tmp_path / "go").touch()
    assert waiting.results() == [200] * 8
    assert server.end()[0] == 0


@pytest.mark.parametrize("role", ["alone", "supervise"])
def test_nobody_waits_for_ever_for_a_request_that_hangs(running, role, tmp_path):
    server = running(role, 2, 1.0)
    waiting = Waiting(server, tmp_path, 1)
    server.process.terminate()
    assert server.end()[0] == 0
    assert waiting.results() != [200]


def test_children_end_with_a_parent_that_is_killed(running):
    server = running()
    workers = server.workers()
    assert {child.pid for child in server.children()} == workers
    server.process.kill()
    until(lambda: not server.children(), "the end of the children")


def test_a_child_that_is_killed_is_replaced(running):
    server = running()
    before = server.workers()
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(server.children()) == 2, "a new child")
    after = server.workers()
    assert victim not in after
    server.process.terminate()
    code, err = server.end()
    assert (code, err.count("killed by signal 9")) == (0, 1)


def test_a_child_that_dies_again_and_again_is_started_with_growing_pauses(running):
    server = running("supervise", 1)
    for _ in range(2):
        until(lambda: _answers(server), "an answer")
        with contextlib.suppress(httpx.HTTPError):
            server.get("/die")
    until(lambda: _answers(server), "an answer")
    server.process.terminate()
    code, err = server.end()
    assert code == 0
    pauses = [line.rpartition(" in ")[2] for line in err.splitlines() if "will be restarted" in line]
    assert pauses == ["0.5 s", "1 s"]


def _answers(server):
    with contextlib.suppress(httpx.HTTPError):
        return server.get().status_code == 200


def test_a_start_that_fails_is_not_tried_again(running):
    code, err = running("supervise", 2, 10.0, "broken").end()
    assert code == 1
    assert "sidelight: error: the database is gone" in err
    assert "will be restarted" not in err


def test_a_second_signal_does_not_wait(running, tmp_path):
    server = running("supervise", 1, PATIENCE)
    waiting = Waiting(server, tmp_path, 1)
    server.process.send_signal(signal.SIGINT)
    until(lambda: not _answers(server), "that nobody accepts any more")
    server.process.send_signal(signal.SIGINT)
    assert server.end()[0] == 1
    assert server.children() == []
    assert waiting.results() == [None]
