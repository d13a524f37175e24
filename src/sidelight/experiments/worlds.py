"""Where the outcomes of a setting come from, under each protocol."""

from __future__ import annotations

import numpy as np

from sidelight.environments import IID, Environment, LinearContexts, laws
from sidelight.errors import SidelightError
from sidelight.experiments.streams import DIMENSION, PublishedContexts, PublishedStreams

_WEIGHT = 0.1  # of every feature of a context, in the paper's text


def environment(world: str, protocol: str, horizon: int) -> Environment:
    """Return the environment of a kind of world ("imbalanced", "balanced" or "contexts")."""
    if world in ("imbalanced", "balanced"):
        return PublishedStreams(world, horizon) if protocol == "published" else IID(laws.load(world, 2))
    if world == "contexts":
        described = LinearContexts(np.full((1, DIMENSION), _WEIGHT))
        return PublishedContexts(horizon) if protocol == "published" else described
    raise SidelightError(f"there is no world {world!r}: there are 'imbalanced', 'balanced' and 'contexts'")
