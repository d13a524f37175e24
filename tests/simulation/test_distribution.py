"""RandCBP in the engine against loops typed out by hand for one game each: the same distribution of regret."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from sidelight.environments import IID, laws

HORIZON, RUNS = 2_000, 1_000


def by_hand():
    """Import the loops that the benchmark measures against."""
    path = Path(__file__).parents[2] / "benchmarks" / "limit.py"
    if not path.exists():
        pytest.skip("the benchmarks are not part of this installation")
    pytest.importorskip("numba")
    spec = importlib.util.spec_from_file_location("limit", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hand():
    """Regrets of the hand-written loops, by game, kind of laws and number of bins."""
    loops = by_hand().GAMES

    def regrets(name, kind, bins):
        found = []
        for run in range(RUNS):
            rng = np.random.default_rng([7, run])
            found.append(loops[name](laws.load(kind, 2)(rng)[0], HORIZON, bins, rng))
        return np.array(found)

    return regrets


def engine(name, kind, bins):
    game = sl.games.load(name)
    strategy = sl.strategies.RandCBP(game, bins=bins)
    settings = {"horizon": HORIZON, "runs": RUNS, "seed": 11, "checkpoints": 1}
    return sl.simulate(strategy, IID(laws.load(kind, 2)), **settings).final


def chances(first, second):
    return stats.ks_2samp(first, second).pvalue, stats.mannwhitneyu(first, second).pvalue


@pytest.mark.parametrize("kind", ["imbalanced", "balanced"])
@pytest.mark.parametrize("name", ["apple-tasting", "label-efficient"])
def test_regret_is_distributed_alike(name, kind, hand):
    ours, theirs = engine(name, kind, 5), hand(name, kind, 5)
    assert min(chances(ours, theirs)) > 1e-4
    error = np.sqrt(ours.var(ddof=1) / RUNS + theirs.var(ddof=1) / RUNS)
    assert abs(ours.mean() - theirs.mean()) < 4 * error
    # The same comparison is not blind: with other bins the engine plays visibly differently.
    assert min(chances(engine(name, kind, 1), theirs)) < 1e-4


@pytest.mark.parametrize("name", ["apple-tasting", "label-efficient"])
def test_cbp_is_distributed_alike_too(name, hand):
    assert min(chances(engine(name, "balanced", 1), hand(name, "balanced", 1))) > 1e-4
