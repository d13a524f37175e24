"""
How sensitive is a parameter?
=============================

RandCBP draws its confidence widths from K points. Does the number matter?
"""

# %%
# A grid of parameters is a loop. Results remember the parameters they came from.

import matplotlib.pyplot as plt

import sidelight as sl

game = sl.games.load("label-efficient")
bins = (2, 5, 10, 20, 50)
figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharex=True)
for axes, kind in zip(panels, ("imbalanced", "balanced"), strict=True):
    env = sl.environments.IID(sl.environments.laws.load(kind, outcomes=2))
    rows = [
        sl.simulate(sl.strategies.RandCBP(game, bins=k), env, horizon=5_000, runs=300, seed=0).summary() for k in bins
    ]
    axes.errorbar(bins, [r.mean for r in rows], [2 * r.standard_error for r in rows], marker="o", capsize=3)
    axes.set(xscale="log", xlabel="bins", title=f"{kind} laws", ylim=(0, None))
    axes.set_xticks(bins, labels=bins)
    axes.minorticks_off()
panels[0].set_ylabel("mean regret, two standard errors")
plt.show()
