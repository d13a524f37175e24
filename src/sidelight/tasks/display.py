"""Who is told how the work goes."""

from __future__ import annotations

from sidelight.tasks.task import Failure, Task


class Display:
    """Is told how the work goes; this one shows nothing."""

    def begin(self, title: str, total: int, pending: int) -> None:
        """Start, given how many tasks there are and how many of them are still to be done."""

    def finished(self, task: Task) -> None:
        """Count a task that is done, here or by another process, or that is not tried."""

    def failed(self, task: Task, failure: Failure) -> None:
        """Report that a task failed, the first of its case."""

    def note(self, text: str) -> None:
        """Show something that people should know."""

    def end(self) -> None:
        """Stop, because all is done or because it was interrupted."""
