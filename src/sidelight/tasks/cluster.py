"""Tasks on the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from sidelight.errors import SidelightError
from sidelight.tasks.task import PREPARING, Failure, Task, TaskError, failure_of_hung_task, perform_task_or_fail
from sidelight.tasks.versions import differences_of_worker_versions, versions_on_worker

T = TypeVar("T", bound=Task)

_PATIENCE = 10.0  # seconds to wait for a scheduler
_RETURN = 60.0  # seconds to wait for one that was lost
_RETRIES = 5  # of a task whose workers died
_LOSSES = 3  # of the scheduler, in a row, without a finished task between them
_GLANCE = 10.0  # seconds between two looks at whether there are workers
_LOOK = 0.5  # seconds between two looks at whether a task makes progress
_REMEDY = "install the same versions on all machines, or end these workers"


class OtherVersionsError(SidelightError):
    """A worker would compute with other versions than this process; nothing that it does is used."""


class _LostError(Exception):
    """The connection to the scheduler was lost."""


def run_on_cluster(address: str, tasks: Sequence[T], finished: Callable[[T, Any], None]) -> None:
    """Perform tasks on the cluster whose scheduler has this address; call `finished` here as they end.

    A task whose worker dies is given to another one, workers may come and go, and if the scheduler is restarted, what
    it had not finished is sent again: as a task is a pure function of its description, nothing changes but the time.
    Results come back to this process, which alone writes files: workers need no common disk. A worker with other
    versions of what computes (see `versions`) is refused, before anything runs or, if it comes later, when it is
    given its first task.
    """
    dask = _import_dask_for_cluster()
    left = list(tasks)
    losses, patience = 0, _PATIENCE
    with _quiet_cluster_logs():
        while left:
            before = len(left)
            try:
                with _connect_to_cluster(dask, address, patience) as client:
                    _perform_tasks(dask, client, address, left, finished)
            except _LostError:
                losses = losses + 1 if len(left) == before else 1
                if losses > _LOSSES:
                    raise TaskError(f"the cluster's scheduler at {address} was lost, again and again") from None
                warnings.warn(f"the scheduler at {address} was lost: waiting for it to come back", stacklevel=2)
                patience = _RETURN


def _perform_tasks(dask: Any, client: Any, address: str, left: list[T], finished: Callable[[T, Any], None]) -> None:
    """Perform the tasks that are left, and take each from that list when it is finished."""
    expected = versions_on_worker()
    _refuse_other_cluster_versions(client, expected)
    futures = _send_tasks_to_cluster(client, left, expected)
    known = dict(zip(futures, list(left), strict=True))
    try:
        with _warn_of_missing_cluster_workers(client, address):
            for future in dask.as_completed(futures, loop=client.loop):
                task = known[future]
                finished(task, _result_of_cluster_task(future, task))
                left.remove(task)
                future.release()
    except _LostError:
        raise
    except BaseException:
        client.cancel(futures)  # nobody waits for the others any more
        raise


def _send_tasks_to_cluster(client: Any, tasks: Sequence[Task], expected: Mapping[str, str]) -> list[Any]:
    """Send tasks to the scheduler."""
    try:
        # Not by content: two calls of the same work must not share a future that one of them cancels.
        return list(
            client.map(_perform_task_on_worker, tasks, expected=expected, pure=False, retries=_RETRIES, key="sidelight")
        )
    except (TypeError, AttributeError, ValueError) as error:
        raise TaskError(
            f"{tasks[0].title} cannot be sent to a cluster: {error}. What takes part must be importable on the workers"
        ) from error


def _perform_task_on_worker(task: Task, expected: Mapping[str, str]) -> Any:
    """Perform a task on a worker."""
    if others := differences_of_worker_versions(expected, versions_on_worker()):
        from distributed import get_worker

        raise OtherVersionsError(_word_cluster_versions([(str(get_worker().address), others)]))
    return _watch_task_on_worker(task)


def _watch_task_on_worker(task: Task) -> Any:
    """Perform a task in a thread, which is left to itself if it makes no progress: a worker has other tasks, too."""
    pulse, done = _ClusterTaskPulse(), list[Any]()
    thread = threading.Thread(target=lambda: done.append(perform_task_or_fail(task, pulse)), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK)
        if thread.is_alive() and time.monotonic() - pulse.last > task.patience:
            return failure_of_hung_task(task)
    return done[0]


class _ClusterTaskPulse:
    """Remembers the time of the last progress."""

    def __init__(self) -> None:
        self.last = time.monotonic() + PREPARING

    def advance(self, count: int) -> None:
        """Record that the task made progress now."""
        self.last = time.monotonic()


def _refuse_other_cluster_versions(client: Any, expected: Mapping[str, str]) -> None:
    """Ask every worker for its versions; raise if one has others."""
    try:
        found = client.run(versions_on_worker, on_error="return")
    except (OSError, CancelledError, TimeoutError):
        raise _LostError from None
    wrong: list[tuple[str, list[str]]] = []
    for worker, there in found.items():
        if isinstance(there, ImportError):
            wrong.append((worker, [f"no sidelight ({there})"]))
        elif isinstance(there, Mapping) and (others := differences_of_worker_versions(expected, there)):
            wrong.append((worker, others))
    if wrong:
        raise OtherVersionsError(_word_cluster_versions(wrong))


def _word_cluster_versions(wrong: Sequence[tuple[str, Sequence[str]]]) -> str:
    listed = "; ".join(f"{worker} has {' and '.join(others)}" for worker, others in wrong[:3])
    more = f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""
    return f"workers of the cluster would compute otherwise than this process: {listed}{more}: {_REMEDY}"


@contextlib.contextmanager
def _quiet_cluster_logs() -> Iterator[None]:
    """Keep Dask from logging tracebacks, since errors are reported in one line."""
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
def _warn_of_missing_cluster_workers(client: Any, address: str) -> Iterator[None]:
    """Warn while the cluster has no workers: it may have none yet, or lose them all."""
    done = threading.Event()

    def ask_for_cluster_workers() -> None:
        while True:
            if client.status == "running" and not client.scheduler_info()["workers"]:
                warnings.warn(f"the cluster at {address} has no workers: waiting for some", stacklevel=2)
            if done.wait(_GLANCE):
                return

    thread = threading.Thread(target=ask_for_cluster_workers, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _import_dask_for_cluster() -> Any:
    try:
        import distributed
    except ImportError:
        raise SidelightError("a cluster needs Dask: run `pip install distributed`") from None
    return distributed


def _connect_to_cluster(dask: Any, address: str, patience: float) -> Any:
    end = time.monotonic() + patience
    while True:
        try:
            with warnings.catch_warnings():
                # Of other versions, which we look at ourselves: those that cannot change a number may differ.
                warnings.simplefilter("ignore")
                return dask.Client(address, timeout=f"{min(patience, _PATIENCE)}s", set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            if time.monotonic() < end:
                time.sleep(0.5)
                continue
            raise SidelightError(
                f"there is no Dask scheduler at {address!r} ({type(error).__name__}): give the address that "
                "'dask scheduler' prints, such as tcp://host:8786"
            ) from None


def _result_of_cluster_task(future: Any, task: Task) -> Any:
    try:
        return future.result()
    except SidelightError:
        raise
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            return Failure(f"every worker that performed {task.title} ended: {_RETRIES + 1} of them")
        # What the task raised arrives with the status "error"; else it is the scheduler that did not answer.
        if isinstance(error, CancelledError | OSError) and future.status != "error":
            raise _LostError from None
        raise TaskError(
            f"a worker failed at {task.title} ({type(error).__name__}: {error}); scheduler and workers need sidelight, "
            "too"
        ) from error
