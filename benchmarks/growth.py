"""Measure how the time of a round grows with actions and outcomes, for the strategies of the literature.

`python benchmarks/growth.py` prints microseconds a round in pricing, which has as many actions as outcomes, and ends
with an error if a limit is missed. The limits hold for games of three actions on a machine that has little else to do.
"""

import sys
import time
import warnings

import numpy as np
from measuring import fastest, missed, report

import sidelight as sl

ROUNDS, SIZES = 2_000, (3, 5, 8)
# Microseconds a round with three actions.
LIMITS = {
    "BOBW": 5, "NeighborhoodWatch2": 5, "Mario": 5, "VIDS": 5, "AsymptoticIDS": 5, "BPMTS": 5, "BOBWLocal": 300,
    "ExpPM": 300,
}  # fmt: skip


def microseconds(strategy, world):
    """Return the time of a round."""
    (spent,) = fastest(
        lambda: sl.simulate(strategy, world, ROUNDS, 1, checkpoints=1, workers=1, progress=False),
        repetitions=2,
        clock=time.process_time,
    )
    return spent / ROUNDS * 1e6


def main():
    """Measure all strategies at all sizes."""
    warnings.simplefilter("ignore", UserWarning)
    for name, most in LIMITS.items():
        for prices in SIZES:
            game = sl.games.load("revenue-pricing", prices=prices)
            world = sl.environments.IID(np.full(prices, 1 / prices))
            spent = microseconds(getattr(sl.strategies, name)(game), world)
            report(f"{name}, {prices} prices", spent, most=most if prices == SIZES[0] else None, unit="us")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
