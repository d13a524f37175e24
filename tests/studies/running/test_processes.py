"""Studies in real processes: killed, and two at a time in one folder."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sidelight.results import sealed
from sidelight.studies import read
from sidelight.studies.plan.cases import plan_cases
from sidelight.studies.plan.tasks import split_cases_into_tasks
from sidelight.studies.store.record import StudyRecord
from sidelight.studies.store.store import State, Store

pytestmark = pytest.mark.slow

STUDY = """
horizons = [400, 2000]
runs = 24
block = 3

[[games]]
name = "apple-tasting"

[[worlds]]
laws = ["balanced", "dirichlet"]

[[strategies]]
name = "slow.py:Slow"

[[strategies]]
name = "Uniform"
"""
SLOW = """
from sidelight.strategies import Strategy

class Slow(Strategy):
    def _start(self):
        return {}
    def _act(self, context):
        return sum(range(300)) % 2
    def _observe(self, action, symbol, context):
        pass
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.toml").write_text(STUDY)
    (tmp_path / "slow.py").write_text(SLOW)
    return tmp_path


def started(folder, *options):
    command = [sys.executable, "-m", "sidelight", "study", "run", "mine.toml", "--out", "out", *options]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def every_task(folder):
    return [task for case in plan_cases(read(folder / "mine.toml")) for task in split_cases_into_tasks(case)]


def files(folder):
    return sorted((folder / "out" / "runs").rglob("[A-Z]*.npz"))


def numbers(folder):
    """Return what all files hold, but for the time it took."""
    found = {}
    for path in files(folder):
        arrays = sealed.read_sealed_file(path).arrays
        found[str(path.relative_to(folder))] = {name: arrays[name] for name in ("rounds", "regret", "plays")}
    return found


def test_killed_twice_and_resumed(folder, tmp_path_factory):
    for more in (4, 8):
        process = started(folder, "--workers", "1")
        for _ in range(6000):
            if len(files(folder)) >= more or process.poll() is not None:
                break
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in files(folder)}
    assert 8 <= len(kept) < len(every_task(folder))
    process = started(folder)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "8 of 8 cases are finished" in out
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())
    states = Store(folder / "out" / "runs").states(every_task(folder), thorough=True)
    assert set(states.values()) == {State.READY}
    whole = tmp_path_factory.mktemp("whole")
    (whole / "mine.toml").write_text(STUDY)
    (whole / "slow.py").write_text(SLOW)
    process = started(whole)
    process.communicate(timeout=300)
    assert process.returncode == 0
    once, twice = numbers(whole), numbers(folder)
    assert once.keys() == twice.keys()
    for name, arrays in once.items():
        assert all(np.array_equal(array, twice[name][each]) for each, array in arrays.items())


def test_two_processes_share_the_work(folder):
    processes = [started(folder, "--workers", "1") for _ in range(2)]
    for process in processes:
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    done = [call["ran"] for call in StudyRecord(folder / "out").calls()]
    assert min(done) > 0
    assert len(every_task(folder)) == len(files(folder)) <= sum(done)
