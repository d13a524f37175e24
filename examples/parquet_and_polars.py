"""
Results in Parquet, read with Polars
====================================

A file of results is a plain table for anybody, and the exact results for this library.
"""

# %%
# Each file holds a row per run and checkpoint.

from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import polars as pl

import sidelight as sl

folder = Path(mkdtemp())
game = sl.games.load("apple-tasting")
env = sl.environments.IID(sl.environments.laws.load("balanced", outcomes=2))
for strategy in (sl.strategies.CBP(game), sl.strategies.RandCBP(game), sl.strategies.Prospect(game)):
    results = sl.simulate(strategy, env, horizon=5_000, runs=100, seed=0, checkpoints="log")
    results.save(folder / f"{results.label}.parquet")

# %%
# Polars reads all of them at once, and lazily.

table = (
    pl.scan_parquet(folder / "*.parquet")
    .group_by("strategy", "round")
    .agg(pl.col("regret").mean().alias("mean"), pl.col("regret").quantile(0.95).alias("q95"))
    .sort("strategy", "round")
    .collect()
)
print(table.filter(pl.col("round") == 5_000))

# %%
# Draw it with whatever you use.

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for (name,), group in table.group_by("strategy", maintain_order=True):
    (line,) = axes.plot(group["round"], group["mean"], label=name)
    axes.plot(group["round"], group["q95"], color=line.get_color(), linestyle=":")
axes.set(xscale="log", xlabel="round", ylabel="mean regret (dotted: 95 % quantile)")
axes.legend(frameon=False)
plt.show()
