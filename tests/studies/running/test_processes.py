"""Studies in real processes: killed, and two at a time in one folder."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sidelight.results import sealed
from sidelight.studies import GameEntry, PlayerEntry, Study, WorldEntry, read, run
from sidelight.studies.plan.cases import plan_cases
from sidelight.studies.plan.tasks import split_cases_into_tasks
from sidelight.studies.store.record import StudyRecord
from sidelight.studies.store.store import State, Store

pytestmark = pytest.mark.slow
HOW = ("raise", "hang", "invalid", "not")

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


BAD = """
import os, time
from sidelight.strategies import Strategy

class Bad(Strategy):
    def __init__(self, game, how="raise", seed=0):
        super().__init__(game, seed=seed)
        self.how = how
    def _start(self):
        return {}
    def _act(self, context):
        if self.how == "raise":
            raise RuntimeError("out of apples")
        if self.how == "hang":
            time.sleep(600)
        if self.how == "exit":
            os._exit(5)
        return 7 if self.how == "invalid" else 0
    def _observe(self, action, symbol, context):
        pass
"""


def test_strategies_that_misbehave_on_a_cluster_harm_nobody_else(tmp_path):
    """Each has several pieces of work, and the study goes on after the first of them has failed."""
    from clusters import Cluster

    (tmp_path / "bad.py").write_text(BAD)
    study = Study(
        "bad",
        games=(GameEntry("apple-tasting"),),
        worlds=(WorldEntry("law", [0.3, 0.7]),),
        players=(PlayerEntry("Uniform"), PlayerEntry("CBP"), *(PlayerEntry("bad.py:Bad", {"how": how}) for how in HOW)),
        horizons=(50,),
        runs=6,
        block=2,
        patience=3.0,
        folder=str(tmp_path),
    )
    started = Cluster(tmp_path)
    try:
        started.add_worker()
        started.add_worker()
        started.wait_for_workers(2)
        progress = run(study, tmp_path / "there", cluster=started.address)
    finally:
        started.close()
    reasons = {case.player.label: failure.reason for case, failure in progress.done.failures.items()}
    assert reasons == {
        "Bad(how=raise)": "RuntimeError: out of apples",
        "Bad(how=hang)": "no round was finished for 3 s",
        "Bad(how=invalid)": "SidelightError: Bad chose action 7: there are actions 0 to 1",
    }
    assert progress.summary() == "3 of 6 cases are finished"
    assert [each["case"] for each in StudyRecord(tmp_path / "there").failures()] == [
        case.title for case in progress.done.failures
    ]
    here = run(study, tmp_path / "here")
    assert {task.case.player.label for task in here.done.ran} == {task.case.player.label for task in progress.done.ran}
