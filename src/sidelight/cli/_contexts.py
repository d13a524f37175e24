"""Contextual environments as they are written on a command line: `--contexts linear:d=10`."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
import numpy as np

from sidelight.cli._strategies import value_of
from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.environments import Environment
    from sidelight.game import Game

F = TypeVar("F", bound=Callable[..., Any])


class _Kind(NamedTuple):
    """A kind of contexts: its parameters with their defaults, and what makes it."""

    defaults: Mapping[str, float]
    make: Callable[[Game, Mapping[str, Any]], Environment]


def context_option(command: F) -> F:
    """Add the option that chooses an environment with contexts."""
    return click.option(
        "--contexts",
        metavar="KIND",
        help="Show a context before each round: linear:d=10 (outcome laws linear in it), halfspace:d=10,seed=1 "
        "(the outcome is a side of a plane), logistic:d=5,seed=0,scale=1 (laws a softmax of it) or "
        "finite:contexts=4,seed=0 (a law for each of four).",
    )(command)


def parse_contexts(text: str, game: Game) -> Environment:
    """Return the environment that a text such as 'linear:d=10' describes.

    - linear:d=10: contexts uniform on the unit cube, each coordinate raises the probability of one outcome by up to
      1/d (they take turns), and the last outcome takes the rest; with two outcomes p_0(x) = mean(x);
    - halfspace:d=10,seed=1: `HalfspaceContexts`, for two outcomes;
    - logistic:d=5,seed=0,scale=1: `LogisticContexts` with coefficients drawn from N(0, scale^2);
    - finite:contexts=4,seed=0: `FiniteContexts`, one-hot, with laws drawn uniformly.
    """
    name, colon, rest = text.partition(":")
    kind = _KINDS.get(name.strip())
    if kind is None:
        near = difflib.get_close_matches(name.strip().lower(), _KINDS, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise SidelightError(
            f"there are no contexts of the kind {name.strip()!r}: {hint}--contexts takes {_examples()}"
        )
    environment = kind.make(game, _read(rest if colon else None, kind, text))
    environment.check(game, 1, 1)
    return environment


def _read(text: str | None, kind: _Kind, whole: str) -> dict[str, Any]:
    """Read 'd=10,seed=1'."""
    values: dict[str, Any] = {}
    for part in [] if text is None else text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and name and value):
            raise SidelightError(
                f"in --contexts {whole!r}, {part.strip()!r} is not a parameter: write name=value, as in d=10"
            )
        if name in values:
            raise SidelightError(f"in --contexts {whole!r}, {name!r} is given twice")
        if name not in kind.defaults:
            raise SidelightError(f"in --contexts {whole!r}, there is no parameter {name!r}: there is {_shown(kind)}")
        values[name] = _checked(name, value_of(value), value)
    return dict(kind.defaults) | values


def _checked(name: str, value: Any, text: str) -> Any:
    if name == "scale":
        good, wanted = isinstance(value, int | float) and 0 < value < math.inf, "a positive number"
    else:
        least = 0 if name == "seed" else 1
        good, wanted = type(value) is int and value >= least, f"a whole number of at least {least}"
    if not good:
        raise SidelightError(f"--contexts has {name}={text}: give {wanted}")
    return value


def _linear(game: Game, given: Mapping[str, Any]) -> Environment:
    from sidelight.environments import LinearContexts

    d, rows = given["d"], game.n_outcomes - 1
    if not 1 <= rows <= d:
        raise SidelightError(f"linear:d={d} is for games of 2 to {d + 1} outcomes, and this one has {rows + 1}")
    theta = np.zeros((rows, d))
    theta[np.arange(d) % rows, np.arange(d)] = 1.0 / d
    return LinearContexts(theta)


def _halfspace(game: Game, given: Mapping[str, Any]) -> Environment:
    from sidelight.environments import HalfspaceContexts

    return HalfspaceContexts(given["d"], given["seed"])


def _logistic(game: Game, given: Mapping[str, Any]) -> Environment:
    from sidelight.environments import LogisticContexts

    rng = np.random.default_rng(given["seed"])
    return LogisticContexts(given["scale"] * rng.normal(size=(game.n_outcomes, given["d"])))


def _finite(game: Game, given: Mapping[str, Any]) -> Environment:
    from sidelight.environments import FiniteContexts

    rng = np.random.default_rng(given["seed"])
    return FiniteContexts(rng.dirichlet(np.ones(game.n_outcomes), size=given["contexts"]))


_KINDS = {
    "linear": _Kind({"d": 10}, _linear),
    "halfspace": _Kind({"d": 10, "seed": 1}, _halfspace),
    "logistic": _Kind({"d": 5, "seed": 0, "scale": 1}, _logistic),
    "finite": _Kind({"contexts": 4, "seed": 0}, _finite),
}


def _shown(kind: _Kind) -> str:
    return ",".join(f"{name}={value}" for name, value in kind.defaults.items())


def _examples() -> str:
    return ", ".join(f"{name}:{_shown(kind)}" for name, kind in _KINDS.items())
