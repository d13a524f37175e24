"""Tasks on the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import logging
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from sidelight.errors import SidelightError
from sidelight.tasks.task import Task, TaskError

T = TypeVar("T", bound=Task)

_PATIENCE = "10s"
_RETRIES = 5  # of a task whose workers died
_GLANCE = 10.0  # seconds between two looks at whether there are workers


def run_on_cluster(
    address: str,
    tasks: Sequence[T],
    finished: Callable[[T, Any], None],
    advance: Callable[[T, int], None],
) -> None:
    """Perform tasks on the cluster whose scheduler has this address; call `finished` here as they end.

    A task whose worker dies is given to another one, and as a task is a pure function of its description, nothing
    changes but the time. Results come back to this process, which alone writes files: workers need no common disk.
    """
    dask = _dask()
    with _quiet(), _connected(dask, address) as client:
        ordered = sorted(tasks, key=lambda task: -task.seconds)
        # Not by content: two calls of the same work must not share a future that one of them cancels.
        futures = client.map(_perform, ordered, pure=False, retries=_RETRIES, key="sidelight")
        known = dict(zip(futures, ordered, strict=True))
        try:
            with _asking_for_workers(client, address):
                for future in dask.as_completed(futures, loop=client.loop):
                    task = known[future]
                    finished(task, _result(future, task))
                    advance(task, task.rounds)
                    future.release()
        finally:
            client.cancel(futures)


def _perform(task: Task) -> Any:
    return task.perform()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from logging tracebacks: what goes wrong is said by an error, in one line."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


@contextlib.contextmanager
def _asking_for_workers(client: Any, address: str) -> Iterator[None]:
    """Say so if there is nobody to do the work: a cluster may have no workers yet, or lose them all."""
    done = threading.Event()

    def ask() -> None:
        while True:
            if client.status == "running" and not client.scheduler_info()["workers"]:
                warnings.warn(f"the cluster at {address} has no workers: waiting for some", stacklevel=2)
            if done.wait(_GLANCE):
                return

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _dask() -> Any:
    try:
        import distributed
    except ImportError:
        raise SidelightError("a cluster needs Dask: run `pip install sidelight[cluster]`") from None
    return distributed


def _connected(dask: Any, address: str) -> Any:
    try:
        return dask.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise SidelightError(
            f"there is no Dask scheduler at {address!r} ({type(error).__name__}): give the address that "
            "'dask scheduler' prints, such as tcp://host:8786"
        ) from None


def _result(future: Any, task: Task) -> Any:
    try:
        return future.result()
    except SidelightError:
        raise
    except (CancelledError, OSError):
        raise TaskError("the cluster's scheduler was lost") from None
    except Exception as error:
        raise TaskError(
            f"a worker failed at {task.title} ({type(error).__name__}: {error}); scheduler and workers need sidelight, "
            "too"
        ) from error
