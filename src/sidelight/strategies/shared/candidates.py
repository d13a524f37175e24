"""Which actions are worth playing: among actions with equal losses the informative ones, which show more at no cost."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.game_arrays import float_rows
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot


class BestActions(NamedTuple):
    """The loss rows that can be optimal; row c is that of the actions member[first[c]] to member[first[c + 1]]."""

    loss: Floats
    first: Integers
    member: Integers


def candidates(analysis: Analysis, *, pareto: bool = False) -> dict[int, list[int]]:
    """Return, for each class of equal losses that can be optimal, its lowest action and its actions worth playing.

    These are the informative actions of the class; where none is informative, the lowest action stands for all. With
    `pareto`, degenerate actions are left out.
    """
    game, geometry = analysis.game, analysis.cells
    left_out = ("dominated", "degenerate") if pareto else ("dominated",)
    classes = [i for i in geometry.classes if geometry.status(i) not in left_out]
    members = {i: [a for a in range(game.n_actions) if geometry.representative[a] == i] for i in classes}
    return {i: [a for a in group if game.informative(a)] or [i] for i, group in members.items()}


def best_action_candidates(analysis: Analysis, *, relative: bool = False, pareto: bool = False) -> BestActions:
    """Lay out the classes of equal losses that can be optimal, and the actions of each that are worth playing.

    With `pareto`, degenerate actions are left out. With `relative`, the losses of the first class are subtracted
    exactly: then a loss that all actions share changes nothing, not even by rounding.
    """
    groups, loss = candidates(analysis, pareto=pareto), analysis.game.loss
    rows = [loss[i] for i in groups]
    if relative:
        rows = [tuple(x - y for x, y in zip(row, rows[0], strict=True)) for row in rows]
    return BestActions(
        loss=float_rows(rows),
        first=np.concatenate([[0], np.cumsum([len(group) for group in groups.values()])]).astype(np.int64),
        member=np.concatenate(list(groups.values())).astype(np.int64),
    )


@kernel
def best_candidate_action(choice: BestActions, law: Floats, plays: Integers) -> int:
    """Return the action of least expected loss under a law; of equal losses the least played, on ties the first."""
    found, least = 0, math.inf
    for c in range(choice.loss.shape[0]):
        expected = dot(choice.loss[c], law)
        if expected < least:
            found, least = c, expected
    return least_played_candidate(choice, found, plays)


@kernel
def least_played_candidate(choice: BestActions, found: int, plays: Integers) -> int:
    """Return the least played action of a class, on ties the first."""
    chosen = choice.member[choice.first[found]]
    for n in range(choice.first[found] + 1, choice.first[found + 1]):
        if plays[choice.member[n]] < plays[chosen]:
            chosen = choice.member[n]
    return chosen
