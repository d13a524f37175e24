"""Observability: whether the difference of two actions' losses can be read off the symbols of some actions.

The signal matrix S_a has a row per symbol of action a, with ones at the outcomes that show it, so S_a p is the law of
the symbols of a. A difference d_ij = L_i - L_j can be estimated from the actions in V exactly if it lies in the span of
the rows of their signal matrices: d_ij = sum_a S_a' v_a. The v_a are the *observer vectors*.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Literal, NamedTuple, get_args

from sidelight.analysis.linear_algebra import IntegerSpan, Row, Vector, integer_matrix
from sidelight.analysis.linear_program import maximize_exactly
from sidelight.errors import SidelightError
from sidelight.game import Game

ObserverKind = Literal["minimum-norm", "half-range", "max-norm"]
ObserverVectors = dict[int, Vector]


class ObservabilityCertificate(NamedTuple):
    """Why a loss difference can be observed by some actions or not.

    - yes: `vectors` v with sum_a S_a' v_a = L_i - L_j;
    - no: `null`, a direction q in which no symbol's probability changes, S_a q = 0, while (L_i - L_j) q = 1.
    """

    observable: bool
    vectors: Mapping[int, Vector] | None
    null: Vector | None


class Observers:
    """The signal matrices of a set of actions, ready to observe loss differences (integers over `scale`)."""

    def __init__(self, game: Game, actions: tuple[int, ...], scale: int) -> None:
        self.actions = actions
        self.informative = tuple(game.informative(a) for a in actions)
        signals = [game.signal(a) for a in actions]
        self._bounds = list(accumulate((len(signal) for signal in signals), initial=0))
        self._span = IntegerSpan([row for signal in signals for row in signal])
        self._scale = scale

    def residual(self, vector: Row) -> tuple[int, ...]:
        """Return the residual of a vector outside the span: linear in the vector, and zero only inside the span."""
        return self._span.residual(vector)

    def observe(self, difference: Row) -> bool:
        """Say whether these actions observe the difference."""
        return difference in self._span

    def certificate(self, difference: Row) -> ObservabilityCertificate:
        """Say whether these actions observe the difference, and why."""
        if self.observe(difference):
            return ObservabilityCertificate(True, self.vectors(difference), None)
        null = tuple(value * self._scale for value in self._span.null_vector(difference))
        return ObservabilityCertificate(False, None, null)

    def vectors(self, difference: Row, kind: ObserverKind = "minimum-norm") -> ObserverVectors:
        """Return observer vectors of an observable difference, chosen as `kind` says.

        - minimum-norm: least sum of squares, the choice of the literature; unique;
        - half-range: least sum over actions of (max v_a - min v_a) / 2, which is what Hoeffding's inequality sees
          (constants cost nothing, in particular those of uninformative actions);
        - max-norm: least max_a |v_a|.
        """
        if kind not in get_args(ObserverKind):
            raise SidelightError(
                f"unknown kind of observer vectors {kind!r}: choose from {', '.join(get_args(ObserverKind))}"
            )
        shortest = self._span.least_norm(difference)
        flat = shortest if kind == "minimum-norm" else self._least(shortest, kind)
        return {
            action: tuple(value / self._scale for value in flat[start:stop])
            for action, start, stop in zip(self.actions, self._bounds, self._bounds[1:], strict=False)
        }

    def _least(self, start: Vector, kind: ObserverKind) -> Vector:
        """Move from one solution along the dependencies of the signal rows to the least by a linear program.

        v = start + sum_k w_k dependency_k with w = w+ - w-. For the half-range each action has a center c = c+ - c- and
        a radius r_a with |v_a - c| <= r_a, for the max-norm all share one radius around 0. The sum of the radii is at
        most `reach` at the optimum, so with r = reach - s the program is to maximize sum s and starts feasible at 0.
        """
        (origin,), scale = integer_matrix([start])
        moves = self._span.dependencies()
        spans = list(zip(self._bounds, self._bounds[1:], strict=False))
        groups = spans if kind == "half-range" else [(0, len(origin))]
        centers = len(spans) if kind == "half-range" else 0
        reach = sum(max(abs(value) for value in origin[a:b]) for a, b in groups) + 1
        A: list[list[int]] = []
        b: list[int] = []
        for group, (low, high) in enumerate(groups):
            radius = [int(g == group) for g in range(len(groups))]
            center = [int(g == group) for g in range(centers)]
            for u in range(low, high):
                for sign in (1, -1):
                    along = [sign * scale * move[u] for move in moves]
                    shift = [-sign * value for value in center]
                    A.append([*radius, *along, *(-value for value in along), *shift, *(-value for value in shift)])
                    b.append(reach - sign * origin[u])
            A.append([*radius, *[0] * (2 * len(moves) + 2 * centers)])
            b.append(reach)
        c = [1] * len(groups) + [0] * (2 * len(moves) + 2 * centers)
        solution = maximize_exactly(A, b, c).point[len(groups) :]
        weights = [plus - minus for plus, minus in zip(solution, solution[len(moves) : 2 * len(moves)], strict=False)][
            : len(moves)
        ]
        return tuple(
            value + sum((w * move[u] for w, move in zip(weights, moves, strict=True)), Fraction(0))
            for u, value in enumerate(start)
        )
