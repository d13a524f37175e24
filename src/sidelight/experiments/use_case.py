"""What the two tables of the use case share."""

from sidelight.experiments.experiment import Player, Section, UseCase

TOLERANCES = (0.025, 0.05, 0.1, 0.2)

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
