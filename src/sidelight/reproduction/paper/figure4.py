"""Figure 4: how RandCBP depends on its parameters."""

from dataclasses import replace

from sidelight.reproduction.experiment import Experiment
from sidelight.reproduction.paper import figure1
from sidelight.reproduction.paper.sensitivity import players

_PLAYERS = players("RandCBP", {"tail": 1e-6}, {"tail": 1e-7})

EXPERIMENT = Experiment(
    name="figure4",
    title="How RandCBP depends on σ and K, without contexts",
    text=(
        "RandCBP multiplies its confidence widths by a random number: normal with standard deviation σ, cut off and "
        "rounded to K points. A small σ explores less: cheap in most runs, now and then a disaster, and the disasters "
        "decide the mean."
    ),
    sections=tuple(replace(section, players=_PLAYERS) for section in figure1.EXPERIMENT.sections),
    drawing="sensitivity",
)
