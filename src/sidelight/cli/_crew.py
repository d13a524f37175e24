"""Who does long work: the threads of this machine, or the workers of a cluster."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.studies.execution import Crew


def check_crew(cluster: str | None, workers: int | None) -> None:
    """Refuse options that do not go together, before any work is done."""
    if cluster is not None and workers is not None:
        raise SidelightError("--cluster brings its own workers: leave out --workers")
    if cluster is not None and not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://.+:\d+", cluster):
        raise SidelightError(f"--cluster is {cluster!r}: give an address such as tcp://host:8786")


def crew_of(cluster: str | None, workers: int | None) -> Crew:
    """Return who does the work."""
    from sidelight.studies.execution import Crew

    if cluster is None:
        from sidelight.tasks import run_here

        return Crew(functools.partial(run_here, workers=workers), here=True)
    from sidelight.tasks.cluster import run_on_cluster

    return Crew(functools.partial(run_on_cluster, cluster), here=False)
