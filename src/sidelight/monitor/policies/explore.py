"""Explore-fully: a number of verifications per class that is fixed beforehand."""

from __future__ import annotations

import functools
import math
import sys
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

from sidelight.monitor.policies.base import Policy, Watched, check_policy_parameter, is_policy_count, is_policy_number
from sidelight.monitor.policies.detection import Everything
from sidelight.monitor.types import Reason


@dataclass(frozen=True)
class Explore(Policy):
    """Verify every prediction of a class up to a number fixed beforehand (Explore-fully).

    Parameters
    ----------
    verifications
        That number; without it, `wald_cap` with the three parameters below.
    failure, half_width, rate
        The chance that the interval fails (ζ), its half-width as a share of the tolerance (E / τ), and the error rate
        assumed beforehand.
    """

    name: ClassVar[str] = "explore"
    waits: ClassVar[bool] = False
    verifications: int | None = None
    failure: float = 0.01
    half_width: float = 0.1
    rate: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        good = self.verifications is None or is_policy_count(self.verifications)
        check_policy_parameter("verifications", self.verifications, good, "a whole number of at least 1, or None")
        for name in ("failure", "rate"):
            value = getattr(self, name)
            check_policy_parameter(name, value, is_policy_number(value) and 0 < value < 1, "a number between 0 and 1")
        check_policy_parameter(
            "half_width",
            self.half_width,
            is_policy_number(self.half_width) and self.half_width > 0,
            "a positive number",
        )

    def wants(self, state: Watched) -> tuple[bool, Reason]:
        """Verify up to that number, even if the verdict is certain; in mode "guard" also above tolerance."""
        if state.guard and state.verdict == "above":
            return True, Reason.GUARDED
        if state.n + state.ahead + state.pending < self.limit(state.tolerance):
            return True, Reason.EXPLORING
        return False, Reason.EXPLORED

    def rule(self, tolerance: float) -> Everything:
        """Return the rule for one tolerance: everything up to that number of verifications."""
        return Everything(min(self.limit(tolerance), sys.maxsize))

    def limit(self, tolerance: float) -> int:
        """Return how many verifications of a class are wanted."""
        return (
            self.verifications
            if self.verifications is not None
            else wald_cap(tolerance, self.failure, self.half_width, self.rate)
        )


@functools.lru_cache(maxsize=1024)
def wald_cap(tolerance: float, failure: float = 0.01, half_width: float = 0.1, rate: float = 0.01) -> int:
    """Return the verifications per class after which a Wald interval has half-width E = half_width * tolerance.

    n_τ = z(1 - ζ/2)^2 p (1 - p) / E^2 with the failure probability ζ and an assumed error rate p, rounded up: 10 510,
    2 628, 657 and 165 for the tolerances 0.025, 0.05, 0.1 and 0.2. A number beyond all floats means no limit.
    """
    z = NormalDist().inv_cdf(1 - failure / 2)
    squared = (half_width * tolerance) ** 2
    verifications = z * z * rate * (1 - rate) / squared if squared > 0.0 else math.inf
    return sys.maxsize if math.isinf(verifications) else math.ceil(verifications)
