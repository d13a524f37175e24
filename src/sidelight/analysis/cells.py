"""Cells: the outcome laws under which an action is optimal, and which cells touch.

With d_ki = L_k - L_i, the cell of action i is C_i = {p : d_ki p >= 0 for all k}. An action is *Pareto-optimal* if its
cell has full dimension, *degenerate* if the cell is smaller but not empty, *dominated* if it is empty. Two
Pareto-optimal actions are *neighbors* if their cells share a face of dimension M - 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

from sidelight.analysis.alternative import Possible, decide_positive_alternative
from sidelight.analysis.linear_algebra import Row, Vector, exact_difference, integer_matrix
from sidelight.analysis.linear_program import maximize_exactly
from sidelight.game import Game

Status = Literal["pareto", "degenerate", "dominated"]


class ActionCertificate(NamedTuple):
    """Why an action has its status.

    - pareto: `point` is a law at which the action is strictly better than every action with other losses;
    - degenerate: `point` is a law at which it is optimal, and `mixture` weighs other actions so that their mixed loss
      is nowhere above its own;
    - dominated: the mixed loss of `mixture` is strictly below its own at every outcome.
    """

    status: Status
    point: Vector | None
    mixture: Mapping[int, Fraction] | None


class NeighborCertificate(NamedTuple):
    """Why two Pareto-optimal actions i, j are neighbors or not.

    - yes: `point` is a law without zeros at which i and j tie and are strictly better than every action k off the line
      through their loss rows;
    - no: multipliers y of actions, z of outcomes (non-negative, summing to one) and mu, `difference`, with
      sum_k y_k (L_k - L_i) + z + mu (L_i - L_j) <= 0 at every outcome.
    """

    neighbors: bool
    point: Vector | None
    actions: Mapping[int, Fraction] | None
    outcomes: Mapping[int, Fraction] | None
    difference: Fraction | None


class Cells:
    """The cells of a game, worked out once."""

    def __init__(self, game: Game) -> None:
        self.n_outcomes = game.n_outcomes
        # Everything here works with integers: losses times `scale`.
        self.loss, self.scale = integer_matrix(game.loss)
        first: dict[tuple[int, ...], int] = {}
        self.representative = tuple(first.setdefault(row, index) for index, row in enumerate(self.loss))
        self.classes = tuple(first.values())
        self._pairs: dict[tuple[int, int], NeighborCertificate] = {}
        self._from: dict[int, dict[int, Row]] = {}

    def difference(self, i: int, j: int) -> tuple[int, ...]:
        """Return L_i - L_j in the common integer scale."""
        return exact_difference(self.loss[i], self.loss[j])

    @cached_property
    def certificates(self) -> dict[int, ActionCertificate]:
        """The status of every class of duplicates, by its representative, with proof."""
        return {i: self._status(i) for i in self.classes}

    def status(self, i: int) -> Status:
        """Return the status of action i."""
        return self.certificates[self.representative[i]].status

    @cached_property
    def pareto(self) -> tuple[int, ...]:
        """The Pareto-optimal actions, one per class of duplicates."""
        return tuple(i for i in self.classes if self.certificates[i].status == "pareto")

    @cached_property
    def neighbors(self) -> tuple[tuple[int, int], ...]:
        """The pairs of neighbors i < j, one action per class of duplicates."""
        pairs = [(i, j) for n, i in enumerate(self.pareto) for j in self.pareto[n + 1 :]]
        return tuple(pair for pair in pairs if self.neighbor_certificate(*pair).neighbors)

    def on_line(self, i: int, j: int) -> tuple[int, ...]:
        """Return the actions whose loss rows lie on the line through the rows of i and j.

        For neighbors that is N+, the actions k with C_i n C_j inside C_k: L_k = L_i + tau (L_j - L_i), and that tau
        lies in [0, 1] follows.
        """
        along = self.difference(j, i)
        anchor = next(m for m, value in enumerate(along) if value)
        start, step = self.loss[i], along[anchor]
        inner = []
        for k, row in enumerate(self.loss):
            moved = row[anchor] - start[anchor]
            if all((a - s) * step == moved * v for a, s, v in zip(row, start, along, strict=True)):
                inner.append(k)
        return tuple(inner)

    def neighbor_certificate(self, i: int, j: int) -> NeighborCertificate:
        """Decide whether the Pareto-optimal actions i < j, not duplicates, are neighbors.

        They are exactly if some p > 0 has (L_i - L_j) p = 0 and (L_k - L_i) p > 0 for every k off their line: on the
        hyperplane of the tie such a point is interior to C_i n C_j, relative to it.
        """
        if (i, j) not in self._pairs:
            self._pairs[i, j] = self._neighbor(i, j)
        return self._pairs[i, j]

    def _neighbor(self, i: int, j: int) -> NeighborCertificate:
        line = set(self.on_line(i, j))
        others = [k for k in self.classes if k not in line]
        from_i = self._from.get(i)
        if from_i is None:  # pairs come ordered by i
            from_i = {k: self.difference(k, i) for k in self.classes}
            self._from = {i: from_i}
        rows: list[Row] = [from_i[k] for k in others]
        answer = decide_positive_alternative(rows, self.difference(i, j))
        if isinstance(answer, Possible):
            return NeighborCertificate(True, law_along_integer_direction(answer.point), None, None, None)
        y = {k: value * self.scale for k, value in zip(others, answer.strict, strict=False) if value}
        z = {m: value for m, value in enumerate(answer.strict[len(others) :]) if value}
        total = sum(y.values(), Fraction(0)) + sum(z.values(), Fraction(0))
        return NeighborCertificate(
            False,
            None,
            {k: value / total for k, value in y.items()},
            {m: value / total for m, value in z.items()},
            answer.equal * self.scale / total,
        )

    def _status(self, i: int) -> ActionCertificate:
        """Decide by an exact linear program whether action i is Pareto-optimal, degenerate or dominated.

        It maximizes s over laws p with (L_k - L_i) p >= s for all k with other losses. With p_0 = 1 - sum of the rest
        and s = u - bound the program starts feasible at the first corner. Its multipliers y sum to one and have
        sum_k y_k (L_k - L_i) <= s at every outcome: a mixture of the other actions.
        """
        others = [k for k in self.classes if k != i]
        if not others:
            uniform = Fraction(1, self.n_outcomes)
            return ActionCertificate("pareto", (uniform,) * self.n_outcomes, None)
        rows = [self.difference(k, i) for k in others]
        bound = max(abs(value) for row in rows for value in row) + 1
        A = [[1] * (self.n_outcomes - 1) + [0]]
        A += [[*(row[0] - value for value in row[1:]), 1] for row in rows]
        b = [1] + [bound + row[0] for row in rows]
        optimum = maximize_exactly(A, b, [0] * (self.n_outcomes - 1) + [1])
        slack = optimum.value - bound
        rest = optimum.point[:-1]
        point: Vector = (1 - sum(rest, Fraction(0)), *rest)
        mixture = {k: weight for k, weight in zip(others, optimum.multipliers[1:], strict=True) if weight}
        if slack > 0:
            return ActionCertificate("pareto", point, None)
        return (
            ActionCertificate("degenerate", point, mixture)
            if slack == 0
            else ActionCertificate("dominated", None, mixture)
        )


def law_along_integer_direction(direction: Row) -> Vector:
    """Return the probability vector along an integer direction."""
    total = sum(direction)
    return tuple(Fraction(value, total) for value in direction)
