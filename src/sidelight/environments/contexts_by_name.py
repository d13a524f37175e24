"""Worlds with contexts by name, made to fit a game, as commands and studies offer them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import Environment
from sidelight.environments.finite import FiniteContexts
from sidelight.environments.halfspace import HalfspaceContexts
from sidelight.environments.linear import LinearContexts
from sidelight.environments.logistic import LogisticContexts
from sidelight.environments.region import RegionContexts
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels.arrays import Floats
from sidelight.text import did_you_mean

_TRIES = 1000


class _Kind(NamedTuple):
    """A kind of contexts: its parameters with their defaults, and what makes it."""

    defaults: Mapping[str, float]
    make: Callable[[Game, Mapping[str, Any]], Environment]


def names_of_context_environments() -> tuple[str, ...]:
    """Return the names that `load_context_environment` knows."""
    return tuple(_KINDS)


def defaults_of_context_environment(name: str) -> dict[str, float]:
    """Return the parameters of a kind of contexts, with their defaults."""
    return dict(_kind_of_context_environment(name).defaults)


def load_context_environment(name: str, game: Game, **parameters: Any) -> Environment:
    """Return a world with contexts for a game.

    - linear (d=10, spread=1): contexts uniform on the unit cube, each coordinate raises the probability of one outcome
      by up to 1/d (they take turns), and the last outcome takes the rest; with two outcomes p_0(x) = mean(x);
    - halfspace (d=10, seed=1): `HalfspaceContexts`, for two outcomes;
    - logistic (d=5, seed=0, scale=1, spread=1): `LogisticContexts` with coefficients drawn from N(0, scale^2);
    - finite (contexts=4, seed=0): `FiniteContexts`, one-hot, with laws drawn uniformly;
    - ball (d=4, seed=0), ring (d=2, seed=0), fold (d=4, seed=0: a ball in one coordinate) and checkers (d=2, seed=0,
      exclusive or): `RegionContexts`, which fit no line, with two laws drawn until they have different best actions;
    - sparse (d=200, seed=0) and heavy-tails (d=10, seed=0): the same with a plane, of which only three coordinates
      matter, or whose coordinates follow Student's law with 2.5 degrees of freedom;
    - useless (d=10, seed=0): contexts that say nothing, and one law.

    With a `spread` s the coordinates are badly scaled: coordinate k = 0, ..., d - 1 is multiplied by s^(k / (d - 1)),
    and its coefficients are divided by that, so that the outcomes stay the same.
    """
    kind = _kind_of_context_environment(name)
    for key, value in parameters.items():
        if key not in kind.defaults:
            raise SidelightError(
                f"{name} contexts have no parameter {key!r}: there is {context_environment_parameters(name)}"
            )
        _check_context_environment_parameters(name, key, value)
    environment = kind.make(game, dict(kind.defaults) | parameters)
    environment.check(game, 1, 1)
    return environment


def context_environment_parameters(name: str) -> str:
    """Return the parameters of a kind and their defaults, as on a command line."""
    return ",".join(f"{key}={value}" for key, value in _kind_of_context_environment(name).defaults.items())


def _kind_of_context_environment(name: str) -> _Kind:
    if name not in _KINDS:
        examples = ", ".join(f"{each}:{context_environment_parameters(each)}" for each in _KINDS)
        hint = did_you_mean(name, names_of_context_environments())
        raise SidelightError(f"there are no contexts of the kind {name!r}: {hint}there are {examples}")
    return _KINDS[name]


def _check_context_environment_parameters(kind: str, name: str, value: Any) -> None:
    if name in ("scale", "spread"):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        good, wanted = number and 0 < value < math.inf, "a positive number"
    else:
        least = 0 if name == "seed" else 1
        good, wanted = type(value) is int and value >= least, f"a whole number of at least {least}"
    if not good:
        raise SidelightError(f"{kind} contexts have {name}={value}: give {wanted}")


def _scales_of_context_environment(d: int, spread: float) -> Floats:
    """Return s^(k / (d - 1)) for k = 0, ..., d - 1."""
    return np.asarray(float(spread) ** (np.arange(d) / max(1, d - 1)))


def _make_linear_contexts(game: Game, given: Mapping[str, Any]) -> Environment:
    d, rows = given["d"], game.n_outcomes - 1
    if not 1 <= rows <= d:
        raise SidelightError(f"linear:d={d} is for games of 2 to {d + 1} outcomes, and this one has {rows + 1}")
    theta = np.zeros((rows, d))
    theta[np.arange(d) % rows, np.arange(d)] = 1.0 / d
    scales = _scales_of_context_environment(d, given["spread"])
    return LinearContexts(theta / scales, high=scales)


def _make_logistic_contexts(game: Game, given: Mapping[str, Any]) -> Environment:
    rng = np.random.default_rng(given["seed"])
    theta = given["scale"] * rng.normal(size=(game.n_outcomes, given["d"]))
    scales = _scales_of_context_environment(given["d"], given["spread"])
    return LogisticContexts(theta / scales, low=-scales, high=scales)


def _make_finite_contexts(game: Game, given: Mapping[str, Any]) -> Environment:
    rng = np.random.default_rng(given["seed"])
    return FiniteContexts(rng.dirichlet(np.ones(game.n_outcomes), size=given["contexts"]))


def _make_region_contexts(game: Game, given: Mapping[str, Any], region: str, **more: Any) -> Environment:
    """Return a region with two laws under which different actions are best."""
    return RegionContexts(_two_laws_for_contexts(game, given["seed"]), given["d"], region, **more)


def _make_useless_contexts(game: Game, given: Mapping[str, Any]) -> Environment:
    law = np.random.default_rng(given["seed"]).dirichlet(np.ones(game.n_outcomes))
    return RegionContexts([law, law], given["d"])


def _two_laws_for_contexts(game: Game, seed: int) -> Floats:
    """Draw two laws under which different actions are best."""
    rng, loss = np.random.default_rng(seed), loss_matrix(game)
    for _ in range(_TRIES):
        laws = rng.dirichlet(np.full(game.n_outcomes, 0.5), size=2)
        first, second = (loss @ laws.T).argmin(axis=0)
        if (loss[first] != loss[second]).any():
            return laws
    raise SidelightError("one action of this game seems to be best under every law: there is nothing to tell apart")


_KINDS = {
    "linear": _Kind({"d": 10, "spread": 1}, _make_linear_contexts),
    "halfspace": _Kind({"d": 10, "seed": 1}, lambda game, given: HalfspaceContexts(given["d"], given["seed"])),
    "logistic": _Kind({"d": 5, "seed": 0, "scale": 1, "spread": 1}, _make_logistic_contexts),
    "finite": _Kind({"contexts": 4, "seed": 0}, _make_finite_contexts),
    "ball": _Kind({"d": 4, "seed": 0}, partial(_make_region_contexts, region="ball")),
    "ring": _Kind({"d": 2, "seed": 0}, partial(_make_region_contexts, region="ring")),
    "fold": _Kind({"d": 4, "seed": 0}, partial(_make_region_contexts, region="ball", relevant=1)),
    "checkers": _Kind({"d": 2, "seed": 0}, partial(_make_region_contexts, region="checkers")),
    "sparse": _Kind({"d": 200, "seed": 0}, partial(_make_region_contexts, region="plane", relevant=3)),
    "heavy-tails": _Kind({"d": 10, "seed": 0}, partial(_make_region_contexts, region="plane", tails=2.5)),
    "useless": _Kind({"d": 10, "seed": 0}, _make_useless_contexts),
}
