"""
How good can a strategy be?
===========================

The lower bound C*(p) says what a law costs in the long run, and Bayes-optimal play what laws cost on average.
"""

# %%
# C*(p) log T is the least regret, asymptotically, of any strategy that does well on every law. It explodes near a tie.

import matplotlib.pyplot as plt
import numpy as np

import sidelight as sl

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
laws = np.concatenate([np.linspace(0.02, 0.48, 40), np.linspace(0.52, 0.98, 40)])
for name in ("apple-tasting", "label-efficient"):
    game = sl.games.load(name)
    bound = [sl.limits.lower_bound(game, [p, 1 - p]).value for p in laws]
    axes.plot(laws, bound, label=name)
axes.set(yscale="log", xlabel="probability of the first outcome", ylabel="C*(p)")
axes.legend(frameon=False)
plt.show()

# %%
# In apple tasting, C*(p) is 0 on one side of the tie: there the best action shows the outcome by itself, and looking is
# free.
#
# For finite horizons there is an exact answer for two outcomes: the best mean regret if laws are drawn from a prior.

for horizon in (100, 1_000, 10_000):
    value = sl.strategies.BayesOptimal(sl.games.load("label-efficient"), horizon=horizon, prior="uniform").value
    print(f"{horizon:6} rounds: no strategy has a mean regret below {value:.2f}")
