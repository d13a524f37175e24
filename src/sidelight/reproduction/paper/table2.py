"""Table 2: label-efficient prediction without contexts."""

from sidelight.reproduction.experiment import Experiment, GameSetting, Player, Section
from sidelight.reproduction.paper.table1 import CBP, LIMIT, PROSPECT, RAND_CBP

_FROZEN = {"published": "frozen-pm-dmed", "described": "frozen-pm-dmed"}
_PLAYERS = (RAND_CBP, CBP, Player("PMDMED", paper="PM-DMED", reasons=_FROZEN), PROSPECT, LIMIT)

EXPERIMENT = Experiment(
    name="table2",
    title="Label-efficient prediction",
    text=(
        "You predict which of two outcomes comes next; a wrong prediction costs 1. Predictions show nothing. Asking "
        "for the label instead costs 1 and shows the outcome. This game is hard: the action that informs is never the "
        "best one, so every bit of knowledge has to be paid for. The laws are those of the previous table."
    ),
    sections=(
        Section("imbalanced", GameSetting("label-efficient", "imbalanced", "Label-efficient, imbalanced"), _PLAYERS),
        Section("balanced", GameSetting("label-efficient", "balanced", "Label-efficient, balanced"), _PLAYERS),
    ),
)
