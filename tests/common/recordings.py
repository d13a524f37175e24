"""Recorded worlds. A strategy is compiled for each kind of world, and most tests compile it for recordings."""

import numpy as np

from sidelight.environments import Replay
from sidelight.environments.base import draw


def record(laws, contexts=None, seed=9):
    """Return a recording of outcomes that follow the law of each run and round."""
    chances = np.random.default_rng(seed).random((*laws.shape[:2], 1))
    return Replay((chances > laws.cumsum(axis=2)[..., :-1]).sum(axis=2), contexts, laws=laws)


def record_law(law, runs, rounds, seed=9):
    """Return a recording of outcomes that follow one law."""
    outcomes = np.random.default_rng(seed).choice(len(law), p=law, size=(runs, rounds))
    return Replay(outcomes, law=law)


def record_contexts(laws, contexts, runs, rounds, seed=9):
    """Return a recording in which each round has one of these contexts, drawn at random, and its law."""
    which = np.random.default_rng([seed, 1]).integers(len(laws), size=(runs, rounds))
    return record(laws[which], contexts[which], seed)


def record_world(world, game, runs, rounds, seed):
    """Return a recording of what `simulate` with this seed would draw; regret is that of each outcome."""
    outcomes, contexts = np.zeros((runs, rounds), int), np.zeros((runs, rounds, world.dimension))
    for run in range(runs):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run, 0)))
        drawn = world.start(game, run, rng)
        for t in range(rounds):
            outcomes[run, t] = draw(drawn, contexts[run, t], rng)
    return Replay(outcomes, contexts, law="outcome")
