"""Why a verdict may differ from the whole file although nothing went wrong: the error rate changed meanwhile."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from sidelight.monitor.replays.records import PolicyReplay, Truth, percent
from sidelight.monitor.report.class_table import short_name
from sidelight.monitor.types import Label
from sidelight.text import grouped

_CERTAIN = 4.0
"""How many standard errors two rates are apart that are surely not one; a file has many classes."""


def drift_hints(
    done: Sequence[PolicyReplay], facts: Sequence[Truth], names: Sequence[Label], wrong: Sequence[bool], followed: bool
) -> Iterator[str]:
    """Yield a sentence for each class with a wrong verdict whose error rate was different up to the verdict.

    `followed` says whether the monitors look for changes.
    """
    remedy = "" if followed else "; let the monitor follow changes, with drift=True (--drift)"
    places: dict[Label, int] = {}
    for truth in facts:
        for one in done:
            if truth.name in one.first_certain and truth.contradicts(one.report[truth.name]):
                places[truth.name] = max(places.get(truth.name, 0), one.first_certain[truth.name])
    seen, errors = Counter[Label](), Counter[Label]()
    for place, (name, bad) in enumerate(zip(names, wrong, strict=True) if places else ()):
        if place < places.get(name, 0):
            seen[name] += 1
            errors[name] += bad
    for truth in facts:
        n, e = seen[truth.name], errors[truth.name]
        m, f = truth.predictions - n, truth.errors - e
        error = math.sqrt(truth.rate * (1 - truth.rate) * (1 / n + 1 / m)) if n and m else math.inf
        if abs(e / max(n, 1) - f / max(m, 1)) > _CERTAIN * error:
            name, where = short_name(truth.name, 40), grouped(places[truth.name])
            yield (
                f"the error rate of {name} changes: {percent(e / n)} up to prediction {where}, {percent(f / m)} after "
                f"it. A verdict is about the rate at the time, not about the mean over the file{remedy}"
            )
