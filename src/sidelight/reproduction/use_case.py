"""The use case: policies watch the classifiers of Tables 4 and 5 and of Figure 3, in reports and from Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.policies import Policy, make_policy
from sidelight.monitor.settings import SETTINGS
from sidelight.reproduction.exhibit import PROTOCOLS, Exhibit, Profile, Protocol
from sidelight.studies import PlayerEntry, Study, WorldEntry
from sidelight.studies.classifiers.published import TOLERANCES
from sidelight.studies.classifiers.watching import (
    ClassifierOutcome,
    limit_of_watched_predictions,
    watch_simulated_classifiers,
)

LABELS = {"randcbp": "C-RandCBP", "cbp": "C-CBP", "explore": "Explore-fully", "sequential": "Sequential"}
"""What the policies are called."""


def check_use_case_options(profile: Profile, exhibits: Iterable[Exhibit]) -> None:
    """Refuse tolerances, policies or a confidence that are wrong, or that no chosen table uses."""
    rates = [SETTINGS["tolerance"].checked(rate) for rate in profile.tolerances]
    if profile.confidence is not None and not 0.0 < profile.confidence < 1.0:
        raise SidelightError(f"confidence is {profile.confidence}: give a number between 0 and 1, such as 0.95")
    varied = (tuple(rates), profile.policies, profile.confidence) != (TOLERANCES, (), None)
    if varied and not {exhibit.name for exhibit in EXHIBITS} & {exhibit.name for exhibit in exhibits}:
        raise SidelightError("tolerances, policies and confidence are about the use case: name table4 or table5")


def use_case_policy_parameters(policy: str, tolerance: float, protocol: Protocol) -> dict[str, Any]:
    """Return the parameters of a policy under a protocol; Explore-fully verifies every prediction of a class."""
    if policy == "randcbp":
        if protocol == "published":
            return {"bins": 10, "tail": 1e-6, "pairs": "both", "observers": "verify"}
        return {"bins": 5, "tail": 1e-7, "pairs": "once", "observers": "verify"}
    return {"verifications": limit_of_watched_predictions(tolerance)} if policy == "explore" else {}


def use_case_studies(case: int, profile: Profile) -> tuple[Study, ...]:
    """Return one study per tolerated error rate; only rates that are in the paper come with published values."""
    sure = {} if profile.confidence is None else {"confidence": profile.confidence}
    return tuple(
        Study(
            f"case{case}-{rate}",
            title=f"Tolerance {rate:g}",
            worlds=(
                WorldEntry(
                    "classifiers", case, {"tolerance": rate, **sure}, f"case {case}, {rate:g}, {profile.protocol}"
                ),
            ),
            players=tuple(
                PlayerEntry(name, use_case_policy_parameters(name, rate, profile.protocol), policy=True, label=label)
                for name, label in LABELS.items()
                if name in (profile.policies or LABELS)
            ),
            measures=("f1", "verifications"),
            runs=profile.runs,
            seeds=(profile.seed,),
        )
        for rate in profile.tolerances
    )


def simulate_use_case(
    case: int,
    tolerance: float,
    policy: str | Policy,
    runs: int = 96,
    seed: int = 0,
    *,
    protocol: Protocol = "published",
    **options: Any,
) -> ClassifierOutcome:
    """Let one policy watch the classifiers of one case, by default with the parameters of a protocol.

    Options are those of `watch_simulated_classifiers`.
    """
    if protocol not in PROTOCOLS:
        raise SidelightError(f"protocol is {protocol!r}: give one of {', '.join(map(repr, PROTOCOLS))}")
    chosen = (
        make_policy(policy, use_case_policy_parameters(policy, tolerance, protocol))
        if isinstance(policy, str)
        else policy
    )
    return watch_simulated_classifiers(case, tolerance, chosen, runs, seed, **options)


TABLE4 = Exhibit(
    name="table4",
    title="Watching a classifier, case 1: classes alike",
    text=(
        "A deployed classifier predicts one of ten classes. Having a prediction verified by a person costs something; "
        "the goal is to find the classes whose predictions are wrong more often than a tolerated rate. The F1 score "
        "says how well they were found (1 is best), verifications what it cost. In case 1 true classes are equally "
        "frequent and one error rate, drawn between 0 and 0.1, holds for all of them. Explore-fully verifies up to a "
        "fixed number of predictions per class. 'Sequential' is not in the paper: this library's test that stops a "
        "class as soon as its verdict is certain."
    ),
    studies=lambda profile: use_case_studies(1, profile),
    reasons={("C-RandCBP", "described"): "two-draws"},
)

TABLE5 = Exhibit(
    name="table5",
    title="Watching a classifier, case 2: classes of all sizes",
    text=(
        "Like the previous table, but some classes are much more frequent than others, and each has its own error "
        "rate: usually small, but for one class in ten possibly large."
    ),
    studies=lambda profile: use_case_studies(2, profile),
    reasons=TABLE4.reasons,
)

FIGURE3 = Exhibit(
    name="figure3",
    title="Verifications that each policy needs",
    text=(
        "The number of verifications in each run of Tables 4 and 5, as quartiles: half of the runs lie within a box. "
        "Lower is cheaper; what it buys is the F1 score in the tables."
    ),
    studies=lambda profile: use_case_studies(1, profile) + use_case_studies(2, profile),
    drawing="quartiles",
)

EXHIBITS = (TABLE4, TABLE5, FIGURE3)
