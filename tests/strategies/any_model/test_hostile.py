"""Models that fail, worlds that mislead: ProspectModel goes on, and loses little."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import SidelightError
from sidelight.strategies import ProspectModel
from strategies.any_model.test_prospect_model import APPLES, LABELS, Nearest, play, ring


def step(rounds, seed, d=3, turn=None):
    """Return contexts and outcomes that the sign of the first coordinate decides; it changes its meaning at `turn`."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, d))
    y = (X[:, 0] > 0).astype(int)
    if turn is not None:
        y[turn:] = 1 - y[turn:]
    return X, y


class Raises(Nearest):
    def fit(self, X, y):
        raise RuntimeError("no licence")


class Nan(Nearest):
    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


class Sure(Nearest):
    """Overconfident: the nearest label is always right."""

    def predict_proba(self, X):
        return (super().predict_proba(X) > 0.5).astype(float)


class Liar(Nearest):
    """Sure of the opposite."""

    def predict_proba(self, X):
        return 1.0 - super().predict_proba(X)


@pytest.mark.parametrize("model", [Raises, Nan])
def test_a_model_that_fails_is_left_out_and_named_once(model):
    X, y = step(150, 1)
    y[:] = 0
    with pytest.warns(UserWarning, match=f"fitting {model.__name__} raised") as caught:
        losses = play(ProspectModel(APPLES, model, members=2), X, y)
    assert len(caught) == 1
    assert losses.sum() < 15


def test_a_model_that_fails_keeps_its_last_fit():
    class Moody(Nearest):
        def fit(self, X, y):
            if len(X) > 60:
                raise MemoryError("too many rows")
            return super().fit(X, y)

    X, y = step(400, 2)
    with pytest.warns(UserWarning, match="fitting Moody raised MemoryError"):
        losses = play(ProspectModel(APPLES, Moody, members=3), X, y)
    assert losses[200:].mean() < 0.3


@pytest.mark.parametrize(("model", "most"), [(Sure, 100), (Liar, 160)])
def test_a_model_that_is_too_sure_or_wrong_is_trusted_little(model, most):
    X, y = step(400, 3)
    assert play(ProspectModel(APPLES, [model, "linear"], members=4), X, y).sum() < most


def test_one_class_for_a_thousand_rounds():
    X, y = step(1300, 4)
    y[:1000] = 1
    strategy = ProspectModel(LABELS, "linear")
    losses = play(strategy, X, y)
    assert losses[:1000].sum() < 60
    assert strategy.state.looks < 250


def test_a_class_that_no_label_has_shown_is_still_possible():
    game = sl.games.load("three-class-label-efficient")
    X, y = step(120, 5)
    strategy = ProspectModel(game, Nearest, members=3)
    play(strategy, X, y)  # the third class never comes
    assert (strategy.state.mixture.predict(X[:5]) > 0).all()


def test_what_the_model_cannot_take_is_refused_and_changes_nothing():
    class Strict(Nearest):
        def predict_proba(self, X):
            if np.asarray(X).shape[1] != 3:
                raise ValueError("expected 3 features")
            return super().predict_proba(X)

    X, y = step(30, 6)
    strategy = ProspectModel(APPLES, Strict, members=2)
    play(strategy, X, y)
    clock, recent = strategy.state.clock, len(strategy.state.recent)
    with pytest.raises(SidelightError, match="the model cannot predict at this context"):
        strategy.act([1.0])
    assert (strategy.state.clock, len(strategy.state.recent)) == (clock, recent)
    strategy.act(X[0])


def test_memory_forgets_an_old_world():
    X, y = step(2400, 7, turn=1200)
    kept, forgot = (play(ProspectModel(APPLES, "linear", memory=m), X, y) for m in (None, 300))
    assert forgot[1600:].mean() < 0.12
    assert forgot[1200:].sum() < kept[1200:].sum()


@pytest.mark.parametrize(("delay", "batch"), [(500, 1), (0, 50), (200, 50)])
def test_late_and_batched_feedback_cost_about_what_waits(delay, batch):
    X, y = step(2000, 8)
    strategy, waiting, wrong = ProspectModel(APPLES, "linear"), [], 0
    for t in range(2000):
        if t % batch == 0:
            while waiting and waiting[0][0] + delay < t:
                s, action = waiting.pop(0)
                strategy.observe(APPLES.feedback[action][y[s]], action=action, context=X[s])
        waiting.append((t, strategy.act(X[t])))
        wrong += float(APPLES.loss[waiting[-1][1]][y[t]])
    assert wrong < 60 + 0.6 * (delay + batch)


def test_ten_outcomes():
    names = [str(k) for k in range(10)]
    loss = [[float(a != o) for o in range(10)] for a in range(10)] + [[1.0] * 10]
    game = sl.Game(loss, [["nothing"] * 10 for _ in range(10)] + [names])
    rng = np.random.default_rng(9)
    centers, y = 3 * rng.normal(size=(10, 4)), rng.integers(10, size=700)
    losses = play(ProspectModel(game, "linear"), centers[y] + rng.normal(size=(700, 4)), y)
    assert losses[500:].mean() < 0.45 < 0.7 < losses[:20].mean()


@pytest.mark.parametrize("horizon", [50, 400, 10**9])
def test_a_wrong_horizon_does_little_harm(horizon):
    X, y = step(1000, 10)
    assert play(ProspectModel(APPLES, "linear", horizon=horizon), X, y).sum() < 130


def test_overconfident_trees_of_scikit_learn():
    tree = pytest.importorskip("sklearn.tree")
    X, y = ring(800, 11)
    losses = play(ProspectModel(APPLES, tree.DecisionTreeClassifier(), members=6), X, y)
    assert losses.sum() < 160
