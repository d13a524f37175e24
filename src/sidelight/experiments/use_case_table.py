"""The published use case as a table: ours beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from sidelight import _published
from sidelight.experiments.use_case import Outcome


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


def published(case: int, tolerance: float, title: str) -> tuple[float, float] | None:
    """Return the published mean number of verifications and mean macro F1 of a policy, if there are any."""
    printed = [_published.pair(f"table{3 + case}", f"{tolerance:g}", title, name) for name in ("verifications", "f1")]
    means = [pair.mean for pair in printed if pair is not None]
    return (means[0], means[1]) if means else None


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
        paper=published(one.case, one.tolerance, one.policy.title),
    )
