"""The logistic model: its fit, its derivatives, its widths, and what it is worth where it is true."""

import numpy as np
import pytest
from common.recordings import record_contexts

import sidelight as sl
from sidelight.environments import Replay
from sidelight.kernels import compiled, interpreted
from sidelight.strategies import CBPSide, RandCBPSide
from sidelight.strategies.shared.softmax import (
    fit_softmax,
    set_softmax_law,
    softmax_derivatives,
    softmax_objective,
    standard_error_of_softmax,
)
from strategies.confidence_bounds.test_cbpside import (
    APPLES,
    LABELS,
    PRICES,
    NaiveSide,
    half_normal,
    half_range,
    two_norm,
)

linear_model = pytest.importorskip("sklearn.linear_model")
THETA = [[3.0, -2.0, 1.0, 0.5, -1.5], [0.0, 0.0, 0.0, 0.0, 0.0]]
LOW, HIGH = [-2, -2, -2, -2, 1], [2, 2, 2, 2, 1]


def fitted(features, symbols, count, penalty, start=None):
    """Return coefficients and the factor of the Hessian."""
    n, d = features.shape
    theta = np.zeros((count, d)) if start is None else start.copy()
    size = count * d
    law, slope, trial = np.zeros(count), np.zeros(size), np.zeros((count, d))
    F, R = np.full((2, size, size), np.nan)
    fit_softmax(theta, features, symbols, n, penalty, law, slope, F, R, trial)
    return theta, np.tril(R)


def sample(count, d, n, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d))
    theta = rng.normal(size=(count, d))
    scores = features @ theta.T + rng.gumbel(size=(n, count))
    return features, scores.argmax(axis=1).astype(np.int64)


def laws(theta, features):
    weights = np.exp(features @ theta.T)
    return weights / weights.sum(axis=1, keepdims=True)


def hessian(theta, features, penalty):
    found = penalty * np.eye(theta.size)
    for x, law in zip(features, laws(theta, features), strict=True):
        found += np.kron(np.diag(law) - np.outer(law, law), np.outer(x, x))
    return found


SHAPES = [(2, 3, 80), (2, 1, 25), (3, 4, 150), (5, 2, 300)]


class TestFit:
    """Newton's method."""

    @pytest.mark.parametrize("penalty", [0.05, 1.0])
    @pytest.mark.parametrize(("count", "d", "n"), SHAPES)
    def test_coefficients_are_those_of_scikit_learn(self, count, d, n, penalty):
        features, symbols = sample(count, d, n)
        assert len(set(symbols)) == count
        theta, _ = fitted(features, symbols, count, penalty)
        # Two symbols have one row of coefficients there, the difference of ours, and so half the penalty.
        model = linear_model.LogisticRegression(
            C=(2 if count == 2 else 1) / penalty, fit_intercept=False, solver="newton-cg", tol=1e-12, max_iter=10_000
        ).fit(features, symbols)
        expected = np.vstack([-model.coef_, model.coef_]) / 2 if count == 2 else model.coef_
        assert theta == pytest.approx(expected, abs=1e-6)

    @pytest.mark.parametrize(("count", "d", "n"), SHAPES)
    def test_the_factor_is_that_of_the_hessian(self, count, d, n):
        features, symbols = sample(count, d, n)
        theta, R = fitted(features, symbols, count, 0.05)
        expected = hessian(theta, features, 0.05)
        assert np.abs(R @ R.T - expected).max() < 1e-6 * np.abs(expected).max()

    def test_a_warm_start_ends_at_the_same_place(self):
        features, symbols = sample(3, 4, 200)
        cold, _ = fitted(features, symbols, 3, 0.05)
        warm, _ = fitted(features, symbols, 3, 0.05, start=np.random.default_rng(1).normal(size=(3, 4)) * 3)
        assert warm == pytest.approx(cold, abs=1e-8)

    @pytest.mark.parametrize("scale", [1.0, 30.0, 1_000.0])
    def test_separable_symbols(self, scale):
        """Nothing but the penalty keeps the coefficients finite."""
        rng = np.random.default_rng(0)
        features = rng.normal(size=(60, 3)) * scale
        symbols = (features[:, 0] > 0).astype(np.int64)
        theta, _ = fitted(features, symbols, 2, 0.05)
        slope, F = np.zeros(6), np.zeros((6, 6))
        softmax_derivatives(theta, features, symbols, 60, 0.05, np.zeros(2), slope, F)
        assert np.abs(slope).max() < 1e-6 * scale
        assert theta[0] == pytest.approx(-theta[1])

    def test_one_context_is_a_frequency(self):
        symbols = np.array([0] * 7 + [1] * 3)
        theta, _ = fitted(np.ones((10, 1)), symbols, 2, 1e-9)
        law = np.zeros(2)
        set_softmax_law(theta, np.ones(1), law)
        assert law == pytest.approx([0.7, 0.3], abs=1e-8)


class TestDerivatives:
    """Against finite differences."""

    @pytest.mark.parametrize(("count", "d", "n"), SHAPES)
    def test_of_the_objective(self, count, d, n):
        features, symbols = sample(count, d, n)
        theta = np.random.default_rng(3).normal(size=(count, d))
        size, law = count * d, np.zeros(count)
        slope, F = np.zeros(size), np.zeros((size, size))
        softmax_derivatives(theta, features, symbols, n, 0.3, law, slope, F)
        for i in range(size):
            step = np.zeros(size)
            step[i] = 1e-5
            values = [
                softmax_objective(theta + (sign * step).reshape(count, d), features, symbols, n, 0.3, law)
                for sign in (1, -1)
            ]
            assert slope[i] == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-6, abs=1e-6)
        assert np.tril(F) == pytest.approx(np.tril(hessian(theta, features, 0.3)), rel=1e-10, abs=1e-12)

    def test_of_a_weighted_law(self):
        """The gradient of v softmax(Theta x) is (J v) (x) x, and the standard error is its norm in F^-1."""
        rng = np.random.default_rng(0)
        for count, d in ((2, 1), (2, 3), (4, 3)):
            theta, x, v = rng.normal(size=(count, d)), rng.normal(size=d), rng.normal(size=count)
            law = np.zeros(count)
            set_softmax_law(theta, x, law)
            slope = np.zeros(count * d)
            for i in range(count * d):
                step = np.zeros(count * d)
                step[i] = 1e-6
                ends = [laws(theta + (sign * step).reshape(count, d), x[None])[0] @ v for sign in (1, -1)]
                slope[i] = (ends[0] - ends[1]) / 2e-6
            J = np.diag(law) - np.outer(law, law)
            assert np.kron(J @ v, x) == pytest.approx(slope, abs=1e-8)
            half = rng.normal(size=(count * d, count * d))
            F = half @ half.T + np.eye(count * d)
            padded = np.concatenate([[9.0], v])
            R, scratch = np.linalg.cholesky(F), np.zeros(count * d)
            error = standard_error_of_softmax(law, 0.0, padded, 1, x, R, scratch)
            assert error == pytest.approx(np.sqrt(slope @ np.linalg.inv(F) @ slope), rel=1e-6)
            tempered = 0.7 * law + 0.3 / count
            slope = np.kron((np.diag(tempered) - np.outer(tempered, tempered)) @ v, x)
            error = standard_error_of_softmax(law, 0.3, padded, 1, x, R, scratch)
            assert error == pytest.approx(np.sqrt(slope @ np.linalg.inv(F) @ slope), rel=1e-9)

    def test_large_scores_do_not_overflow(self):
        law = np.zeros(2)
        with np.errstate(all="raise"):
            set_softmax_law(np.array([[800.0], [-800.0]]), np.ones(1), law)
        assert law == pytest.approx([1.0, 0.0])


class TestWidths:
    """As the strategy has them."""

    @pytest.mark.parametrize("bounds", ["corrected", "tight"])
    def test_one_dimension(self, bounds):
        """d = 1, x = 1, lambda -> 0: pi = count / n, and c = B sqrt(4 pi_0 pi_1 / n) for v = (1, -1)."""
        strategy = CBPSide(APPLES, 1, bounds=bounds, model="logistic", regularization=1e-10, intercept=False)
        rng = np.random.default_rng(0)
        counts = np.zeros(2)
        for _ in range(40):
            action = strategy.act([1.0])
            symbol = APPLES.feedback[action][rng.choice(2, p=[0.4, 0.6])]
            strategy.observe(symbol)
            if action == 1:
                counts[APPLES.symbols(1).index(symbol)] += 1
        strategy.act([1.0])
        n, pi = counts.sum(), counts / counts.sum()
        assert strategy.state.round.scratch.law[1:] == pytest.approx(pi, abs=1e-7)
        bound = np.sqrt((5.0 if bounds == "corrected" else 1.01) * np.log(40))
        expected = bound * np.sqrt(4 * pi[0] * pi[1] / n)
        if bounds == "tight":  # tempered by half a symbol in the slope, though not in the information
            near = (counts + 0.25) / (n + 0.5)
            expected *= near[0] * near[1] / (pi[0] * pi[1])
        assert strategy.state.round.differences.width[0] == pytest.approx(expected, rel=1e-4)

    def test_pseudo_counts_are_of_plays(self):
        """They come from the unweighted Gram matrix."""
        strategy = RandCBPSide(APPLES, 2, model="logistic", intercept=False, regularization=0.5)
        for _ in range(30):
            action = strategy.act([1.0, 0.0])
            strategy.observe(APPLES.feedback[action][0])
        plays = strategy.state.round.seen[1]
        strategy.act([1.0, 0.0])
        assert 1 / strategy.state.round.scratch.norm[1] ** 2 == pytest.approx(plays + 0.5)

    def test_refits_become_rare(self):
        strategy = RandCBPSide(APPLES, 2, model="logistic")
        rng = np.random.default_rng(0)
        fits, before = 0, 0.0
        for _ in range(300):
            action = strategy.act(rng.normal(size=2))
            strategy.observe(APPLES.feedback[action][0])
            fits += strategy.state.history.fitted[1] != before
            before = strategy.state.history.fitted[1]
        seen = strategy.state.round.seen[1]
        assert seen > 200
        assert 50 <= fits <= 50 + np.log(seen / 50) / np.log(1.02) + 2


class NaiveLogistic(NaiveSide):
    """The twin with a logistic model, fitted anew in every round."""

    def model(self, a, x):
        _, norm = super().model(a, x)
        if not self.history[a]:
            return dict.fromkeys(self.symbols(a), 1 / len(self.symbols(a))), norm
        features = np.array([z for z, _ in self.history[a]])
        symbols = np.array([self.symbols(a).index(y) for _, y in self.history[a]])
        theta, _ = fitted(features, symbols, len(self.symbols(a)), self.regularization)
        self.theta[a] = theta
        return dict(zip(self.symbols(a), laws(theta, x[None])[0], strict=True)), norm

    def size(self, pair, a, norm, x):
        features = np.array([z for z, _ in self.history[a]])
        law = laws(self.theta[a], x[None])[0]
        v = np.array([float(self.vectors[pair][a][s]) for s in self.symbols(a)])
        if not self.factor:
            law = (law / norm**2 + 0.5 / len(law)) / (1 / norm**2 + 0.5)
        g = np.kron((np.diag(law) - np.outer(law, law)) @ v, x)
        return np.sqrt(g @ np.linalg.solve(hessian(self.theta[a], features, self.regularization), g))


class TestTwin:
    """Every action of every round, with matrices inverted anew."""

    @pytest.mark.parametrize("game", [APPLES, LABELS, PRICES], ids=lambda game: game.name)
    def test_tight(self, game):
        strategy = RandCBPSide(game, 3, model="logistic", seed=2)
        settings = {"degrees": 1.01, "offset": 0.0, "start": 0.05, "factor": False, "norm": half_range}
        self.compare(strategy, NaiveLogistic(game, 4, np.random.default_rng(2), half_normal, **settings))

    @pytest.mark.parametrize("game", [APPLES, LABELS], ids=lambda game: game.name)
    def test_corrected(self, game):
        strategy = CBPSide(game, 3, model="logistic", bounds="corrected")
        settings = {"degrees": 7.0, "offset": np.sqrt(0.05), "start": 0.05, "factor": True, "norm": two_norm}
        self.compare(strategy, NaiveLogistic(game, 3, None, lambda bound, rng: bound, **settings))

    def compare(self, strategy, twin):
        twin.theta = {}
        rng = np.random.default_rng(1)
        game, theta = strategy.game, np.random.default_rng(7).normal(size=(strategy.game.n_outcomes, 3)) * 2
        for t in range(45):
            x = rng.normal(size=3)
            seen = np.append(x, 1.0) if twin.d == 4 else x
            action = strategy.act(x)
            assert action == twin.act_at(seen), f"round {t}"
            outcome = rng.choice(game.n_outcomes, p=laws(theta, x[None])[0])
            symbol = game.feedback[action][outcome]
            strategy.observe(symbol)
            twin.learn(action, symbol, seen)


class TestSimulation:
    """In the compiled loop."""

    @pytest.mark.parametrize("game", [APPLES, LABELS], ids=lambda game: game.name)
    def test_lower_regret_than_the_linear_model_where_it_is_true(self, game):
        """Coefficients of different sizes and an intercept; 64 runs of 5 000 rounds, the same contexts for both."""
        contexts = np.random.default_rng(1).uniform(LOW, HIGH, size=(5_000, 5))
        environment = record_contexts(laws(np.array(THETA), contexts), contexts, 64, 5_000)
        how = {"horizon": 5_000, "runs": 64, "checkpoints": 1}
        ours, linear = (
            sl.simulate(RandCBPSide(game, 5, model=model), environment, **how).final for model in ("logistic", "linear")
        )
        error = (linear - ours).std(ddof=1) / np.sqrt(64)
        assert (linear - ours).mean() > 3 * error

    def test_nobody_is_sure_after_a_few_symbols_that_are_alike(self):
        """With the plain local standard error, a few runs stop to look after five labels and pay forever."""
        contexts = np.random.default_rng(1).uniform(LOW, HIGH, size=(5_000, 5))
        environment = record_contexts(laws(np.array(THETA), contexts), contexts, 400, 600)
        results = sl.simulate(RandCBPSide(LABELS, 5, model="logistic"), environment, 600, 400, checkpoints=1)
        assert results.plays[:, 0].min() > 12

    def test_arrays_that_grow_compiled_as_interpreted(self):
        rng = np.random.default_rng(0)
        outcomes = (rng.random(420) < 0.3).astype(int)
        environment = Replay(outcomes, contexts=np.abs(rng.normal(size=(420, 1))), law="outcome")
        strategy = RandCBPSide(APPLES, 1, model="logistic", intercept=False)
        how = {"horizon": 420, "runs": 1, "workers": 1}
        with compiled():
            fast = sl.simulate(strategy, environment, **how)
        with interpreted(), np.errstate(all="raise"):
            slow = sl.simulate(strategy, environment, **how)
        assert fast.plays[0, 1] > 256
        assert np.array_equal(fast.regret, slow.regret)

    def test_saved_after_growing(self, tmp_path):
        strategy = RandCBPSide(APPLES, 1, model="logistic", seed=3)
        rng = np.random.default_rng(0)
        for _ in range(300):
            action = strategy.act(rng.normal(size=1))
            strategy.observe(APPLES.feedback[action][0])
        assert strategy.state.history.symbols.shape[1] == 512
        strategy.save(tmp_path / "strategy.npz")
        again = RandCBPSide.load(tmp_path / "strategy.npz")
        assert again.state.history.features.shape == strategy.state.history.features.shape
        contexts = rng.normal(size=(250, 1))
        for x in contexts:
            action = strategy.act(x)
            assert again.act(x) == action
            for one in (strategy, again):
                one.observe(APPLES.feedback[action][int(x[0] > 0)])
        assert np.array_equal(again.state.history.theta, strategy.state.history.theta)
