"""Prospect: CPU time of a round relative to RandCBP's, in one process, on games with up to four outcomes.

    python benchmarks/prospect.py [RUNS [GAME ...]]

Laws are drawn uniformly; both strategies meet the same ones, in turns, 20 000 rounds each.
"""

import sys
import time

from measuring import fastest, missed, report

import sidelight as sl
from sidelight.environments import IID, laws

HORIZON = 20_000
GAMES = {
    "apple-tasting": {},
    "label-efficient": {},
    "bartok": {},
    "three-class-label-efficient": {},
    "dynamic-pricing": {"prices": 4},
    "bernoulli-bandit": {},
}


def compare(name, runs):
    """Report the ratio of the times on a game."""
    game = sl.games.load(name, **GAMES[name])
    environment = IID(laws.load("dirichlet", game.n_outcomes))

    def work(strategy):
        return lambda: sl.simulate(strategy, environment, HORIZON, runs, seed=100, workers=1, progress=False)

    strategies = (sl.strategies.Prospect(game), sl.strategies.RandCBP(game))
    times = fastest(*map(work, strategies), repetitions=2, clock=time.process_time)
    own, other = (1e9 * each / runs / HORIZON for each in times)
    report(f"Prospect over RandCBP, {name}", own / other, most=1.0, note=f"{own:.0f} and {other:.0f} ns a round")


if __name__ == "__main__":
    for one in sys.argv[2:] or GAMES:
        compare(one, int(sys.argv[1]) if sys.argv[1:] else 400)
    sys.exit(f"outside its limit: {', '.join(missed)}" if missed else 0)
