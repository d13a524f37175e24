"""A monitor in a file: JSON that any language reads, never pickle.

The file is one object: `format` ("sidelight-monitor"), `version` (1), `sha256` (of the compact JSON text of `monitor`)
and `monitor`, which is what `ClassifierMonitor.to_dict` returns:

- `rule`: `types.RULE` of the version that wrote it; `settings`;
- `classes`, one object each: counts, the verdict, `line` (the status of the verifications since the last restart, in
  the order of asking: . pending, r right, w wrong, s skipped, o overdue), how many of them are `counted`, `events`, and
  what `sidelight.monitor.engine` keeps of segments (`tags`), true classes (`truths`) and scores (`rounds`); `asides`
  likewise;
- `verifications`, a list each: id, class (its place in `classes`), number, reason (its place in `types.Reason`), status
  (0 to 4 in the order above), place among the verifications of the class, the number of decisions up to then, when it
  is due, if that is a time, and its propensity, if it has a score; `passes`: id, class, reason, propensity;
- counters (`compared`: late answers, errors among them, and the errors that answers around the same time let expect;
  `batch_end` is the number of the last decision of the batch under way, if any), and the latest `delays` of
  answers in decisions;
- `scores`, `segments`, `truths` and `pairs`, where predictions came with scores, segments or versions, or answers with
  true classes;
- `rationing`, where there is a cap: the traffic of this day and the usual one, and of each class its place in `classes`
  and what `sidelight.monitor.engine.rationing.Claim` holds.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from sidelight._storage import read_file_contents, replacing_file
from sidelight.errors import SidelightError

FORMAT, VERSION = "sidelight-monitor", 1


def write_saved_monitor(path: str | os.PathLike[str], data: dict[str, Any]) -> None:
    """Write a monitor, completely or not at all."""
    if os.path.isdir(path):
        raise SidelightError(f"{os.fspath(path)!r} is a folder: give the path of a .json file")
    try:
        body = _saved_monitor_json(data)
    except (TypeError, ValueError) as error:
        raise SidelightError(
            f"this monitor cannot be written as JSON ({error}): give its policy plain values"
        ) from None
    head = json.dumps({"format": FORMAT, "version": VERSION, "sha256": _digest_saved_monitor(body)})
    with replacing_file(path) as draft:
        draft.write_text(f'{head[:-1]}, "monitor": {body}}}\n', encoding="ascii")


def read_saved_monitor(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the contents of a file, or raise an error that describes its damage."""
    name = repr(os.fspath(path))
    saved = read_file_contents(path)
    try:
        content = json.loads(saved.decode("ascii"))
        found = content.get("format")
    except (ValueError, AttributeError) as error:
        raise SidelightError(f"{name} is damaged, or not a saved monitor ({type(error).__name__}: {error})") from None
    if found != FORMAT:
        raise SidelightError(f"{name} does not hold a monitor of sidelight: its format is {found!r}")
    if content.get("version") != VERSION:
        raise SidelightError(
            f"{name} has format version {content.get('version')!r} and this sidelight reads version {VERSION}: "
            "read it with the version that wrote it, or install a newer one"
        )
    body = content.get("monitor")
    if not isinstance(body, dict) or content.get("sha256") != _digest_saved_monitor(_saved_monitor_json(body)):
        raise SidelightError(f"{name} is damaged or was edited: its contents do not match the digest it was saved with")
    return body


def _saved_monitor_json(data: dict[str, Any]) -> str:
    # ASCII, so that any text of Python (half characters included) survives any file.
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _digest_saved_monitor(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()
