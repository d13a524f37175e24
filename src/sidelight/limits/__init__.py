"""How good a strategy can be: the asymptotic lower bound C*(p), and Bayes-optimal play."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidelight.limits.bayes import BayesOptimal
    from sidelight.limits.lower_bound import LowerBound, lower_bound

__all__ = ["BayesOptimal", "LowerBound", "lower_bound"]

_HOMES = {"BayesOptimal": "bayes", "LowerBound": "lower_bound", "lower_bound": "lower_bound"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sidelight.limits' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"sidelight.limits.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
