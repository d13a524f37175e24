"""Means, spreads and bands, against hand-computed numbers."""

import math

import numpy as np
import pytest

from sidelight.errors import SidelightError

from .making import make


def test_summary_by_hand():
    summary = make([2, 4, 4, 4, 5, 5, 7, 9]).summary()
    assert (summary.round, summary.runs, summary.mean, summary.min, summary.max) == (10, 8, 5.0, 2.0, 9.0)
    assert summary.std == pytest.approx(math.sqrt(32 / 7))
    assert summary.standard_error == pytest.approx(math.sqrt(32 / 7 / 8))
    # The 5 % quantile stands 0.05 * 7 = 0.35 of the way from the lowest run (2) to the next (4).
    assert summary.quantiles == pytest.approx({5: 2.7, 25: 4.0, 50: 4.5, 75: 5.5, 95: 8.3, 99: 8.86})


def test_summary_at_a_checkpoint():
    results = make([2, 4])
    assert results.summary(5).mean == 1.5
    assert results.summary(np.int64(10)) == results.summary(10) == results.summary()


@pytest.mark.parametrize(("at", "nearest"), [(1, 5), (7, 5), (8, 10), (999, 10), (-3, 5)])
def test_an_unknown_checkpoint_names_the_nearest(at, nearest):
    with pytest.raises(SidelightError, match=f"no checkpoint at round {at}: the nearest one is at round {nearest}"):
        make().summary(at)


def test_a_checkpoint_is_an_integer():
    with pytest.raises(SidelightError, match="at is '5'"):
        make().summary("5")


def test_one_run_has_no_spread():
    results = make([3])
    summary = results.summary()
    assert (summary.mean, summary.min, summary.max, summary.quantiles[99]) == (3, 3, 3, 3)
    assert math.isnan(summary.std)
    assert math.isnan(summary.standard_error)
    mean, low, high = results.band()
    assert mean.tolist() == [1.5, 3.0]
    assert np.isnan(low).all()
    assert np.isnan(high).all()


def test_equal_runs_have_exactly_no_spread():
    # NumPy's mean of three times 0.1 is not 0.1.
    summary = make([0.1] * 3).summary()
    assert (summary.mean, summary.std, summary.standard_error) == (0.1, 0.0, 0.0)


def test_band_divides_by_the_root_of_the_number_of_runs():
    results = make([1, 3, 5, 7])
    mean, low, high = results.band()
    half = 2.5758293035489 * math.sqrt(20 / 3) / 2
    assert mean.tolist() == [2.0, 4.0]
    assert low == pytest.approx([2 - half / 2, 4 - half])
    assert high == pytest.approx([2 + half / 2, 4 + half])
    assert results.band(0.95).high[1] - 4 == pytest.approx(1.959963984540054 * math.sqrt(20 / 3) / 2)


@pytest.mark.parametrize("confidence", [0, 1, 99, -0.5, float("nan")])
def test_confidence_is_a_probability(confidence):
    with pytest.raises(SidelightError, match="between 0 and 1"):
        make().band(confidence)
