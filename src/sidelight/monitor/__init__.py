"""Watching a deployed classifier: which predictions to verify, and which classes are wrong too often."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidelight.monitor.decisions import Answer, Decision, UnknownIdError
    from sidelight.monitor.monitor import ClassifierMonitor
    from sidelight.monitor.policies import wald_cap
    from sidelight.monitor.replaying import replay
    from sidelight.monitor.reports import ClassReport, Report
    from sidelight.monitor.simulation import simulate_case, simulate_use_case

__all__ = [
    "Answer",
    "ClassReport",
    "ClassifierMonitor",
    "Decision",
    "Report",
    "UnknownIdError",
    "replay",
    "simulate_case",
    "simulate_use_case",
    "wald_cap",
]

_HOMES = {
    "Answer": "decisions",
    "ClassReport": "reports",
    "ClassifierMonitor": "monitor",
    "Decision": "decisions",
    "Report": "reports",
    "UnknownIdError": "decisions",
    "replay": "replaying",
    "simulate_case": "simulation",
    "simulate_use_case": "simulation",
    "wald_cap": "policies",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sidelight.monitor' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"sidelight.monitor.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
