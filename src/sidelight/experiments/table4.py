"""Table 4: the use case, case 1; and what the two tables of the use case share."""

from sidelight.experiments.classifiers import TOLERANCES
from sidelight.experiments.experiment import Experiment, Player, Section, UseCase

_PLAYERS = (
    Player("randcbp", label="C-RandCBP", paper="C-RandCBP", reasons={"described": "two-draws"}),
    Player("cbp", label="C-CBP", paper="C-CBP"),
    Player("explore", label="Explore-fully", paper="Explore-fully"),
    Player("sequential", label="Sequential"),
)


def sections(case: int) -> tuple[Section, ...]:
    """Return one section per tolerated error rate."""
    return tuple(
        Section(f"{tolerance:g}", UseCase(case, tolerance, f"Tolerance {tolerance:g}"), _PLAYERS)
        for tolerance in TOLERANCES
    )


EXPERIMENT = Experiment(
    name="table4",
    title="Watching a classifier, case 1: classes alike",
    text=(
        "A deployed classifier predicts one of ten classes. Having a prediction verified by a person costs something; "
        "wanted are the classes whose predictions are wrong more often than a tolerated rate. The F1 score says how "
        "well they were found (1 is best), verifications what it cost. In case 1 true classes are equally frequent and "
        "one error rate, drawn between 0 and 0.1, holds for all of them. Explore-fully verifies up to a fixed number "
        "of predictions per class. 'Sequential' is not in the paper: this library's test that stops a class as soon as "
        "its verdict is certain."
    ),
    sections=sections(1),
)
