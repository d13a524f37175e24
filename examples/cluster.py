"""
On a cluster
============

``cluster=`` sends the runs of a simulation to the workers of a Dask scheduler. The results are the same to the
last bit.
"""

# %%
# Here scheduler and workers live in this process, to keep the example short. On a real cluster give the address of its
# scheduler, such as ``tcp://scheduler:8786``. The page on clusters shows SLURM and plain job arrays, too.

from distributed import Client, LocalCluster

import sidelight as sl

game = sl.games.load("label-efficient")
env = sl.environments.IID(sl.environments.laws.load("balanced", outcomes=2))
strategies = (sl.strategies.CBP(game), sl.strategies.RandCBP(game), sl.strategies.Prospect(game))
with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as local, Client(local):
    there = [
        sl.simulate(strategy, env, horizon=5_000, runs=60, seed=0, cluster=local.scheduler_address)
        for strategy in strategies
    ]
figure = there[0].plot(others=there[1:])

# %%
# The same here, on the threads of this machine:

here = sl.simulate(strategies[1], env, horizon=5_000, runs=60, seed=0)
print("equal:", bool((here.regret == there[1].regret).all()))
