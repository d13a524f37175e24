"""How many symbols are still expected of the looks under way, when symbols may come late or never.

Looks that are at least half of all rounds old are assumed to have shown all they will ever show. But no symbol counts
as lost until twice as many rounds have passed as the very first symbol took to arrive. The share of old looks that were
answered is then expected of all looks: with P plays of an action, P0 of them old, and n symbols seen,

    expected = max(0, min(1, n / P0) P - n).

If every symbol arrives, this counts the symbols under way; if none has arrived yet, all are expected. Plays are counted
each time the number of rounds has doubled, so with steady looking P is at most 4 P0: if symbols are lost, at most about
3 n are expected in vain, and none once looking has paused.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import copy
from sidelight.optimization.likelihood import symbols_of, symbols_seen


class Waiting(NamedTuple):
    """When plays were counted, so that old ones can be told from new ones."""

    rounds: Annotated[Integers, 2]  # after which the first symbol had come (0: not yet), and `new` was counted
    old: Annotated[Integers, "actions"]  # plays at the count before
    new: Annotated[Integers, "actions"]  # plays at the last count, which the next one makes old


@kernel
def count_old_plays(waiting: Waiting, signals: Signals, counts: Floats, plays: Integers, t: int) -> None:
    """Note when the first symbol arrives, and count plays each time the rounds have doubled since."""
    rounds = waiting.rounds
    if rounds[0] == 0 and symbols_seen(signals, counts) > 0.0:
        rounds[0] = rounds[1] = t
        copy(plays, waiting.new)
    if rounds[0] > 0 and t >= 2 * rounds[1]:
        rounds[1] = t
        copy(waiting.new, waiting.old)
        copy(plays, waiting.new)


@kernel
def expected_symbols(waiting: Waiting, signals: Signals, counts: Floats, plays: Integers, a: int) -> float:
    """Return how many symbols of earlier looks at an action are still expected to come."""
    seen = symbols_of(signals, counts, a)
    share = 1.0 if seen >= waiting.old[a] else seen / waiting.old[a]
    return max(share * plays[a] - seen, 0.0)
