"""Convert saved monitors of version 1 to version 2.

Version 1 counted answers as they came, and kept them in order only to follow a drift. The line of requests follows from
the numbers of the verifications; forgotten ones are settled and can only be counted. The age of requests is unknown, so
they age from the moment of loading. Verdicts are recomputed, by the present tests and line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sidelight.monitor.line import LETTERS, RIGHT, WRONG

_EVENT = re.compile(r"'(above|below)' was certain until verification (\d+); reopened by (.*)")


def from_version_1(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same monitor as `ClassifierMonitor.to_dict` describes it now."""
    settings = dict(data["settings"])
    settings.pop("prior", None)
    settings["drift"] = settings.pop("restart_on_drift")
    settings |= {"drift_alarm_every": 10_000, "patience": None, "remember_passes": 1 << 16}
    columns = data["verifications"]
    rows: list[list[tuple[int, int]]] = [[] for _ in data["classes"]]
    places = []
    for place, number, status in zip(columns["class"], columns["number"], columns["status"], strict=True):
        places.append(len(rows[place]))
        rows[place].append((number, status))
    # The last request of a class has the place asked - 1; those that are forgotten came first.
    starts = [one["asked"] - len(own) for one, own in zip(data["classes"], rows, strict=True)]
    decided = sum(one["predictions"] for one in data["classes"])
    follows = settings["drift"] or settings["window"] is not None
    return {
        **data,
        "settings": settings,
        "classes": [_class(one, own, follows) for one, own in zip(data["classes"], rows, strict=True)],
        "decided": decided,
        "late": 0,
        "spot_checks": 0,
        "times": None,
        "delays": [],
        "verifications": {
            **columns,
            "place": [starts[own] + k for own, k in zip(columns["class"], places, strict=True)],
            "asked_at": [decided] * len(places),
        },
    }


def _class(old: Mapping[str, Any], rows: list[tuple[int, int]], follows: bool) -> dict[str, Any]:
    """Return one class: its line, what is known only as counts, and a verdict that is to be found anew."""
    kept = {number for number, _ in rows}
    marks, base = [status for number, status in rows if number > old["since"]], [0, 0]
    if follows:
        answers = zip(old["numbers"], old["marks"], strict=True)
        marks = [WRONG if wrong else RIGHT for number, wrong in answers if number not in kept] + marks
    else:
        known = [status for _, status in rows if status in (RIGHT, WRONG)]
        base = [old["verified"] - len(known), old["errors"] - known.count(WRONG)]
    counted = next((i for i, mark in enumerate(marks) if not mark), len(marks))
    found = [_EVENT.fullmatch(text) for text in old["events"]]
    return {
        **{name: old[name] for name in ("name", "predictions", "asked", "pending", "skipped", "verified", "errors")},
        "overdue": 0,
        "line": "".join(LETTERS[mark] for mark in marks),
        "counted": counted,
        "base": base,
        "verdict": old["verdict"],
        "folded": "unknown",
        "reopened": old["reopened"],
        "alarms": sum("reopened by drift" in text for text in old["events"]),
        "stalled": None,
        "events": [[0, int(one[2]), one[1], "unknown", one[3], None] for one in found if one],
        "version": 1,
    }
