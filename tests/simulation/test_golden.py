"""The published numbers of CBP, to all printed digits, on the outcome streams they came from."""

import numpy as np
import pytest
from legacy import published_streams

import sidelight as sl
from sidelight.environments import Replay
from sidelight.simulation.loop import play

PUBLISHED = {
    ("apple-tasting", "imbalanced"): ("8.672", "8.532"),
    ("apple-tasting", "balanced"): ("72.748", "138.279"),
    ("label-efficient", "imbalanced"): ("16.470", "8.173"),
    ("label-efficient", "balanced"): ("726.877", "643.233"),
}


@pytest.mark.parametrize(("name", "kind"), PUBLISHED)
def test_published_digits_of_cbp(name, kind):
    outcomes, law = published_streams(kind)
    game = sl.games.load(name)
    results = sl.simulate(sl.strategies.CBP(game), Replay(outcomes, law=law), horizon=20_000, runs=96)
    assert (f"{results.final.mean():.3f}", f"{results.final.std(ddof=1):.3f}") == PUBLISHED[name, kind]
    summary = results.summary()
    assert np.isclose(summary.mean, results.final.mean())
    assert np.isclose(summary.std, results.final.std(ddof=1))


@pytest.mark.parametrize("name", ["apple-tasting", "label-efficient"])
def test_randcbp_with_one_bin_is_cbp(name):
    outcomes, law = published_streams("balanced", runs=8)
    game = sl.games.load(name)
    both = [
        sl.simulate(strategy, Replay(outcomes, law=law), horizon=20_000, runs=8)
        for strategy in (sl.strategies.CBP(game), sl.strategies.RandCBP(game, bins=1))
    ]
    assert np.array_equal(both[0].regret, both[1].regret)


def test_the_loop_counts_no_references():
    # What makes a round cheap; a Numba that no longer allows it would go unnoticed otherwise.
    assert play.uses_reference_counting in (None, False)
