"""Whether what clients saw of one id can be explained by some order of their requests.

Each operation took effect at one moment between its call and its return (Herlihy and Wing 1990). The search goes
through all orders that respect this, by the algorithm of Wing and Gong (1993), and remembers the states that it met.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple


class Operation(NamedTuple):
    """What one client did, and what it was told; an operation without a reply never returns."""

    called: float
    returned: float
    asked: Hashable
    told: Hashable


Model = Callable[[Hashable, Hashable], tuple[Hashable, Hashable]]
"""From a state and a request to the next state and the reply."""


def explained(operations: Sequence[Operation], begin: Hashable, model: Model) -> bool:
    """Say whether there is an order; a request without a reply (`told` is None) may also not have happened."""
    seen = set()

    def search(left: frozenset[int], state: Hashable) -> bool:
        if all(operations[k].told is None for k in left):
            return True
        if (left, state) in seen:
            return False
        seen.add((left, state))
        first = min(operations[k].returned for k in left)
        for k in left:
            if operations[k].called <= first:
                after, reply = model(state, operations[k].asked)
                if operations[k].told in (None, reply) and search(left - {k}, after):
                    return True
        return False

    return search(frozenset(range(len(operations))), begin)


UNDECIDED = (None, "open")


def prediction(state: tuple[str | None, object], asked: tuple) -> tuple[Hashable, Hashable]:
    """Model a prediction that is verified: its class, and the answer that stands.

    Requests are ("decide", class) and ("answer", what it says or None to skip, whether it may replace another).
    """
    name, stands = state
    if asked[0] == "decide":
        name = asked[1] if name is None else name
        return (name, stands), "ok" if name == asked[1] else "conflict"
    if name is None:
        return state, "not-found"
    _, correct, replace = asked
    if stands == "open":
        return (name, correct), "released" if correct is None else "recorded"
    if stands == correct:
        return state, "unchanged"
    if not replace:
        return state, "conflict"
    if stands is None:
        return (name, correct), "recorded"
    return (name, correct), "withdrawn" if correct is None else "corrected"


NEVER = math.inf
