"""Figure 3: what it costs to watch a classifier."""

from sidelight.reproduction.experiment import Experiment
from sidelight.reproduction.paper import table4, table5

EXPERIMENT = Experiment(
    name="figure3",
    title="Verifications that each policy needs",
    text=(
        "The number of verifications in each run of Tables 4 and 5, as quartiles: half of the runs lie within a box. "
        "Lower is cheaper; what it buys is the F1 score in the tables."
    ),
    sections=(*table4.EXPERIMENT.sections, *table5.EXPERIMENT.sections),
    drawing="quartiles",
)
