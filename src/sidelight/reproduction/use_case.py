"""The use case from Python: a policy with the parameters of the paper watches the classifiers of Tables 4 and 5."""

from __future__ import annotations

from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.policies import Policy, make_policy
from sidelight.reproduction.exhibit import PROTOCOLS, Protocol
from sidelight.reproduction.paper.table4 import table4_policy_parameters
from sidelight.studies.classifiers.watching import ClassifierOutcome, watch_simulated_classifiers


def simulate_use_case(
    case: int,
    tolerance: float,
    policy: str | Policy,
    runs: int = 96,
    seed: int = 0,
    *,
    protocol: Protocol = "published",
    **options: Any,
) -> ClassifierOutcome:
    """Let one policy watch the classifiers of one case, by default with the parameters of a protocol.

    Options are those of `watch_simulated_classifiers`.
    """
    if protocol not in PROTOCOLS:
        raise SidelightError(f"protocol is {protocol!r}: give one of {', '.join(map(repr, PROTOCOLS))}")
    chosen = (
        make_policy(policy, table4_policy_parameters(policy, tolerance, protocol))
        if isinstance(policy, str)
        else policy
    )
    return watch_simulated_classifiers(case, tolerance, chosen, runs, seed, **options)
