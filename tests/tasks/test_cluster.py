"""Workers die, come and are refused, schedulers are restarted: the numbers stay what they are."""

import sys

import numpy as np
import pytest

import sidelight as sl
from sidelight.tasks import Failure
from sidelight.tasks.cluster import OtherVersionsError, _result_of_cluster_task, run_on_cluster
from sidelight.tasks.task import TaskError
from sidelight.tasks.versions import differences_of_worker_versions, versions_on_worker

from .making import Squaring

GAME = sl.games.load("apple-tasting")
WORLD = sl.environments.IID(sl.environments.laws.load("dirichlet", 2))


class Meanwhile:
    """Hears of progress, and does something once, after so many reports."""

    def __init__(self, *todo, every=2):
        self.todo, self.every, self.heard = list(todo), every, 0

    def advance(self, rounds):
        self.heard += 1
        if self.todo and self.heard % self.every == 0:
            self.todo.pop(0)()


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers."""
    from clusters import Cluster

    started = Cluster(tmp_path)
    try:
        for _ in range(2):
            started.add_worker()
        started.wait_for_workers(2)
        yield started
    finally:
        started.close()


def fake(folder, package, version):
    """Let a process that finds this folder first believe in another version of a package."""
    (folder / f"{package}-{version}.dist-info").mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
    (folder / f"{package}-{version}.dist-info" / "METADATA").write_text(text)


@pytest.mark.slow
def test_a_simulation_survives_everything(cluster):
    """One worker is killed, one is added, then the scheduler is restarted: the results are those of one core."""
    from clusters import kill

    def restart():
        cluster.restart_scheduler()
        cluster.add_worker()

    settings = {"horizon": 20_000, "runs": 320, "seed": 5, "checkpoints": 7}
    strategy = sl.strategies.RandCBP(GAME)
    meanwhile = Meanwhile(lambda: kill(cluster.workers[0]), cluster.add_worker, restart, every=4)
    with pytest.warns(UserWarning, match="was lost: waiting for it to come back"):
        there = sl.simulate(strategy, WORLD, cluster=cluster.address, progress=meanwhile, **settings)
    assert meanwhile.todo == []
    here = sl.simulate(strategy, WORLD, workers=1, **settings)
    assert np.array_equal(there.regret, here.regret)
    assert np.array_equal(there.plays, here.plays)
    assert there.manifest["first_run"] == here.manifest["first_run"] == 0


@pytest.mark.slow
def test_a_worker_with_other_versions_is_refused_before_work_starts(cluster, tmp_path):
    fake(tmp_path / "other", "numpy", "9.9.9")
    fake(tmp_path / "other", "numba", "0.1")
    cluster.add_worker(tmp_path / "other")
    cluster.wait_for_workers(3)
    done = []
    with pytest.raises(OtherVersionsError, match=r"tcp://127\.0\.0\.1:\d+ has .*numpy 9\.9\.9 instead of .*numba 0\.1"):
        run_on_cluster(cluster.address, [Squaring(k) for k in range(9)], lambda *one: done.append(one))
    assert done == []
    with pytest.raises(OtherVersionsError, match="install the same versions on all machines, or end these workers"):
        sl.simulate(sl.strategies.CBP(GAME), WORLD, 100, runs=2, cluster=cluster.address)


@pytest.mark.slow
def test_tasks_and_their_errors(cluster):
    found = {}
    run_on_cluster(cluster.address, [Squaring(k) for k in range(9)], found.__setitem__)
    assert {task.number: square for task, square in found.items()} == {k: k * k for k in range(9)}
    bad = [Squaring(3, fails=True), Squaring(3, pause=600.0, patience=-600.0)]
    run_on_cluster(cluster.address, bad, found.__setitem__)
    assert [found[task].reason for task in bad] == [
        "ZeroDivisionError: no square today",
        "no round was finished for -600 s",
    ]
    with pytest.raises(TaskError, match="cannot be sent to a cluster"):
        run_on_cluster(cluster.address, [Squaring(sys.stdout)], found.__setitem__)
    with cluster.client() as client:
        results = sl.simulate(sl.strategies.Uniform(GAME), WORLD, 50, runs=3, cluster=client)
    assert np.array_equal(results.regret, sl.simulate(sl.strategies.Uniform(GAME), WORLD, 50, runs=3).regret)


def test_a_task_that_ends_every_worker_is_given_up_and_the_others_go_on():
    class KilledWorker(Exception):  # noqa: N818 - the name that Dask gives it
        pass

    class Future:
        status = "error"

        def result(self):
            raise KilledWorker

    died = _result_of_cluster_task(Future(), Squaring(3))
    assert isinstance(died, Failure)
    assert died.reason == "every worker that performed the square of 3 ended: 6 of them"


def test_what_is_said_about_versions():
    here = versions_on_worker()
    assert differences_of_worker_versions(here, here) == []
    assert set(here) == {"python", "sidelight", "sources", "numpy", "scipy", "numba"}
    assert differences_of_worker_versions(here, here | {"scipy": "1.0"}) == [f"scipy 1.0 instead of {here['scipy']}"]
    assert differences_of_worker_versions(here, here | {"sources": "x"}) == [
        f"a sidelight {here['sidelight']} whose source files differ"
    ]
    other = differences_of_worker_versions(here, here | {"sidelight": "9", "sources": "x"})
    assert other == [f"sidelight 9 instead of {here['sidelight']}"]
    assert differences_of_worker_versions(here, {}) != []


@pytest.mark.parametrize("cluster", [3, "", object(), ["tcp://host:1"]])
def test_what_is_no_cluster(cluster):
    with pytest.raises(TypeError, match="give the address of a Dask scheduler"):
        sl.simulate(sl.strategies.CBP(GAME), WORLD, 5, runs=1, cluster=cluster)


def test_workers_and_a_cluster():
    with pytest.raises(sl.SidelightError, match="leave out workers="):
        sl.simulate(sl.strategies.CBP(GAME), WORLD, 5, runs=1, workers=2, cluster="tcp://127.0.0.1:9")


def test_no_scheduler(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("sidelight.tasks.cluster._PATIENCE", 0.5)
    with pytest.raises(sl.SidelightError, match=r"no Dask scheduler at 'tcp://127\.0\.0\.1:9'"):
        sl.simulate(sl.strategies.CBP(GAME), WORLD, 5, runs=1, cluster="tcp://127.0.0.1:9")
