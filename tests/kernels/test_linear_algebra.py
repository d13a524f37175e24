"""Kernel linear algebra against NumPy's."""

import numpy as np
import pytest

from sidelight.kernels import linear_algebra as la
from sidelight.kernels import loop


def positive_definite(rng, size):
    """A random matrix with eigenvalues from 0.01 to 100."""
    turn, _ = np.linalg.qr(rng.normal(size=(size, size)))
    matrix = turn * np.geomspace(0.01, 100.0, size) @ turn.T
    return (matrix + matrix.T) / 2


def row_by_row(matrix, ridge):
    """Cholesky's factor in the order of its definition."""
    factor = np.zeros_like(matrix)
    for i in range(len(matrix)):
        for j in range(i + 1):
            total = matrix[i, j] if j < i else matrix[i, i] * (1.0 + ridge)
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            factor[i, j] = total / factor[j, j] if j < i else np.sqrt(total)
    return factor


@pytest.mark.parametrize("size", range(1, 12))
def test_factor_has_the_bits_of_its_definition(size):
    matrix = positive_definite(np.random.default_rng(size), size)
    expected, factor = row_by_row(matrix, 1e-3), np.zeros((size, size))
    la.cholesky(matrix, factor, size, 1e-3, 0.0)
    assert (factor == expected).all()
    la.cholesky(matrix, matrix, size, 1e-3, 0.0)
    assert (np.tril(matrix) == expected).all()


@pytest.mark.parametrize("size", [1, 2, 5, 12])
def test_factor_solve_and_inverse(size):
    rng = np.random.default_rng(size)
    matrix, right = positive_definite(rng, size), rng.normal(size=size)
    factor, x = np.zeros((size, size)), np.zeros(size)
    assert la.cholesky(matrix, factor, size, 0.0, 0.0) == size
    np.testing.assert_allclose(factor, np.linalg.cholesky(matrix), rtol=1e-9, atol=1e-12)
    la.solve_lower(factor, right, x)
    np.testing.assert_allclose(factor @ x, right, rtol=1e-9, atol=1e-12)
    la.solve_upper(factor, right, x)
    np.testing.assert_allclose(factor.T @ x, right, rtol=1e-9, atol=1e-12)
    la.solve(factor, right, x)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, right), rtol=1e-8)
    inverse = np.full((size, size), np.nan)
    la.invert(matrix, inverse, np.zeros(size))
    np.testing.assert_allclose(inverse, np.linalg.inv(matrix), rtol=1e-8, atol=1e-10)
    assert (inverse == inverse.T).all()


def test_arrays_may_be_shared_and_larger_than_the_problem():
    rng = np.random.default_rng(0)
    matrix, right = positive_definite(rng, 6), rng.normal(size=6)
    whole, vector = matrix.copy(), right.copy()
    assert la.cholesky(whole, whole, 4, 0.0, 0.0) == 4
    np.testing.assert_allclose(np.tril(whole[:4, :4]), np.linalg.cholesky(matrix[:4, :4]), rtol=1e-9, atol=1e-12)
    assert (np.triu(whole, 1) == np.triu(matrix, 1)).all()
    assert (whole[4:] == matrix[4:]).all()
    la.solve(whole, vector[:4], vector[:4])
    np.testing.assert_allclose(vector[:4], np.linalg.solve(matrix[:4, :4], right[:4]), rtol=1e-8)
    assert (vector[4:] == right[4:]).all()


def test_products_read_the_whole_matrix():
    rng = np.random.default_rng(1)
    matrix, x, product = rng.normal(size=(5, 5)), rng.normal(size=5), np.zeros(5)
    assert la.dot(x, matrix[0]) == pytest.approx(x @ matrix[0])
    la.multiply(matrix, x, product)
    np.testing.assert_allclose(product, matrix @ x, rtol=1e-12)
    assert la.quadratic_form(matrix, x, product) == pytest.approx(x @ matrix @ x)


def test_rank_one_update_changes_the_lower_half_only():
    rng = np.random.default_rng(2)
    before, x = rng.normal(size=(4, 4)), np.array([1.5, 0.0, -2.0, 1e-3])
    matrix = before.copy()
    la.add_outer(matrix, -0.5, x)
    np.testing.assert_allclose(np.tril(matrix), np.tril(before - 0.5 * np.outer(x, x)), rtol=1e-14)
    assert (np.triu(matrix, 1) == np.triu(before, 1)).all()


def test_a_relative_ridge_keeps_a_singular_matrix_solvable():
    matrix = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    factor = np.zeros((3, 3))
    assert la.cholesky(matrix, factor, 3, 1e-6, 0.0) == 3
    np.testing.assert_allclose(factor @ factor.T, matrix + 1e-6 * np.diag(np.diag(matrix)), rtol=1e-9)


@pytest.mark.parametrize("least", [1e-14, 1e-8])
def test_a_dependent_row_ends_the_factorization(least):
    rows = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    gram = rows @ rows.T
    assert la.cholesky(gram, gram.copy(), 4, 0.0, least) == 2
    assert la.cholesky(gram, gram.copy(), 2, 0.0, least) == 2
    assert la.cholesky(np.zeros((2, 2)), np.zeros((2, 2)), 0, 0.0, least) == 0


@loop
def solve_in_a_loop(matrix, factor, right, x):
    """Factorize and solve."""
    done = la.cholesky(matrix, factor, x.shape[0], 1e-10, 0.0)
    la.solve(factor, right, x)
    return done + la.quadratic_form(matrix, x, right)


def test_compiled_and_interpreted_agree_to_the_last_bit():
    rng = np.random.default_rng(3)
    matrix, right = positive_definite(rng, 7), rng.normal(size=7)
    found = []
    for run in (solve_in_a_loop, solve_in_a_loop.python):
        factor, x, work = np.zeros((7, 7)), np.zeros(7), right.copy()
        found.append((run(matrix, factor, work, x), factor.tobytes(), x.tobytes(), work.tobytes()))
    assert found[0] == found[1]
