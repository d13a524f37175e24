"""What a task is."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, Protocol

from sidelight.errors import SidelightError

Where = Literal["here", "anywhere", "apart"]
"""Only this process can perform a task; any can; or one of its own should, as it may do anything to its process."""


class TaskError(SidelightError):
    """A task failed, or could not be sent, for a reason outside it: a lost cluster, a worker without sidelight."""


class Advancing(Protocol):
    """Somebody who wants to know how far the work is."""

    def advance(self, count: int) -> None:
        """Hear of so many more finished rounds, from any thread; what is raised here ends the work."""


class Task(Hashable, Protocol):
    """A pure function of its own description, which can be pickled: it returns the same on whatever machine."""

    @property
    def title(self) -> str:
        """What to call it in an error."""

    @property
    def seconds(self) -> float:
        """Roughly what it costs on one core."""

    @property
    def rounds(self) -> int:
        """How many rounds it reports as progress, in all."""

    @property
    def kernel(self) -> Hashable:
        """Which compiled loop it needs; tasks with equal ones share it."""

    @property
    def kind(self) -> Hashable:
        """Which tasks cost about as much per round: those with equal kinds."""

    @property
    def where(self) -> Where:
        """Who can perform it."""

    def perform(self, progress: Advancing | bool = False) -> Any:
        """Do it, on one core."""
