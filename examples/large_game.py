"""
A large game
============

Dynamic pricing with 20 prices: 20 actions, 20 outcomes, 190 pairs of neighbors.
"""

# %%
# A seller posts one of 20 prices; a buyer buys if the price is at most what the item is worth to them. The analysis is
# exact and takes a fraction of a second.

import sidelight as sl

game = sl.games.load("dynamic-pricing", prices=20)
analysis = sl.analyze(game)
print(analysis)

# %%
# Strategies that keep track of all pairs at once still play many thousands of rounds a second.

law = [1 / 20] * 20
env = sl.environments.IID(law)
strategies = [sl.strategies.CBP(game), sl.strategies.RandCBP(game), sl.strategies.Uniform(game)]
results = [sl.simulate(strategy, env, horizon=4_000, runs=4, seed=0) for strategy in strategies]
figure = results[0].plot(others=results[1:])
