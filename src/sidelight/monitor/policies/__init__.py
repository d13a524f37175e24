"""How a monitor chooses what to verify: one file per policy.

`RandCBPPolicy` and `CBPPolicy` play the τ-detection game, one strategy per predicted class; `Explore` verifies every
prediction up to a number fixed beforehand; `Sequential` verifies until the verdict is certain. Whatever the policy, the
verdict comes from the confidence sequence of `sidelight.monitor.confidence`.

A policy is a subclass of `Policy` with a method `wants`; it is listed in `POLICIES`, and that is all.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.policies.base import Policy
from sidelight.monitor.policies.cbp import CBPPolicy
from sidelight.monitor.policies.explore import Explore, wald_cap
from sidelight.monitor.policies.randcbp import RandCBPPolicy
from sidelight.monitor.policies.sequential import Sequential

__all__ = ["POLICIES", "CBPPolicy", "Explore", "Policy", "RandCBPPolicy", "Sequential", "make_policy", "wald_cap"]

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


def __getattr__(name: str) -> Any:
    if name in ("CBP", "RandCBP"):
        text = f"sidelight.monitor.policies.{name} is now {name}Policy; the old name goes with the next version"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return globals()[f"{name}Policy"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
