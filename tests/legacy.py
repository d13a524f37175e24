"""The outcome streams behind the published tables, by the recipe of the authors' code (NumPy's legacy generator)."""

import numpy as np


def published_streams(kind, runs=96, horizon=20_000):
    """Return outcomes (runs, horizon) and laws (runs, 2) of the "imbalanced" or "balanced" instances."""
    draws = np.random.RandomState(1)
    laws = []
    for _ in range(runs):
        if kind == "imbalanced":
            low = draws.random_sample() < 0.5
            p = draws.uniform(0.0, 0.2) if low else draws.uniform(0.8, 1.0)
        else:
            p = draws.uniform(0.4, 0.6)
        laws.append([p, 1.0 - p])
    streams = [np.random.RandomState(run).choice(2, p=law, size=horizon) for run, law in enumerate(laws)]
    return np.array(streams), np.array(laws)


def published_contexts(runs=96, horizon=20_000, dimension=10):
    """Return contexts (runs, horizon, dimension) and outcomes (runs, horizon) of the contextual table."""
    draws = np.random.RandomState(1)
    direction = draws.uniform(0.0, 0.1, dimension)
    direction /= direction.sum()
    samples = [draws.uniform(0.0, 1.0, (10_000, dimension)) for _ in range(runs)]
    raw = np.array([np.random.RandomState(run).uniform(0.0, 1.0, (horizon, dimension)) for run in range(runs)])
    means, stds = (np.array([f(sample, axis=0) for sample in samples])[:, None] for f in (np.mean, np.std))
    return (raw - means) / stds, (raw @ direction >= 0.5).astype(np.int64)
