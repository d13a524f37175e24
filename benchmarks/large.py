"""Large games: how long before the first 200 rounds are over, and how many rounds a second after that.

CPU seconds of one process, whatever else the machine does. The first 200 rounds include analysis and construction, not
compiling. After that two runs warm the pools of plausible sets, and then RUNS runs with new laws and seeds are timed. A
line below a row says what limits each goal that it misses.

    python benchmarks/large.py [NAME ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import sidelight as sl
from sidelight.kernels import compiled

RUNS = 3


class Row(NamedTuple):
    """A game, how many rounds a run has, and the goals: seconds, CBP and RandCBP rounds a second."""

    game: Callable[[], sl.Game]
    horizon: int
    seconds: float
    cbp: float
    randcbp: float


def random_game(actions: int, outcomes: int, symbols: int, seed: int) -> sl.Game:
    """Return a game with random losses and symbols."""
    rng = np.random.default_rng(seed)
    loss = rng.integers(0, 100, (actions, outcomes)).tolist()
    feedback = rng.integers(0, symbols, (actions, outcomes)).astype(str).tolist()
    return sl.Game(loss, feedback, name=f"random {actions} x {outcomes}")


def curved_game(actions: int, outcomes: int, seed: int) -> sl.Game:
    """Return a game in which most actions have a cell: losses -log p_m of as many laws, some of them informative."""
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.ones(outcomes), actions)
    loss = np.rint(-1000 * np.log(np.maximum(laws, 1e-3))).astype(int).tolist()
    feedback = [[str(m) if a % 3 == 0 else "-" for m in range(outcomes)] for a in range(actions)]
    return sl.Game(loss, feedback, name=f"curved {actions} x {outcomes}")


def partly_curved_game(actions: int, cells: int, outcomes: int, seed: int) -> sl.Game:
    """Return a curved game of so many cells, in which all further actions are dominated."""
    game = curved_game(cells, outcomes, seed)
    rng = np.random.default_rng(seed)
    worse = [
        [
            int(value) + int(more)
            for value, more in zip(game.loss[rng.integers(cells)], rng.integers(1, 900, outcomes), strict=True)
        ]
        for _ in range(actions - cells)
    ]
    feedback = [[str(m) if a % 3 == 0 else "-" for m in range(outcomes)] for a in range(actions)]
    return sl.Game([*([int(v) for v in row] for row in game.loss), *worse], feedback, name=f"{cells} of {actions}")


ROWS = {
    "pricing-15": Row(lambda: sl.games.load("dynamic-pricing", prices=15), 20_000, 0.5, 200e3, 80e3),
    "pricing-30": Row(lambda: sl.games.load("dynamic-pricing", prices=30), 5_000, 2.0, 40e3, 12e3),
    "pricing-50": Row(lambda: sl.games.load("dynamic-pricing", prices=50), 1_000, 10.0, 8e3, 1e3),
    "random-30x6": Row(lambda: random_game(30, 6, 3, 0), 20_000, 0.5, 200e3, 25e3),
    "curved-12/100x3": Row(lambda: partly_curved_game(100, 12, 3, 0), 20_000, 0.5, 300e3, 150e3),
    "curved-100x3": Row(lambda: curved_game(100, 3, 0), 5_000, 8.0, 25e3, 10e3),
    "bandit-8": Row(lambda: sl.games.load("bernoulli-bandit", arms=8), 20_000, 1.0, 1e6, 80e3),
    "bandit-10": Row(lambda: sl.games.load("bernoulli-bandit", arms=10), 5_000, 8.0, 100e3, 5e3),
}


def seconds_of(game: sl.Game, strategy: sl.strategies.Strategy, horizon: int, runs: int, seed: int) -> float:
    """Return the CPU seconds of some runs, each with a law of its own."""
    laws = np.random.default_rng(seed).dirichlet(np.ones(game.n_outcomes), runs)
    begun = time.process_time()
    sl.simulate(strategy, sl.environments.IID(laws), horizon=horizon, runs=runs, seed=seed, workers=1)
    return time.process_time() - begun


def answers(strategy: sl.strategies.RandCBP) -> int:
    """Return how many answers about plausible sets there are in the pools."""
    facts = strategy.plausible_sets.snapshot()
    return int(facts.n_points.sum() + facts.n_certificates.sum())


def measure(name: str, row: Row) -> str:
    """Return a line of the table."""
    for make in (sl.strategies.CBP, sl.strategies.RandCBP):  # compiles
        small = sl.games.load("dynamic-pricing", prices=7)
        seconds_of(small, make(small), 500, 1, 0)
    game = row.game()
    begun = time.process_time()
    pairs = len(sl.analyze(game).neighbors)
    analysis = time.process_time() - begun
    strategy = sl.strategies.CBP(game)
    seconds_of(game, strategy, 200, 1, 1)
    first = time.process_time() - begun
    speeds, limits = [], [f"exact analysis takes {analysis:.1f} of {first:.1f} s"]
    for make in (sl.strategies.CBP, sl.strategies.RandCBP):
        strategy = make(game)
        seconds_of(game, strategy, row.horizon, 2, 2)
        asked = answers(strategy)
        speeds.append(RUNS * row.horizon / seconds_of(game, strategy, row.horizon, RUNS, 3))
        questions = (answers(strategy) - asked) / (RUNS * row.horizon)
        terms = strategy.compiled_parameters.watch.action.size
        limits.append(f"{terms} observer terms and {questions:.3f} new answers about plausible sets a round")
    goals = [first <= row.seconds, speeds[0] >= row.cbp, speeds[1] >= row.randcbp]
    marks = ["" if good else "*" for good in goals]
    missed = zip(("first 200", "CBP", "RandCBP"), goals, limits, strict=True)
    notes = [f"\n    {what}: {limit}" for what, good, limit in missed if not good]
    return (
        f"{name:<16}{pairs:>6}{row.horizon:>9}{first:>9.2f}{marks[0]:<1} ({row.seconds:g})"
        f"{speeds[0]:>12,.0f}{marks[1]:<1} ({row.cbp:,.0f}){speeds[1]:>11,.0f}{marks[2]:<1} ({row.randcbp:,.0f})"
        + "".join(notes)
    )


def main(names: list[str]) -> None:
    """Print the table; * marks a goal (in brackets) that is missed."""
    print("game             pairs  horizon  first 200 [s]  CBP [rounds/s]      RandCBP [rounds/s]")
    for name in names or list(ROWS):
        print(measure(name, ROWS[name]), flush=True)


if __name__ == "__main__":
    with compiled():
        main(sys.argv[1:])
