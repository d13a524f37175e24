"""The sequential test: verify until the verdict is certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sidelight.monitor.policies.base import Policy, Watched
from sidelight.monitor.policies.detection import Everything
from sidelight.monitor.types import Reason


@dataclass(frozen=True)
class Sequential(Policy):
    """Verify every prediction of a class until its verdict is certain, and then stop."""

    name: ClassVar[str] = "sequential"
    until_certain: ClassVar[bool] = True

    def wants(self, state: Watched) -> tuple[bool, Reason]:
        """Verify while the verdict is not certain; in the mode "guard" also above tolerance."""
        if state.verdict == "unknown":
            return True, Reason.OPEN
        if state.guard and state.verdict == "above":
            return True, Reason.GUARDED
        return False, Reason.CERTAIN

    def rule(self, tolerance: float) -> Everything:
        """Return the rule for any tolerance: everything, because a certain verdict closes the class."""
        return Everything()
