"""Contextual environments as they are written on a command line: `--contexts linear:d=10`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sidelight.cli._strategies import value_of
from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.environments import Environment
    from sidelight.game import Game

F = TypeVar("F", bound=Callable[..., Any])


def context_option(command: F) -> F:
    """Add the option that chooses an environment with contexts."""
    return click.option(
        "--contexts",
        metavar="KIND",
        help="Show a context before each round: linear:d=10 (outcome laws linear in it), halfspace:d=10,seed=1 (the "
        "outcome says on which side of a plane it lies), logistic:d=5,seed=0,scale=1 (outcome laws a softmax of it) "
        "or finite:contexts=4,seed=0 (one outcome law for each of four contexts).",
    )(command)


def parse_contexts(text: str, game: Game) -> Environment:
    """Return the environment that a text such as 'linear:d=10' describes; `environments.kinds` says which there are."""
    from sidelight.environments import kinds

    name, colon, rest = text.partition(":")
    known = kinds.defaults(name.strip())
    values: dict[str, Any] = {}
    for part in rest.split(",") if colon else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and key and value):
            raise SidelightError(
                f"in --contexts {text!r}, {part.strip()!r} is not a parameter: write name=value, as in d=10"
            )
        if key in values:
            raise SidelightError(f"in --contexts {text!r}, {key!r} is given twice")
        if key not in known:
            shown = kinds.shown(name.strip())
            raise SidelightError(f"in --contexts {text!r}, there is no parameter {key!r}: it takes {shown}")
        values[key] = value_of(value)
    return kinds.load(name.strip(), game, **values)
