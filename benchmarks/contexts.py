"""Regret with contexts, in worlds of many kinds: ProspectModel beside what is linear and what ignores contexts.

    python benchmarks/contexts.py [--seed 1000] [--rounds 2000] [--runs 4] [--larger] [--only TEXT]

Every line has the mean and standard error of each player. `allowed` is what docs/how-to/contexts.md promises of "auto":
1.1 times the best of the simpler players, and what it may take to learn the coefficients; a star marks what is above.
Constants are chosen with the seed 140; reports have seeds from 1000 on, and `--larger` has other dimensions.
"""

from __future__ import annotations

import argparse
import math
import time
from functools import partial
from typing import Any

import context_worlds as worlds

import sidelight as sl
from sidelight.strategies import Prospect, ProspectModel, ProspectSide, RandCBPSide

# The sampler and the dimension, and the dimension with --larger.
WORLDS: dict[str, tuple[worlds.Sampler, int, int]] = {
    "linear": (worlds.linear, 5, 8),
    "half-space": (worlds.halfspace, 5, 10),
    "logistic": (worlds.logistic, 5, 8),
    "small ball": (partial(worlds.ball, share=0.25), 4, 3),
    "large ball": (partial(worlds.ball, share=0.8), 4, 5),
    "ring": (worlds.ring, 3, 2),
    "xor": (worlds.exclusive_or, 3, 2),
    "squares": (worlds.squares, 4, 6),
    "useless": (worlds.useless, 4, 6),
    "useless, many": (worlds.useless, 20, 30),
    "heavy tails": (worlds.heavy_tails, 5, 8),
    "rare class": (partial(worlds.few_positives, positive=0.03), 8, 12),
}
GAMES: dict[str, tuple[dict[str, Any], Any]] = {
    "apple-tasting": ({}, ((1.0, 0.0), (0.0, 1.0))),
    "label-efficient": ({}, ((1.0, 0.0), (0.0, 1.0))),
    "dynamic-pricing": ({"prices": 3}, ((0.1, 0.2, 0.7), (0.7, 0.2, 0.1))),
}
PLAYERS = {
    "auto": lambda game, d: ProspectModel(game),
    "linear": lambda game, d: ProspectModel(game, "linear"),
    "ProspectSide": lambda game, d: ProspectSide(game, dimension=d),
    "Prospect": lambda game, d: Prospect(game),
    "RandCBPSide": lambda game, d: RandCBPSide(game, dimension=d),
}
SIMPLER = ("linear", "Prospect", "RandCBPSide")
COMPILED = 12  # runs of compiled players for each run of the others


def allowance(game: sl.Game, environment: worlds.Sampled) -> float:
    """Return what the labels may cost that it takes to learn d + 1 coefficients of each outcome but one.

    T rounds can show a coefficient to log2(T) / 2 bits, a label of two symbols has at most one bit, and a look costs
    what the cheapest action that shows something costs on average.
    """
    rounds = environment.rounds
    bits = (game.n_outcomes - 1) * (environment.dimension + 1) * math.log2(rounds) / 2
    looks = [sl.strategies.FixedAction(game, a) for a in range(game.n_actions) if game.informative(a)]
    how = {"runs": 4, "seed": 0, "checkpoints": 1, "progress": False, "workers": 1}
    return bits * min(sl.simulate(look, environment, rounds, **how).final.mean() for look in looks) / rounds


def main() -> None:
    """Play everything and print a line for each game and world."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--larger", action="store_true")
    parser.add_argument("--only", default="", help="parts of the names of games and worlds, between |")
    parser.add_argument("--players", default=",".join(PLAYERS))
    given = parser.parse_args()
    chosen = given.players.split(",")
    print(f"{'':32}" + "".join(f"{name:>15}" for name in [*chosen, "allowed"]))
    start = time.process_time()
    for name, (parameters, laws) in GAMES.items():
        game = sl.games.load(name, **parameters)
        for world, (sampler, small, large) in WORLDS.items():
            title = f"{name}, {world}"
            if not any(part in title for part in given.only.split("|")):
                continue
            d = large if given.larger else small
            environment = worlds.Sampled(sampler, d, given.rounds, laws)
            means, cells = {}, []
            for player in chosen:
                strategy = PLAYERS[player](game, d)
                runs = given.runs * (1 if isinstance(strategy, ProspectModel) else COMPILED)
                how = {"runs": runs, "seed": given.seed, "checkpoints": 1, "progress": False, "workers": 1}
                final = sl.simulate(strategy, environment, given.rounds, **how).final
                means[player] = final.mean()
                cells.append(f"{final.mean():8.0f} ±{final.std(ddof=1) / math.sqrt(runs):4.0f}")
            simplest = min((means[player] for player in SIMPLER if player in means), default=math.inf)
            allowed = 1.1 * simplest + allowance(game, environment)
            marked = [cell + ("*" if mean > allowed else " ") for cell, mean in zip(cells, means.values(), strict=True)]
            print(f"{title:32}" + "".join(f"{cell:>15}" for cell in [*marked, f"{allowed:.0f}"]), flush=True)
    print(f"{time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
