"""The evidence of the two one-sided tests: exact against its definition, a martingale, and nested in the rate."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.monitor.stats.evidence import (
    answers_until_evidence,
    evidence_alternatives_above,
    evidence_alternatives_below,
    log_evidence,
    refuted_end_of_rates,
)

COUNTS = st.integers(0, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TOLERANCES = st.floats(1e-9, 0.5)
SIDES = st.sampled_from([evidence_alternatives_above, evidence_alternatives_below])


def grid_above(tau):
    """Alternatives and weights, as they are defined."""
    shifts = [d for k in range(40) if (d := min(11, (0.97 - tau) / tau) * 1.5**-k) > 0.02]
    total = sum(d * math.exp(-d) + 0.02 for d in shifts)
    return [(tau * (1 + d), (d * math.exp(-d) + 0.02) / total) for d in shifts]


def grid_below(tau):
    shifts = [d for k in range(40) if (d := 0.9 * 1.35**-k) > 0.02]
    total = sum(d + 0.02 for d in shifts)
    return [(0.0, 0.25), *((tau * (1 - d), 0.75 * (d + 0.02) / total) for d in shifts)]


@pytest.mark.parametrize(
    ("mixture", "grid"), [(evidence_alternatives_above, grid_above), (evidence_alternatives_below, grid_below)]
)
@pytest.mark.parametrize("tau", [0.001, 0.01, 0.05, 0.1, 0.3, 0.5])
@pytest.mark.parametrize(("e", "n"), [(0, 1), (0, 40), (1, 1), (3, 30), (7, 500), (40, 90)])
def test_at_the_tolerance_it_is_the_mixture_of_likelihood_ratios(mixture, grid, tau, e, n):
    ratio = sum(w * (q / tau) ** e * ((1 - q) / (1 - tau)) ** (n - e) for q, w in grid(tau))
    assert log_evidence(mixture(tau), e, n, tau) == pytest.approx(math.log(ratio), rel=1e-9, abs=1e-9)


@given(SIDES, TOLERANCES, st.floats(1e-9, 1 - 1e-9), COUNTS)
@settings(max_examples=200, deadline=None)
def test_it_is_a_martingale_at_its_rate(side, tau, rate, counts):
    e, n = counts
    mixture = side(tau)
    now, right, wrong = (log_evidence(mixture, e + k, n + m, rate) for k, m in ((0, 0), (0, 1), (1, 1)))
    mean = rate * math.exp(wrong - now) + (1 - rate) * math.exp(right - now)
    assert mean == pytest.approx(1.0, rel=1e-8)


@given(SIDES, TOLERANCES, COUNTS, st.floats(1e-6, 1 - 1e-6), st.floats(0.7, 15))
@settings(max_examples=300, deadline=None)
def test_refuted_rates_lie_beyond_the_end(side, tau, counts, rate, limit):
    e, n = counts
    if not n:
        return
    mixture, above = side(tau), side is evidence_alternatives_above
    end = refuted_end_of_rates(mixture, e, n, limit)
    assert 0.0 <= end <= 1.0
    excess = log_evidence(mixture, e, n, rate) - limit
    if abs(excess) > 1e-6:
        assert (rate < end if above else rate > end) == (excess > 0)


@given(SIDES, TOLERANCES, COUNTS, st.floats(0, 1), st.floats(0.7, 15))
@settings(max_examples=300, deadline=None)
def test_answers_until_the_evidence_reaches_a_limit(side, tau, counts, share, limit):
    e, n = counts
    mixture = side(tau)
    more = answers_until_evidence(mixture, e, n, share, tau, limit)
    if more == math.inf or log_evidence(mixture, e, n, tau) >= limit:
        return
    found = log_evidence(mixture, e + share * more, n + more, tau)
    assert found == pytest.approx(limit, abs=1e-6 + 1e-12 * (n + abs(more)))


def test_weights_sum_to_one():
    for tau in (Fraction(1, 10**9), Fraction(1, 20), Fraction(1, 2)):
        for side in (evidence_alternatives_above, evidence_alternatives_below):
            assert sum(map(math.exp, side(float(tau)).weights)) == pytest.approx(1.0)
