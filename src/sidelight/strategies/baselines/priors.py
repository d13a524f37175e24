"""What is believed about the law (p, 1 - p) of two outcomes, before the first round and after s and f looks at them.

A prior is a Beta law, or a mixture of pieces: with chance w_k, p is uniform on [low_k, high_k], or is the one value
low_k = high_k. After s looks at the first outcome and f at the second, with n = s + f,

    m(n, s) = W(n + 1, s + 1) / W(n, s),      W(n, s) = E p^s (1 - p)^(n - s),

is the chance of the first outcome and q = 1 - m that of the second. For Beta(a, b), m = (a + s) / (a + b + n). For a
mixture, W is the sum of integrals of log-concave functions: Gauss-Legendre quadrature, between the places where such a
function has fallen to e^-40 of its peak, is exact up to rounding.

A whole table needs that for one row only. Because W(n, s) = W(n + 1, s + 1) + W(n + 1, s), the row before n is

    m(n - 1, s) = m(n, s) / (m(n, s) + q(n, s + 1)),

which neither cancels nor, but for the ends s = 0 and s = n (where p = 0 or p = 1 may be possible), underflows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sidelight.analysis.envelope import TwoOutcomeEnvelope
from sidelight.environments import laws
from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game
from sidelight.kernels import generic, implements, kernel
from sidelight.kernels.arrays import Floats

Line = tuple[Fraction, Fraction]

_DEPTH = 40.0
_NODES = 64
_HALVINGS = 48
_WANTED = (
    "give the two positive parameters (a, b) of a Beta law, "
    f"the name of a family of laws ({', '.join(laws.priors())}), "
    "or laws with weights, such as [((0.2, 0.8), 1), ((0.7, 0.3), 2)]"
)

posterior = generic("posterior", ("prior", "s", "f"))
"""Return the chances (m, q) of the two outcomes after s looks at the first and f at the second."""

step_back = generic("step_back", ("prior", "n", "m", "q"))
"""Given m(n + 1, s) and q(n + 1, s) for all s, write m(n, s) and q(n, s) in their place."""


class Beta(NamedTuple):
    """p from Beta(a, b)."""

    a: float
    b: float


class Mixture(NamedTuple):
    """With chance weight[k], p is uniform on [low[k], high[k]]; node and share are a quadrature rule on [0, 1]."""

    low: Floats
    high: Floats
    weight: Floats
    node: Floats
    share: Floats


Prior = Beta | Mixture


@implements(posterior, Beta)
def _posterior_of_beta(prior: Beta, s: int, f: int) -> tuple[float, float]:
    share = 1.0 / (prior.a + prior.b + (s + f))
    return (prior.a + s) * share, (prior.b + f) * share


@implements(step_back, Beta)
def _step_back_beta(prior: Beta, n: int, m: Floats, q: Floats) -> None:
    share = 1.0 / (prior.a + prior.b + n)
    for s in range(n + 1):
        m[s] = (prior.a + s) * share
        q[s] = (prior.b + (n - s)) * share


@implements(posterior, Mixture)
def _posterior_of_mixture(prior: Mixture, s: int, f: int) -> tuple[float, float]:
    peak = -math.inf
    m = 0.0
    q = 0.0
    for k in range(prior.weight.shape[0]):
        c = min(max(s / max(s + f, 1), prior.low[k]), prior.high[k])  # where p^s (1 - p)^f is greatest
        if (s > 0 and c <= 0.0) or (f > 0 and c >= 1.0):
            continue  # impossible
        height = 0.0
        if s > 0:
            height += s * math.log(c)
        if f > 0:
            height += f * math.log(1.0 - c)
        if height > peak:
            shrink = math.exp(peak - height)
            m *= shrink
            q *= shrink
            peak = height
        first, second = _moments_of_prior_piece(prior, k, c, s, f)
        scale = prior.weight[k] * math.exp(height - peak)
        m += scale * first
        q += scale * second
    if m + q <= 0.0:
        return 0.5, 0.5  # what was seen cannot happen: nothing follows from it
    return m / (m + q), q / (m + q)


@implements(step_back, Mixture)
def _step_back_mixture(prior: Mixture, n: int, m: Floats, q: Floats) -> None:
    for s in range(1, n):
        first, second = m[s], q[s + 1]
        m[s] = first / (first + second)
        q[s] = second / (first + second)
    m[0], q[0] = posterior(prior, 0, n)
    m[n], q[n] = posterior(prior, n, 0)


@kernel
def _moments_of_prior_piece(prior: Mixture, k: int, c: float, s: int, f: int) -> tuple[float, float]:
    """Return the means over piece k of p h(p) and (1 - p) h(p), with h(p) = p^s (1 - p)^f scaled to 1 at c."""
    low, high = prior.low[k], prior.high[k]
    if low == high:
        return c, 1.0 - c
    left = _end_of_negligible_prior(low, c, s, f)
    width = _end_of_negligible_prior(high, c, s, f) - left
    first = 0.0
    second = 0.0
    for i in range(prior.node.shape[0]):
        p = left + width * prior.node[i]
        mass = prior.share[i] * math.exp(_log_likelihood_under_prior(p, c, s, f))
        first += mass * p
        second += mass * (1.0 - p)
    scale = width / (high - low)
    return scale * first, scale * second


@kernel
def _end_of_negligible_prior(end: float, c: float, s: int, f: int) -> float:
    """Return the end, or, if h is negligible there, a place between c and the end from which on it is."""
    far, near = end, c
    if _log_likelihood_under_prior(end, c, s, f) > -_DEPTH:
        return end
    for _ in range(_HALVINGS):
        middle = 0.5 * (far + near)
        if _log_likelihood_under_prior(middle, c, s, f) > -_DEPTH:
            near = middle
        else:
            far = middle
    return far


@kernel
def _log_likelihood_under_prior(p: float, c: float, s: int, f: int) -> float:
    """Return log(p^s (1 - p)^f) less its value at c, without taking the difference of large numbers."""
    value = 0.0
    if s > 0:
        value += s * _log_change_under_prior(p - c, c)
    if f > 0:
        value += f * _log_change_under_prior(c - p, 1.0 - c)
    return value


@kernel
def _log_change_under_prior(change: float, c: float) -> float:
    """Return log((c + change) / c)."""
    if change > -0.5 * c:
        return math.log1p(change / c)
    return math.log((c + change) / c) if c + change > 0.0 else -math.inf


def read_bayes_optimal_prior(prior: Any) -> Prior:
    """Return the prior that was asked for: (a, b), the name of a family of laws, or laws with weights."""
    if isinstance(prior, str):
        if prior not in laws.priors():
            raise ParameterError(f"prior is {prior!r}: {_WANTED}", "prior")
        pieces = laws.intervals(prior)
        return (
            Beta(1.0, 1.0)
            if pieces == ((0.0, 1.0),)
            else _mixture_of_bayes_optimal_prior([(low, high, 1.0) for low, high in pieces])
        )
    entries = list(prior) if isinstance(prior, Iterable) and not isinstance(prior, bytes) else []
    if len(entries) == 2 and all(_is_number_in_prior(entry) for entry in entries):
        a, b = map(float, entries)
        if 0.0 < a < math.inf and 0.0 < b < math.inf:
            return Beta(a, b)
    elif entries and not any(_is_number_in_prior(entry) for entry in entries):
        return _mixture_of_bayes_optimal_prior([_read_weighted_law_of_prior(entry, prior) for entry in entries])
    raise ParameterError(f"prior is {prior!r}: {_WANTED}", "prior")


def word_bayes_optimal_prior(prior: Any) -> str:
    """Say which prior is assumed: 'uniform prior', say, or 'Beta(2, 8) prior'."""
    known = read_bayes_optimal_prior(prior)
    if isinstance(known, Beta):
        return "uniform prior" if known.a == known.b == 1.0 else f"Beta({known.a:g}, {known.b:g}) prior"
    if isinstance(prior, str):
        ranges = " or ".join(f"[{low:g}, {high:g}]" for low, high in zip(known.low, known.high, strict=True))
        return f"prior of {prior} laws (p uniform on {ranges})"
    count = len(known.weight)
    return f"prior of {count} law{'' if count == 1 else 's'} with weights"


def mean_of_bayes_optimal_prior(prior: Prior) -> float:
    """Return the chance of the first outcome before any look."""
    if isinstance(prior, Beta):
        return prior.a / (prior.a + prior.b)
    return float(np.dot(prior.weight, 0.5 * (prior.low + prior.high)))


def _is_number_in_prior(value: Any) -> bool:
    return isinstance(value, int | float | Fraction | np.integer | np.floating) and not isinstance(value, bool)


def _read_weighted_law_of_prior(entry: Any, prior: Any) -> tuple[float, float, float]:
    """Read one law and its weight."""
    try:
        law, weight = entry
        p, rest = law
        good = all(map(_is_number_in_prior, (p, rest, weight)))
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ParameterError(f"prior is {prior!r}: {_WANTED}", "prior")
    p, rest, weight = float(p), float(rest), float(weight)
    if not (p >= 0.0 and rest >= 0.0 and abs(p + rest - 1.0) <= 1e-9):
        raise SidelightError(f"prior holds the law {law!r}: give two probabilities that sum to 1")
    if not 0.0 < weight < math.inf:
        raise SidelightError(f"prior gives the law {law!r} the weight {weight!r}: give a positive number")
    return p, p, weight


def _mixture_of_bayes_optimal_prior(pieces: list[tuple[float, float, float]]) -> Mixture:
    low, high, weight = np.array(pieces, dtype=float).T.copy()
    node, share = _gauss_legendre_rule_for_prior()
    return Mixture(low, high, weight / weight.max() / np.sum(weight / weight.max()), node, share)


@cache
def _gauss_legendre_rule_for_prior() -> tuple[Floats, Floats]:
    """Return the Gauss-Legendre rule on [0, 1]."""
    node, share = np.polynomial.legendre.leggauss(_NODES)
    return 0.5 * (node + 1.0), 0.5 * share


def envelope_for_bayes_optimal(rows: dict[int, Line]) -> list[tuple[int, Fraction]]:
    """Return the actions of least loss as p grows from 0 to 1, each with the p from which on it is the least.

    The loss of action k is the line rows[k][0] p + rows[k][1] (1 - p).
    """
    if not rows:
        return []
    actions, lines = list(rows), TwoOutcomeEnvelope(Game(rows.values(), [["first", "second"]] * len(rows)))
    starts = [Fraction(0), *(1 - bend for bend in reversed(lines.bends))]
    return [(actions[k], start) for k, start in zip(reversed(lines.pieces), starts, strict=True)]


def least_mean_loss_under_prior(game: Game, prior: Prior) -> float:
    """Return E min_k L_k (p, 1 - p), piece by piece of the envelope of the losses."""
    pieces = envelope_for_bayes_optimal({k: (row[0], row[1]) for k, row in enumerate(game.loss)})
    ends = [float(p) for _, p in pieces[1:]] + [1.0]
    total = 0.0
    for (k, start), end in zip(pieces, ends, strict=True):
        first, second = _partial_means_of_prior(prior, float(start), end)
        total += float(game.loss[k][0]) * first + float(game.loss[k][1]) * second
    return total


def _partial_means_of_prior(prior: Prior, low: float, high: float) -> tuple[float, float]:
    """Return E p and E (1 - p), counting only p between low and high (of single laws at an end, those at low)."""
    if isinstance(prior, Beta):
        from scipy.special import betainc

        # p Beta(a, b) is Beta(a + 1, b) times its mean, and so for 1 - p.
        a, b = prior
        first = a / (a + b) * (betainc(a + 1, b, high) - betainc(a + 1, b, low))
        second = b / (a + b) * (betainc(a, b + 1, high) - betainc(a, b + 1, low))
        return float(first), float(second)
    first = second = 0.0
    for left, right, weight in zip(prior.low, prior.high, prior.weight, strict=True):
        if left == right:
            inside = low <= left < high or left == high == 1.0
            share, middle = float(inside), left
        else:
            overlap = max(min(right, high) - max(left, low), 0.0)
            share, middle = overlap / (right - left), 0.5 * (min(right, high) + max(left, low))
        first += weight * share * middle
        second += weight * share * (1.0 - middle)
    return float(first), float(second)
