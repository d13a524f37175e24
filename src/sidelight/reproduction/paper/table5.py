"""Table 5: the use case, case 2."""

from sidelight.reproduction.exhibit import Exhibit
from sidelight.reproduction.paper import table4

EXHIBIT = Exhibit(
    name="table5",
    title="Watching a classifier, case 2: classes of all sizes",
    text=(
        "Like the previous table, but some classes are much more frequent than others, and each has its own error "
        "rate: usually small, but for one class in ten possibly large."
    ),
    studies=lambda profile: table4.table4_studies(2, profile),
    reasons=table4.EXHIBIT.reasons,
)
