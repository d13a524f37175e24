"""
A Gymnasium agent
=================

Every game of the catalogue is a Gymnasium environment. The reward is always 0: the loss stays hidden.
"""

# %%
# Here a strategy of the library plays as an agent would. ``reveal_loss=True`` is for scoring, not for training.

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import sidelight as sl
import sidelight.gym

env = gymnasium.make("sidelight/LabelEfficient-v0", law=[0.3, 0.7], horizon=2_000, reveal_loss=True)
game = env.unwrapped.game


def episode(agent, seed):
    """Return the loss of each round."""
    env.reset(seed=seed)
    losses, truncated = [], False
    while not truncated:
        _, _, _, truncated, info = env.step(agent.act())
        agent.observe(info["symbol"])
        losses.append(info["loss"])
    return np.array(losses)


figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for agent in (sl.strategies.Uniform(game), sl.strategies.RandCBP(game), sl.strategies.Prospect(game)):
    losses = episode(agent, seed=0)
    axes.plot(np.cumsum(losses) / np.arange(1, len(losses) + 1), label=type(agent).__name__)
axes.axhline(0.3, color="gray", linestyle="--", linewidth=1)
axes.set(xlabel="round", ylabel="mean loss so far", ylim=(0, 1.05))
axes.legend(frameon=False)
plt.show()
