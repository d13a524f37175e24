"""
The tail of regret
==================

A mean hides how bad the bad runs are.
"""

# %%
# Balanced laws of apple tasting are close to a tie. Most runs cost little, and a few settle on the wrong action.

import matplotlib.pyplot as plt
import numpy as np

import sidelight as sl

game = sl.games.load("apple-tasting")
env = sl.environments.IID(sl.environments.laws.load("balanced", outcomes=2))

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for strategy in (sl.strategies.CBP(game), sl.strategies.RandCBP(game), sl.strategies.Prospect(game)):
    results = sl.simulate(strategy, env, horizon=20_000, runs=1_000, seed=0)
    final = np.sort(results.final)
    more = 1 - np.arange(1, len(final) + 1) / len(final)
    axes.loglog(np.maximum(final, 1), np.maximum(more, 1e-3), label=f"{results.label}: mean {final.mean():.0f}")
axes.set(xlabel="final regret x", ylabel="share of runs with a regret above x")
axes.legend(frameon=False)
plt.show()

# %%
# Two strategies with similar means can differ tenfold at the 99.9 % quantile. Which one you want depends on whether you
# play once or a million times.
