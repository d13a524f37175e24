"""How many symbols are still expected of the looks under way, when symbols may come late or never.

Of looks that were made at least half of all rounds ago, everything that will come is taken to have come; but nothing
is taken to be lost until there are twice as many rounds as the first symbol of all took to come. The share of the old
looks that was answered, as far as one can tell, is expected of all: with P plays of an action, P0 of them old, and n
symbols seen,

    expected = max(0, min(1, n / P0) P - n).

If every symbol comes, these are the symbols under way; if none has come yet, they are all expected. Plays are counted
each time the rounds have doubled, so that with steady looking P is at most 4 P0: if symbols are lost, at most about 3 n
are expected in vain, and none once looking has paused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.optimization.likelihood import symbols_of, symbols_seen


class Waiting(NamedTuple):
    """When plays were counted, so that old ones can be told from new ones."""

    rounds: Integers  # after how many rounds the first symbol had come (0: not yet), and the new count was made
    old: Integers  # plays of each action at the count before
    new: Integers  # plays at the last count, which the next one makes old


def new_waiting(actions: int) -> Waiting:
    """Return the counts before the first round."""
    return Waiting(np.zeros(2, np.int64), np.zeros(actions, np.int64), np.zeros(actions, np.int64))


@kernel
def count_old_plays(waiting: Waiting, signals: Signals, counts: Floats, plays: Integers, t: int) -> None:
    """Note when the first symbol has come, and count plays each time the rounds have doubled since."""
    rounds = waiting.rounds
    if rounds[0] == 0 and symbols_seen(signals, counts) > 0.0:
        rounds[0] = rounds[1] = t
        for a in range(plays.shape[0]):
            waiting.new[a] = plays[a]
    if rounds[0] > 0 and t >= 2 * rounds[1]:
        rounds[1] = t
        for a in range(plays.shape[0]):
            waiting.old[a] = waiting.new[a]
            waiting.new[a] = plays[a]


@kernel
def expected_symbols(waiting: Waiting, signals: Signals, counts: Floats, plays: Integers, a: int) -> float:
    """Return how many more symbols are expected of the looks at an action."""
    seen = symbols_of(signals, counts, a)
    share = 1.0 if seen >= waiting.old[a] else seen / waiting.old[a]
    return max(share * plays[a] - seen, 0.0)
