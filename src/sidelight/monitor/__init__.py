"""Watching a deployed classifier: which predictions to verify, and which classes are wrong too often."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidelight.monitor.monitor import ClassifierMonitor
    from sidelight.monitor.policies import wald_cap
    from sidelight.monitor.replays.replay import replay
    from sidelight.monitor.report.records import ClassReport, Report
    from sidelight.monitor.types import RULE, Answer, Decision, Reason, UnknownIdError, VerdictChanged, Verification

__all__ = [
    "RULE",
    "Answer",
    "ClassReport",
    "ClassifierMonitor",
    "Decision",
    "Reason",
    "Report",
    "UnknownIdError",
    "VerdictChanged",
    "Verification",
    "replay",
    "wald_cap",
]

_HOMES = {
    "ClassReport": "report.records",
    "ClassifierMonitor": "monitor",
    "Report": "report.records",
    "replay": "replays.replay",
    "wald_cap": "policies",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sidelight.monitor' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"sidelight.monitor.{_HOMES.get(name, 'types')}"), name)
    globals()[name] = value
    return value
