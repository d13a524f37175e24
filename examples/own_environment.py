"""
An environment of your own
==========================

If outcomes do not react to actions, draw them beforehand and hand them to ``Replay``.
"""

# %%
# The weather persists: tomorrow is like today with probability 0.95. No fixed law describes that, so regret is counted
# against the single action that would have been best in hindsight.

import numpy as np

import sidelight as sl


def weather(runs, rounds, stay=0.95, seed=0):
    rng = np.random.default_rng(seed)
    changes = rng.random((runs, rounds)) >= stay
    return np.cumsum(changes, axis=1) % 2


env = sl.environments.Replay(weather(runs=30, rounds=3_000))
game = sl.games.load("apple-tasting")

# %%
# FeedExp3 makes no assumption about where outcomes come from; CBP assumes a fixed law.

played = [
    sl.simulate(strategy, env, horizon=3_000, runs=30, seed=0)
    for strategy in (sl.strategies.FeedExp3(game), sl.strategies.CBP(game), sl.strategies.Uniform(game))
]
figure = played[0].plot(others=played[1:])
print(played[0].regret_kind)
