"""
A strategy of your own
======================

Three methods make a strategy, and ``check_strategy`` tries it in all the ways in which it will be used.
"""

# %%
# This one looks for a while, and then plays the action that the symbols speak for. It is told the index of the symbol
# among ``game.symbols(action)``, never the outcome or the loss. What changes lives in ``self.state``, so that copying,
# saving and resetting work by themselves.

import numpy as np

import sidelight as sl
from sidelight.strategies import Strategy
from sidelight.strategies.base import check_whole


class LookThenLeap(Strategy):
    """Look with one action for `looks` rounds, estimate the outcome law, then play what is best under it.

    Parameters
    ----------
    looks
        How many rounds to look.
    """

    def __init__(self, game, looks=100, seed=0):
        super().__init__(game, seed=seed)
        self.looks = looks
        check_whole("looks", looks, least=1)

    def _start(self):
        # The action that shows the most symbols tells most about the law.
        shown = [len(self.game.symbols(action)) for action in range(self.game.n_actions)]
        return {"clock": 0, "looker": int(np.argmax(shown)), "counts": np.zeros(max(shown))}

    def _act(self, context):
        self.state["clock"] += 1
        if self.state["clock"] <= self.looks:
            return self.state["looker"]
        looker, counts = self.state["looker"], self.state["counts"] + 1e-9
        symbols = self.game.symbols(looker)
        # Outcomes that show the same symbol are taken to be equally likely.
        row = [symbols.index(symbol) for symbol in self.game.feedback[looker]]
        law = np.array([counts[u] / row.count(u) for u in row])
        return int(np.argmin(np.array(self.game.loss, dtype=float) @ (law / law.sum())))

    def _observe(self, action, symbol, context):
        if action == self.state["looker"]:
            self.state["counts"][symbol] += 1


# %%
# Does it keep the rules? The checks copy it, save it, reset it and give it wrong and late feedback. Here on one game;
# without ``games=`` on several.

game = sl.games.load("label-efficient")
print(sl.check_strategy(LookThenLeap, games=[game]))

# %%
# Play it beside RandCBP, on the same laws and outcomes.

env = sl.environments.IID(sl.environments.laws.load("balanced", outcomes=2))
mine = sl.simulate(LookThenLeap(game, looks=200), env, horizon=2_000, runs=20, seed=0)
theirs = sl.simulate(sl.strategies.RandCBP(game), env, horizon=2_000, runs=20, seed=0)
figure = mine.plot(others=[theirs])

# %%
# How many looks are right depends on the law, which nobody knows. That is why strategies that decide as they go win.

for row in sl.results.compare([mine, theirs]):
    print(f"{row.label:24} mean {row.mean:7.1f} ± {row.standard_error:.1f}   99 % {row.q99:7.1f}")
