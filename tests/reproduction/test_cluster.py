"""A real cluster: worker processes on this machine, one of which is killed in the middle."""

import numpy as np
import pytest

from sidelight.errors import SidelightError
from sidelight.reproduction.paper import CBP
from sidelight.studies import PlayerEntry
from sidelight.studies.running.study_run import crew_of

from .making import HERE, Silent, every_array, reproduction_of

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and two workers."""
    from clusters import Cluster

    started = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        for _ in range(2):
            started.add_worker()
        started.wait_for_workers(2)
        yield started.address, started.workers
    finally:
        started.close()


class Killer(Silent):
    """Kills a worker process once some tasks are finished."""

    def __init__(self, worker):
        self.worker, self.count = worker, 0

    def finished(self, task):
        self.count += 1
        if self.count == 3:
            self.worker.kill()
            self.worker.wait()


def test_a_worker_with_other_code_is_refused(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("sidelight.studies.plan.code.versions_on_worker", lambda: {"sidelight": "9"})
    reproduction = reproduction_of(tmp_path, CBP, runs=2)
    with pytest.raises(SidelightError, match=r"other sources or parameters.*same version"):
        reproduction.run(crew_of(cluster[0], workers=None), Silent())


def test_a_killed_worker_changes_nothing(cluster, tmp_path):
    """The last test with this cluster: the worker stays dead, and the other one has to do its work."""
    address, workers = cluster
    there, here = (
        reproduction_of(tmp_path / place, CBP, PlayerEntry("RandCBP"), runs=480) for place in ("there", "here")
    )
    killer = Killer(workers[0])
    there.run(crew_of(address, workers=None), killer)
    assert workers[0].returncode
    assert workers[1].poll() is None
    assert killer.count == len(there.tasks()) == 20
    here.run(HERE, Silent())
    for one, other in zip(every_array(there), every_array(here), strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
