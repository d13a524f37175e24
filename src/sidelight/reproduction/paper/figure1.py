"""Figure 1: regret over time without contexts."""

from sidelight.reproduction.exhibit import Exhibit
from sidelight.reproduction.paper import table1, table2

EXHIBIT = Exhibit(
    name="figure1",
    title="Regret over time without contexts",
    text=(
        "What the strategies of Tables 1 and 2 have lost, compared with always playing the best action, as rounds go "
        "by. A curve that flattens has learned what to do."
    ),
    studies=lambda profile: table1.table1_studies(profile) + table2.table2_studies(profile),
    drawing="regret",
)
