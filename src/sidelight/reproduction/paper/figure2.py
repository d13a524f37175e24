"""Figure 2: regret over time with contexts."""

from sidelight.reproduction.experiment import Experiment
from sidelight.reproduction.paper import table3

EXPERIMENT = Experiment(
    name="figure2",
    title="Regret over time with contexts",
    text="The strategies of Table 3 as rounds go by. PG-IDS and PG-TS end earlier because of their cost.",
    sections=table3.EXPERIMENT.sections,
    drawing="regret",
)
