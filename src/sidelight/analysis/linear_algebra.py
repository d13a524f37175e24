"""Exact linear algebra over the integers, so that nothing that decides a game's class is rounded.

All elimination is fraction-free (E. H. Bareiss, "Sylvester's identity and multistep integer-preserving Gaussian
elimination", 1968): every intermediate number is a minor of the input, so the divisions leave no remainder and the
numbers stay as short as they can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

Row = Sequence[int]
Vector = tuple[Fraction, ...]


class Echelon(NamedTuple):
    """The reduced row echelon form of an integer matrix, without its zero rows, times the integer `scale`."""

    rows: list[list[int]]
    pivots: list[int]
    scale: int


def integer_matrix(rows: Sequence[Sequence[Fraction]]) -> tuple[tuple[tuple[int, ...], ...], int]:
    """Return the matrix times the least number that makes all of it integers, and that number."""
    scale = lcm(*(value.denominator for row in rows for value in row))
    return tuple(tuple(int(value * scale) for value in row) for row in rows), scale


def primitive_row(row: Row) -> tuple[int, ...]:
    """Return the row divided by the greatest common divisor of its entries."""
    divisor = gcd(*row)
    return tuple(row) if divisor <= 1 else tuple(value // divisor for value in row)


def exact_difference(left: Row, right: Row) -> tuple[int, ...]:
    """Return left - right."""
    return tuple(a - b for a, b in zip(left, right, strict=True))


def exact_inner_product(left: Row, right: Row) -> int:
    """Return the inner product."""
    return sum(a * b for a, b in zip(left, right, strict=True) if a and b)


def integer_echelon_form(rows: Sequence[Row], columns: int | None = None) -> Echelon:
    """Reduce an integer matrix by fraction-free Gauss-Jordan elimination, looking for pivots in the first `columns`."""
    matrix = [list(row) for row in rows]
    width = len(matrix[0]) if columns is None and matrix else columns or 0
    pivots: list[int] = []
    scale = 1
    for column in range(width):
        top = len(pivots)
        candidates = [r for r in range(top, len(matrix)) if matrix[r][column]]
        if not candidates:
            continue
        best = min(candidates, key=lambda r: abs(matrix[r][column]))
        matrix[top], matrix[best] = matrix[best], matrix[top]
        pivot, leader = matrix[top][column], matrix[top]
        for r, row in enumerate(matrix):
            if r == top:
                continue
            factor = row[column]
            if factor:
                matrix[r] = [(pivot * a - factor * b) // scale for a, b in zip(row, leader, strict=True)]
            elif pivot != scale:
                matrix[r] = [pivot * a // scale for a in row]
        scale = pivot
        pivots.append(column)
        if len(pivots) == len(matrix):
            break
    return Echelon(matrix[: len(pivots)], pivots, scale)


def solve_integer_system(matrix: Sequence[Row], right: Row) -> tuple[list[int], int] | None:
    """Solve a square system: integers x and a positive d with matrix x = d right; None if the matrix is singular."""
    size = len(matrix)
    reduced = integer_echelon_form([[*row, value] for row, value in zip(matrix, right, strict=True)], columns=size)
    if len(reduced.pivots) < size:
        return None
    sign = 1 if reduced.scale > 0 else -1
    return [sign * row[-1] for row in reduced.rows], abs(reduced.scale)


class IntegerSpan:
    """The row space of an integer matrix, ready to be asked about many vectors."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = [tuple(row) for row in rows]
        self._reduced = integer_echelon_form(self.rows)
        self._gram: Echelon | None = None

    def residual(self, vector: Row) -> tuple[int, ...]:
        """Return `scale` times the part of the vector that the row space leaves at the columns without a pivot.

        It is linear in the vector and zero exactly when the vector lies in the row space.
        """
        rows, pivots, scale = self._reduced
        rest = [scale * value for value in vector]
        for row, pivot in zip(rows, pivots, strict=True):
            factor = vector[pivot]
            if factor:
                rest = [a - factor * b for a, b in zip(rest, row, strict=True)]
        return tuple(rest)

    def __contains__(self, vector: Row) -> bool:
        return not any(self.residual(vector))

    def null_vector(self, vector: Row) -> Vector:
        """Return q, orthogonal to every row, with vector q = 1; the vector must lie outside the row space."""
        rows, pivots, scale = self._reduced
        rest = self.residual(vector)
        free = next(column for column, value in enumerate(rest) if value)
        q = [Fraction(0)] * len(rest)
        # The null vector of a free column f is 1 there and minus the reduced row's entry at each pivot; before it is
        # divided by rest[f] / scale, vector q is just that.
        q[free] = Fraction(scale, rest[free])
        for row, pivot in zip(rows, pivots, strict=True):
            q[pivot] = Fraction(-row[free], rest[free])
        return tuple(q)

    def least_norm(self, vector: Row) -> Vector:
        """Return the shortest v with sum_r v_r row_r = vector, which must lie in the row space.

        The pivot columns C of S suffice, since the others depend on them: v = C (C'C)^-1 c, with c the vector's entries
        in those columns.
        """
        pivots = self._reduced.pivots
        columns = [[row[pivot] for pivot in pivots] for row in self.rows]
        if self._gram is None:
            size = len(pivots)
            gram = [[sum(row[a] * row[b] for row in columns) for b in range(size)] for a in range(size)]
            unit = [[int(a == b) for b in range(size)] for a in range(size)]
            self._gram = integer_echelon_form([g + u for g, u in zip(gram, unit, strict=True)], columns=size)
        wanted = [vector[pivot] for pivot in pivots]
        x = [exact_inner_product(row[len(pivots) :], wanted) for row in self._gram.rows]
        return tuple(Fraction(exact_inner_product(row, x), self._gram.scale) for row in columns)

    def dependencies(self) -> list[tuple[int, ...]]:
        """Return a basis of the integer vectors w with sum_r w_r row_r = 0."""
        transposed = list(zip(*self.rows, strict=True))
        rows, pivots, scale = integer_echelon_form(transposed)
        basis = []
        for free in sorted(set(range(len(self.rows))) - set(pivots)):
            vector = [0] * len(self.rows)
            vector[free] = scale
            for row, pivot in zip(rows, pivots, strict=True):
                vector[pivot] = -row[free]
            basis.append(primitive_row(vector))
        return basis
