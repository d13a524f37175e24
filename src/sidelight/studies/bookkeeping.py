"""The small files beside the runs of a study: what was run, what each call did, what failed, and the keys of cells.

A file that is damaged counts as absent, and `damage` says so: the runs themselves do not depend on any of these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from sidelight._storage import claim, replacing
from sidelight.errors import FileError

STUDY, HISTORY, FAILURES, SKIPPED, KEYS = "study.json", "history.json", "failures.json", "skipped.json", "keys.json"
BEGUN, FINISHED, INTERRUPTED, ERROR, KILLED = "begun", "finished", "interrupted", "error", "killed"
"""How far a call has come: it is at work, or ended in one of four ways."""
_LISTS = {HISTORY: "calls", FAILURES: "failures", SKIPPED: "cells"}
_TEXTS = ("cell", "reason", "traceback")
_NUMBERS = ("pieces", "ran", "again", "failed", "seconds")


def failures(folder: Path) -> list[dict[str, Any]]:
    """Return the cells that failed and have not been done since, with reasons and tracebacks."""
    return _entries(folder, FAILURES) or []


def calls(folder: Path) -> list[dict[str, Any]]:
    """Return what each call wrote down about itself, the first one first."""
    return _entries(folder, HISTORY) or []


def history(folder: Path) -> list[dict[str, Any]]:
    """Return what each call did or is doing, the first one first; one whose process is gone was killed."""
    return [{**call, "state": KILLED} if _is_gone(folder, call) else call for call in calls(folder)]


def skips(folder: Path) -> dict[str, str]:
    """Return the cells that were found to be impossible, by name, with reasons."""
    return dict(_entries(folder, SKIPPED) or [])


def damage(folder: Path) -> list[str]:
    """Say which files are there and cannot be read."""
    found = [name for name in _LISTS if (folder / name).exists() and _entries(folder, name) is None]
    return [f"{str(folder / name)!r} is damaged and was left out; the next run writes it anew" for name in found]


def at_work(folder: Path, call: str) -> Path:
    """Return the file that a call claims while it is at work."""
    return folder / f"call-{call}"


def read(path: Path) -> dict[str, Any] | None:
    """Return the data in a file; None if there are none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None


def write(path: Path, data: Mapping[str, Any], indent: int | None = 1) -> None:
    """Write data into a file, completely or not at all."""
    with replacing(path) as draft:
        draft.write_text(json.dumps(data, indent=indent) + "\n", encoding="utf-8")


def _entries(folder: Path, name: str) -> list[Any] | None:
    """Return the entries of a file if all of them are as they were written."""
    found = (read(folder / name) or {}).get(_LISTS[name])
    sound = {HISTORY: _is_call, FAILURES: _is_failure, SKIPPED: _is_pair}[name]
    return found if isinstance(found, list) and all(map(sound, found)) else None


def _is_call(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    lists = [entry.get(name, []) for name in ("changes", "again_cells")]
    texts = [text for each in lists if isinstance(each, list) for text in each]
    numbers = [entry.get(name) for name in _NUMBERS]
    return (
        all(isinstance(each, list) for each in lists)
        and all(isinstance(each, str) for each in [*texts, entry.get("call", ""), entry.get("created", "")])
        and all(each is None or isinstance(each, Real) for each in numbers)
    )


def _is_failure(entry: Any) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in _TEXTS)


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 2 and all(isinstance(each, str) for each in entry)


def _is_gone(folder: Path, call: Mapping[str, Any]) -> bool:
    """Say whether a call that has not ended has no process any more."""
    if call.get("state") != BEGUN:
        return False
    try:
        give_back = claim(at_work(folder, Path(call.get("call", "")).name))
    except FileError:  # whoever may only read the folder cannot know
        return False
    if give_back is not None:
        give_back()
    return give_back is not None
