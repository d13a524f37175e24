"""Linear programs with exact answers.

Every linear program of the library has the form

    maximize c x  subject to  A x <= b,  x >= 0,  with integers and b >= 0,

so that x = 0 is feasible and no first phase is needed. HiGHS proposes a basis in floating point; the two square systems
of that basis are solved over the integers and checked. If the proposal fails the check (because the answer depends on
less than a float can resolve), the simplex method continues in exact arithmetic.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sidelight.analysis.linear_algebra import Row, Vector, exact_inner_product, solve_integer_system
from sidelight.kernels.arrays import Floats

# Between HiGHS's default (1e-7) and the least it accepts (1e-10).
_TOLERANCE = 1e-9
# Smaller integers are floats without rounding.
_EXACT = 1 << 53
_ZERO = Fraction(0)
_thread = threading.local()


class Optimum(NamedTuple):
    """An optimal point and, proving it, non-negative multipliers y of the rows with y A >= c and y b = c x."""

    value: Fraction
    point: Vector
    multipliers: Vector


class Proposal(NamedTuple):
    """The floating-point answer to a linear program; it must be checked before it is used."""

    value: float
    point: Floats
    tight: list[int]
    basic: list[int]


def maximize_exactly(A: Sequence[Row], b: Row, c: Row) -> Optimum:
    """Solve max c x, A x <= b, x >= 0 (integers, b >= 0) exactly."""
    proposal = propose_optimal_basis(A, b, c)
    return (proposal and confirm_basis_exactly(A, b, c, proposal)) or exact_simplex(A, b, c)


def propose_optimal_basis(A: Sequence[Row], b: Row, c: Row) -> Proposal | None:
    """Ask HiGHS for an optimal basis; None if it finds none."""
    import highspy

    # Rows of very different size are scaled to one size; a row's scale changes neither the point nor the basis.
    # Integers are divided by integers, since neither needs to fit a float.
    scales = [max(max(map(abs, row)), 1) for row in A]
    if max(scales) < _EXACT:
        matrix = np.array(A, dtype=float) / np.array(scales, dtype=float)[:, None]
    else:
        matrix = np.array([[value / scale for value in row] for row, scale in zip(A, scales, strict=True)])
    try:
        bounds = np.array([value / scale for value, scale in zip(b, scales, strict=True)])
    except OverflowError:
        return None
    solver = _exact_linear_program_solver()
    m, n = matrix.shape
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n, m
    lp.col_cost_ = -np.array(c, dtype=float)
    lp.col_lower_, lp.col_upper_ = np.zeros(n), np.full(n, highspy.kHighsInf)
    lp.row_lower_, lp.row_upper_ = np.full(m, -highspy.kHighsInf), bounds
    nonzero = matrix != 0.0
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(nonzero.sum(axis=1))]).astype(np.int32)
    lp.a_matrix_.index_ = np.nonzero(nonzero)[1].astype(np.int32)
    lp.a_matrix_.value_ = matrix[nonzero]
    solver.passModel(lp)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    basis, basic = solver.getBasis(), highspy.HighsBasisStatus.kBasic
    return Proposal(
        value=-solver.getInfo().objective_function_value,
        point=np.array(solver.getSolution().col_value),
        tight=[i for i, status in enumerate(basis.row_status) if status != basic],
        basic=[j for j, status in enumerate(basis.col_status) if status == basic],
    )


def _exact_linear_program_solver() -> Any:
    """Return this thread's HiGHS, which is costly to make and must not be shared."""
    import highspy

    if not hasattr(_thread, "solver"):
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("presolve", "off")  # the basis must be one of the problem as it was given
        solver.setOptionValue("solver", "simplex")
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("primal_feasibility_tolerance", _TOLERANCE)
        solver.setOptionValue("dual_feasibility_tolerance", _TOLERANCE)
        _thread.solver = solver
    return _thread.solver


def confirm_basis_exactly(A: Sequence[Row], b: Row, c: Row, proposal: Proposal) -> Optimum | None:
    """Solve the systems of the proposed basis exactly; None unless they prove optimality."""
    tight, basic = proposal.tight, proposal.basic
    if len(tight) != len(basic):
        return None
    square = [[A[i][j] for j in basic] for i in tight]
    primal = solve_integer_system(square, [b[i] for i in tight]) if tight else ([], 1)
    dual = solve_integer_system(list(zip(*square, strict=True)), [c[j] for j in basic]) if tight else ([], 1)
    if primal is None or dual is None or min(primal[0], default=0) < 0 or min(dual[0], default=0) < 0:
        return None
    x, x_scale = _spread_basic_values(primal[0], basic, len(c)), primal[1]
    y, y_scale = _spread_basic_values(dual[0], tight, len(b)), dual[1]
    feasible = all(exact_inner_product(row, x) <= x_scale * bound for row, bound in zip(A, b, strict=True))
    if not feasible or not dominates_columns_exactly(A, y, [y_scale * value for value in c]):
        return None
    return Optimum(
        Fraction(exact_inner_product(c, x), x_scale),
        tuple(Fraction(value, x_scale) if value else _ZERO for value in x),
        tuple(Fraction(value, y_scale) if value else _ZERO for value in y),
    )


def dominates_columns_exactly(A: Sequence[Row], y: Row, c: Row) -> bool:
    """Say whether y A >= c in every column."""
    used = [(value, row) for value, row in zip(y, A, strict=True) if value]
    return all(sum(value * row[j] for value, row in used) >= bound for j, bound in enumerate(c))


def _spread_basic_values(values: Row, places: list[int], size: int) -> list[int]:
    full = [0] * size
    for value, place in zip(values, places, strict=True):
        full[place] = value
    return full


def exact_simplex(A: Sequence[Row], b: Row, c: Row) -> Optimum:
    """Solve max c x, A x <= b, x >= 0 with b >= 0 by the simplex method in integer arithmetic.

    The tableau is kept as integers over one common denominator (integer pivoting). The entering column is the one of
    largest coefficient until the objective stalls, then the first eligible one (Bland), which cannot cycle.
    """
    m, n = len(A), len(c)
    tableau = [[*row, *(int(i == r) for i in range(m)), bound] for r, (row, bound) in enumerate(zip(A, b, strict=True))]
    tableau.append([-value for value in c] + [0] * (m + 1))
    basis = list(range(n, n + m))
    scale, stalled = 1, 0
    while True:
        objective = tableau[-1]
        eligible = [j for j in range(n + m) if objective[j] < 0]
        if not eligible:
            break
        column = eligible[0] if stalled > n + m else min(eligible, key=lambda j: (objective[j], j))
        row = _leaving_row_of_exact_simplex(tableau, column, basis)
        stalled = stalled + 1 if tableau[row][-1] == 0 else 0
        scale = _pivot_exact_simplex(tableau, row, column, scale)
        basis[row] = column
    x = [Fraction(0)] * (n + m)
    for r, variable in enumerate(basis):
        x[variable] = Fraction(tableau[r][-1], scale)
    multipliers = tuple(Fraction(value, scale) for value in tableau[-1][n : n + m])
    return Optimum(Fraction(tableau[-1][-1], scale), tuple(x[:n]), multipliers)


def _leaving_row_of_exact_simplex(tableau: list[list[int]], column: int, basis: list[int]) -> int:
    """Return the row of least ratio, the one of lowest basic variable among equals."""
    rows = [r for r in range(len(basis)) if tableau[r][column] > 0]
    if not rows:
        raise ArithmeticError("the linear program is unbounded")
    return min(rows, key=lambda r: (Fraction(tableau[r][-1], tableau[r][column]), basis[r]))


def _pivot_exact_simplex(tableau: list[list[int]], row: int, column: int, scale: int) -> int:
    """Exchange one basic variable in place; return the new common denominator."""
    leader = tableau[row]
    pivot = leader[column]
    for r, line in enumerate(tableau):
        factor = line[column]
        if r != row:
            tableau[r] = [(pivot * a - factor * p) // scale for a, p in zip(line, leader, strict=True)]
    return pivot
