"""Figure 2: regret over time with contexts."""

from sidelight.reproduction.exhibit import Exhibit
from sidelight.reproduction.paper import table3

EXHIBIT = Exhibit(
    name="figure2",
    title="Regret over time with contexts",
    text="The strategies of Table 3 as rounds go by. PG-IDS and PG-TS end earlier because of their cost.",
    studies=table3.table3_studies,
    drawing="regret",
)
