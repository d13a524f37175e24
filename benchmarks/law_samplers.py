"""Samplers of outcome laws for `benchmarks/regret.py`: anywhere, near the border of two cells, near a vertex."""

from __future__ import annotations

import numpy as np

import sidelight as sl
from sidelight.kernels.arrays import Floats


def anywhere(game: sl.Game, rng: np.random.Generator) -> Floats:
    """Draw a law uniformly."""
    return rng.dirichlet(np.ones(game.n_outcomes))


def near_border(game: sl.Game, rng: np.random.Generator) -> Floats:
    """Draw a law 5 to 30 % back from where the best action changes."""
    return sl.environments.laws.load("near-border", game)(rng)


def near_vertex(game: sl.Game, rng: np.random.Generator) -> Floats:
    """Draw a law that gives 70 to 95 % to one outcome."""
    rest = rng.uniform(0.05, 0.3)
    law = rest * rng.dirichlet(np.ones(game.n_outcomes))
    law[rng.integers(game.n_outcomes)] += 1.0 - rest
    return law


def of_paper(kind: str, rng: np.random.Generator) -> Floats:
    """Draw a law of two outcomes as the paper does, "balanced" or "imbalanced"."""
    return sl.environments.laws.load(kind, 2)(rng)


SAMPLERS = {"anywhere": anywhere, "near a border": near_border, "near a vertex": near_vertex}
GAMES = {
    "bartok": ("bartok", {}),
    "dynamic pricing, 3 prices": ("dynamic-pricing", {"prices": 3}),
    "dynamic pricing, 5 prices": ("dynamic-pricing", {"prices": 5}),
    "revenue pricing, 4 prices": ("revenue-pricing", {"prices": 4}),
    "Bernoulli bandit, 2 arms": ("bernoulli-bandit", {"arms": 2}),
    "Bernoulli bandit, 3 arms": ("bernoulli-bandit", {"arms": 3}),
    "finite bandit": ("finite-bandit", {}),
    "dueling bandit": ("dueling-bandit", {}),
    "cops and robbers": ("cops-and-robbers", {}),
    "three classes, label-efficient": ("three-class-label-efficient", {}),
    "spam filtering": ("spam-filtering", {}),
    "matching pennies": ("matching-pennies", {}),
    "tau detection": ("tau-detection", {}),
    "degenerate informative": ("degenerate-informative", {}),
    "unobservable dominated": ("unobservable-dominated", {}),
    "full information": ("full-information", {}),
}
