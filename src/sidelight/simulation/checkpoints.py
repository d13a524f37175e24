"""The rounds after which regret is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from sidelight.errors import ParameterError, SidelightError
from sidelight.kernels.arrays import Integers

Checkpoints = int | Literal["log"] | Sequence[int]

_STEPS = 120  # of a logarithmic scale, from round 1 to the horizon
_MOST = 1 << 31  # so that squares fit into 64 bits
_WANTED = "give how many, 'log', or a list of rounds"


def rounds_of_checkpoints(checkpoints: Checkpoints, horizon: int) -> Integers:
    """Return the rounds: a number of evenly spaced ones up to the horizon, logarithmic ones, or those in a list."""
    if isinstance(checkpoints, str):
        if checkpoints != "log":
            raise ParameterError(f"checkpoints is {checkpoints!r}: {_WANTED}", "checkpoints")
        return np.array(logarithmic_checkpoints(horizon, _STEPS), np.int64)
    if isinstance(checkpoints, int | np.integer) and not isinstance(checkpoints, bool):
        return _even_checkpoints(int(checkpoints), horizon)
    rounds = np.array(checkpoints)
    if rounds.ndim != 1 or not rounds.size or not np.issubdtype(rounds.dtype, np.integer):
        raise ParameterError(f"checkpoints is {checkpoints!r}: {_WANTED}", "checkpoints")
    rounds = rounds.astype(np.int64)
    if rounds[0] < 1 or rounds[-1] > horizon or (np.diff(rounds) <= 0).any():
        raise SidelightError(f"checkpoints must increase and lie between 1 and the horizon {horizon}")
    return rounds


def logarithmic_checkpoints(horizon: int, steps: int) -> list[int]:
    """Return the rounds horizon^(k / steps), k = 0, ..., steps, each once: dense at the beginning."""
    return sorted({min(horizon, round(horizon ** (k / steps))) for k in range(steps)} | {horizon})


def _even_checkpoints(count: int, horizon: int) -> Integers:
    """Return horizon * k // count for k = 1, ..., count, or every round if there are no more."""
    if count < 1:
        raise ParameterError(f"checkpoints is {count}: give at least 1, or a list of rounds", "checkpoints")
    count = min(count, horizon)
    if count >= _MOST:
        raise SidelightError(f"{count} checkpoints are too many: give fewer than 2**31")
    whole, rest = divmod(horizon, count)
    k = np.arange(1, count + 1, dtype=np.int64)
    return np.asarray(whole * k + rest * k // count)
