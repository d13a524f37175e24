"""
Late feedback
=============

Symbols may come late, and out of order. Say which action each of them belongs to.
"""

# %%
# A reviewer answers after 1 to 50 rounds. The strategy goes on playing in the meantime.

import heapq
import random

import matplotlib.pyplot as plt

import sidelight as sl

game = sl.games.load("label-efficient")


def play(most_delay, rounds=1_500, seed=0):
    """Return the mistakes so far, round by round."""
    draws = random.Random(seed)
    player = sl.strategies.Prospect(game)
    waiting, cost, curve = [], 0, []
    for t in range(rounds):
        while waiting and waiting[0][0] <= t:
            _, _, action, symbol = heapq.heappop(waiting)
            player.observe(symbol, action=action)
        action = player.act()
        outcome = 0 if draws.random() < 0.35 else 1
        due = t + (draws.randint(1, most_delay) if most_delay else 0)
        heapq.heappush(waiting, (due, t, action, game.feedback[action][outcome]))
        cost += float(game.loss[action][outcome]) - float(game.loss[1][outcome])
        curve.append(cost)
    return curve


figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for delay in (0, 50, 400):
    axes.plot(play(delay), label=f"symbols come up to {delay} rounds late" if delay else "symbols come at once")
axes.set(xlabel="round", ylabel="cost beyond that of the best action")
axes.legend(frameon=False)
plt.show()
