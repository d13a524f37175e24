"""The interface of tasks, and the description of a failed one."""

from __future__ import annotations

import traceback
from collections.abc import Hashable
from typing import Any, Literal, NamedTuple, Protocol

from sidelight.errors import SidelightError

Where = Literal["here", "anywhere", "apart"]
"""Where a task can be performed: only in this process, in any, or best in a process of its own, which it may crash."""


PREPARING = 600.0
"""Seconds that a task may take, besides its patience, until its first progress: it may have to import and compile."""


class TaskError(SidelightError):
    """A task failed, or could not be sent, for a reason outside it: a lost cluster, a worker without sidelight."""


class Failure(NamedTuple):
    """Why a task has no result."""

    reason: str
    """In one line."""
    traceback: str = ""
    """Where it happened, for whoever wrote the strategy."""

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Describe an error."""
        line = " ".join(str(error).split())
        text = "".join(traceback.format_exception(error))
        return cls(f"{type(error).__name__}: {line}" if line else type(error).__name__, text)


class Advancing(Protocol):
    """Receives progress."""

    def advance(self, count: int) -> None:
        """Receive the number of newly finished rounds, from any thread; an error raised here ends the work."""


class Task(Hashable, Protocol):
    """A pure function of its own description, which can be pickled: it returns the same on any machine."""

    @property
    def title(self) -> str:
        """The name of the task in errors."""

    @property
    def where(self) -> Where:
        """Where it can be performed."""

    @property
    def patience(self) -> float:
        """Seconds without progress after which it is given up."""

    def perform(self, progress: Advancing | bool = False) -> Any:
        """Perform it on one core."""


def perform_task_or_fail(task: Task, progress: Advancing) -> Any:
    """Perform a task; return the failure if it raises anything."""
    try:
        return task.perform(progress)
    except BaseException as error:  # also SystemExit
        return Failure.of(error)


def failure_of_hung_task(task: Task, where: str = "") -> Failure:
    """Return the failure of a task that makes no progress."""
    return Failure(f"no round was finished for {task.patience:g} s", where and f"It was last seen here:\n{where}")
