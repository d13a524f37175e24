"""The one file beside the runs of a study: what was run, what each call did, and what failed.

A call is written down before it works and completed afterwards, so one that was killed is in the report, too. The runs
do not depend on this file: if it is damaged and removed, only the history is lost.
"""

from __future__ import annotations

import contextlib
import copy
import json
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sidelight._storage import file_lock, read_file_contents, write_file_text
from sidelight.errors import FileError, SidelightError
from sidelight.results import provenance
from sidelight.studies.model import Study
from sidelight.text import one_line

BEGUN, FINISHED, INTERRUPTED, ERROR = "begun", "finished", "interrupted", "error"
"""How far a call has come: it is at work or was killed, or it ended in one of three ways."""
_FORMAT = "sidelight study"
_EMPTY: dict[str, Any] = {"format": _FORMAT, "study": None, "calls": [], "failures": []}
_LONGEST = 300  # characters of an error


class StudyRecord:
    """What is known about a study in a folder besides its runs; several processes may change it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "study.json"

    def read(self) -> dict[str, Any]:
        """Return the record; an empty one if there is no file."""
        if not self.path.exists():
            return copy.deepcopy(_EMPTY)
        try:
            data: dict[str, Any] = json.loads(read_file_contents(self.path))
            if data["format"] != _FORMAT:
                raise ValueError("it is not the record of a study")
            return {name: data[name] for name in _EMPTY}
        except (KeyError, TypeError, ValueError) as error:
            raise SidelightError(
                f"{str(self.path)!r} is damaged ({error}): remove it, and run the study's file again with this folder "
                "as --out; finished runs are kept"
            ) from None

    def former(self) -> Study | None:
        """Return the study that was run in the folder, if there is one."""
        data = self.read()["study"]
        return None if data is None else Study.from_dict(data)

    @contextlib.contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Yield the record's data under a lock, and write it back at the end of the block if it was changed."""
        with file_lock(self.path):
            before = self.read()
            data = copy.deepcopy(before)
            yield data
            if data != before:
                write_file_text(self.path, json.dumps(data, indent=1) + "\n")

    def study(self) -> Study:
        """Return the study that was run in the folder."""
        found = self.former()
        if found is None:
            raise SidelightError(
                f"there is no study in {str(self.folder)!r}: 'sidelight study run FILE --out DIR' makes one"
            )
        return found

    def failures(self) -> list[dict[str, Any]]:
        """Return the cases that failed and have not been done since, with reasons and tracebacks."""
        return list(self.read()["failures"])

    def calls(self) -> list[dict[str, Any]]:
        """Return the entries of all calls, the first one first."""
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
            entry |= {"state": INTERRUPTED} if stopped else {"state": ERROR, "why": _word_error_for_study_record(error)}
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


def _word_error_for_study_record(error: BaseException) -> str:
    return one_line(f"{error}" or type(error).__name__)[:_LONGEST]
