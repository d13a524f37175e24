"""Where outcomes (and contexts) come from."""

from sidelight.environments import laws
from sidelight.environments.adversarial import Adversarial, hard_sequences
from sidelight.environments.base import Environment
from sidelight.environments.changing import Corrupted, Markov, Switching
from sidelight.environments.finite import FiniteContexts
from sidelight.environments.halfspace import HalfspaceContexts
from sidelight.environments.iid import IID
from sidelight.environments.linear import LinearContexts
from sidelight.environments.logistic import LogisticContexts
from sidelight.environments.region import RegionContexts
from sidelight.environments.replay import Replay
from sidelight.environments.switching_contexts import SwitchingContexts

__all__ = [
    "IID",
    "Adversarial",
    "Corrupted",
    "Environment",
    "FiniteContexts",
    "HalfspaceContexts",
    "LinearContexts",
    "LogisticContexts",
    "Markov",
    "RegionContexts",
    "Replay",
    "Switching",
    "SwitchingContexts",
    "hard_sequences",
    "laws",
]
