"""How a strategy that counts plays and symbols forgets a share of them."""

from __future__ import annotations

from sidelight.kernels import generic, kernel
from sidelight.kernels.arrays import Floats, Integers

fade = generic("fade", ("state", "kept"))
"""Multiply all counts by `kept`, the clock included; implemented for the states of strategies that have counts."""

# Fewer plays than this count as so many: an action that is never worth a play must not lose its last one to rounding.
_LEAST = 1e-6


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
