"""RandCBP and CBP on the τ-detection game."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sidelight.monitor.policies.base import Policy, Watched, check_policy_parameter, is_policy_count, is_policy_number
from sidelight.monitor.policies.detection import Detection, detection_policy_verifies
from sidelight.monitor.stats.randomness import uniform_number_of_key
from sidelight.monitor.types import Reason


@dataclass(frozen=True)
class RandCBPPolicy(Policy):
    """Randomized confidence bounds, one strategy per predicted class.

    Parameters
    ----------
    alpha, bins, sigma, tail, lower
        As for `sidelight.strategies.RandCBP`.
    observers
        "verify" (the verify action alone, (1 - 1/τ, 1), as published), or what `sidelight.strategies.RandCBP` takes.
    pairs
        "once", as the definition of neighbors asks, or "both", as in the published runs, where two Z are drawn and the
        smaller one decides.
    """

    name: ClassVar[str] = "randcbp"
    alpha: float = 1.01
    bins: int = 10
    sigma: float = 1.0
    tail: float = 1e-7
    lower: float = 0.0
    observers: str = "verify"
    pairs: str = "once"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_policy_parameter(
            "alpha", self.alpha, is_policy_number(self.alpha) and self.alpha > 0, "a positive number"
        )
        check_policy_parameter("bins", self.bins, is_policy_count(self.bins), "a whole number of at least 1")
        check_policy_parameter(
            "sigma", self.sigma, is_policy_number(self.sigma) and self.sigma > 0, "a positive number"
        )
        check_policy_parameter("tail", self.tail, is_policy_number(self.tail) and 0 <= self.tail <= 1, "a probability")
        check_policy_parameter("lower", self.lower, is_policy_number(self.lower), "a finite number")
        check_policy_parameter("pairs", self.pairs, self.pairs in ("once", "both"), "'once' or 'both'")
        names = ("verify", "minimum-norm", "half-range", "max-norm")
        check_policy_parameter(
            "observers", self.observers, self.observers in names, f"one of {', '.join(map(repr, names))}"
        )

    def wants(self, state: Watched) -> tuple[bool, Reason]:
        """Verify the predictions that the strategy does not let pass."""
        return plays_randcbp_policy(state)

    def rule(self, tolerance: float) -> Detection:
        """Return the decision rule for one tolerance."""
        wrong, right, constant = _observers_of_randcbp_policy(self.observers, tolerance)
        draws = 0 if self.bins == 1 else 2 if self.pairs == "both" else 1
        return Detection(
            alpha=float(self.alpha),
            bins=int(self.bins),
            lower=float(self.lower),
            sigma=float(self.sigma),
            tail=float(self.tail),
            wrong=wrong,
            right=right,
            constant=constant,
            norm=max(abs(wrong), abs(right)),
            draws=draws,
        )


def plays_randcbp_policy(state: Watched) -> tuple[bool, Reason]:
    """Decide by a `Detection` rule, until the verdict is certain and the mode lets a class be closed."""
    if state.verdict != "unknown" and not state.guard:
        return False, Reason.CERTAIN
    game: Detection = state.rule
    t, u = state.predictions, 1.0
    for k in range(game.draws):
        u = min(u, uniform_number_of_key(state.key, game.draws * t + k))
    if detection_policy_verifies(game, t, state.n, state.e, u):
        return True, Reason.OPEN if t else Reason.FIRST
    return False, Reason.LIKELY_BELOW


def _observers_of_randcbp_policy(name: str, tolerance: float) -> tuple[float, float, float]:
    """Return v_wrong, v_right of the verify action, and the constant that passing adds."""
    # A tolerance is meant as it is written: 1/0.05 is 20.
    tau = Fraction(str(tolerance))
    if name == "verify":
        return float(1 - 1 / tau), 1.0, 0.0
    from sidelight import games
    from sidelight.analysis import analyze

    vectors = analyze(games.load("tau-detection", tau=tau)).observer_vectors(0, 1, name)  # type: ignore[arg-type]
    wrong, right = (float(value) for value in vectors[0])
    constant = vectors[1][0] if 1 in vectors else Fraction(0)
    return wrong, right, float(constant)


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
        """Verify the predictions that the strategy does not let pass."""
        return plays_randcbp_policy(state)

    def rule(self, tolerance: float) -> Detection:
        """Return the decision rule for one tolerance, with Z fixed at the largest value that can be drawn."""
        return self._with_one_bin().rule(tolerance)

    def _with_one_bin(self) -> RandCBPPolicy:
        return RandCBPPolicy(alpha=self.alpha, bins=1, observers=self.observers)
