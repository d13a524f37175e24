"""Figure 5: how RandCBPside* depends on its parameters."""

from dataclasses import replace

from sidelight.reproduction.experiment import Experiment
from sidelight.reproduction.paper import table3
from sidelight.reproduction.paper.sensitivity import players

_PLAYERS = players(
    "PublishedRandCBPSide",
    {"dimension": 10, "bounds": "published", "tail": 1e-6},
    {"dimension": 10, "bounds": "printed", "tail": 1e-7},
)

EXPERIMENT = Experiment(
    name="figure5",
    title="How RandCBPside* depends on σ and K, with contexts",
    text="The same for the contextual strategy, whose cut-off B grows with the dimension of the contexts.",
    sections=tuple(replace(section, players=_PLAYERS) for section in table3.EXPERIMENT.sections),
    drawing="sensitivity",
)
