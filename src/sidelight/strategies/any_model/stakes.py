"""The game as arrays, for ProspectModel: what actions cost, which are neighbors, and what each of them shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.analysis import Analysis
from sidelight.game import Game, Symbol
from sidelight.game_arrays import loss_matrix, signal_indices
from sidelight.kernels.arrays import Floats, Integers


@dataclass(frozen=True)
class Stakes:
    """Losses less what no action can avoid, in units of the largest difference, and what actions show."""

    losses: Floats  # (actions, outcomes)
    unit: float
    pareto: Integers  # one action of each class of duplicates
    neighbors: tuple[tuple[int, ...], ...]
    shown: Integers  # (actions, outcomes): the index of the symbol among those of the action
    names: Integers  # (actions, outcomes): and among all symbols of the game
    signals: dict[int, Floats]  # for each informative action, (symbols, outcomes)

    @property
    def outcomes(self) -> int:
        """How many outcomes there are."""
        return self.losses.shape[1]

    def allowed(self, actions: Integers, symbols: Integers) -> Floats:
        """Return 1 for each outcome that shows the symbol seen, else 0; (n, outcomes)."""
        return np.asarray(self.shown[actions] == symbols[:, None], float)

    @property
    def revealing(self) -> bool:
        """Whether every action that shows anything shows the outcome."""
        return all(len(signal) == self.outcomes for signal in self.signals.values())

    def best(self, law: Floats) -> int:
        """Return the cheapest action under a law; among equally cheap ones, one that shows something."""
        cost = self.losses @ law
        best = int(self.pareto[cost[self.pareto].argmin()])
        for a in self.signals:
            if cost[a] <= cost[best] + 1e-12:
                best = a
        return best


def stakes_of(analysis: Analysis) -> Stakes:
    """Lay out an analyzed game."""
    game = analysis.game
    raw = loss_matrix(game)
    losses = raw - raw.min(0)
    unit = max(float(losses.max()), 1e-300)
    doubles = {a for group in analysis.duplicates for a in group if a != min(group)}
    neighbors: list[list[int]] = [[] for _ in range(game.n_actions)]
    for i, j in analysis.neighbors:
        neighbors[i].append(j)
        neighbors[j].append(i)
    shown = signal_indices(game)
    return Stakes(
        losses=losses / unit,
        unit=unit,
        pareto=np.array([a for a in analysis.pareto if a not in doubles], np.int64),
        neighbors=tuple(map(tuple, neighbors)),
        shown=shown,
        names=_numbered(game),
        signals={a: np.eye(shown[a].max() + 1)[shown[a]].T for a in range(game.n_actions) if game.informative(a)},
    )


def _numbered(game: Game) -> Integers:
    """Return the number of each symbol; actions that show the same one share it."""
    known: dict[Symbol, int] = {}
    return np.array([[known.setdefault(symbol, len(known)) for symbol in row] for row in game.feedback], np.int64)
