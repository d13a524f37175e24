"""CBP on the τ-detection game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sidelight.monitor.policies.base import Policy, Watched
from sidelight.monitor.policies.detection import Detection
from sidelight.monitor.policies.randcbp import RandCBPPolicy, plays
from sidelight.monitor.types import Reason


@dataclass(frozen=True)
class CBPPolicy(Policy):
    """Confidence bounds without randomization, one strategy per predicted class; parameters as for `RandCBPPolicy`."""

    name: ClassVar[str] = "cbp"
    alpha: float = 1.01
    observers: str = "verify"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._with_one_bin()

    def wants(self, state: Watched) -> tuple[bool, Reason]:
        """Verify what the strategy does not let pass."""
        return plays(state)

    def rule(self, tolerance: float) -> Detection:
        """Return the decision rule for one tolerance: that of RandCBP with Z at its bound."""
        return self._with_one_bin().rule(tolerance)

    def _with_one_bin(self) -> RandCBPPolicy:
        return RandCBPPolicy(alpha=self.alpha, bins=1, observers=self.observers)
