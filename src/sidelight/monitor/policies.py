"""How a monitor chooses what to verify: four policies and their parameters.

`RandCBPPolicy` and `CBPPolicy` play the τ-detection game, one strategy per predicted class; `Explore` verifies every
prediction up to a number fixed beforehand; `Sequential` verifies until the verdict is certain. Whatever the policy, the
verdict comes from the confidence sequence of `sidelight.monitor.confidence`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from statistics import NormalDist
from typing import Any, ClassVar

from sidelight.errors import SidelightError
from sidelight.monitor.confidence import Prior
from sidelight.monitor.detection import Detection


@dataclass(frozen=True)
class Policy:
    """What all policies share."""

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""

    def describe(self) -> dict[str, Any]:
        """Return name and parameters as plain data."""
        return {"name": self.name, "parameters": asdict(self)}


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
    title: ClassVar[str] = "C-RandCBP"
    alpha: float = 1.01
    bins: int = 10
    sigma: float = 1.0
    tail: float = 1e-7
    lower: float = 0.0
    observers: str = "verify"
    pairs: str = "once"

    def __post_init__(self) -> None:
        _check("alpha", self.alpha, _number(self.alpha) and self.alpha > 0, "a positive number")
        whole = isinstance(self.bins, int) and not isinstance(self.bins, bool)
        _check("bins", self.bins, whole and self.bins >= 1, "a whole number of at least 1")
        _check("sigma", self.sigma, _number(self.sigma) and self.sigma > 0, "a positive number")
        _check("tail", self.tail, _number(self.tail) and 0 <= self.tail <= 1, "a probability")
        _check("lower", self.lower, _number(self.lower), "a finite number")
        _check("pairs", self.pairs, self.pairs in ("once", "both"), "'once' or 'both'")
        names = ("verify", "minimum-norm", "half-range", "max-norm")
        _check("observers", self.observers, self.observers in names, f"one of {', '.join(map(repr, names))}")

    def detection(self, tolerance: float) -> Detection:
        """Return the decision rule for one tolerance."""
        wrong, right, constant = _observers(self.observers, tolerance)
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


@dataclass(frozen=True)
class CBPPolicy(Policy):
    """Confidence bounds without randomization, one strategy per predicted class; parameters as for `RandCBPPolicy`."""

    name: ClassVar[str] = "cbp"
    title: ClassVar[str] = "C-CBP"
    alpha: float = 1.01
    observers: str = "verify"

    def __post_init__(self) -> None:
        self._twin()

    def _twin(self) -> RandCBPPolicy:
        return RandCBPPolicy(alpha=self.alpha, bins=1, observers=self.observers)

    def detection(self, tolerance: float) -> Detection:
        """Return the decision rule for one tolerance."""
        return self._twin().detection(tolerance)


@dataclass(frozen=True)
class Explore(Policy):
    """Verify every prediction of a class until a number of labels fixed beforehand (Explore-fully).

    Parameters
    ----------
    labels
        That number; without it, `wald_cap` with the three parameters below.
    failure, margin, rate
        The interval's chance to fail (ζ), its half-width as a share of the tolerance (E / τ), and the error rate that
        is assumed beforehand.
    """

    name: ClassVar[str] = "explore"
    title: ClassVar[str] = "Explore-fully"
    labels: int | None = None
    failure: float = 0.01
    margin: float = 0.1
    rate: float = 0.01

    def __post_init__(self) -> None:
        given = isinstance(self.labels, int) and not isinstance(self.labels, bool) and self.labels >= 1
        _check("labels", self.labels, self.labels is None or given, "a whole number of at least 1, or None")
        for name in ("failure", "rate"):
            value = getattr(self, name)
            _check(name, value, _number(value) and 0 < value < 1, "a number between 0 and 1")
        _check("margin", self.margin, _number(self.margin) and self.margin > 0, "a positive number")

    def limit(self, tolerance: float) -> int:
        """Return how many labels of a class are wanted."""
        return self.labels if self.labels is not None else wald_cap(tolerance, self.failure, self.margin, self.rate)


@dataclass(frozen=True)
class Sequential(Policy):
    """Verify every prediction of a class until its verdict is certain, and then stop."""

    name: ClassVar[str] = "sequential"
    title: ClassVar[str] = "Sequential"


POLICIES: dict[str, type[Policy]] = {kind.name: kind for kind in (RandCBPPolicy, CBPPolicy, Explore, Sequential)}
"""All policies by name, in the order of tables."""


def make_policy(policy: str | Policy, parameters: Mapping[str, Any]) -> Policy:
    """Return the policy of this name with these parameters."""
    if isinstance(policy, Policy):
        if parameters:
            raise SidelightError(f"{next(iter(parameters))!r} belongs into the {type(policy).__name__} object")
        return policy
    kind = POLICIES.get(policy) if isinstance(policy, str) else None
    if kind is None:
        raise SidelightError(f"policy is {policy!r}: give one of {', '.join(map(repr, POLICIES))}")
    known = [field.name for field in fields(kind)]
    for name in parameters:
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise SidelightError(f"the policy {policy!r} has no parameter {name!r}; {takes}")
    return kind(**parameters)


def wald_cap(tolerance: float, failure: float = 0.01, margin: float = 0.1, rate: float = 0.01) -> int:
    """Return the labels per class after which a Wald interval has half-width E = margin * tolerance.

    n_τ = z(1 - ζ/2)^2 p (1 - p) / E^2 with the failure probability ζ and an assumed error rate p, rounded up: 10 510,
    2 628, 657 and 165 for the tolerances 0.025, 0.05, 0.1 and 0.2.
    """
    z = NormalDist().inv_cdf(1 - failure / 2)
    return math.ceil(z * z * rate * (1 - rate) / (margin * tolerance) ** 2)


def mixture_prior(prior: Any, tolerance: float) -> Prior:
    """Return the prior of the confidence sequence for one tolerance: the measured default, or the given (a, b)."""
    return Prior(*default_prior(tolerance)) if prior is None else Prior(float(prior[0]), float(prior[1]))


def default_prior(tolerance: float) -> Prior:
    """Return the prior chosen by measurement."""
    return Prior(1.0, max(19.0, (1.0 - tolerance) / tolerance))


def _observers(name: str, tolerance: float) -> tuple[float, float, float]:
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


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check(name: str, value: Any, good: bool, wanted: str) -> None:
    if not good:
        raise SidelightError(f"{name} is {value!r}: give {wanted}")


def __getattr__(name: str) -> Any:
    if name in ("CBP", "RandCBP"):
        text = f"sidelight.monitor.policies.{name} is now {name}Policy; the old name goes with the next version"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return globals()[f"{name}Policy"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
