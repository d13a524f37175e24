"""What each call of `run` did, written down before it works and completed afterwards.

So a call that was interrupted or killed is in the report, too, with what had changed in the study.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sidelight._storage import claim, locked
from sidelight.errors import FileError
from sidelight.results import provenance
from sidelight.studies.bookkeeping import BEGUN, ERROR, FINISHED, HISTORY, INTERRUPTED, at_work, calls, write
from sidelight.studies.execution import Done
from sidelight.tasks import Share
from sidelight.text import one_line

_LONGEST = 300  # characters of an error


class Call:
    """One call in the history of a folder; other processes may have theirs at the same time.

    Parameters
    ----------
    folder
        Where the study is.
    changes
        What had changed in the study, in words.
    share
        Which share of the work this is, if not all.
    pieces
        How many pieces of work are wanted, finished ones included.
    pending
        Whether there is anything to do, as far as that is known.
    """

    def __init__(self, folder: Path, changes: Sequence[str], share: Share | None, pieces: int, pending: bool) -> None:
        self.folder = folder
        self.pending = pending
        self.entry: dict[str, Any] = {
            "call": uuid.uuid4().hex[:12],
            **provenance.collected(),
            "share": None if share is None else str(share),
            "changes": list(changes),
            "pieces": pieces,
            "state": BEGUN,
        }
        self._first = False
        self._give_back: Callable[[], None] | None = None

    def __enter__(self) -> Self:
        """Write down that the call has begun, unless it has nothing to do and nothing to say."""
        with locked(self.folder / HISTORY):
            before = calls(self.folder)
            self._first = not before
            if self._first or self.pending or self.entry["changes"]:
                self._give_back = claim(at_work(self.folder, self.entry["call"]))
                write(self.folder / HISTORY, {"calls": [*before, self.entry]})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write down how it ended, if it did not end well."""
        try:
            if error is not None and self.entry["state"] == BEGUN:
                stopped = isinstance(error, KeyboardInterrupt)
                why = {} if stopped else {"why": one_line(f"{error}" or type(error).__name__)[:_LONGEST]}
                with contextlib.suppress(FileError):  # as on a full disk: the error that ended the call matters more
                    self._end({"state": INTERRUPTED if stopped else ERROR, **why})
        finally:
            if self._give_back is not None:
                self._give_back()

    def finished(self, done: Done) -> None:
        """Write down what was done; a call that did nothing, when nothing had changed, is forgotten."""
        self._end(
            {
                "state": FINISHED,
                "ran": len(done.ran),
                "again": len(done.again),
                "again_cells": list(dict.fromkeys(task.cell.title for task in done.again))[:20],
                "failed": len(done.failures),
                "seconds": round(done.seconds, 1),
            },
            kept=bool(self._first or done.ran or done.failures or self.entry["changes"]),
        )

    def _end(self, facts: dict[str, Any], kept: bool = True) -> None:
        ended = {"ended": datetime.now(UTC).isoformat(timespec="seconds")}
        with locked(self.folder / HISTORY):
            before = calls(self.folder)
            place = next((k for k, each in enumerate(before) if each.get("call") == self.entry["call"]), len(before))
            self.entry |= facts | ended
            after = [*before[:place], *([self.entry] if kept else []), *before[place + 1 :]]
            if after != before:
                write(self.folder / HISTORY, {"calls": after})
