"""Figure 1: regret over time without contexts."""

from sidelight.reproduction.experiment import Experiment
from sidelight.reproduction.paper import table1, table2

EXPERIMENT = Experiment(
    name="figure1",
    title="Regret over time without contexts",
    text=(
        "What the strategies of Tables 1 and 2 have lost, compared with always playing the best action, as rounds go "
        "by. A curve that flattens has learned what to do."
    ),
    sections=(*table1.EXPERIMENT.sections, *table2.EXPERIMENT.sections),
    drawing="regret",
)
