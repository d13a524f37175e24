"""Table 5: the use case, case 2."""

from sidelight.reproduction.experiment import Experiment
from sidelight.reproduction.paper.table4 import sections

EXPERIMENT = Experiment(
    name="table5",
    title="Watching a classifier, case 2: classes of all sizes",
    text=(
        "Like the previous table, but some classes are much more frequent than others, and each has its own error "
        "rate: usually small, but for one class in ten possibly large."
    ),
    sections=sections(2),
)
