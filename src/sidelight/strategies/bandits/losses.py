"""Games that are bandits: the symbol of an action tells what the action costs.

Only loss differences matter, so a loss that all actions pay alike may be added: a game is a bandit if there are numbers
c_j, one per outcome, such that L_aj + c_j depends on the symbol alone for every Pareto-optimal action a,

    c_j - c_k = L_ak - L_aj    whenever a shows the same symbol at the outcomes j and k.

Apple tasting is one: if c_j is minus the loss of the blind action, that action always costs nothing, and the symbol
shows what tasting costs in comparison. The differences of c are found by a walk over outcomes that share symbols, in
fractions; in each set of linked outcomes the least loss becomes 0, so a loss that all actions share changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import first_places
from sidelight.kernels.arrays import Flags, Floats, Integers


class Arms(NamedTuple):
    """The actions to choose from, and what their symbols tell. The symbols of action a are place[a] to place[a + 1]."""

    actions: Integers  # the Pareto-optimal ones
    place: Integers
    loss: Floats  # of each symbol, between 0 and 1
    sure: Flags  # for each action: 1 if it has a single symbol, so that its loss is known


def bandit_arms(analysis: Analysis, name: str) -> Arms:
    """Lay out a bandit; refuse a game that is not one."""
    game, actions = analysis.game, analysis.pareto
    common = common_losses_of_bandit(game, actions)
    if common is None:
        raise SidelightError(
            f"{name} plays bandits, games in which the symbol of an action tells what the action costs, up to a loss "
            "that all actions pay alike; in this game it does not. RandCBP plays it, with contexts RandCBPSide"
        )
    seen = [Fraction(0)] * sum(len(game.symbols(a)) for a in range(game.n_actions))
    place = first_places(game)
    for a in actions:
        for j, symbol in enumerate(game.feedback[a]):
            seen[place[a] + game.symbols(a).index(symbol)] = game.loss[a][j] + common[j]
    most = max(seen) or Fraction(1)
    sure = [not game.informative(a) for a in range(game.n_actions)]
    return Arms(
        actions=np.array(actions, np.int64),
        place=place,
        loss=np.array([float(value / most) for value in seen]),
        sure=np.array(sure, np.uint8),
    )


def common_losses_of_bandit(game: Game, actions: Sequence[int]) -> list[Fraction] | None:
    """Return shifts c with which symbols tell the loss L_aj + c_j, least 0 per set of linked outcomes, or None."""
    links = _linked_outcomes_of_bandit(game, actions)
    found: dict[int, Fraction] = {}
    for root in range(game.n_outcomes):
        if root in found:
            continue
        found[root] = Fraction(0)
        linked = [root]
        for i in linked:  # grows while it is walked through
            for j, difference in links[i]:
                if j not in found:
                    found[j] = found[i] + difference
                    linked.append(j)
                elif found[j] != found[i] + difference:
                    return None
        least = min(game.loss[a][j] + found[j] for a in actions for j in linked)
        found |= {j: found[j] - least for j in linked}
    return [found[j] for j in range(game.n_outcomes)]


def _linked_outcomes_of_bandit(game: Game, actions: Sequence[int]) -> list[list[tuple[int, Fraction]]]:
    """Return, for each outcome i, the outcomes j for which some action shows the same symbol, with c_j - c_i."""
    links: list[list[tuple[int, Fraction]]] = [[] for _ in range(game.n_outcomes)]
    for a in actions:
        last: dict[object, int] = {}
        for j, symbol in enumerate(game.feedback[a]):
            if symbol in last:
                i = last[symbol]
                difference = game.loss[a][i] - game.loss[a][j]
                links[i].append((j, difference))
                links[j].append((i, -difference))
            last[symbol] = j
    return links
