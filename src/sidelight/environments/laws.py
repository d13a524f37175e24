"""Outcome laws drawn at random, one per run."""

from __future__ import annotations

import difflib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sidelight.errors import SidelightError

Law = npt.NDArray[np.float64]
Sampler = Callable[[np.random.Generator], Law]


def names() -> tuple[str, ...]:
    """Return the names that `load` knows."""
    return ("dirichlet", "uniform", "balanced", "imbalanced")


def load(name: str, outcomes: int) -> Sampler:
    """Return a function that draws outcome laws.

    - dirichlet: uniform over all laws, for any number of outcomes;
    - uniform: (p, 1 - p) with p uniform on [0, 1];
    - balanced: p uniform on [0.4, 0.6];
    - imbalanced: p uniform on [0, 0.2] or, as likely, on [0.8, 1].

    The last two are the instances of the ICML 2024 paper; the last three are for two outcomes.
    """
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise SidelightError(f"unknown kind of laws {name!r}: {hint}choose from {', '.join(names())}")
    if name != "dirichlet" and outcomes != 2:
        raise SidelightError(f"{name!r} laws are for two outcomes, and the game has {outcomes}: use 'dirichlet'")

    def sample(rng: np.random.Generator) -> Law:
        if name == "dirichlet":
            return rng.dirichlet(np.ones(outcomes))
        if name == "uniform":
            p = rng.random()
        elif name == "balanced":
            p = rng.uniform(0.4, 0.6)
        else:
            p = rng.uniform(0.0, 0.2) if rng.random() < 0.5 else rng.uniform(0.8, 1.0)
        return np.array([p, 1.0 - p])

    sample.__name__ = name
    return sample
