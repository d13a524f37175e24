"""ProspectModel as a user meets it: models, rows, batches, late feedback, words, files."""

import functools
import threading

import numpy as np
import pytest

import sidelight as sl
from sidelight.checks.report import is_same_checked_data
from sidelight.errors import ParameterError, SidelightError
from sidelight.strategies import OrderError, ProspectModel
from sidelight.strategies.any_model.beliefs.clones import _probabilities

APPLES = sl.games.load("apple-tasting")
LABELS = sl.games.load("label-efficient")


class Nearest:
    """A classifier of the plainest kind: shares of classes among the nearest labels, without weights of rows."""

    def fit(self, X, y):
        self.X, self.y, self.classes_ = np.asarray(X, float), y, np.unique(y)
        return self

    def predict_proba(self, X):
        X = np.asarray(X, float)
        near = ((X[:, None] - self.X[None]) ** 2).sum(2).argsort(1)[:, :5]
        return np.array([[np.mean(self.y[rows] == c) for c in self.classes_] for rows in near])


class Fixed:
    """A belief of one's own: two methods, nothing learnt."""

    def fit(self, contexts, actions, symbols, pool):
        self.told = len(actions)

    def predict(self, contexts):
        return np.tile([[[0.2, 0.8]], [[0.8, 0.2]]], (1, len(contexts), 1))


def ring(rounds, seed, d=2):
    """Return contexts and outcomes: the first outcome inside a circle, which no line tells apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, d))
    return X, np.where((X[:, :2] ** 2).sum(1) < 1.4, 0, 1)


def play(strategy, X, y):
    """Return the losses of each round, with feedback at once."""
    game, loss = strategy.game, np.array(strategy.game.loss, float)
    losses = []
    for x, outcome in zip(X, y, strict=True):
        action = strategy.act(x)
        strategy.observe(game.feedback[action][outcome])
        losses.append(loss[action][outcome])
    return np.array(losses)


@functools.cache
def straight():
    """Return the losses of a line."""
    return play(ProspectModel(APPLES, "linear", members=6), *ring(700, 1)).sum()


@pytest.mark.parametrize("model", ["kernel", "trees", "auto", Nearest(), Nearest, [Nearest, "linear"]])
def test_models_that_bend_beat_a_line(model):
    assert play(ProspectModel(APPLES, model, members=6), *ring(700, 1)).sum() < 0.6 * straight()


def test_a_belief_of_ones_own_is_two_methods():
    own = Fixed()
    strategy = ProspectModel(APPLES, own)
    play(strategy, *ring(60, 2))
    assert not hasattr(own, "told")  # a copy of it learns
    assert "Fixed" in strategy.explain()
    with pytest.raises(SidelightError, match="Fixed cannot be saved: give it to_plain and from_plain"):
        strategy.save()


@pytest.mark.parametrize("wrong", ["forest", 3, None, [], object(), ["linear", "tree"]])
def test_what_is_no_model_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"^model is .*: give 'linear', 'kernel', 'trees', 'auto', a"):
        ProspectModel(APPLES, wrong)


def test_a_classifier_needs_probabilities():
    svm = pytest.importorskip("sklearn.svm")
    with pytest.raises(ParameterError, match="LinearSVC without predict_proba: wrap it in CalibratedClassifierCV"):
        ProspectModel(APPLES, svm.LinearSVC())


def test_many_at_once_play_like_one_after_the_other_without_feedback():
    X, y = ring(130, 3)
    one, other = (ProspectModel(APPLES, "linear", seed=4) for _ in range(2))
    for strategy in (one, other):
        play(strategy, X[:80], y[:80])
    assert one.act_many(X[80:]) == [other.act(x) for x in X[80:]]
    assert one.act_many([]) == []


def test_feedback_of_many_comes_in_any_order_or_not_at_all():
    X, y = ring(200, 5)
    strategy = ProspectModel(LABELS, "linear")
    for first in range(0, 200, 50):
        rows = X[first : first + 50]
        actions = strategy.act_many(rows)
        shown = [LABELS.feedback[a][o] for a, o in zip(actions, y[first : first + 50], strict=True)]
        order = np.random.default_rng(first).permutation(50)
        strategy.observe_many([shown[k] for k in order], [actions[k] for k in order], rows[order])
    assert len(strategy.state.labels) == strategy.state.looks > 0
    assert not strategy.state.under_way
    before = strategy.save()
    actions = strategy.act_many(X[:2])
    with pytest.raises(SidelightError, match="1 symbols, 2 actions and 2 contexts: give as many of each"):
        strategy.observe_many(["?"], actions, X[:2])
    with pytest.raises(OrderError, match="name the context"):
        strategy.observe(LABELS.feedback[actions[0]][0], action=actions[0])
    assert before["state"]["looks"] <= strategy.state.looks


def test_looks_under_way_are_not_bought_again():
    X, y = ring(600, 6)
    strategy = ProspectModel(LABELS, "linear")
    play(strategy, X[:100], y[:100])
    looks = strategy.state.looks
    strategy.act_many(X[100:])
    assert strategy.state.looks - looks < 250
    assert len(strategy.state.under_way) == strategy.state.looks - looks


def test_it_says_in_words_what_it_expects_and_why():
    X, y = ring(60, 7)
    strategy = ProspectModel(APPLES)
    assert strategy.explain() == ""
    with pytest.raises(SidelightError, match="nothing to explain before the first action"):
        strategy.explain(X[0])
    play(strategy, X, y)
    before = strategy.save()
    for text in (strategy.explain(), strategy.explain([3.0, 3.0])):
        assert text.startswith("Round 60: ")
        assert "Trust in the models, by how well they predicted: no contexts " in text
        assert "Expected at this context: rotten " in text
    assert strategy.explain([0.0, 0.0]) != strategy.explain([3.0, 3.0])
    assert is_same_checked_data(strategy.save(), before)
    assert "trivial" in ProspectModel(sl.games.load("trivial")).explain()


def test_a_file_goes_on_exactly_and_asks_for_the_model_again(tmp_path):
    X, y = ring(160, 8)
    strategy = ProspectModel(LABELS, [Nearest(), "linear"], members=4)
    play(strategy, X[:100], y[:100])
    strategy.act(X[100])
    strategy.save(tmp_path / "s.npz")
    with pytest.raises(SidelightError, match="which is not in the file: give load"):
        ProspectModel.load(tmp_path / "s.npz")
    with pytest.raises(ParameterError, match=r"^model is linear, but .* was saved"):
        ProspectModel.load(tmp_path / "s.npz", model="linear")
    loaded = ProspectModel.load(tmp_path / "s.npz", model=strategy.model)
    assert loaded.act_many(X[101:]) == strategy.act_many(X[101:])


def test_another_version_of_a_model_is_noticed(tmp_path):
    linear_model = pytest.importorskip("sklearn.linear_model")
    model = linear_model.LogisticRegression()
    strategy = ProspectModel(APPLES, model, members=2)
    play(strategy, *ring(12, 9))
    data = strategy.save()
    assert set(data["state"]["versions"]) == {"sklearn"}
    assert ProspectModel.load(data, model=model).act([0.0, 0.0]) == strategy.act([0.0, 0.0])
    data["state"]["versions"]["sklearn"] = "0.1"
    with pytest.warns(UserWarning, match=r"saved with sklearn 0.1, now .*: the members are fitted anew"):
        ProspectModel.load(data, model=model)


def test_rows_may_hold_texts_categories_and_gaps(tmp_path):
    pandas = pytest.importorskip("pandas")
    compose = pytest.importorskip("sklearn.compose")
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    rng = np.random.default_rng(10)
    fruit, weight = rng.choice(["pear", "plum"], 60), rng.normal(size=60)
    weight[::7] = np.nan
    frame = pandas.DataFrame({"fruit": fruit, "weight": weight, "note": [f"a {f}" for f in fruit]})
    y = (fruit == "plum").astype(int)
    columns = [("kind", OneHotEncoder(), ["fruit"]), ("words", CountVectorizer(), "note")]
    table = make_pipeline(compose.ColumnTransformer(columns), LogisticRegression())
    texts = make_pipeline(CountVectorizer(), LogisticRegression())
    cases = [
        (table, [row for _, row in frame.iterrows()]),
        (texts, list(frame["note"])),
        (HistGradientBoostingClassifier(max_iter=5), [[f == "plum", w] for f, w in zip(fruit, weight, strict=True)]),
    ]
    for model, rows in cases:
        strategy = ProspectModel(APPLES, model, members=3, refit=2)
        play(strategy, rows, y)
        assert strategy.state.mixture.shares[0] > 0
        strategy.save(tmp_path / "s.npz")
        assert ProspectModel.load(tmp_path / "s.npz", model=model).act_many(rows) == strategy.act_many(rows)
    strategy = ProspectModel(APPLES, table, members=3)
    assert len(strategy.act_many(frame)) == 60
    with pytest.raises(SidelightError, match=r"a context is one row: give frame.iloc\[i\]"):
        strategy.act(frame)


@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_forests_are_asked_tree_by_tree(name):
    forest = getattr(pytest.importorskip("sklearn.ensemble"), name)(7, random_state=1)
    X = np.random.default_rng(12).normal(size=(90, 4))
    forest.fit(X, np.arange(90) % 3)
    assert np.allclose(_probabilities(forest, X[:20]), forest.predict_proba(X[:20]), atol=1e-12)
    with pytest.raises(ValueError, match="3 features instead of 4"):
        _probabilities(forest, X[:, :3])


def test_built_in_models_want_numbers():
    strategy = ProspectModel(APPLES)
    for wrong, why in ((["a"], "not numeric"), ([np.nan], "finite"), ([[1.0]], "one row"), (None, "needs a context")):
        with pytest.raises(SidelightError, match=why):
            strategy.act(wrong)
    strategy.act([1.0, 2.0])
    with pytest.raises(SidelightError, match=r"has shape \(3,\), but ProspectModel wants \(2,\) as before"):
        strategy.act([1.0, 2.0, 3.0])


def test_a_world_without_contexts_is_a_context_of_no_numbers():
    results = sl.simulate(ProspectModel(APPLES), sl.environments.IID([0.2, 0.8]), 200, runs=2, progress=False)
    assert results.final.mean() < 30


class Slow(Nearest):
    """Fits when it is allowed to."""

    gate = threading.Event()

    def fit(self, X, y):
        assert Slow.gate.wait(60)
        return super().fit(X, y)


def test_slow_fits_run_in_the_background():
    X, y = ring(40, 11)
    Slow.gate.set()
    strategy = ProspectModel(APPLES, Slow(), members=2, background=True)
    play(strategy, X[:1], y[:1])
    Slow.gate.clear()
    play(strategy, X[1:], y[1:])  # would wait for ever
    assert strategy.state.fitted < len(strategy.state.labels)
    Slow.gate.set()
    twin = strategy.clone()  # waits for the fit
    assert twin._fitting is None
    assert twin.state.mixture.predict(X[:3]).shape[1:] == (3, 2)


PRICES = sl.games.load("dynamic-pricing", prices=3)


def customers(rounds, seed):
    """Return contexts and outcomes: the first coordinate decides which of three prices is paid."""
    X = np.random.default_rng(seed).normal(size=(rounds, 3))
    return X, np.digitize(X[:, 0], [-0.4, 0.4])


@pytest.mark.parametrize("model", ["linear", "auto", Nearest])
def test_symbols_that_do_not_reveal_the_outcome_are_learnt_as_they_are(model):
    X, y = customers(600, 14)
    losses = play(ProspectModel(PRICES, model, members=4), X, y)
    fixed = np.array(PRICES.loss, float)[:, y[300:]].mean(1).min()
    assert losses[300:].mean() < 0.7 * fixed


def test_a_law_follows_from_what_is_predicted_of_all_actions():
    class Oracle:
        """Says at the context 0, whatever it was told, what customers of the law below do at the price in the row."""

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X):
            bought = np.array([0.8, 0.3])[X[:, -1].astype(int)]
            return np.column_stack([bought, 1.0 - bought])

    strategy = ProspectModel(PRICES, Oracle, members=2)
    strategy.act([0.0, 0.0])
    assert np.allclose(strategy.state.mixture.predict(np.zeros((1, 2))), [[[0.2, 0.5, 0.3]]] * 2, atol=1e-3)


def test_prices_for_rows_of_a_frame_have_a_model_for_each_price():
    pandas = pytest.importorskip("pandas")
    compose = pytest.importorskip("sklearn.compose")
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    kind = np.random.default_rng(15).choice(["new", "known", "staff"], 250)
    y = pandas.Series(kind).map({"new": 0, "known": 1, "staff": 2}).to_numpy()
    encoder = compose.ColumnTransformer([("kind", OneHotEncoder(handle_unknown="ignore"), ["kind"])])
    strategy = ProspectModel(PRICES, make_pipeline(encoder, LogisticRegression()), members=3)
    rows = [row for _, row in pandas.DataFrame({"kind": kind}).iterrows()]
    assert play(strategy, rows, y)[125:].mean() < 0.5 * np.array(PRICES.loss, float)[:, y[125:]].mean(1).min()
    assert ProspectModel.load(strategy.save(), model=strategy.model).act_many(rows) == strategy.act_many(rows)
