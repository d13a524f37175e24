"""The settings of a monitor in the OpenAPI description; `ClassifierMonitor` explains what they mean."""

from __future__ import annotations

from typing import Any

from sidelight.monitor.policies import POLICIES
from sidelight.monitor.settings import AIMS, LIMITS, MODES

_RATE = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
_SWITCH = {"type": "boolean"}
_TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 200}, "maxItems": 200}


def _or_null(kind: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [kind, {"type": "null"}]}


def _count(least: int, words: str = "") -> dict[str, Any]:
    return _or_null({"type": "integer", "minimum": least}) | ({"description": words} if words else {})


def _by_class(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the two ways to give one value per class."""
    pair = {"type": "array", "prefixItems": [{}, value], "minItems": 2, "maxItems": 2}
    return [{"type": "object", "additionalProperties": value}, {"type": "array", "items": pair}]


QUEUE: dict[str, Any] = {
    "reviews": {"type": "integer", "minimum": 1, "maximum": 2, "description": "Reviews that an item needs, 1 or 2."},
    "lease": {
        "type": "number",
        "minimum": 10,
        "maximum": 86_400,
        "description": "Seconds that a reviewer has for an item before someone else may get it.",
    },
    "blind": _SWITCH | {"description": "Hide the prediction from reviewers; needs labels."},
    "labels": _TEXTS | {"description": "The labels that reviewers choose from; without any, they say right or wrong."},
    "retention": _or_null({"type": "number", "minimum": 0})
    | {"description": "Days that a payload is kept after the answer; empty or null for ever."},
    "image_hosts": _TEXTS | {"description": "Hosts whose pictures pages may show if payloads link to them."},
    "instructions": {"type": "string", "maxLength": 10_000, "description": "Instructions for reviewers."},
}
MONITOR: dict[str, Any] = {
    "tolerance": {"anyOf": [_RATE, *_by_class(_RATE)]},
    "classes": _or_null({"type": "array", "items": {"type": ["string", "number", "boolean"]}}),
    "policy": {"enum": sorted(POLICIES)},
    "confidence": _RATE,
    "seed": {"type": "integer"},
    "mode": {"enum": list(MODES)},
    "margin": _or_null({"type": "number", "minimum": 0, "exclusiveMaximum": 0.5}),
    "reviewer_error": {"type": "number", "minimum": 0, "exclusiveMaximum": 0.5},
    "together": _SWITCH,
    "cap": _count(0, "Most verifications in all."),
    "daily_cap": _count(0, "Most verifications a day, in UTC."),
    "class_cap": _count(1, "Most verifications of a class."),
    "class_predictions": _count(1),
    "max_pending": _count(0, "Most answers to wait for at once."),
    "aim": {"enum": list(AIMS)},
    "weights": _or_null({"anyOf": _by_class({"type": "number", "exclusiveMinimum": 0})}),
    "window": _count(1),
    "drift": _or_null(_SWITCH),
    "drift_alarm_every": {"type": "integer", "minimum": 100},
    "notice": {"type": "number", "minimum": 1.1, "maximum": 100},
    "notice_within": _count(10),
    "spot_checks": _or_null({"type": "number", "minimum": 0, "maximum": 1}),
    "patience": {
        "description": 'Decisions, {"seconds": 3600}, or never; empty or null for the default.',
        "anyOf": [
            {"type": "integer", "minimum": 1},
            {
                "type": "object",
                "properties": {"seconds": {"type": "number", "exclusiveMinimum": 0}},
                "required": ["seconds"],
                "additionalProperties": False,
            },
            {"const": "never"},
            {"type": "null"},
        ],
    },
    "forget_after": _count(1),
}
ALL: dict[str, Any] = {
    "type": "object",
    "description": "Arguments of ClassifierMonitor, parameters of its policy, settings of the review queue, by name.",
    "properties": MONITOR | QUEUE,
    "required": ["tolerance"],
}
CHANGEABLE: dict[str, Any] = {
    "type": "object",
    "description": "Caps, pending limits, patience and settings of the review queue.",
    "properties": {name: MONITOR[name] for name in LIMITS} | QUEUE,
    "additionalProperties": False,
}
