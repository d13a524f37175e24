"""Worlds with contexts for `benchmarks/regret.py`, beyond those of `sidelight.environments`.

A sampler takes a random generator, the number of rounds and the dimension, and returns the contexts of a run,
(rounds, d), and the probability of the first of two outcomes in each round. Coefficients are drawn anew in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

import sidelight as sl
from sidelight.environments.base import Environment, charges_gaps, draw
from sidelight.environments.contextual import draw_outcome_in_context, set_gaps_of_context
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers

Sampler = Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]


@charges_gaps
class World(NamedTuple):
    """The contexts and laws of a run, drawn beforehand; `position` moves with it."""

    contexts: Floats
    laws: Floats
    position: Integers
    loss: Floats
    gaps: Floats


@implements(draw, World)
def _draw(world: World, context: Floats, rng: np.random.Generator) -> int:
    t = world.position[0]
    for k in range(world.contexts.shape[1]):
        context[k] = world.contexts[t, k]
    world.position[0] = t + 1
    set_gaps_of_context(world.loss, world.laws[t], world.gaps)
    return draw_outcome_in_context(world.laws[t], rng)


class Sampled(Environment):
    """Contexts and laws from a sampler, for at most `rounds` rounds.

    The sampler's probability is that of the first of two `laws`, which by default say that one outcome is certain.
    """

    name: ClassVar[str] = "Sampled"

    def __init__(self, sampler: Sampler, dimension: int, rounds: int, laws: Any = ((1.0, 0.0), (0.0, 1.0))) -> None:
        self.sampler, self.dimension, self.rounds, self.laws = sampler, dimension, rounds, laws

    def check(self, game: sl.Game, runs: int, horizon: int) -> None:
        """Raise unless the laws fit the game and the runs are short enough."""
        if game.n_outcomes != len(self.laws[0]) or horizon > self.rounds:
            raise sl.SidelightError(f"{self!r} has {len(self.laws[0])} outcomes and {self.rounds} rounds")

    def start(self, game: sl.Game, run: int, rng: np.random.Generator) -> World:
        """Draw all contexts and laws of a run."""
        contexts, p = self.sampler(rng, self.rounds, self.dimension)
        laws = np.column_stack([p, 1.0 - p]) @ np.array(self.laws)
        position = np.zeros(1, np.int64)
        return World(np.ascontiguousarray(contexts), laws, position, loss_matrix(game), np.zeros(game.n_actions))

    def describe(self) -> dict[str, Any]:
        """Return the name of the sampler and its size."""
        names = ("name", "dimension", "rounds", "laws")
        return {"sampler": repr(self.sampler), **{name: getattr(self, name) for name in names}}


def sigmoid(z: Floats) -> Floats:
    """Return 1 / (1 + exp(-z))."""
    return 1.0 / (1.0 + np.exp(-np.clip(z, -700.0, 700.0)))


def direction(rng: np.random.Generator, d: int, length: float) -> Floats:
    """Draw coefficients of a given length, uniformly."""
    theta = rng.normal(size=d)
    return theta * (length / np.linalg.norm(theta))


def halfspace(rng: np.random.Generator, rounds: int, d: int, noise: float = 0.0) -> tuple[Floats, Floats]:
    """Halfspace of the unit cube, seen standardized; a share of the labels is wrong."""
    weights = rng.uniform(0.0, 1.0, d)
    raw = rng.random((rounds, d))
    p = np.where(raw @ (weights / weights.sum()) < 0.5, 1.0 - noise, noise)
    return (raw - 0.5) * np.sqrt(12.0), p


def logistic(
    rng: np.random.Generator, rounds: int, d: int, margin: float = 2.0, size: float = 1.0, offset: float = 0.0
) -> tuple[Floats, Floats]:
    """Gaussian contexts and a logistic law; then the contexts are scaled and moved."""
    z = rng.normal(size=(rounds, d))
    return z * size + offset, sigmoid(z @ direction(rng, d, margin))


def uniform_logistic(rng: np.random.Generator, rounds: int, d: int, scale: float, size: float = 1.0) -> Any:
    """Contexts uniform on a centered cube, and independent Gaussian coefficients."""
    z = rng.uniform(-1.0, 1.0, (rounds, d))
    return z * size, sigmoid(z @ rng.normal(0.0, scale * np.sqrt(2.0), d))


def badly_scaled(rng: np.random.Generator, rounds: int, d: int) -> tuple[Floats, Floats]:
    """Correlated features of sizes from 0.01 to 100, far from zero; a logistic law."""
    z = rng.normal(size=(rounds, d))
    p = sigmoid(z @ direction(rng, d, 2.0) + 0.5)
    mixed = z @ (np.eye(d) + rng.normal(size=(d, d)) / np.sqrt(d))
    return mixed * 10.0 ** rng.uniform(-2, 2, d) + 10.0 ** rng.uniform(-1, 1.5, d), p


def step(rng: np.random.Generator, rounds: int, d: int, noise: float) -> tuple[Floats, Floats]:
    """Gaussian contexts; the label is the sign of a score, and a share of them is wrong."""
    x = rng.normal(size=(rounds, d))
    return x, np.where(x @ direction(rng, d, 1.0) > 0.0, 1.0 - noise, noise)


def few_positives(rng: np.random.Generator, rounds: int, d: int, positive: float = 0.1) -> tuple[Floats, Floats]:
    """Binary features, and few contexts at which the first outcome is likely."""
    x = (rng.random((rounds, d)) < rng.uniform(0.05, 0.5, d)).astype(float)
    score = x @ (2.0 * rng.normal(size=d))
    return x, sigmoid(2.0 * (score - np.quantile(score, 1.0 - positive)))


def useless(rng: np.random.Generator, rounds: int, d: int, p: float = 0.4) -> tuple[Floats, Floats]:
    """Contexts that say nothing."""
    return rng.normal(size=(rounds, d)), np.full(rounds, p)


def linear(rng: np.random.Generator, rounds: int, d: int, offset: float = 0.1) -> tuple[Floats, Floats]:
    """Contexts uniform on the unit cube and a random linear law that is not centered, cut off at 0 and 1."""
    x, theta = rng.random((rounds, d)), rng.normal(size=d)
    return x, np.clip(0.5 + offset + (x - 0.5) @ theta / np.abs(theta).sum(), 0.0, 1.0)


def heavy_tails(rng: np.random.Generator, rounds: int, d: int) -> tuple[Floats, Floats]:
    """Contexts of Student's law with 2.5 degrees of freedom; a logistic law."""
    x = rng.standard_t(2.5, size=(rounds, d))
    return x, sigmoid(x @ direction(rng, d, 1.5))


def quadratic(rng: np.random.Generator, rounds: int, d: int) -> tuple[Floats, Floats]:
    """Gaussian contexts, and a score with squares in it, which no linear model has."""
    x = rng.normal(size=(rounds, d))
    return x, sigmoid(x @ direction(rng, d, 1.5) + (x * x - 1.0) @ rng.normal(0.0, 0.15, d))


def squares(rng: np.random.Generator, rounds: int, d: int, coefficient: float = 0.3) -> tuple[Floats, Floats]:
    """Gaussian contexts, and a score of squares alone, all with one coefficient."""
    x = rng.normal(size=(rounds, d))
    return x, sigmoid(coefficient * (x * x).sum(1))


def ball(rng: np.random.Generator, rounds: int, d: int, share: float, noise: float = 0.1) -> tuple[Floats, Floats]:
    """Gaussian contexts; the second outcome is likely inside a ball that holds a share of them."""
    x = rng.normal(size=(rounds, d))
    radius = (x * x).sum(1)
    return x, np.where(radius < np.quantile(radius, share), noise, 1.0 - noise)


def ring(rng: np.random.Generator, rounds: int, d: int, noise: float = 0.1) -> tuple[Floats, Floats]:
    """Gaussian contexts; the second outcome is likely in a ring about the origin that holds half of them."""
    x = rng.normal(size=(rounds, d))
    radius = (x[:, :2] ** 2).sum(1)
    inside, outside = np.quantile(radius, [0.25, 0.75])
    return x, np.where((radius > inside) & (radius < outside), noise, 1.0 - noise)


def exclusive_or(rng: np.random.Generator, rounds: int, d: int, noise: float = 0.1) -> tuple[Floats, Floats]:
    """Gaussian contexts; whether the first two coordinates have the same sign."""
    x = rng.normal(size=(rounds, d))
    return x, np.where(x[:, 0] * x[:, 1] > 0.0, 1.0 - noise, noise)


class Case(NamedTuple):
    """A game and what its contexts come from."""

    game: str
    environment: Environment
    prices: int = 0  # of dynamic pricing

    def load(self) -> sl.Game:
        """Return the game."""
        return sl.games.load(self.game, **({"prices": self.prices} if self.prices else {}))


def main_cases() -> dict[str, Case]:
    """Return the six cells of `docs/contextual-widths.md`."""
    theta = np.random.default_rng(0).normal(0.0, 1.0, (2, 10))
    worlds: dict[str, Environment] = {
        "half-space": sl.environments.HalfspaceContexts(10),
        "linear": sl.environments.LinearContexts(np.full(10, 0.1)),
        "logistic": sl.environments.LogisticContexts(theta),
    }
    return {f"{game}, {name}": Case(game, world) for game in (APPLES, LABELS) for name, world in worlds.items()}


def other_cases(rounds: int) -> dict[str, Case]:
    """Return the other worlds."""
    samplers: dict[str, tuple[str, int, Any]] = {
        "few positives among binary features": (APPLES, 10, few_positives),
        "useless contexts": (APPLES, 10, useless),
        "useless contexts, label-efficient": (LABELS, 10, useless),
        "random linear law with an offset, d = 5": (APPLES, 5, linear),
        "half-space, d = 5": (APPLES, 5, halfspace),
        "half-space, 5 % noise": (APPLES, 10, partial(halfspace, noise=0.05)),
        "step, 10 % noise": (APPLES, 10, partial(step, noise=0.1)),
        "step, 20 % noise, label-efficient": (LABELS, 10, partial(step, noise=0.2)),
        "badly scaled": (APPLES, 10, badly_scaled),
        "logistic, scale 3": (APPLES, 10, partial(uniform_logistic, scale=3.0)),
        "contexts in +-0.01": (APPLES, 10, partial(uniform_logistic, scale=1.0, size=0.01)),
        "offset 1e9": (APPLES, 10, partial(logistic, offset=1e9)),
        "d = 1": (APPLES, 1, logistic),
        "d = 5, label-efficient": (LABELS, 5, logistic),
        "d = 50": (APPLES, 50, logistic),
        "heavy tails": (APPLES, 10, heavy_tails),
        "quadratic score": (APPLES, 10, quadratic),
    }
    found = {name: Case(game, Sampled(sampler, d, rounds)) for name, (game, d, sampler) in samplers.items()}
    theta = np.random.default_rng(1).normal(0.0, 1.0, (3, 5))
    three = sl.environments.LogisticContexts(theta)
    found["three classes, label-efficient"] = Case("three-class-label-efficient", three)
    found["dynamic pricing, 3 prices"] = Case("dynamic-pricing", three, prices=3)
    found["bartok"] = Case("bartok", three)
    return found


APPLES, LABELS = "apple-tasting", "label-efficient"
