"""How strategies that count rounds and plays begin: settle a trivial game, otherwise play each action once.

`clock` holds the number of rounds so far, `plays` that of each action.
"""

from __future__ import annotations

from typing import Any

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Integers
from sidelight.strategies.base import UNANSWERED


@kernel
def play_first_rounds(settled: int, t: int, plays: Any) -> int:
    """Return the best action of a trivial game, or each action once; UNANSWERED when there is something to decide."""
    if settled >= 0:
        return settled
    return t if t < plays.shape[0] else UNANSWERED


@kernel
def count_play(clock: Integers, plays: Any, chosen: int) -> None:
    """Note that an action is played, if one was chosen."""
    if chosen != UNANSWERED:
        clock[0] += 1
        plays[chosen] += 1
