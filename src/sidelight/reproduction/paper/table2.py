"""Table 2: label-efficient prediction without contexts."""

from sidelight.reproduction.exhibit import Exhibit, Profile, exhibit_study_of_game
from sidelight.reproduction.paper.table1 import CBP, LIMIT, PMDMED, PROSPECT, table1_rand_cbp
from sidelight.studies import Study


def table2_studies(profile: Profile) -> tuple[Study, ...]:
    """Return one study per kind of laws."""
    players = (table1_rand_cbp(profile), CBP, PMDMED, PROSPECT, LIMIT)
    return tuple(
        exhibit_study_of_game("label-efficient", kind, players, profile) for kind in ("imbalanced", "balanced")
    )


EXHIBIT = Exhibit(
    name="table2",
    title="Label-efficient prediction",
    text=(
        "You predict which of two outcomes comes next; a wrong prediction costs 1. Predictions show nothing. Asking "
        "for the label instead costs 1 and shows the outcome. This game is hard: the action that informs is never the "
        "best one, so every bit of knowledge has to be paid for. The laws are those of the previous table."
    ),
    studies=table2_studies,
    reasons={("PMDMED", "published"): "frozen-pm-dmed", ("PMDMED", "described"): "frozen-pm-dmed"},
)
