"""The one file beside the runs of a study: what was run, what each call did, and what failed.

A call is written down before it works and completed afterwards, so one that was killed is in the report, too. The runs
do not depend on this file: if it is damaged, only the history is lost.
"""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sidelight._storage import file_lock, replacing_file
from sidelight.errors import FileError, SidelightError
from sidelight.results import provenance
from sidelight.studies.model import Study
from sidelight.text import one_line

BEGUN, FINISHED, INTERRUPTED, ERROR = "begun", "finished", "interrupted", "error"
"""How far a call has come: it is at work or was killed, or it ended in one of three ways."""
_FORMAT = "sidelight study"
_EMPTY: dict[str, Any] = {"format": _FORMAT, "study": None, "calls": [], "failures": []}
_LONGEST = 300  # characters of an error


class Record:
    """What is known about a study in a folder besides its runs; several processes may change it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "study.json"

    def read(self) -> dict[str, Any]:
        """Return the record; a damaged file counts as an empty one."""
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return dict(_EMPTY)
        return data if _is_sound(data) else dict(_EMPTY)

    @property
    def is_damaged(self) -> bool:
        """Whether the file exists but describes no study."""
        return self.path.exists() and self.former() is None

    def former(self) -> Study | None:
        """Return the study that was run in the folder; None if there is none, or if that cannot be told."""
        try:
            return self.study()
        except SidelightError:
            return None

    @contextlib.contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Yield the record's data under a lock, and write it back at the end of the block if it was changed."""
        with file_lock(self.path):
            before = self.read()
            data = json.loads(json.dumps(before))
            yield data
            if data != before:
                with replacing_file(self.path) as draft:
                    draft.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")

    def study(self) -> Study:
        """Return the study that was run in the folder."""
        remedy = "run the study's file again, with this folder as --out: finished runs are kept"
        if not self.path.exists():
            raise SidelightError(
                f"there is no study in {str(self.folder)!r}: 'sidelight study run FILE --out DIR' makes one"
            )
        try:
            return Study.from_dict(self.read()["study"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SidelightError(f"{str(self.path)!r} is damaged ({error}): {remedy}") from None

    def failures(self) -> list[dict[str, Any]]:
        """Return the cases that failed and have not been done since, with reasons and tracebacks."""
        return list(self.read()["failures"])

    def calls(self) -> list[dict[str, Any]]:
        """Return what each call did or is doing, the first one first."""
        return list(self.read()["calls"])

    @contextlib.contextmanager
    def call(self, facts: Mapping[str, Any], pending: bool) -> Iterator[dict[str, Any]]:
        """Record a call before the block runs and again after it; the block adds facts to the entry.

        A call that had nothing to do, did nothing and changed nothing is forgotten.

        Parameters
        ----------
        facts
            What is known beforehand: "share", "changes" and "pieces".
        pending
            Whether there is anything to do or to say.
        """
        entry = {"call": uuid.uuid4().hex[:12], **provenance.collect_provenance(), **facts, "state": BEGUN}
        with self.changing() as data:
            first = not data["calls"]
            data["calls"] += [entry] if first or pending else []
        try:
            yield entry
        except BaseException as error:
            stopped = isinstance(error, KeyboardInterrupt)
            entry |= {"state": INTERRUPTED} if stopped else {"state": ERROR, "why": _words(error)}
            with contextlib.suppress(FileError):  # as on a full disk: the error that ended the call matters more
                self._end(entry, noted=True)
            raise
        else:
            did = any(entry.get(name) for name in ("ran", "failed", "changes"))
            self._end(entry | {"state": FINISHED}, noted=first or did)

    def _end(self, entry: Mapping[str, Any], noted: bool) -> None:
        ended = {**entry, "ended": datetime.now(UTC).isoformat(timespec="seconds")}
        with self.changing() as data:
            others = [each.get("call") for each in data["calls"]]
            place = others.index(entry["call"]) if entry["call"] in others else len(others)
            data["calls"][place : place + 1] = [ended] if noted else []


def _is_sound(data: Any) -> bool:
    """Say whether data have the form in which they are written."""
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        return False
    lists = [data.get("calls"), data.get("failures")]
    if not all(isinstance(each, list) and all(isinstance(entry, dict) for entry in each) for each in lists):
        return False
    return all(isinstance(each.get(key), str) for each in data["failures"] for key in ("name", "case", "reason"))


def _words(error: BaseException) -> str:
    return one_line(f"{error}" or type(error).__name__)[:_LONGEST]
