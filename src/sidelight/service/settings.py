"""Settings of a monitor: the arguments of `ClassifierMonitor` and the settings of its review queue, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sidelight.errors import ParameterError
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.setting import (
    SettingKind,
    choice_setting,
    declare_setting,
    flag_setting,
    number_setting,
    settings_declared_by,
)
from sidelight.monitor.settings import LIMITS, SETTINGS, make_monitor_settings
from sidelight.service.limits import PLACES
from sidelight.service.problems import Problem, problem_place, request_text_fault


def _check_review_labels(value: Any) -> tuple[str, ...]:
    # A line break in a label would not survive the forms of the pages.
    texts = isinstance(value, tuple) and all(
        request_text_fault(one) is None and one.splitlines() == [one] for one in value
    )
    if not texts or len(set(value)) < len(value) or len(value) > _MOST:
        raise ValueError
    return value


def _check_review_instructions(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise ValueError
    return value


_MOST, _LONGEST = 200, 10_000
_TEXTS = SettingKind(
    "texts",
    f"a list of at most {_MOST} different texts of 1 to 200 characters that can be seen, in one line each",
    {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 200}, "maxItems": _MOST},
    _check_review_labels,
)
_INSTRUCTIONS = SettingKind(
    "text",
    f"a text of at most {_LONGEST} characters",
    {"type": "string", "maxLength": _LONGEST},
    _check_review_instructions,
)


@dataclass(frozen=True, kw_only=True)
class ReviewSettings:
    """How the verifications of a monitor are reviewed; all of these settings can be changed."""

    reviews: int = declare_setting(
        choice_setting(1, 2), 1, "How many reviews a verification needs, 1 or 2; if two disagree, a third settles it."
    )
    lease: float = declare_setting(
        number_setting("seconds from 10 to 86400", minimum=10.0, maximum=86_400.0),
        900.0,
        "Seconds that a reviewer has for a verification before someone else may get it.",
    )
    blind: bool = declare_setting(
        flag_setting(), False, "Whether reviewers choose a label without seeing the prediction; needs labels."
    )
    labels: tuple[str, ...] = declare_setting(
        _TEXTS, (), "The labels that reviewers choose from; without any, they say right or wrong."
    )
    retention: float | None = declare_setting(
        number_setting("days, at least 0", minimum=0.0),
        30.0,
        "Days that a payload is kept after the answer; empty or null to keep it forever.",
        optional=True,
    )
    image_hosts: tuple[str, ...] = declare_setting(
        _TEXTS, (), "Hosts whose images the pages may show if payloads link to them."
    )
    instructions: str = declare_setting(_INSTRUCTIONS, "", "Instructions for reviewers.")

    def __post_init__(self) -> None:
        found = []
        for name, one in REVIEW.items():
            try:
                one.checked(getattr(self, name))
            except ParameterError:
                found.append(problem_place(["settings", name], f"give {one.kind.wanted}"))
        if self.blind is True and not self.labels:
            found.append(problem_place(["settings", "blind"], "give the list of labels, too"))
        if found:
            raise Problem("invalid", "some settings are not allowed", places=found)


REVIEW = settings_declared_by(ReviewSettings)
SERVED = {name: one for name, one in SETTINGS.items() if one.served}
_QUEUE_SCHEMAS = {name: one.schema for name, one in REVIEW.items()}
ALL_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Arguments of ClassifierMonitor, parameters of its policy, settings of the review queue, by name.",
    "properties": {name: one.schema for name, one in SERVED.items()} | _QUEUE_SCHEMAS,
    "required": ["tolerance"],
}
CHANGEABLE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Caps, pending limits, patience, what is to be noticed, and settings of the review queue.",
    "properties": {name: SETTINGS[name].schema for name in LIMITS} | _QUEUE_SCHEMAS,
    "additionalProperties": False,
}


def split_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of the library and those of the queue; unknown names are refused.

    Policies have further parameters, so other names go to the library, which knows them.
    """
    for name in settings:
        if name in SETTINGS and name not in SERVED:
            raise Problem(
                "invalid",
                f"{name} cannot be set in the service",
                places=[problem_place(["settings", name], "leave it out")],
            )
    review = {name: value for name, value in settings.items() if name in REVIEW}
    return {name: settings[name] for name in settings if name not in review}, review


def make_monitor_from_settings(settings: Mapping[str, Any]) -> Engine:
    """Return a new monitor with settings from JSON.

    A value for each class is an object, or a list of pairs if some classes are numbers or one is null (all others).
    Patience is a number of decisions, {"seconds": ...}, "never" or null.
    """
    values = {name: settings_value_from_json(name, value) for name, value in settings.items()}
    try:
        # Only the database answers retries.
        return Engine(make_monitor_settings(values | {"remember_passes": 0}))
    except ParameterError as error:
        places = [problem_place(["settings", error.name], str(error))]
        raise Problem("invalid", "some settings are not allowed", places=places) from None


def settings_value_from_json(name: str, value: Any) -> Any:
    """Return the value of a setting as the library takes it."""
    return SETTINGS[name].kind.from_json(value) if name in SETTINGS else value


def make_review_settings(values: Mapping[str, Any], before: ReviewSettings | None = None) -> ReviewSettings:
    """Return the settings of the queue: the earlier ones, with these values changed."""
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return replace(before or ReviewSettings(), **plain)


def plain_review_settings(review: ReviewSettings) -> dict[str, Any]:
    """Return the settings of the queue as plain data for JSON."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(review).items()}


def check_changeable_settings(settings: Mapping[str, Any]) -> None:
    """Refuse to change settings that cannot be changed."""
    wrong = [name for name in settings if name not in LIMITS and name not in REVIEW]
    if wrong:
        detail = f"only {', '.join(LIMITS)} and the settings of the queue can be changed: create a new monitor"
        raise Problem(
            "invalid",
            "this cannot be changed",
            places=[problem_place(["settings", name], detail) for name in wrong[:PLACES]],
        )
