"""A test whether the law of an action's symbols has changed since some time.

For each action it keeps the counts of symbols as they were after some earlier observations, at most 32 of them: when
the room is full, every other one is dropped and from then on they are taken half as often. At each of them it compares
the symbols before (n_1, frequencies f_1) and after (n_2, f_2) by the likelihood ratio against one law f for both,

    n_1 KL(f_1, f) + n_2 KL(f_2, f) >= log((1 + n) / risk),     n = n_1 + n_2.

The limit grows slowly with n, since it is reached by chance sooner or later; it was not derived but measured: see
`Restarting`.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from sidelight.game import Game
from sidelight.game_arrays import first_places
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays

_ROOM = 32
_FEWEST = 4  # symbols on either side


class ChangeTest(NamedTuple):
    """Counts of all symbols, now and earlier."""

    first: Annotated[Integers, "ends"]  # where the symbols of each action begin, and the end
    counts: Annotated[Floats, "symbols"]
    seen: Annotated[Floats, "actions"]
    earlier: Annotated[Floats, _ROOM, "symbols"]
    before: Annotated[Floats, _ROOM, "actions"]  # n_1
    kept: Annotated[Integers, "actions"]  # how many earlier counts there are
    every: Annotated[Floats, "actions"]  # after how many observations the next is kept


def new_change_test(game: Game) -> ChangeTest:
    """Return a test that has seen nothing."""
    first, actions = first_places(game), game.n_actions
    test = new_arrays(ChangeTest, ends=actions + 1, symbols=int(first[-1]), actions=actions)
    test.first[:], test.every[:] = first, 1.0
    return test


@kernel
def law_changes_by_symbol(test: ChangeTest, action: int, symbol: int, risk: float) -> bool:
    """Add a symbol; say whether the law of the action's symbols seems to have changed."""
    test.counts[test.first[action] + symbol] += 1.0
    test.seen[action] += 1.0
    n = test.seen[action]
    limit = math.log((1.0 + n) / risk)
    # Where much was seen, one more symbol changes little.
    if n % max(1.0, math.floor(n / 64.0)) == 0.0:
        for k in range(test.kept[action]):
            if n - test.before[k, action] >= _FEWEST and change_likelihood_ratio(test, action, k) >= limit:
                return True
    if n >= _FEWEST and n % test.every[action] == 0.0:
        keep_counts_for_change_test(test, action)
    return False


@kernel
def change_likelihood_ratio(test: ChangeTest, action: int, k: int) -> float:
    """Return the logarithm of the likelihood ratio of a change after the k-th earlier counts."""
    n, n_1 = test.seen[action], test.before[k, action]
    n_2 = n - n_1
    total = 0.0
    for s in range(test.first[action], test.first[action + 1]):
        old, new = test.earlier[k, s], test.counts[s] - test.earlier[k, s]
        if old > 0.0:
            total += old * math.log(old * n / (n_1 * test.counts[s]))
        if new > 0.0:
            total += new * math.log(new * n / (n_2 * test.counts[s]))
    return total


@kernel
def keep_counts_for_change_test(test: ChangeTest, action: int) -> None:
    """Store the present counts of an action; if the memory is full, drop every other stored entry first."""
    low, high = test.first[action], test.first[action + 1]
    if test.kept[action] == test.before.shape[0]:
        half = test.before.shape[0] // 2
        for k in range(half):
            test.before[k, action] = test.before[2 * k + 1, action]
            for s in range(low, high):
                test.earlier[k, s] = test.earlier[2 * k + 1, s]
        test.kept[action] = half
        test.every[action] *= 2.0
    k = test.kept[action]
    test.before[k, action] = test.seen[action]
    for s in range(low, high):
        test.earlier[k, s] = test.counts[s]
    test.kept[action] = k + 1
