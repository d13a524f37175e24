"""Table 4: the use case, case 1; and what the two tables of the use case share."""

from collections.abc import Iterable
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.settings import SETTINGS
from sidelight.reproduction.exhibit import Exhibit, Profile, Protocol
from sidelight.studies import PlayerEntry, Study, WorldEntry
from sidelight.studies.classifiers.published import TOLERANCES
from sidelight.studies.classifiers.watching import limit_of_watched_predictions

LABELS = {"randcbp": "C-RandCBP", "cbp": "C-CBP", "explore": "Explore-fully", "sequential": "Sequential"}
"""What the policies are called."""


def check_table4_options(profile: Profile, exhibits: Iterable[Exhibit]) -> None:
    """Refuse tolerances, policies or a confidence that are wrong, or that no chosen table uses."""
    rates = [SETTINGS["tolerance"].checked(rate) for rate in profile.tolerances]
    if profile.confidence is not None and not 0.0 < profile.confidence < 1.0:
        raise SidelightError(f"confidence is {profile.confidence}: give a number between 0 and 1, such as 0.95")
    varied = (tuple(rates), profile.policies, profile.confidence) != (TOLERANCES, (), None)
    if varied and not {"table4", "table5", "figure3"} & {exhibit.name for exhibit in exhibits}:
        raise SidelightError("tolerances, policies and confidence are about the use case: name table4 or table5")


def table4_policy_parameters(policy: str, tolerance: float, protocol: Protocol) -> dict[str, Any]:
    """Return the parameters of a policy under a protocol; Explore-fully verifies every prediction of a class."""
    if policy == "randcbp":
        if protocol == "published":
            return {"bins": 10, "tail": 1e-6, "pairs": "both", "observers": "verify"}
        return {"bins": 5, "tail": 1e-7, "pairs": "once", "observers": "verify"}
    return {"verifications": limit_of_watched_predictions(tolerance)} if policy == "explore" else {}


def table4_studies(case: int, profile: Profile) -> tuple[Study, ...]:
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
                PlayerEntry(name, table4_policy_parameters(name, rate, profile.protocol), policy=True, label=label)
                for name, label in LABELS.items()
                if name in (profile.policies or LABELS)
            ),
            measures=("f1", "verifications"),
            runs=profile.runs,
            seeds=(profile.seed,),
        )
        for rate in profile.tolerances
    )


EXHIBIT = Exhibit(
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
    studies=lambda profile: table4_studies(1, profile),
    reasons={("C-RandCBP", "described"): "two-draws"},
)
