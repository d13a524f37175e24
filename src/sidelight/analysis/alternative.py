"""One question behind all the geometry of a game, and its two kinds of proof.

Is there a point q >= 0 with  g q > 0 for every strict row g,  h q >= 0 for every weak row h  and  e q = 0 ?

By Motzkin's theorem of the alternative either such a point exists, or multipliers y >= 0 (not all 0), w >= 0 and mu do
with  sum y g + sum w h + mu e <= 0  in every column. Both are exact and can be checked by hand; no answer relies on a
float. q is a direction: q / sum(q) is an outcome law.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sidelight.analysis.linear_algebra import Row, Vector, exact_inner_product, integer_matrix, primitive_row
from sidelight.analysis.linear_program import confirm_basis_exactly, exact_simplex, propose_optimal_basis
from sidelight.kernels.arrays import Floats

# A proposed point is rounded to this many steps per coordinate: coarse first, because people may read the fractions,
# finally much finer than the tolerance of the solver that proposed it.
_GRIDS = (1, 12, 1 << 20, 1 << 40)
# How far a point is pulled toward one that is known to lie inside, in powers of one half.
_PULLS = (1, 3, 6, 12, 20, 30)
# A proposed slack below this is more likely an artefact than real.
_SLACK = 1e-12
# With more outcomes than this, points without zeros are found in another way.
_FEW = 64


class Possible(NamedTuple):
    """The answer yes, with its proof: a point in integers that satisfies all rows."""

    point: tuple[int, ...]


class Impossible(NamedTuple):
    """Multipliers that rule every point out; those of the strict rows sum to one."""

    strict: Vector
    weak: Vector
    equal: Fraction


def decide_positive_alternative(strict: Sequence[Row], equal: Row) -> Possible | Impossible:
    """Answer the question for points q > 0, with proof; the multipliers of q_m > 0 come after those of the rows.

    With few outcomes q_m > 0 is one more strict row each. With many, q = r + s in the program of `decide_alternative`
    leaves r >= 0 and no further rows, and its multiplier of q_m > 0 is what is left in column m, -(sum y g + mu e)_m.
    """
    size = len(equal)
    if size <= _FEW:
        units: list[Row] = [[int(m == n) for n in range(size)] for m in range(size)]
        return decide_alternative([*strict, *units], equal=equal)
    A, b, c = _linear_program_of_alternative(strict, (), equal)
    A = [[*row[:size], row[size] + sum(row[:size])] for row in A]
    proposal = propose_optimal_basis(A, b, c)
    if proposal is not None and proposal.value > _SLACK:
        point = _round_to_provable_point(proposal.point[:size] + proposal.point[size], strict, (), equal, None, least=1)
        if point is not None:
            return Possible(point)
    optimum = (proposal and confirm_basis_exactly(A, b, c, proposal)) or exact_simplex(A, b, c)
    if optimum.value > 0:
        return Possible(
            primitive_row(integer_matrix([[value + optimum.value for value in optimum.point[:size]]])[0][0])
        )
    y, mu = optimum.multipliers[2:-2], optimum.multipliers[-1] - optimum.multipliers[-2]
    left = [-mu * value for value in equal]
    for weight, row in zip(y, strict, strict=True):
        if weight:
            left = [have - weight * value for have, value in zip(left, row, strict=True)]
    total = sum(y, Fraction(0)) + sum(left, Fraction(0))
    return Impossible(tuple(v / total for v in (*y, *left)), (), mu / total)


def decide_alternative(
    strict: Sequence[Row], weak: Sequence[Row] = (), equal: Row | None = None, inside: Row | None = None
) -> Possible | Impossible:
    """Answer the question, with proof.

    `inside`, if given, is a point that satisfies every weak row strictly and the equation exactly: a proposal is pulled
    a little toward it, so that rounding cannot push it over a weak border.
    """
    size = len(strict[0])
    A, b, c = _linear_program_of_alternative(strict, weak, equal)
    proposal = propose_optimal_basis(A, b, c)
    if proposal is not None and proposal.value > _SLACK:
        point = _round_to_provable_point(proposal.point[:size], strict, weak, equal, inside)
        if point is not None:
            return Possible(point)
    optimum = (proposal and confirm_basis_exactly(A, b, c, proposal)) or exact_simplex(A, b, c)
    if optimum.value > 0:
        return Possible(primitive_row(integer_matrix([optimum.point[:size]])[0][0]))
    return _impossibility_proof(optimum.multipliers, len(strict), len(weak), equal is not None)


def _linear_program_of_alternative(
    strict: Sequence[Row], weak: Sequence[Row], equal: Row | None
) -> tuple[list[list[int]], list[int], list[int]]:
    """Return max s  subject to  sum q <= 1,  s <= 1,  |g| s <= g q,  0 <= h q,  e q = 0.

    It is always feasible, and s > 0 means yes.
    """
    size = len(strict[0] if equal is None else equal)
    A = [[1] * size + [0], [0] * size + [1]]
    A += [[*(-value for value in row), max(max(map(abs, row)), 1)] for row in strict]
    A += [[*(-value for value in row), 0] for row in weak]
    if equal is not None:
        A += [[*equal, 0], [*(-value for value in equal), 0]]
    return A, [1, 1] + [0] * (len(A) - 2), [0] * size + [1]


def _impossibility_proof(multipliers: Vector, strict: int, weak: int, equal: bool) -> Impossible:
    y = multipliers[2 : 2 + strict]
    w = multipliers[2 + strict : 2 + strict + weak]
    mu = multipliers[-1] - multipliers[-2] if equal else Fraction(0)
    total = sum(filter(None, y), Fraction(0))
    return Impossible(tuple(v and v / total for v in y), tuple(v and v / total for v in w), mu / total)


def _round_to_provable_point(
    point: Floats,
    strict: Sequence[Row],
    weak: Sequence[Row],
    equal: Row | None,
    inside: Row | None,
    least: int = 0,
) -> tuple[int, ...] | None:
    """Turn a float point into an integer point that provably satisfies everything; None if rounding breaks it.

    Its entries are at least `least`.
    """
    for grid in _GRIDS:
        q = [int(value) for value in np.rint(np.clip(point, 0.0, None) * (grid * len(point)))]
        if equal is not None:
            q = move_onto_hyperplane(q, equal)
        if min(q) >= least and satisfies_rows_exactly(q, strict, weak, equal):
            return primitive_row(q)
    if inside is not None:
        for pull in _PULLS:
            total, anchor = sum(q), sum(inside)
            pulled = [(value * anchor << pull) + total * known for value, known in zip(q, inside, strict=True)]
            if satisfies_rows_exactly(pulled, strict, weak, equal):
                return primitive_row(pulled)
    return None


def move_onto_hyperplane(q: list[int], equal: Row) -> list[int]:
    """Return a point near q with equal q = 0, by changing the coordinate that can best absorb the residual r.

    With m that coordinate, |e_m| q - sign(e_m) r in place m is exact.
    """
    best = max(range(len(q)), key=lambda m: abs(equal[m]) * q[m])
    rest, weight = exact_inner_product(equal, q), equal[best]
    moved = [abs(weight) * value for value in q]
    moved[best] -= rest if weight > 0 else -rest
    return moved


def satisfies_rows_exactly(q: Row, strict: Sequence[Row], weak: Sequence[Row] = (), equal: Row | None = None) -> bool:
    """Check, exactly, that q >= 0 satisfies all rows."""
    return (
        min(q) >= 0
        and (equal is None or exact_inner_product(equal, q) == 0)
        and all(exact_inner_product(row, q) > 0 for row in strict)
        and all(exact_inner_product(row, q) >= 0 for row in weak)
    )
