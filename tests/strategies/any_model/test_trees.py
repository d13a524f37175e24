"""The trees of ProspectModel: what they learn, and that compiled loops do what the interpreter does."""

import numpy as np
import pytest

from sidelight.kernels import interpreted
from sidelight.strategies.any_model.beliefs.clones import Told
from sidelight.strategies.any_model.beliefs.trees import asked, grown


def sample(rows, seed):
    """Return contexts of three numbers, and classes: exclusive or of the first two."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return Told(X, (X[:, 0] * X[:, 1] > 0).astype(np.int64), rng.exponential(size=rows))


def test_trees_learn_what_no_line_tells_apart():
    told, new = sample(400, 0), sample(1000, 1)
    laws = asked(grown([told], 16, 2, np.random.default_rng(2)), new.rows, 1)[0]
    assert np.allclose(laws.sum(1), 1.0)
    assert (laws.argmax(1) == new.outcomes).mean() > 0.85


def test_compiled_and_interpreted_trees_are_the_same():
    told = [sample(60, 3), sample(60, 4)]
    forest = grown(told, 3, 2, np.random.default_rng(5))
    with interpreted():
        twin = grown(told, 3, 2, np.random.default_rng(5))
        laws = asked(twin, told[0].rows, 2)
    assert all(np.array_equal(one, other) for one, other in zip(forest, twin, strict=True))
    assert np.array_equal(asked(forest, told[0].rows, 2), laws)


def test_leaves_hold_two_rows_and_constant_features_are_not_split():
    told = sample(50, 6)
    told.rows[:, 2] = 7.0
    forest = grown([told], 8, 2, np.random.default_rng(7))
    assert set(np.unique(forest.feature)) == {-1, 0, 1}
    for tree in range(8):
        leaves = asked(forest._make(nodes[tree : tree + 1] for nodes in forest), told.rows, 1)[0]
        assert np.unique(leaves, axis=0, return_counts=True)[1].min() >= 2


def test_weights_decide_what_trees_say():
    X = np.zeros((4, 1))
    told = Told(X, np.array([0, 0, 1, 2]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert asked(grown([told], 1, 3, np.random.default_rng(8)), X[:1], 1)[0, 0] == pytest.approx([0.3, 0.3, 0.4])
