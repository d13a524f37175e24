"""Running means and standard deviations of contexts, compared with those of all contexts at once."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from sidelight.kernels import interpreted, loop
from sidelight.kernels.arrays import new_arrays
from sidelight.strategies.shared.standardization import FARTHEST, Moments, add_context, standardize

RNG = np.random.default_rng(5)
STREAMS = {
    "normal": RNG.normal(size=(400, 3)),
    "offset": RNG.normal(size=(400, 3)) + 1e9,
    "small": RNG.normal(size=(400, 3)) * 1e-9,
    "tiny": RNG.normal(size=(400, 3)) * 1e-300,
    "huge": RNG.uniform(-1, 1, size=(400, 3)) * 1e300,
    "mixed": RNG.normal(size=(400, 3)) * [1e-9, 1.0, 1e250] + [1.0, 1e9, 0.0],
    "binary": (RNG.random((400, 3)) < [0.01, 0.5, 0.99]).astype(float),
    "late": np.where(np.arange(400)[:, None] < 390, 7.0, RNG.normal(size=(400, 3))),
    "duplicates": np.repeat(RNG.normal(size=(400, 1)), 3, axis=1),
    "subnormal": RNG.integers(0, 5, size=(400, 3)) * 5e-324,
}


@loop
def feed(moments, contexts, z):
    for t in range(contexts.shape[0]):
        add_context(moments, contexts[t])
        standardize(moments.mean, moments.scale, contexts[t], z[t])
    return 0


def run(contexts):
    moments, z = new_arrays(Moments, dimension=contexts.shape[1]), np.zeros_like(contexts)
    feed(moments, np.ascontiguousarray(contexts), z)
    return moments, z


def exact(column):
    """Return mean and standard deviation in rational arithmetic, the latter rounded once."""
    values = [Fraction(x) for x in column.tolist()]
    mean = sum(values) / len(values)
    unit = max(abs(x - mean) for x in values) or Fraction(1)
    return float(mean), sqrt(sum(((x - mean) / unit) ** 2 for x in values) / len(values)) * float(unit)


@pytest.mark.parametrize("name", [name for name in STREAMS if name != "subnormal"])
def test_mean_and_deviation_are_those_of_all_contexts(name):
    contexts = STREAMS[name]
    moments, _ = run(contexts)
    assert moments.contexts[0] == len(contexts)
    for k in range(contexts.shape[1]):
        mean, deviation = exact(contexts[:, k])
        rounding = 1e-16 * abs(contexts[:, k]).max()
        assert moments.mean[k] == pytest.approx(mean, rel=1e-12, abs=10 * rounding)
        assert moments.scale[k] == pytest.approx(deviation, rel=1e-12, abs=10 * rounding)


@pytest.mark.parametrize("name", STREAMS)
def test_interpreted_and_compiled_agree_to_the_last_bit(name):
    compiled, z = run(STREAMS[name])
    with interpreted(), np.errstate(all="raise", under="ignore"):
        plain, by_hand = run(STREAMS[name])
    assert all(np.array_equal(a, b) for a, b in zip(compiled, plain, strict=True))
    assert np.array_equal(z, by_hand)
    assert np.isfinite(z).all()


@pytest.mark.parametrize("name", STREAMS)
def test_a_context_that_was_counted_is_within_the_root_of_their_number(name):
    _, z = run(STREAMS[name])
    assert (abs(z) <= np.sqrt(np.arange(len(z)))[:, None] * (1 + 1e-9) + 1e-9).all()


def test_numbers_beyond_the_largest_count_as_the_largest():
    with interpreted(), np.errstate(all="raise"):
        moments, z = run(np.array([[1.7e308, -1.7e308], [-1.7e308, 0.0], [1.7e308, 1.0]]))
    assert moments.mean == pytest.approx([1e300 / 3, -1e300 / 3])
    assert np.isfinite(moments.scale).all()
    assert np.isfinite(z).all()


@pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 1e9 + 0.3, 5e-324])
def test_a_constant_feature_has_no_scale_and_counts_as_zero(value):
    moments, z = run(np.full((1000, 2), value))
    assert list(moments.mean) == [value, value]
    assert list(moments.scale) == [0.0, 0.0]
    assert not z.any()


def test_a_feature_that_wakes_up_gets_a_scale_at_once():
    contexts = np.full((1001, 1), 3.0)
    contexts[-1] = 4.0
    moments, z = run(contexts)
    assert moments.scale[0] == pytest.approx(contexts.std(), rel=1e-12)
    assert z[-1, 0] == pytest.approx((4.0 - contexts.mean()) / contexts.std(), rel=1e-12)


def test_a_context_far_outside_is_clipped():
    z = np.zeros(3)
    with np.errstate(all="raise"):
        standardize(np.zeros(3), np.array([5e-324, 1e-300, 1.0]), np.array([1e300, -1e300, 2.0]), z)
    assert list(z) == [FARTHEST, -FARTHEST, 2.0]


def test_equal_features_stay_equal():
    moments, z = run(STREAMS["duplicates"])
    assert len(set(moments.mean)) == len(set(moments.scale)) == 1
    assert (z == z[:, :1]).all()


@pytest.mark.parametrize("place", [100, 2_000])
def test_one_broken_value_does_not_blow_up_the_scale(place):
    contexts = np.random.default_rng(8).normal(size=(4_000, 2))
    contexts[place, 0] = 9_999.0
    moments, _ = run(contexts)
    assert moments.scale[0] == pytest.approx(1.0, rel=0.25)
    assert abs(moments.mean[0]) < 0.1


def test_another_unit_is_learned_within_a_few_values():
    contexts = np.random.default_rng(9).normal(size=(1_040, 1))
    contexts[1_000:] *= 1e6
    moments, _ = run(contexts)
    assert moments.scale[0] > 1e4
