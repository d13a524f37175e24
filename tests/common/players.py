"""Every strategy of the library, made with its default parameters and what it cannot do without."""

import inspect

import sidelight as sl

# Arguments of constructors that have no default.
ARGUMENTS = {
    "BayesOptimal": {"horizon": 500},
    "FixedAction": {"action": 0},
    "IDSContexts": {"contexts": 3},
}
DIMENSION = 3


def make(name, game, **given):
    """Make the strategy `name` for a game."""
    kind = getattr(sl.strategies, name)
    given = ARGUMENTS.get(name, {}) | given
    if "dimension" in inspect.signature(kind).parameters:
        given.setdefault("dimension", DIMENSION)
    return kind(game, **given)
