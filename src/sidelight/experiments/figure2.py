"""Figure 2: regret over time with contexts."""

from sidelight.experiments import table3
from sidelight.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    name="figure2",
    title="Regret over time with contexts",
    text="The strategies of Table 3 as rounds go by. PG-IDS and PG-TS end earlier because of their cost.",
    sections=table3.EXPERIMENT.sections,
    drawing="regret",
)
