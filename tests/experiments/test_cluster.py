"""A real cluster: worker processes on this machine, one of which is killed in the middle."""

import os
import signal

import numpy as np
import pytest

from sidelight.errors import SidelightError
from sidelight.experiments.cluster import run_on_cluster
from sidelight.experiments.local import run_here
from sidelight.experiments.reproduction import Reproduction
from sidelight.experiments.store import Store
from sidelight.experiments.table1 import CBP, RAND_CBP

from .making import Silent, choice_of, every_array

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(host="127.0.0.1", **settings) as running:
        yield running


class Killer(Silent):
    """Kills a worker process once some tasks are finished."""

    def __init__(self, cluster):
        self.cluster, self.count, self.killed = cluster, 0, None

    def finished(self, task):
        self.count += 1
        if self.count == 3:
            with distributed.Client(self.cluster.scheduler_address, set_as_default=False) as client:
                self.killed = sorted(client.run(os.getpid).values())[0]
            os.kill(self.killed, signal.SIGKILL)


def test_a_killed_worker_changes_nothing(cluster, tmp_path):
    choice = choice_of(CBP, RAND_CBP, runs=960)
    there = Reproduction(choice, Store(tmp_path / "there"))
    killer = Killer(cluster)
    there.run(lambda *work: run_on_cluster(cluster.scheduler_address, *work), killer)
    assert killer.killed is not None
    assert killer.count == len(choice.tasks()) == 40
    here = Reproduction(choice, Store(tmp_path / "here"))
    here.run(run_here, Silent())
    for one, other in zip(every_array(there), every_array(here), strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_a_worker_with_other_code_is_refused(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("sidelight.experiments.work.code_digest", lambda: "another")
    reproduction = Reproduction(choice_of(CBP, runs=2), Store(tmp_path))
    with pytest.raises(SidelightError, match=r"code = .* instead of 'another'.*same version"):
        reproduction.run(lambda *work: run_on_cluster(cluster.scheduler_address, *work), Silent())


def test_no_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr("sidelight.experiments.cluster._PATIENCE", "1s")
    reproduction = Reproduction(choice_of(CBP, runs=2), Store(tmp_path))
    with pytest.raises(SidelightError, match=r"no Dask scheduler at 'tcp://127\.0\.0\.1:9'"):
        reproduction.run(lambda *work: run_on_cluster("tcp://127.0.0.1:9", *work), Silent())
