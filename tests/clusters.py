"""A real cluster on this machine: a scheduler and workers, each a process of its own, on loopback."""

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed")

_TESTS = Path(__file__).parent  # whose tasks have to be importable there
_QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
_LOOPBACK = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]


class Cluster:
    """Starts processes, kills them, and leaves none behind."""

    def __init__(self, folder):
        self.folder, self.workers, self._started = folder, [], []
        self.contact = folder / "scheduler.json"
        self.start_scheduler(port=0)

    def start_scheduler(self, port):
        self.contact.unlink(missing_ok=True)
        self.scheduler = self._start("scheduler", "--port", str(port))
        with self.client() as client:
            self.address = client.scheduler.address

    def add_worker(self, path=None):
        """Start a worker; `path` is put before everything else that it can import."""
        self.workers.append(self._start("worker", "--nthreads", "1", "--no-nanny", path=path))
        return self.workers[-1]

    def wait_for_workers(self, count):
        with self.client() as client:
            client.wait_for_workers(count, timeout=60)

    def client(self):
        """Connect as soon as the scheduler has written where it is."""
        for _ in range(600):
            if self.contact.exists():
                break
            time.sleep(0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some workers are there to have other versions
            return distributed.Client(scheduler_file=str(self.contact), timeout="60s", set_as_default=False)

    def restart_scheduler(self):
        """Kill the scheduler and start another one at the same address; it knows nothing of what was before."""
        kill(self.scheduler)
        self.start_scheduler(port=int(self.address.rpartition(":")[2]))

    def close(self):
        for process in self._started[::-1]:
            kill(process)

    def _start(self, what, *options, path=None):
        env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, filter(None, (path, _TESTS))))}
        program = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(self.contact)]
        process = subprocess.Popen([*program, *_LOOPBACK, *options], cwd=self.folder, env=env, **_QUIET)
        self._started.append(process)
        return process


def kill(process):
    process.kill()
    process.wait()
