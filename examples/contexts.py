"""
Deciding with contexts
======================

Something is known before each round, and the best action depends on it.
"""

# %%
# In this world the outcome is certain given the context: which side of a plane it lies on. Linear models are wrong
# about it, a logistic one is nearly right.

import sidelight as sl

game = sl.games.load("apple-tasting")
env = sl.environments.HalfspaceContexts(dimension=5, seed=1)
strategies = [
    sl.strategies.CBPSide(game, dimension=5),
    sl.strategies.RandCBPSide(game, dimension=5),
    sl.strategies.ProspectSide(game, dimension=5),
]
results = [sl.simulate(strategy, env, horizon=5_000, runs=16, seed=0) for strategy in strategies]
figure = results[0].plot(others=results[1:])

# %%
# ``explain`` says what a strategy would do at a context, and why.

player = sl.strategies.ProspectSide(game, dimension=2)
for x in ([0.1, 0.9], [0.8, 0.2], [0.4, 0.6]):
    action = player.act(x)
    player.observe(game.feedback[action][int(x[0] < x[1])])
print(player.explain([0.7, 0.3]))
