"""Contextual environments as they are written on a command line: `--contexts linear:d=10`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sidelight.cli.research.arguments.players import parse_argument_value, split_argument_pairs
from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.environments import Environment
    from sidelight.game import Game


context_option = click.option(
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
)


def parse_contexts_option(text: str, game: Game) -> Environment:
    """Return the environment that a text such as 'linear:d=10' describes."""
    from sidelight.environments import contexts_by_name

    name, colon, rest = text.partition(":")
    kind = name.strip()
    known = contexts_by_name.defaults_of_context_environment(kind)
    given = split_argument_pairs(rest if colon else None, f"--contexts {text}", "d=10")
    for key in given:
        if key not in known:
            shown = contexts_by_name.context_environment_parameters(kind)
            raise SidelightError(f"in --contexts {text!r}, there is no parameter {key!r}: it takes {shown}")
    values = {key: parse_argument_value(value) for key, value in given.items()}
    return contexts_by_name.load_context_environment(kind, game, **values)
