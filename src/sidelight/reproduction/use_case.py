"""The published use case: policies with the parameters of the paper, on the classifiers of Tables 4 and 5."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.policies import POLICIES, Policy, RandCBPPolicy, make_policy
from sidelight.reproduction.experiment import PROTOCOLS
from sidelight.simulation.progress import Progress
from sidelight.studies.classifiers import CASES, TOLERANCES
from sidelight.studies.watching import Outcome, watch_classifiers, watched


def published_policy(name: str, tolerance: float, protocol: str = "published") -> Policy:
    """Return a policy with the parameters of a protocol; Explore-fully verifies every prediction of a class."""
    if protocol not in PROTOCOLS:
        raise SidelightError(f"protocol is {protocol!r}: give one of {', '.join(map(repr, PROTOCOLS))}")
    if name == "randcbp" and protocol == "published":
        return RandCBPPolicy(bins=10, tail=1e-6, pairs="both", observers="verify")
    if name == "randcbp":
        return RandCBPPolicy(bins=5, tail=1e-7, pairs="once", observers="verify")
    return make_policy(name, {"labels": watched(tolerance)} if name == "explore" else {})


def simulate_case(
    case: int,
    tolerance: float,
    policy: str | Policy,
    runs: int = 96,
    seed: int = 0,
    *,
    protocol: str = "published",
    **options: Any,
) -> Outcome:
    """Let one policy watch the classifiers of one case, by default with the parameters of a protocol.

    Options are those of `watch_classifiers`.
    """
    chosen = published_policy(policy, tolerance, protocol) if isinstance(policy, str) else policy
    return watch_classifiers(case, tolerance, chosen, runs, seed, **options)


def simulate_use_case(
    names: Iterable[str] = tuple(POLICIES),
    *,
    cases: Sequence[int] = CASES,
    tolerances: Sequence[float] = TOLERANCES,
    runs: int = 96,
    seed: int = 0,
    progress: bool | None = None,
    **options: Any,
) -> list[Outcome]:
    """Let several policies watch the classifiers of several cases; options as for `simulate_case`."""
    jobs = [(case, tolerance, name) for case in cases for tolerance in tolerances for name in names]
    outcomes = []
    with Progress("use case", len(jobs), progress) as bar:
        for job in jobs:
            outcomes.append(simulate_case(*job, runs, seed, **options))
            bar.advance(1)
    return outcomes
