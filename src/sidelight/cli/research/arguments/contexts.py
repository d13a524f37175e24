"""Contextual environments as they are written on a command line: `--contexts linear:d=10`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sidelight.cli.research.arguments.players import parse_argument_value
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
        help="Show a context before each round: a kind, with parameters as in linear:d=10. The kinds and defaults are "
        "linear (outcome laws linear in the context; d=10, spread=1), halfspace (the outcome says on which side of a "
        "plane it lies; d=10, seed=1), logistic (outcome laws a softmax of it; d=5, seed=0, scale=1, spread=1), "
        "finite (one outcome law for each of a few contexts; contexts=4, seed=0). No line tells two laws apart in ball "
        "(inside or outside; d=4, seed=0), ring (d=2, seed=0), fold (a ball in one coordinate; d=4, seed=0) and "
        "checkers (whether the first two coordinates have the same sign; d=2, seed=0). A plane does in sparse (three "
        "of many coordinates matter; d=200, seed=0) and heavy-tails (there are outliers; d=10, seed=0), and nothing "
        "helps in useless (one law everywhere; d=10, seed=0).",
    )(command)


def parse_contexts_option(text: str, game: Game) -> Environment:
    """Return the environment that a text such as 'linear:d=10' describes."""
    from sidelight.environments import contexts_by_name

    name, colon, rest = text.partition(":")
    known = contexts_by_name.defaults_of_context_environment(name.strip())
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
            shown = contexts_by_name.context_environment_parameters(name.strip())
            raise SidelightError(f"in --contexts {text!r}, there is no parameter {key!r}: it takes {shown}")
        values[key] = parse_argument_value(value)
    return contexts_by_name.load_context_environment(name.strip(), game, **values)
