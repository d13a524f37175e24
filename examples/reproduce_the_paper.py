"""
Reproducing a table of the paper
================================

``sidelight reproduce`` recomputes every table and figure of the paper, and says for each number whether it agrees.
"""

# %%
# Here is Table 1 with few runs; ``sidelight reproduce table1`` has the paper's 96.

from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import polars as pl
from click.testing import CliRunner

from sidelight.cli import main

folder = Path(mkdtemp())
words = ["reproduce", "table1", "--runs", "8", "--protocol", "published", "--out", str(folder)]
outcome = CliRunner().invoke(main, words)
print(outcome.output.replace(str(folder), "reproduction"))

# %%
# The runs themselves are in a Parquet file. A picture of them:

runs = pl.read_parquet(folder / "runs.parquet").filter(pl.col("world").cast(str) == "imbalanced, published")
figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for (name,), group in runs.group_by("player", maintain_order=True):
    mean = group.group_by("round").agg(pl.col("value").mean()).sort("round")
    axes.plot(mean["round"], mean["value"], label=name)
axes.set(xscale="log", yscale="log", xlabel="round", ylabel="mean regret, 8 runs", ylim=(0.5, None))
axes.legend(frameon=False, fontsize=8, ncols=2)
plt.show()
