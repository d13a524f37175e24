"""The published use case as a table: ours beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from sidelight.monitor.simulation import Outcome

# Mean number of verifications and mean macro F1 of 96 runs, by case, tolerance and policy (Tables 4 and 5).
PUBLISHED: dict[tuple[int, float, str], tuple[float, float]] = {
    (1, 0.025, "explore"): (105120, 0.962),
    (1, 0.025, "cbp"): (105110, 0.962),
    (1, 0.025, "randcbp"): (83818, 0.955),
    (1, 0.05, "explore"): (26300, 0.927),
    (1, 0.05, "cbp"): (26290, 0.927),
    (1, 0.05, "randcbp"): (15976, 0.915),
    (1, 0.1, "explore"): (6590, 0.907),
    (1, 0.1, "cbp"): (6491, 0.908),
    (1, 0.1, "randcbp"): (2000, 0.910),
    (1, 0.2, "explore"): (1670, 1.0),
    (1, 0.2, "cbp"): (1289, 1.0),
    (1, 0.2, "randcbp"): (272, 1.0),
    (2, 0.025, "explore"): (103703, 0.978),
    (2, 0.025, "cbp"): (103693, 0.978),
    (2, 0.025, "randcbp"): (81741, 0.976),
    (2, 0.05, "explore"): (26231, 0.976),
    (2, 0.05, "cbp"): (26221, 0.975),
    (2, 0.05, "randcbp"): (16901, 0.965),
    (2, 0.1, "explore"): (6590, 0.953),
    (2, 0.1, "cbp"): (6453, 0.953),
    (2, 0.1, "randcbp"): (2965, 0.959),
    (2, 0.2, "explore"): (1670, 0.927),
    (2, 0.2, "cbp"): (1335, 0.927),
    (2, 0.2, "randcbp"): (447, 0.923),
}


class Row(NamedTuple):
    """One policy on one case and tolerance; errors are standard errors of means over runs."""

    case: int
    tolerance: float
    policy: str
    title: str
    runs: int
    verifications: float
    verifications_error: float
    f1: float
    f1_error: float
    f1_std: float
    certain: float
    """Share of all verdicts that are certain."""
    wrong: float
    """Share of wrong ones among those."""
    paper: tuple[float, float] | None
    """Published mean verifications and macro F1."""


def rows_of(outcomes: Iterable[Outcome]) -> list[Row]:
    """Return one row per outcome."""
    return [_row(one) for one in outcomes]


def _row(one: Outcome) -> Row:
    verifications, f1 = one.verifications, one.f1
    runs = len(f1)
    root = math.sqrt(runs)
    certain = int(one.certain.sum())
    return Row(
        case=one.case,
        tolerance=one.tolerance,
        policy=one.policy.name,
        title=one.policy.title,
        runs=runs,
        verifications=float(verifications.mean()),
        verifications_error=float(verifications.std()) / root,
        f1=float(f1.mean()),
        f1_error=float(f1.std()) / root,
        f1_std=float(f1.std()),
        certain=certain / one.certain.size,
        wrong=int(one.wrong_certain.sum()) / certain if certain else 0.0,
        paper=PUBLISHED.get((one.case, one.tolerance, one.policy.name)),
    )
