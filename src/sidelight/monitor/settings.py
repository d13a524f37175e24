"""The settings of a monitor, checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.inputs import check_spelling, label, plain_number
from sidelight.monitor.policies import Policy, make_policy
from sidelight.monitor.stats.confidence import RateTest, rate_test
from sidelight.monitor.stats.reviewers import answered_rates
from sidelight.monitor.stats.together import share_of
from sidelight.monitor.types import Label

MODES = ("identify", "guard")
AIMS = ("verdicts", "first-come")
LIMITS = ("cap", "daily_cap", "class_cap", "max_pending", "patience")
"""What can be changed later."""
DRIFT = True
"""Whether to look for changes in error rates if the settings do not say."""
SPOT_SHARE = 0.01
"""The share of spot checks in a class without a verdict, of which no change can be noticed."""
NOTICE, NOTICE_WITHIN = 3.0, 2000
_LEAST_TOLERANCE = 1e-9
_LEAST_WEIGHT = 1e-6
# Nearer alternatives are not in the mixtures, so "near" would never come.
_LEAST_MARGIN = 0.02


@dataclass(frozen=True)
class Settings:
    """The constructor arguments of a monitor in their final form."""

    tolerance: float | dict[Any, float]
    classes: tuple[Label, ...]
    policy: Policy
    mode: str
    confidence: float
    margin: float
    reviewer_error: float
    together: bool
    cap: int | None
    daily_cap: int | None
    class_cap: int | None
    class_predictions: int | None
    max_pending: int | None
    aim: str
    weights: dict[Any, float] | None
    window: int | None
    drift: bool
    drift_alarm_every: int
    spot_checks: float | None
    """None where `notice` and `notice_within` say it."""
    notice: float
    notice_within: int | None
    patience: int | float | timedelta | None
    forget_after: int | None
    remember_passes: int
    seed: int

    def tolerance_of(self, label: Label) -> float:
        """Return the tolerance of one class."""
        if not isinstance(self.tolerance, dict):
            return self.tolerance
        found = self.tolerance.get(label, self.tolerance.get(None))
        if found is None:
            raise SidelightError(
                f"there is no tolerance for the class {label!r}: add it, or give one for all others under the key None"
            )
        return found

    @property
    def rationed(self) -> bool:
        """Whether labels go where they bring the most verdicts."""
        return self.aim == "verdicts" and (self.cap is not None or self.daily_cap is not None)

    def weight_of(self, label: Label) -> float:
        """Return the weight of a verdict on one class."""
        return 1.0 if self.weights is None else self.weights.get(label, self.weights.get(None, 1.0))

    def test_of(self, tolerance: float, place: int) -> RateTest:
        """Return the tests of the class at this place in the order of appearance, listed classes first."""
        confidence = self.confidence
        if self.together:
            confidence = 1.0 - (1.0 - confidence) * share_of(place, len(self.classes))
        return rate_test(tolerance, confidence, self.margin, self.reviewer_error)

    def plain(self) -> dict[str, Any]:
        """Return the constructor arguments as plain data for JSON."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("policy", "tolerance")}
        data["weights"] = None if self.weights is None else [list(pair) for pair in self.weights.items()]
        several = isinstance(self.tolerance, dict)
        data["tolerance"] = [list(pair) for pair in self.tolerance.items()] if several else self.tolerance  # type: ignore[union-attr]
        data["policy"] = self.policy.describe()
        if isinstance(self.patience, timedelta):
            data["patience"] = {"seconds": self.patience.total_seconds()}
        elif self.patience == math.inf:
            data["patience"] = "never"
        return data

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Settings:
        """Return the settings that `plain` described."""
        values = dict(data)
        if isinstance(values["tolerance"], list):
            values["tolerance"] = dict(values["tolerance"])
        patience = values["patience"]
        if isinstance(patience, dict):
            values["patience"] = timedelta(**patience)
        elif patience == "never":
            values["patience"] = math.inf
        if values["weights"] is not None:
            values["weights"] = dict(values["weights"])
        values["policy"] = make_policy(values["policy"]["name"], values["policy"]["parameters"])
        return make_settings(**values, parameters={})


def make_settings(
    *,
    tolerance: Any,
    classes: Iterable[Any] | None,
    policy: str | Policy,
    parameters: Mapping[str, Any],
    spot_checks: float | None,
    weights: Mapping[Any, float] | None,
    **others: Any,
) -> Settings:
    """Check the constructor's arguments."""
    _one_of("mode", others["mode"], MODES)
    _one_of("aim", others["aim"], AIMS)
    confidence = _number("confidence", others["confidence"])
    if not 0.0 < confidence < 1.0:
        raise SidelightError(f"confidence is {confidence}: give a number between 0 and 1, for instance 0.99")
    counts = {name: _count(name, others[name], 0) for name in ("cap", "daily_cap", "max_pending")}
    for name in ("class_cap", "class_predictions", "forget_after", "window"):
        counts[name] = _count(name, others[name], 1)
    for name, least in (("remember_passes", 0), ("drift_alarm_every", 100)):
        counts[name] = _count(name, others[name], least)
        if counts[name] is None:
            raise SidelightError(f"{name} is None: give a whole number")
    patience = checked_patience(others["patience"])
    seed = plain_number(others["seed"])
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise SidelightError(f"seed is {seed!r}: give a whole number")
    drift = None if others["drift"] is None else _true_or_false("drift", others["drift"])
    if others["window"] is not None and drift:
        raise SidelightError("window and drift are two ways to follow error rates that change: give one of them")
    drift = DRIFT and others["window"] is None if drift is None else drift
    follows = others["window"] is not None or drift
    others |= _spot_checks(spot_checks, others["notice"], others["notice_within"], follows)
    if isinstance(classes, str | bytes):
        raise SidelightError(f"classes is {classes!r}: give a list of classes")
    labels = tuple(dict.fromkeys(label(one) for one in classes or ()))
    tolerances = _tolerance(tolerance)
    several = tolerances.values() if isinstance(tolerances, dict) else [tolerances]
    others["reviewer_error"] = _reviewer_error(others["reviewer_error"])
    others["margin"] = _margin(others["margin"], several, others["reviewer_error"])
    others["together"] = _true_or_false("together", others["together"])
    known = [*labels, *(tolerances if isinstance(tolerances, dict) else ())]
    others["weights"] = _weights(weights, {str(name): name for name in known if name is not None})
    if others["weights"] is not None and counts["cap"] is None and counts["daily_cap"] is None:
        raise SidelightError("weights work only with cap or daily_cap: give one of them, or leave weights out")
    return Settings(
        tolerance=tolerances,
        classes=labels,
        policy=make_policy(policy, parameters),
        **others | counts | {"seed": seed, "confidence": confidence, "drift": drift, "patience": patience},
    )


def _spot_checks(share: Any, notice: Any, within: Any, follows: bool) -> dict[str, Any]:
    """Check how closed classes are looked at: by a share, or by what is to be noticed within how many predictions."""
    times, within = _number("notice", notice), _count("notice_within", within, 10)
    if not 1.1 <= times <= 100.0:
        raise SidelightError(f"notice is {times}: give how many times the tolerance is to be noticed, from 1.1 to 100")
    if share is not None and within is not None:
        raise SidelightError("spot_checks and notice_within both say how often to look at closed classes: give one")
    if within is not None and not follows:
        raise SidelightError(
            "notice_within needs drift or a window: without them all answers ever given weigh against a change, and it "
            "would hardly be noticed"
        )
    if share is not None:
        share = _number("spot_checks", share)
        if not 0.0 <= share <= 1.0:
            raise SidelightError(f"spot_checks is {share}: give a share between 0 and 1")
    elif within is None:
        share, within = (None, NOTICE_WITHIN) if follows else (0.0, None)
    return {"spot_checks": share, "notice": times, "notice_within": within}


def _tolerance(value: Any) -> float | dict[Any, float]:
    if isinstance(value, Mapping):
        if not value:
            raise SidelightError("tolerance is empty: give a tolerance for each class, or one number")
        return {(None if name is None else label(name)): error_rate(one) for name, one in value.items()}
    return error_rate(value)


def _weights(value: Any, spelled: Mapping[str, Label]) -> dict[Any, float] | None:
    """Check the weights of classes; `spelled` has the texts of those that are known."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise SidelightError(f"weights is {value!r}: give a mapping from classes to weights, under None for all others")
    weights = {(None if name is None else label(name)): _number("a weight", one) for name, one in value.items()}
    for name, weight in weights.items():
        if name is not None:
            check_spelling(name, spelled)
        if weight < _LEAST_WEIGHT or weight > 1.0 / _LEAST_WEIGHT:
            raise SidelightError(f"the weight of {name!r} is {weight}: give a number from 1e-6 to 1e6")
    return weights


def error_rate(value: Any) -> float:
    """Check one tolerance; below the least, floats could not compute the intervals."""
    rate = _number("tolerance", value)
    if not 0.0 < rate < 1.0:
        raise SidelightError(f"tolerance is {rate}: give an error rate between 0 and 1, for instance 0.05")
    if rate < _LEAST_TOLERANCE:
        raise SidelightError(f"tolerance is {rate}: give at least {_LEAST_TOLERANCE:g}")
    return rate


def _reviewer_error(value: Any) -> float:
    error = _number("reviewer_error", value)
    if not 0.0 <= error < 0.5:
        raise SidelightError(f"reviewer_error is {error}: give a bound of at least 0 and less than 0.5")
    return error


def _margin(value: Any, tolerances: Iterable[float], reviewer_error: float) -> float:
    """Check the margin of "near": it can be reached for each tolerance."""
    margin = 0.0 if value is None else _number("margin", value)
    if not margin:
        return 0.0
    if not 0.0 < margin < 0.5:
        raise SidelightError(f"margin is {margin}: give a difference of error rates between 0 and 0.5, or None")
    for one in tolerances:
        least = _LEAST_MARGIN * min(one, 1.0 - one)
        if margin < least:
            raise SidelightError(f"margin is {margin}: for the tolerance {one} give at least {least:.3g}")
        if one > margin and one + margin < 1.0:
            low, high = answered_rates(one - margin, reviewer_error)[1], answered_rates(one + margin, reviewer_error)[0]
            if high - low < 2.0 * least:
                raise SidelightError(
                    f"margin is {margin} and reviewer_error {reviewer_error}: reviewers who err this often cannot tell "
                    f"whether a rate is that close to the tolerance {one}; give a larger margin"
                )
    return margin


def checked_patience(value: Any) -> int | float | timedelta | None:
    """Check how long to wait for answers."""
    plain = plain_number(value)
    if isinstance(plain, timedelta):
        good = plain > timedelta(0)
    else:
        whole = isinstance(plain, int) and not isinstance(plain, bool) and plain >= 1
        good = plain is None or whole or (isinstance(plain, float) and plain == math.inf)
    if not good:
        raise SidelightError(
            f"patience is {value!r}: give a whole number of decisions, a timedelta, math.inf to wait forever, or None"
        )
    return plain


def _number(name: str, value: Any) -> float:
    try:
        plain = plain_number(value)
        number = math.nan if isinstance(plain, bool | str) else float(plain)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise SidelightError(f"{name} is {value!r}: give a number")
    return number


def _count(name: str, value: Any, least: int) -> int | None:
    plain = plain_number(value)
    if plain is None or (isinstance(plain, int) and not isinstance(plain, bool) and plain >= least):
        return plain
    raise SidelightError(f"{name} is {value!r}: give a whole number of at least {least}, or None")


def _true_or_false(name: str, value: Any) -> bool:
    plain = plain_number(value)
    if isinstance(plain, bool):
        return plain
    raise SidelightError(f"{name} is {value!r}: give True or False")


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SidelightError(f"{name} is {value!r}: give {' or '.join(map(repr, allowed))}")
