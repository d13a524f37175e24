"""The published streams of many runs, as arrays."""

import numpy as np

from sidelight.reproduction.streams import PublishedContexts, PublishedStreams


def published_streams(kind, runs=96, horizon=20_000):
    """Return outcomes (runs, horizon) and laws (runs, 2) of the "imbalanced" or "balanced" instances."""
    recordings = [PublishedStreams(kind, horizon).recording(run) for run in range(runs)]
    return np.array([r.outcomes for r in recordings]), np.array([r.law for r in recordings])


def published_contexts(runs=96, horizon=20_000):
    """Return contexts (runs, horizon, dimension) and outcomes (runs, horizon) of the contextual table."""
    recordings = [PublishedContexts(horizon).recording(run) for run in range(runs)]
    return np.array([r.contexts for r in recordings]), np.array([r.outcomes for r in recordings])
