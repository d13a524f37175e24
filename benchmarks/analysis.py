"""How long the exact analysis takes, against the limits that the project has set itself (one core).

Each line times everything that `analyze` can be asked for: status and neighbors with their certificates, observability,
the class, observer vectors of every pair. Certificates of the random game are then checked from their definitions.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from sidelight import games
from sidelight.analysis import Analysis
from sidelight.game import Game

SEED = 20


def analyzed(game: Game) -> Analysis:
    """Return a complete analysis that nothing was known of before (`analyze` would remember recent games)."""
    analysis = Analysis(game)
    kind = analysis.kind
    for pair in analysis.neighbors if kind != "hopeless" else ():
        analysis.observer_vectors(*pair)
    return analysis


def catalogue() -> None:
    for name in games.names():
        analyzed(games.load(name))


def planted_game(outcomes: int = 30, better: int = 0, actions: int = 30, planted: int = 10) -> Game:
    """Return integer losses with ten planted rows: convex combinations of two others and, every third one, duplicates.

    Planted actions that are a little `better` than such a combination come between the cells of the two.
    """
    rng = random.Random(SEED)
    drawn = [[10 * rng.randint(0, 20) for _ in range(outcomes)] for _ in range(actions - planted)]
    rows = list(drawn)
    for n in range(planted):
        one, other = rng.sample(drawn, 2)
        share = 2 * rng.randint(1, 4)
        mixture = [(share * a + (10 - share) * b) // 10 - better for a, b in zip(one, other, strict=True)]
        rows.append(one if n % 3 == 2 else mixture)
    rng.shuffle(rows)
    feedback = [[rng.choice("abcdef") for _ in range(outcomes)] for _ in range(actions)]
    return Game(rows, feedback, name=f"{actions} x {outcomes}" + (", better" if better else ""))


def tangents(count: int, revealing: int) -> Game:
    """Return a game of two outcomes in which every action has a cell, and only the first `revealing` show anything."""
    loss = [[s * s, (count - s) ** 2] for s in range(count)]
    return Game(loss, [["a", "b"] if s < revealing else ["a", "a"] for s in range(count)])


def check_pairs(analysis: Analysis) -> int:
    """Check from the definitions that every pair that is not one of neighbors is ruled out; return how many."""
    loss, outcomes = analysis.game.loss, range(analysis.game.n_outcomes)
    ruled_out = 0
    for i, j in combinations(analysis.cells.pareto, 2):
        answer = analysis.neighbor_certificate(i, j)
        if answer.neighbors:
            continue
        y, z, mu = answer.actions or {}, answer.outcomes or {}, answer.difference or Fraction(0)
        assert all(weight >= 0 for weight in (*y.values(), *z.values()))
        assert sum(y.values()) + sum(z.values()) == 1
        assert not set(y) & set(analysis.cells.on_line(i, j))
        for m in outcomes:
            mixed = sum((w * (loss[k][m] - loss[i][m]) for k, w in y.items()), Fraction(0))
            assert mixed + z.get(m, 0) + mu * (loss[i][m] - loss[j][m]) <= 0
        ruled_out += 1
    return ruled_out


def check_actions(analysis: Analysis) -> int:
    """Check the mixture behind every action that is not Pareto-optimal; return how many."""
    loss, outcomes = analysis.game.loss, range(analysis.game.n_outcomes)
    for i in analysis.degenerate + analysis.dominated:
        weights = analysis.action_certificate(i).mixture or {}
        assert sum(weights.values()) == 1
        assert all(weight > 0 and loss[k] != loss[i] for k, weight in weights.items())
        gaps = [sum(w * loss[k][m] for k, w in weights.items()) - loss[i][m] for m in outcomes]
        assert all(gap < 0 if i in analysis.dominated else gap <= 0 for gap in gaps)
    return len(analysis.degenerate) + len(analysis.dominated)


def timed(what: str, limit: float, job: Callable[[], object]) -> bool:
    start = time.perf_counter()
    job()
    seconds = time.perf_counter() - start
    met = seconds <= limit
    print(f"{what:<44}{seconds:>8.2f}{limit:>8.0f}  {'met' if met else 'MISSED'}")
    return met


def main() -> int:
    Analysis(games.load("bartok"))  # the first call imports the solver
    print(f"{'exact analysis':<44}{'seconds':>8}{'limit':>8}")
    found: list[Analysis] = []
    met = [
        timed("dynamic pricing, 20 prices", 5, lambda: analyzed(games.load("dynamic-pricing", prices=20))),
        timed("dynamic pricing, 50 prices", 60, lambda: analyzed(games.load("dynamic-pricing", prices=50))),
        timed("Bernoulli bandit, 6 arms (64 outcomes)", 10, lambda: analyzed(games.load("bernoulli-bandit", arms=6))),
        timed("the whole catalogue at its defaults", 5, catalogue),
        timed("1 000 actions, 2 outcomes, all reveal", 1, lambda: analyzed(tangents(1000, 1000))),
        timed("1 000 actions, 2 outcomes, one reveals", 1, lambda: Analysis(tangents(1000, 1)).kind),
        timed("30 x 30 integers, ten planted", 60, lambda: found.append(analyzed(planted_game()))),
        timed("30 x 30, planted ones a little better", 60, lambda: found.append(analyzed(planted_game(better=1)))),
        timed("30 x 6 integers, ten planted", 60, lambda: found.append(analyzed(planted_game(outcomes=6)))),
    ]
    print(f"\n{'checked exactly':<20}{'class':<10}pareto degenerate dominated duplicates neighbors  no, with proof")
    for one in found:
        counts = [len(part) for part in (one.pareto, one.degenerate, one.dominated, one.duplicates, one.neighbors)]
        columns = "".join(f"{count:>{width}}" for count, width in zip(counts, (6, 11, 10, 11, 10), strict=True))
        proved = f"{check_pairs(one)} pairs, {check_actions(one)} actions"
        print(f"{one.game.name:<20}{one.kind:<10}{columns}  {proved}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
