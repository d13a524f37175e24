"""How a monitor chooses what to verify: one file per policy.

`RandCBPPolicy` and `CBPPolicy` play the τ-detection game, one strategy per predicted class; `Explore` verifies every
prediction up to a number fixed beforehand; `Sequential` verifies until the verdict is certain. Whatever the policy, the
verdict comes from the confidence sequence of `sidelight.monitor.stats.confidence`.

A policy is a subclass of `Policy` with a method `wants`, listed in `POLICIES`; compiled simulations also need a `rule`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from sidelight.errors import ParameterError, SidelightError
from sidelight.monitor.policies.base import Policy
from sidelight.monitor.policies.explore import Explore, wald_cap
from sidelight.monitor.policies.randcbp import CBPPolicy, RandCBPPolicy
from sidelight.monitor.policies.sequential import Sequential

__all__ = ["POLICIES", "CBPPolicy", "Explore", "Policy", "RandCBPPolicy", "Sequential", "make_policy", "wald_cap"]

POLICIES: dict[str, type[Policy]] = {kind.name: kind for kind in (RandCBPPolicy, CBPPolicy, Explore, Sequential)}
"""All policies by name, in the order of tables."""


def make_policy(name: str | Policy, parameters: Mapping[str, Any]) -> Policy:
    """Return the policy of this name with these parameters."""
    if isinstance(name, Policy):
        if parameters:
            own, first = type(name).__name__, next(iter(parameters))
            raise ParameterError(f"{first!r} is a parameter of {own}: pass it to {own}(...)", first)
        return _check_policy_registered(name)
    kind = POLICIES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ParameterError(f"policy is {name!r}: give one of {', '.join(map(repr, POLICIES))}", "policy")
    known = [field.name for field in fields(kind)]
    for one in parameters:
        if one not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            owners = [repr(other.name) for other in POLICIES.values() if one in other.__dataclass_fields__]
            takes += f" (policy={' or '.join(owners)} has it)" if owners else ""
            raise ParameterError(f"the policy {name!r} has no parameter {one!r}; {takes}", one)
    return _check_policy_registered(kind(**parameters))


def _check_policy_registered(policy: Policy) -> Policy:
    """Refuse a policy that a saved monitor could not refer to by name."""
    kind = type(policy)
    if POLICIES.get(policy.name) is not kind:
        name = policy.name if policy.name and policy.name not in POLICIES else "a-name-of-its-own"
        raise SidelightError(
            f"the policy {kind.__name__} is not registered, so saved monitors could not name it: give it the class "
            f"attribute name = {name!r}, and set sidelight.monitor.policies.POLICIES[{name!r}] = {kind.__name__}"
        )
    return policy
