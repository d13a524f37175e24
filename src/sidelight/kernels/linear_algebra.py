"""Linear algebra for kernels: loops over arrays that the caller provides, with one order of operations for all callers.

Symmetric matrices are given by their lower half; what stands above the diagonal is neither read nor written. Where a
`size` is given, only the leading rows and columns count; elsewhere the vectors say how many do.
"""

import math
from typing import Any

from sidelight.kernels.arrays import Floats
from sidelight.kernels.functions import kernel


@kernel
def dot(x: Floats, y: Floats) -> float:
    """Return x'y."""
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * y[k]
    return total


@kernel
def fill(x: Any, value: float) -> None:
    """Set all entries to a value."""
    for k in range(x.shape[0]):
        x[k] = value


@kernel
def copy(x: Any, y: Any) -> None:
    """Set y = x; if y is longer, its first entries."""
    for k in range(x.shape[0]):
        y[k] = x[k]


@kernel
def add_multiple(y: Floats, factor: float, x: Floats) -> None:
    """Set y = y + factor x."""
    for k in range(x.shape[0]):
        y[k] += factor * x[k]


@kernel
def sum_of(x: Floats) -> float:
    """Return the sum of all entries."""
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k]
    return total


@kernel
def normalize(x: Floats) -> None:
    """Divide by the sum of all entries."""
    total = sum_of(x)
    for k in range(x.shape[0]):
        x[k] /= total


@kernel
def multiply(matrix: Floats, x: Floats, product: Floats) -> None:
    """Set the product A x of a full matrix."""
    for i in range(product.shape[0]):
        product[i] = dot(matrix[i], x)


@kernel
def quadratic_form(matrix: Floats, x: Floats, product: Floats) -> float:
    """Return x'A x for a full matrix, after setting the product A x."""
    multiply(matrix, x, product)
    return dot(product, x)


@kernel
def add_outer(matrix: Floats, weight: float, x: Floats) -> None:
    """Add weight x x' to a symmetric matrix, each entry as (weight x_i) x_j, i >= j."""
    for i in range(x.shape[0]):
        scaled = weight * x[i]
        if scaled != 0.0:
            for j in range(i + 1):
                matrix[i, j] += scaled * x[j]


@kernel
def cholesky(matrix: Floats, factor: Floats, size: int, ridge: float, least: float) -> int:
    """Set the lower triangle R of R R' = A + ridge diag(A); return how many columns were done.

    Fewer than `size` are if a pivot is not above `least` times its diagonal entry: the row then depends, nearly, on
    those before it. No pivot is less than `ridge` times its entry. Matrix and factor may be the same array.
    """
    for j in range(size):
        own = matrix[j, j]
        pivot = own * (1.0 + ridge)
        for k in range(j):
            pivot -= factor[j, k] * factor[j, k]
        pivot = max(pivot, own * ridge, 1e-300)
        if pivot <= least * own:
            return j
        root = math.sqrt(pivot)
        factor[j, j] = root
        i = j + 1
        while i + 3 < size:  # four sums at a time: none of them waits for its own former term
            first, second, third, fourth = matrix[i, j], matrix[i + 1, j], matrix[i + 2, j], matrix[i + 3, j]
            for k in range(j):
                first -= factor[i, k] * factor[j, k]
                second -= factor[i + 1, k] * factor[j, k]
                third -= factor[i + 2, k] * factor[j, k]
                fourth -= factor[i + 3, k] * factor[j, k]
            factor[i, j], factor[i + 1, j] = first / root, second / root
            factor[i + 2, j], factor[i + 3, j] = third / root, fourth / root
            i += 4
        for row in range(i, size):
            total = matrix[row, j]
            for k in range(j):
                total -= factor[row, k] * factor[j, k]
            factor[row, j] = total / root
    return size


@kernel
def solve_lower(factor: Floats, right: Floats, x: Floats) -> None:
    """Solve R x = right for a lower triangle R; both vectors may be the same array."""
    for i in range(right.shape[0]):
        total = right[i]
        for k in range(i):
            total -= factor[i, k] * x[k]
        x[i] = total / factor[i, i]


@kernel
def solve_upper(factor: Floats, right: Floats, x: Floats) -> None:
    """Solve R' x = right for a lower triangle R; both vectors may be the same array."""
    for i in range(right.shape[0] - 1, -1, -1):
        total = right[i]
        for k in range(i + 1, right.shape[0]):
            total -= factor[k, i] * x[k]
        x[i] = total / factor[i, i]


@kernel
def solve(factor: Floats, right: Floats, x: Floats) -> None:
    """Solve R R' x = right; both vectors may be the same array."""
    solve_lower(factor, right, x)
    solve_upper(factor, x, x)


@kernel
def invert(matrix: Floats, inverse: Floats, scratch: Floats) -> None:
    """Set the full inverse of a positive definite matrix: A = R R', R^-1 in place of R, then R^-T R^-1."""
    size = matrix.shape[0]
    cholesky(matrix, inverse, size, 0.0, 0.0)
    for j in range(size):
        inverse[j, j] = 1.0 / inverse[j, j]
        for i in range(j + 1, size):
            total = 0.0
            for k in range(j, i):
                total -= inverse[i, k] * inverse[k, j]
            inverse[i, j] = total / inverse[i, i]
    for i in range(size):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, size):
                total += inverse[k, i] * inverse[k, j]
            scratch[j] = total
        for j in range(i + 1):
            inverse[j, i] = scratch[j]
    for i in range(size):
        for j in range(i):
            inverse[i, j] = inverse[j, i]


@kernel
def solve_square(matrix: Floats, right: Floats) -> None:
    """Solve A X = B for a small full matrix, by elimination with row pivots; X takes the place of B, and A is lost."""
    size, columns = right.shape
    for c in range(size):
        pivot = c
        for i in range(c + 1, size):
            if abs(matrix[i, c]) > abs(matrix[pivot, c]):
                pivot = i
        if pivot != c:
            for j in range(size):
                matrix[c, j], matrix[pivot, j] = matrix[pivot, j], matrix[c, j]
            for j in range(columns):
                right[c, j], right[pivot, j] = right[pivot, j], right[c, j]
        for i in range(c + 1, size):
            factor = matrix[i, c] / matrix[c, c]
            for j in range(c + 1, size):
                matrix[i, j] -= factor * matrix[c, j]
            for j in range(columns):
                right[i, j] -= factor * right[c, j]
    for c in range(size - 1, -1, -1):
        for j in range(columns):
            total = right[c, j]
            for k in range(c + 1, size):
                total -= matrix[c, k] * right[k, j]
            right[c, j] = total / matrix[c, c]
