"""The settings of a monitor: each is declared once, here, and every surface follows from its declaration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass
from datetime import timedelta
from typing import Any

from sidelight.errors import ParameterError, SidelightError
from sidelight.monitor.inputs import check_label_spelling, monitor_input_score, plain_label
from sidelight.monitor.policies import POLICIES, Policy, make_policy
from sidelight.monitor.setting import (
    SettingKind,
    by_class_setting,
    choice_setting,
    count_setting,
    declare_setting,
    flag_setting,
    number_setting,
    patience_setting,
    settings_declared_by,
)
from sidelight.monitor.stats.confidence import RateTest, answered_error_rates, rate_test, share_of_alpha
from sidelight.monitor.types import Label

DRIFT = True
"""Whether to look for changes in error rates if the settings do not say."""
SPOT_SHARE = 0.01
"""The share of spot checks in a class without a verdict, of which no change can be noticed."""
NOTICE_WITHIN = 2000
# Nearer alternatives are not in the mixtures, so "near" would never come.
_LEAST_MARGIN = 0.02
# Below 1e-9 floats could not compute the intervals.
_RATE = number_setting("an error rate between 0 and 1, for instance 0.05", minimum=1e-9, exclusiveMaximum=1.0)
_WEIGHT = number_setting("a number from 1e-6 to 1e6", minimum=1e-6, maximum=1e6)


def _read_classes_setting(value: Any) -> tuple[Label, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ValueError
    return tuple(dict.fromkeys(plain_label(one) for one in value))


def _read_policy_setting(value: Any) -> Any:
    if not isinstance(value, Policy) and not (isinstance(value, str) and value in POLICIES):
        raise ValueError
    return value


_CLASSES = SettingKind(
    "classes",
    "a list of classes",
    {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
    _read_classes_setting,
)
_POLICY = SettingKind(
    "policy",
    f"one of {', '.join(map(repr, POLICIES))}",
    {"enum": sorted(POLICIES)},
    _read_policy_setting,
    to_json=lambda value: value.describe(),
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one monitor in their final form; `make_monitor_settings` makes them."""

    tolerance: float | dict[Any, float] = declare_setting(
        by_class_setting(_RATE, alone=True),
        MISSING,
        "The error rate to tolerate in each class.",
        "One number, or a mapping from classes to numbers (under the key None for all others).",
        metavar="RATE",
    )
    classes: tuple[Label, ...] = declare_setting(
        _CLASSES,
        (),
        "Classes that reports list from the start; others are added when they are first predicted.",
        optional=True,
        commanded=False,
    )
    policy: Policy = declare_setting(
        _POLICY,
        "sequential",
        "How predictions are chosen for verification.",
        '"sequential", "randcbp", "cbp" or "explore", or an object of `sidelight.monitor.policies`; further keyword '
        'arguments are parameters of the policy (`bins=10`, `pairs="both"`, ...).',
        commanded=False,
    )
    confidence: float = declare_setting(
        number_setting("a number between 0 and 1, for instance 0.99", exclusiveMinimum=0.0, exclusiveMaximum=1.0),
        0.99,
        "The confidence of each class's interval and verdict, however often you look.",
        "It holds for each class separately; for all classes together, see `together`.",
        metavar="P",
    )
    mode: str = declare_setting(
        choice_setting("identify", "guard"),
        "identify",
        "identify: stop verifying a class once its verdict is certain; guard: keep verifying classes above tolerance.",
        'The policy "explore" always verifies its full number. "guard" is what the loss of τ-detection demands.',
    )
    margin: float = declare_setting(
        number_setting("a difference of error rates between 0 and 0.5", minimum=0.0, exclusiveMaximum=0.5),
        None,
        'Classes whose error rate is within this margin of their tolerance get the verdict "near".',
        "So they are decided, too. A margin of a tenth of the tolerance takes about 1 400 / tolerance answers at "
        "confidence 0.99.",
        metavar="RATE",
    )
    reviewer_error: float = declare_setting(
        number_setting("a bound of at least 0 and less than 0.5", minimum=0.0, exclusiveMaximum=0.5),
        0.0,
        "Upper bound on the chance that a reviewer misses an error, and on the chance that one calls a right "
        "prediction wrong.",
        "Rates that such reviewers cannot tell from the tolerance stay unknown; the report says which.",
        metavar="SHARE",
    )
    together: bool = declare_setting(
        flag_setting(),
        False,
        "Whether the confidence holds for all classes together: that no verdict on any class is wrong.",
        "List the classes in `classes` if you can, which needs fewer answers.",
    )
    cap: int | None = declare_setting(count_setting(0), None, "Maximum number of verifications.", changeable=True)
    daily_cap: int | None = declare_setting(
        count_setting(0),
        None,
        "Maximum number of verifications per day, from midnight to midnight in UTC.",
        "Times without a zone are taken as UTC.",
        changeable=True,
    )
    class_cap: int | None = declare_setting(
        count_setting(1), None, "Maximum number of verifications per class.", changeable=True
    )
    class_predictions: int | None = declare_setting(
        count_setting(1),
        None,
        "A class is closed after this many predictions, as in the published protocol.",
        commanded=False,
    )
    max_pending: int | None = declare_setting(
        count_setting(0),
        None,
        "Maximum number of verifications that may be pending at any one time.",
        changeable=True,
    )
    aim: str = declare_setting(
        choice_setting("verdicts", "first-come"),
        "verdicts",
        "How to spend a cap: on the classes where a verdict costs the fewest verifications, or first come, first "
        "served.",
        "See `sidelight.monitor.engine.rationing`.",
    )
    weights: dict[Any, float] | None = declare_setting(
        by_class_setting(_WEIGHT),
        None,
        "How much verdicts on individual classes are worth where a cap is spent on verdicts.",
        "A mapping from classes to weights, 1 where there is none, or the weight given under None.",
        metavar="WEIGHT",
    )
    window: int | None = declare_setting(
        count_setting(1),
        None,
        "Base verdicts on this many last answers of a class.",
        "Another way to follow changing error rates, without looking for drift.",
    )
    drift: bool = declare_setting(
        flag_setting(),
        None,
        "Look for changes in error rates; a class whose rate has changed starts from scratch. On by default, unless "
        "there is a window.",
        "See `sidelight.monitor.stats.drift`.",
    )
    drift_alarm_every: int = declare_setting(
        count_setting(100), 10_000, "On average, at most one false drift alarm in this many answers of a class."
    )
    patience: int | float | timedelta | None = declare_setting(
        patience_setting(),
        None,
        "How long to wait for an answer: a number of later decisions, or a time. By default ten times the median of "
        "the last 400 delays, but 500 to 5000 decisions.",
        "A timedelta is measured by the times of decisions; `math.inf` is to wait forever.",
        changeable=True,
        metavar="N|TIME|never",
    )
    notice_within: int | None = declare_setting(
        count_setting(10),
        None,
        "Notice within this many predictions of a closed class that its error rate has risen to 'notice' times its "
        "tolerance, in nine of ten cases. By default 2000, with drift or a window.",
        "Of a class above tolerance, that it has fallen to that part of it; if answers come at once. Spot checks "
        "follow from this, see `sidelight.monitor.stats.notice`. With a `window`, a change is noticed when the class "
        "is reopened; without `drift` and `window` there are no spot checks.",
        changeable=True,
    )
    notice: float = declare_setting(
        number_setting("how many times the tolerance is to be noticed, from 1.1 to 100", minimum=1.1, maximum=100.0),
        3.0,
        "How many times the tolerance is to be noticed.",
        changeable=True,
        metavar="TIMES",
    )
    spot_checks: float | None = declare_setting(
        number_setting("a share between 0 and 1", minimum=0.0, maximum=1.0),
        None,
        "Instead of notice_within: the share of predictions of a closed class that are still verified.",
        "While there is at least a tenth of the evidence for an alarm, it is at least a half either way, unless it is "
        "0.",
        metavar="SHARE",
    )
    forget_after: int | None = declare_setting(
        count_setting(1),
        None,
        "Forget an id once this many later verifications were asked for; its answer can then no longer be given.",
        commanded=False,
    )
    remember_passes: int = declare_setting(
        count_setting(0),
        1 << 16,
        "How many of the latest passed predictions are remembered, so that retries get the same decision.",
        commanded=False,
        served=False,
    )
    score_is: str = declare_setting(
        choice_setting("error", "confidence"),
        "error",
        "What a larger score means: that the prediction is more likely an error, or that confidence in it is larger.",
        "See `decide`.",
    )
    version_margin: float = declare_setting(
        number_setting("a difference of error rates between 0 and 0.5", minimum=0.0, exclusiveMaximum=0.5),
        0.0,
        "Where two versions of the model disagree, predictions are verified until it is certain whether the new one is "
        "worse by more than this margin.",
        "See `compare`.",
        metavar="RATE",
    )
    seed: int = declare_setting(count_setting(), 0, "The seed of the policy's randomness.")

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
        """Whether verifications go where they bring the most verdicts."""
        return self.aim == "verdicts" and (self.cap is not None or self.daily_cap is not None)

    def weight_of(self, label: Label) -> float:
        """Return the weight of a verdict on one class."""
        return 1.0 if self.weights is None else self.weights.get(label, self.weights.get(None, 1.0))

    def test_of(self, tolerance: float, place: int) -> RateTest:
        """Return the tests of the class at this place in the order of appearance, listed classes first."""
        confidence = self.confidence
        if self.together:
            confidence = 1.0 - (1.0 - confidence) * share_of_alpha(place, len(self.classes))
        return rate_test(tolerance, confidence, self.margin, self.reviewer_error)

    def score(self, value: Any) -> float:
        """Return a score as the engine takes it: larger where an error is more likely, NaN if it is missing."""
        return monitor_input_score(value, -1.0 if self.score_is == "confidence" else 1.0)

    def check_scores(self, label: Label) -> None:
        """Refuse scores where verdicts would not be valid or scores would save nothing."""
        if self.policy.name != "sequential":
            raise SidelightError(f"scores need the policy 'sequential', and this monitor has {self.policy.name!r}")
        if self.window is not None:
            raise SidelightError("scores cannot be used with a window, which drops old answers but not their passes")
        if self.tolerance_of(label) > 0.5:
            raise SidelightError(
                f"scores need a tolerance of at most 0.5, and {label!r} has {self.tolerance_of(label)}"
            )

    def plain(self) -> dict[str, Any]:
        """Return the settings as plain data for JSON."""
        return {name: one.kind.to_json(getattr(self, name)) for name, one in SETTINGS.items()}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Settings:
        """Return the settings that `plain` described."""
        values = {name: one.kind.from_json(data[name]) for name, one in SETTINGS.items()}
        return make_monitor_settings(values | {"policy": make_policy(**data["policy"])})

    def changed(self, **limits: Any) -> Settings:
        """Return the settings with other values for some that can be changed."""
        for name in limits:
            if name not in LIMITS:
                text = f"{name} cannot be changed, only {', '.join(LIMITS)}: make a new monitor"
                raise ParameterError(text, name)
        return make_monitor_settings(vars(self) | limits)


SETTINGS = settings_declared_by(Settings)
LIMITS = tuple(name for name, one in SETTINGS.items() if one.changeable)
"""What can be changed later."""


def make_monitor_settings(given: Mapping[str, Any]) -> Settings:
    """Check settings given by name; other names are parameters of the policy."""
    if "tolerance" not in given:
        text = "tolerance is missing: give the error rate to tolerate, for instance 0.05"
        raise ParameterError(text, "tolerance")
    parameters = {name: value for name, value in given.items() if name not in SETTINGS}
    values = {name: one.checked(given[name]) if name in given else one.default for name, one in SETTINGS.items()}
    values["policy"] = make_policy(values["policy"], parameters)
    values["classes"] = values["classes"] or ()
    values |= _complete_drift_settings(
        **{name: values[name] for name in ("window", "drift", "spot_checks", "notice_within")}
    )
    tolerances = values["tolerance"]
    several = tolerances.values() if isinstance(tolerances, dict) else [tolerances]
    values["margin"] = _check_margin_setting(values["margin"] or 0.0, several, values["reviewer_error"])
    if values["weights"] is not None:
        _check_weight_settings(values)
    return Settings(**values)


def _complete_drift_settings(
    window: int | None, drift: bool | None, spot_checks: float | None, notice_within: int | None
) -> Any:
    """Complete how changing rates are followed and noticed: by drift or a window; by a share or within a time."""
    if window is not None and drift:
        text = "window and drift are two ways to follow error rates that change: give one of them"
        raise ParameterError(text, "drift")
    drift = DRIFT and window is None if drift is None else drift
    follows = drift or window is not None
    if spot_checks is not None and notice_within is not None:
        text = "spot_checks and notice_within both say how often to look at closed classes: give one"
        raise ParameterError(text, "spot_checks")
    if notice_within is not None and not follows:
        text = (
            "notice_within needs drift or a window: without them all answers ever given weigh against a change, and it "
            "would hardly be noticed"
        )
        raise ParameterError(text, "notice_within")
    if spot_checks is None and notice_within is None:
        spot_checks, notice_within = (None, NOTICE_WITHIN) if follows else (0.0, None)
    return {"drift": drift, "spot_checks": spot_checks, "notice_within": notice_within}


def _check_weight_settings(values: Mapping[str, Any]) -> None:
    """Refuse weights that have no effect, or are for other spellings of known classes."""
    tolerances = values["tolerance"]
    known = [*values["classes"], *(tolerances if isinstance(tolerances, dict) else ())]
    spelled = {str(name): name for name in known if name is not None}
    try:
        for name in values["weights"]:
            if name is not None:
                check_label_spelling(name, spelled)
    except SidelightError as error:
        raise ParameterError(str(error), "weights") from None
    if values["cap"] is None and values["daily_cap"] is None:
        text = "weights work only with cap or daily_cap: give one of them, or leave weights out"
        raise ParameterError(text, "weights")


def _check_margin_setting(margin: float, tolerances: Iterable[float], reviewer_error: float) -> float:
    """Check that the verdict "near" can be reached for each tolerance."""
    for one in tolerances if margin else ():
        least = _LEAST_MARGIN * min(one, 1.0 - one)
        if margin < least:
            raise ParameterError(f"margin is {margin}: for the tolerance {one} give at least {least:.3g}", "margin")
        if one > margin and one + margin < 1.0:
            low, high = (
                answered_error_rates(one - margin, reviewer_error)[1],
                answered_error_rates(one + margin, reviewer_error)[0],
            )
            if high - low < 2.0 * least:
                text = (
                    f"margin is {margin} and reviewer_error {reviewer_error}: reviewers who err this often cannot tell "
                    f"whether a rate is that close to the tolerance {one}; give a larger margin"
                )
                raise ParameterError(text, "margin")
    return margin
