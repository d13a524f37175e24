"""Whether one version of a model is wrong more often than another, from predictions of both about the same items.

D = 1{new wrong} - 1{old wrong} is 0 wherever both predict the same, without any label. Against "the mean of D is at
least m" the evidence is a mixture over bets c in (0, 1] of the product over all rounds, agreements included, of

    1 - c (D - m) / (1 - m),

which is never negative and a supermartingale if that is so; against "at most m" it is 1 + c (D - m) / (1 + m). Both
depend on the counts of D = -1, 0 and 1 alone, and are monotone in m: the values that neither refutes with evidence
2 / α form an interval that holds the mean at all times in 1 - α of all runs (Ville).
"""

from __future__ import annotations

import math
from typing import NamedTuple

_RATIO, _LARGEST = 1.35, 0.9
_BETS = (1.0, *(_LARGEST * _RATIO**-k for k in range(20)))
_WEIGHT_OF_ALL = 0.1
_RAW = [bet + 0.02 for bet in _BETS[1:]]
_WEIGHTS = (_WEIGHT_OF_ALL, *((1.0 - _WEIGHT_OF_ALL) * one / sum(_RAW) for one in _RAW))
_LEAST = 1e-300
_HALVINGS = 40


class Differences(NamedTuple):
    """How often the new version was better, as good, worse, and better or as good: nobody said which."""

    better: int = 0
    same: int = 0
    worse: int = 0
    unclear: int = 0


def log_evidence_of_paired_differences(counts: Differences, m: float, above: bool) -> float:
    """Return the log evidence that the mean of D is above m, or below it; unclear rounds weaken it."""
    better, same, worse, unclear = counts
    if above:
        better += unclear
        steps = ((better, (-1.0 - m) / (1.0 + m)), (same, -m / (1.0 + m)), (worse, (1.0 - m) / (1.0 + m)))
    else:
        same += unclear
        steps = ((better, (1.0 + m) / (1.0 - m)), (same, m / (1.0 - m)), (worse, -1.0))
    logs = [
        math.log(weight) + sum(n * math.log(max(_LEAST, 1.0 + bet * step)) for n, step in steps if n)
        for bet, weight in zip(_BETS, _WEIGHTS, strict=True)
    ]
    largest = max(logs)
    return largest + math.log(sum(math.exp(one - largest) for one in logs))


def confidence_interval_of_paired_difference(counts: Differences, confidence: float) -> tuple[float, float]:
    """Return the interval of the mean of D: the error rate of the new version minus that of the old one."""
    limit = math.log(2.0) - math.log1p(-confidence)
    ends = []
    for above, end in ((True, -1.0), (False, 1.0)):
        refuted, open_end = end, -end
        for _ in range(_HALVINGS):
            middle = (refuted + open_end) / 2.0
            if log_evidence_of_paired_differences(counts, middle, above) >= limit:
                refuted = middle
            else:
                open_end = middle
        ends.append(refuted)
    return ends[0], ends[1]


def is_paired_difference_decided(counts: Differences, confidence: float, margin: float) -> bool:
    """Return whether it is certain that the new version is worse by more than a margin, or that it is not."""
    limit = math.log(2.0) - math.log1p(-confidence)
    return any(log_evidence_of_paired_differences(counts, margin, above) >= limit for above in (True, False))
