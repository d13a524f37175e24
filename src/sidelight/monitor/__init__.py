"""Watching a deployed classifier: which predictions to verify, and which classes are wrong too often."""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidelight.monitor.decisions import RULE, Answer, Decision, Event, Pending, UnknownIdError
    from sidelight.monitor.monitor import ClassifierMonitor
    from sidelight.monitor.policies import wald_cap
    from sidelight.monitor.replaying import replay
    from sidelight.monitor.reports import ClassReport, Report

__all__ = [
    "RULE",
    "Answer",
    "ClassReport",
    "ClassifierMonitor",
    "Decision",
    "Event",
    "Pending",
    "Report",
    "UnknownIdError",
    "replay",
    "wald_cap",
]

_HOMES = {
    "RULE": "decisions",
    "Answer": "decisions",
    "ClassReport": "reports",
    "ClassifierMonitor": "monitor",
    "Decision": "decisions",
    "Event": "decisions",
    "Pending": "decisions",
    "Report": "reports",
    "UnknownIdError": "decisions",
    "replay": "replaying",
    "wald_cap": "policies",
}
_MOVED = dict.fromkeys(("simulate_case", "simulate_use_case"), "sidelight.reproduction.use_case")


def __getattr__(name: str) -> Any:
    if name in _MOVED:
        warnings.warn(
            f"sidelight.monitor.{name} is now {_MOVED[name]}.{name}; the old name will be removed in the next version",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(importlib.import_module(_MOVED[name]), name)
    if name not in _HOMES:
        raise AttributeError(f"module 'sidelight.monitor' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"sidelight.monitor.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
