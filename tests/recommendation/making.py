"""Small summaries that are written by hand."""

import numpy as np

import sidelight as sl
from sidelight.recommendation.records import Benchmark, CaseFacts, PlayerFacts, PoolFacts, WorldFacts
from sidelight.recommendation.similarity import facts_for_game_similarity

GAMES = ("apple-tasting", "label-efficient", "matching-pennies", "bartok", "bernoulli-bandit", "trivial")
WORLDS = (WorldFacts("laws a", "laws"), WorldFacts("laws b", "laws"), WorldFacts("linear contexts", "contexts", 10))
PLAYERS = (
    PlayerFacts("Prospect", "Prospect", {}),
    PlayerFacts("CBP", "CBP", {}),
    PlayerFacts("KLUCB", "KLUCB", {}),
    PlayerFacts("Prospect, T known", "Prospect", {}, knows_horizon=True),
    PlayerFacts("Bayes-optimal", "BayesOptimal", {}, limit=True),
    PlayerFacts("ProspectSide", "ProspectSide", {}),
    PlayerFacts("CBPSide", "CBPSide", {}),
)
MEANS = {
    "Prospect": 10.0,
    "CBP": 30.0,
    "KLUCB": 20.0,
    "Prospect, T known": 8.0,
    "Bayes-optimal": 5.0,
    "ProspectSide": 100.0,
    "CBPSide": 50.0,
}


def facts(name):
    return facts_for_game_similarity(name, name, sl.games.load(name))


def summary(means=MEANS, runs=50, error=0.5, horizons=(1_000, 20_000)):
    """Return a benchmark in which everybody always has the same mean; KLUCB plays bandits, the limit one world."""
    games = tuple(facts(name) for name in GAMES)
    cases, pools = [], []
    for game in games:
        for world in WORLDS:
            for player in PLAYERS:
                contextual = player.label.endswith("Side")
                skipped = player.label == "KLUCB" and game.name not in ("apple-tasting", "bernoulli-bandit")
                skipped |= player.limit and world.label != "laws a"
                if contextual != (world.group == "contexts") or skipped:
                    continue
                for horizon in horizons:
                    mean = means[player.label] * np.sqrt(horizon / 1_000)
                    cases.append(CaseFacts(game.label, world.label, player.label, horizon, runs, float(mean), error))
        for player in PLAYERS:
            group = "contexts" if player.label.endswith("Side") else "laws"
            if (game.label, player.label) in {(case.game, case.player) for case in cases}:
                for horizon in horizons:
                    mean = means[player.label]
                    pools.append(PoolFacts(game.label, group, player.label, horizon, 2 * runs, 3 * mean, 0.25, 100.0))
    about = {"study": {"name": "benchmark", "version": "test"}, "made": {"created": "2026-01-01"}}
    return Benchmark(about | {"cases_planned": 9, "cases_run": 8}, games, WORLDS, PLAYERS, tuple(cases), tuple(pools))
