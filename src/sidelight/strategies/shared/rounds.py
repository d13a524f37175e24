"""What strategies share that count rounds and plays: how they begin, how they count, and how they forget.

`clock` holds the number of rounds so far, `plays` that of each action. A trivial game is settled, in others each action
is played once first.
"""

from __future__ import annotations

from typing import Any

from sidelight.kernels import generic, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.base import UNANSWERED

fade = generic("fade", ("state", "kept"))
"""Multiply all counts by `kept`, the clock included; implemented for the states of strategies that have counts."""

# Fewer plays than this count as so many: an action that is never worth a play must not lose its last one to rounding.
_LEAST = 1e-6


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


@kernel
def fade_counts(counts: Floats, kept: float) -> None:
    """Forget a share of all counts, but none that is nearly forgotten."""
    for k in range(counts.shape[0]):
        if counts[k] > _LEAST:
            counts[k] *= kept


@kernel
def fade_clock(clock: Integers, least: int, kept: float) -> None:
    """Forget a share of all rounds, but not the first ones, in which each action is played once."""
    clock[0] = max(min(clock[0], least), int(clock[0] * kept + 0.5))
