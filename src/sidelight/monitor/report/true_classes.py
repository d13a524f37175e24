"""True classes, where answers have told them: which class was predicted instead, and how much of each class is missed.

For a predicted class c, the share p_(c,k) of its predictions whose true class is k is estimated from its answers that
count (with scores: from those that would have been asked for with any score). With N_c predictions of class c,

    recall of k = N_k p_(k,k) / (N_k p_(k,k) + M_k),      M_k = sum over c other than k of N_c p_(c,k).

The intervals of both parts are those of `sidelight.monitor.stats.overall`, each with half of the chance α, so that the
one of the recall holds at all times with the monitor's confidence, for each true class separately. An answer "wrong"
without a label may be any other class: the lower ends take it for none of them, the upper ends for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.engine.line import UNTOLD
from sidelight.monitor.report.breakdown import ConfusionCell, TrueClass, TrueClasses
from sidelight.monitor.stats.confidence import rate_test
from sidelight.monitor.stats.overall import Counts, overall_confidence_interval
from sidelight.monitor.types import Label

_USUAL = 0.05
"""The rate near which intervals of shares are the narrowest."""
_WIDE = 0.5


class Row(NamedTuple):
    """The answers about one predicted class, by true class."""

    name: Label
    predictions: int
    told: Counter[Label]
    untold: int
    total: int


class Told(NamedTuple):
    """What answers have told about true classes, as counts that no longer depend on the engine."""

    confidence: float
    rows: tuple[Row, ...]
    names: tuple[Label, ...]
    """All classes that were predicted or named, those with the most answers about them first."""


def count_true_classes_for_report(engine: Engine) -> Told:
    """Count the true classes that answers have told; this is quick, unlike the intervals."""
    if engine.settings.window is not None or engine.settings.reviewer_error:
        raise SidelightError("true classes cannot be told with a window or a reviewer_error")
    rows = tuple(_true_class_row_for_report(engine, state) for state in engine.classes.values())
    answers = dict.fromkeys([*engine.classes, *engine.truths], 0)
    for row in rows:
        for name, count in row.told.items():
            answers[name] += count
    return Told(engine.settings.confidence, rows, tuple(sorted(answers, key=lambda name: -answers[name])))


def report_true_classes(told: Told, most: int | None = None) -> TrueClasses:
    """Return shares and recalls with intervals, at most of the `most` true classes with the most answers."""
    names, rows = told.names[:most], told.rows
    cells = tuple(
        _report_confusion_cell(told.confidence, row, name) for row in rows for name in names if row.told[name]
    )
    found = tuple(_report_true_class(told.confidence, rows, name) for name in names)
    return TrueClasses(cells, found, sum(row.untold for row in rows))


def _true_class_row_for_report(engine: Engine, state: ClassState) -> Row:
    tally = state.line.tally(None if state.rounds is None else state.rounds.fair)
    names = {number: name for name, number in engine.truths.items()} | {0: state.name}
    told: Counter[Label] = Counter()
    for (_, number), count in tally.items():
        if number != UNTOLD:
            told[names[number]] += count
    untold = sum(k for (_, one), k in tally.items() if one == UNTOLD)
    return Row(state.name, state.predictions, told, untold, sum(tally.values()))


def _report_confusion_cell(confidence: float, row: Row, name: Label) -> ConfusionCell:
    count, more = row.told[name], 0 if name == row.name else row.untold
    test = rate_test(_USUAL, confidence)
    low, high = test.interval(count, row.total)[0], test.interval(count + more, row.total)[1]
    return ConfusionCell(row.name, name, count, count / row.total, (low, high))


def _report_true_class(confidence: float, rows: Sequence[Row], name: Label) -> TrueClass:
    half = 1.0 - (1.0 - confidence) / 2.0
    own = [row for row in rows if row.name == name]
    others = [row for row in rows if row.name != name]
    total = sum(row.predictions for row in rows)
    hits = _bound_true_class_share_for_report(own, name, half, total, 0)
    misses = _bound_true_class_share_for_report(others, name, half, total, 1)
    low = hits[0] / (hits[0] + misses[1]) if hits[0] else 0.0
    high = hits[1] / (hits[1] + misses[0]) if hits[1] else 0.0
    if not own or not own[0].predictions:
        low = high = 0.0
    found, missed = (sum(row.told[name] for row in some) for some in (own, others))
    parts = [sum(row.predictions * row.told[name] / row.total for row in x if row.total) for x in (own, others)]
    recall = parts[0] / sum(parts) if sum(parts) else None
    note = None
    if not own or not own[0].predictions:
        note = "it is never predicted, so all of it is missed, however much there is"
    elif high - low > _WIDE:
        note = "too few predictions of other classes were verified to know how much of it is missed"
    return TrueClass(name, found, missed, recall, (low, high), note)


def _bound_true_class_share_for_report(
    rows: Sequence[Row], name: Label, confidence: float, total: int, untold: int
) -> tuple[float, float]:
    """Return bounds on the share of all predictions that are in these rows and of this true class."""
    weight = sum(row.predictions for row in rows) / total if total else 0.0
    if not weight:
        return 0.0, 0.0
    ends = []
    for end in (0, 1):
        counts = [
            Counts(_USUAL, row.predictions, row.total, row.told[name] + end * untold * row.untold) for row in rows
        ]
        ends.append(weight * overall_confidence_interval(counts, confidence)[end])
    return ends[0], ends[1]
