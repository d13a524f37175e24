"""Figure 3: what it costs to watch a classifier."""

from sidelight.reproduction.exhibit import Exhibit
from sidelight.reproduction.paper.table4 import table4_studies

EXHIBIT = Exhibit(
    name="figure3",
    title="Verifications that each policy needs",
    text=(
        "The number of verifications in each run of Tables 4 and 5, as quartiles: half of the runs lie within a box. "
        "Lower is cheaper; what it buys is the F1 score in the tables."
    ),
    studies=lambda profile: table4_studies(1, profile) + table4_studies(2, profile),
    drawing="quartiles",
)
