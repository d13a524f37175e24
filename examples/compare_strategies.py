"""
Comparing strategies
====================

All strategies meet the same laws and the same outcomes, so that differences between them are not luck.
"""

# %%
# ``laws.load`` is a sampler: each run draws an outcome law of its own, the same for every strategy.

import sidelight as sl

game = sl.games.load("bartok")
env = sl.environments.IID(sl.environments.laws.load("dirichlet", outcomes=3))
strategies = [
    sl.strategies.CBP(game),
    sl.strategies.RandCBP(game),
    sl.strategies.TSPM(game),
    sl.strategies.Prospect(game),
]
results = [sl.simulate(strategy, env, horizon=5_000, runs=60, seed=0) for strategy in strategies]
figure = results[0].plot(others=results[1:])

# %%
# The table has means with standard errors, the 99 % quantile, how many runs each strategy wins, and a Welch test
# against the first.

for row in sl.results.compare(results, comparisons=[sl.results.Comparison(side="less")]):
    test = "" if row.test is None else f"lower than {results[0].label}: p = {row.test.p_value:.2g}"
    print(f"{row.label:10} {row.mean:8.1f} ± {row.standard_error:5.1f}   99 % {row.q99:8.1f}   {test}")
