"""PG-TS and PG-IDS: the Pólya-Gamma sampler, the Gibbs sampler and the rules that use it."""

import numpy as np
import pytest
from legacy import published_contexts
from scipy import integrate, stats

import sidelight as sl
from sidelight.environments import Replay
from sidelight.kernels import compiled, interpreted
from sidelight.strategies import PGIDS, PGTS
from sidelight.strategies.base import observe
from sidelight.strategies.labels.logistic_posterior import (
    draw_theta_of_label_posterior,
    gibbs_transition_of_label_posterior,
)
from sidelight.strategies.labels.pg import choose_label_by_information_ratio
from sidelight.strategies.labels.polya_gamma import (
    draw_polya_gamma,
    log_normal_cdf_for_polya_gamma,
    right_share_of_polya_gamma_proposal,
)

APPLES = sl.games.load("apple-tasting")
LABELS = sl.games.load("label-efficient")


def draws(tilt, count, seed=0):
    rng = np.random.default_rng(seed)
    with np.errstate(all="raise"):
        return np.array([draw_polya_gamma(tilt, rng) for _ in range(count)])


def moments(z):
    """Return mean and variance of PG(1, z)."""
    if z == 0:
        return 0.25, 1 / 24
    mean = np.tanh(z / 2) / (2 * z)
    return mean, (mean - 0.25 / np.cosh(z / 2) ** 2) / z**2


class Constant:
    """Stands in for a random generator that always draws the same number."""

    def __init__(self, number):
        self.number = number

    def random(self):
        return self.number


class TestSampler:
    """PG(1, z)."""

    @pytest.mark.parametrize("z", [0.0, 0.3, 1.0, 2.9, 3.2, 7.0, 15.0, 17.0, 40.0, 300.0])
    def test_moments(self, z):
        sample = draws(z, 12_000)
        mean, variance = moments(z)
        assert sample.min() > 0
        assert abs(sample.mean() - mean) < 4 * np.sqrt(variance / len(sample))
        spread = (sample - mean) ** 2
        assert abs(spread.mean() - variance) < 4 * spread.std() / np.sqrt(len(sample))

    @pytest.mark.parametrize("z", [0.0, 0.5, 2.0, 3.125, -5.0, 12.0, 30.0])
    def test_the_distribution_is_that_of_the_package(self, z):
        package = pytest.importorskip("polyagamma")
        theirs = package.random_polyagamma(1, z, size=20_000, method="devroye", random_state=5)
        assert stats.ks_2samp(draws(z, 8_000), theirs).pvalue > 1e-4

    @pytest.mark.parametrize("z", [80.0, 95.0, 1e3, 1e6])
    def test_far_out_it_is_an_inverse_gaussian(self, z):
        """4 PG(1, z) has the mean 2 / z and the shape 1, but for terms of the order exp(-z)."""
        sample = 4 * draws(z, 6_000)
        assert stats.kstest(sample, stats.invgauss(2 / z).cdf).pvalue > 1e-4

    def test_the_sign_does_not_matter(self):
        assert np.array_equal(draws(-1.7, 50), draws(1.7, 50))

    def test_the_share_of_the_right_part(self):
        """Against quadrature of the two parts of the proposal, on both sides of where the formula changes."""
        for z in (0.1, 1.0, 3.0, 7.9, 8.1, 12.0, 20.0):
            rate = np.pi**2 / 8 + z * z / 2
            right = np.pi / (2 * rate) * np.exp(-rate * 0.64)

            def left(x, z=z):
                return np.sqrt(2 / np.pi / x**3) * np.exp(-1 / (2 * x) - z * z * x / 2)

            below = integrate.quad(left, 0, 0.64, points=[0.05, min(0.6, 1 / z)])[0]
            assert right_share_of_polya_gamma_proposal(z, rate) == pytest.approx(
                right / (right + below), rel=1e-6, abs=1e-12
            )
        assert right_share_of_polya_gamma_proposal(1e5, 5e9) == 0.0

    @pytest.mark.parametrize("x", [-40.0, -9.0, -8.0, -7.9, -2.0, 0.0, 3.0])
    def test_the_normal_distribution_function(self, x):
        assert log_normal_cdf_for_polya_gamma(x) == pytest.approx(stats.norm.logcdf(x), rel=1e-6, abs=1e-12)


def with_labels(strategy, contexts, labels):
    """Show labels (1 is the first outcome) to a strategy."""
    parameters, state = strategy.compiled_parameters, strategy.state
    for x, y in zip(contexts, labels, strict=True):
        observe(parameters, state, 1, 0 if y else 1, np.atleast_1d(np.array(x, float)))
    return parameters, state


def posterior(contexts, labels, mean=0.5):
    """Return mean and standard deviation of the coefficient, by quadrature."""
    x, y = np.array(contexts), np.array(labels)

    def density(theta):
        return np.exp(-((theta - mean) ** 2) / 2) * np.prod(1 / (1 + np.exp(-(2 * y - 1) * x * theta)))

    total, first, second = (integrate.quad(lambda t, k=k: t**k * density(t), -8, 8)[0] for k in range(3))
    return first / total, np.sqrt(second / total - (first / total) ** 2)


class TestGibbs:
    """The chain."""

    CONTEXTS, LABELS = (1, 2, -1, 0.5, 1.5), (1, 1, 0, 1, 0)

    @pytest.mark.parametrize("refresh", [1.0, 0.5, 0.1])
    def test_posterior(self, refresh):
        strategy = PGTS(APPLES, 1, refresh=refresh)
        parameters, state = with_labels(strategy, self.CONTEXTS, self.LABELS)
        rng = np.random.default_rng(0)
        chain = []
        for _ in range(16_000):
            gibbs_transition_of_label_posterior(state.posterior, parameters.regularization, parameters.refresh, rng)
            chain.append(state.posterior.theta[0])
        mean, spread = posterior(self.CONTEXTS, self.LABELS)
        assert (round(mean, 4), round(spread, 4)) == (0.7621, 0.6485)
        assert np.mean(chain) == pytest.approx(mean, abs=0.04)
        assert np.std(chain) == pytest.approx(spread, abs=0.03)

    @pytest.mark.parametrize("refresh", [1.0, 0.3])
    def test_the_precision_is_never_out_of_date(self, refresh):
        """A = B^-1 + sum omega x x', however few of the omegas are drawn anew."""
        rng = np.random.default_rng(1)
        contexts, labels = rng.normal(size=(40, 3)), rng.integers(2, size=40)
        strategy = PGTS(APPLES, 2, intercept=True, refresh=refresh, regularization=0.5)
        parameters, state = with_labels(strategy, contexts[:, :2], labels)
        for _ in range(400):
            gibbs_transition_of_label_posterior(state.posterior, parameters.regularization, parameters.refresh, rng)
        seen = np.column_stack([contexts[:, :2], np.ones(40)])
        assert state.posterior.features[:40] == pytest.approx(seen)
        expected = np.eye(3) / 2 + seen.T @ (state.posterior.omega[:40, None] * seen)
        assert np.tril(state.posterior.precision) == pytest.approx(np.tril(expected), rel=1e-9)
        assert state.posterior.pull == pytest.approx(seen.T @ (labels - 0.5) + 0.25)

    def test_coefficients_are_drawn_from_the_right_gaussian(self):
        strategy = PGTS(APPLES, 3)
        state = strategy.state.posterior
        half = np.random.default_rng(2).normal(size=(3, 3))
        A = half @ half.T + np.eye(3)
        state.precision[:] = A
        state.pull[:] = [1.0, -2.0, 0.5]
        rng = np.random.default_rng(3)
        sample = []
        for _ in range(6_000):
            draw_theta_of_label_posterior(state, rng)
            sample.append(state.theta.copy())
        inverse = np.linalg.inv(A)
        scale = np.sqrt(np.diag(inverse) / 6_000)
        assert np.abs((np.mean(sample, axis=0) - inverse @ state.pull) / scale).max() < 4
        assert np.cov(np.array(sample).T) == pytest.approx(inverse, abs=0.05 * inverse.max())

    def test_a_share_of_the_omegas_in_turn(self):
        strategy = PGTS(APPLES, 1, refresh=0.25)
        parameters, state = with_labels(strategy, np.ones(8), np.ones(8))
        rng = np.random.default_rng(0)
        before = state.posterior.omega.copy()
        gibbs_transition_of_label_posterior(state.posterior, parameters.regularization, parameters.refresh, rng)
        changed = np.flatnonzero(state.posterior.omega != before)
        assert changed.tolist() == [0, 1, 2]
        assert state.posterior.turn[0] == 3


class TestRules:
    """From coefficients to actions."""

    @pytest.mark.parametrize(
        ("regrets", "share"),
        [((0.1, 0.5), 0.25), ((0.1, 0.15), 1.0), ((0.2, 0.2), 1.0), ((0.0, 0.3), 0.0), ((0.4, 0.0), 1.0), ((0, 0), 1)],
    )
    def test_the_share_of_the_revealing_action(self, regrets, share):
        for number, expected in ((share - 1e-9, 1), (share + 1e-9, 0)):
            if 0 <= number < 1:
                assert choose_label_by_information_ratio(1, np.array(regrets, float), Constant(number)) == expected

    def test_against_the_information_ratio_itself(self):
        """q minimizes ((1 - q) D_0 + q D_1)^2 / q."""
        rng = np.random.default_rng(0)
        q = np.linspace(1e-4, 1, 20_001)
        for _ in range(30):
            d = rng.random(2)
            best = q[np.argmin(((1 - q) * d[0] + q * d[1]) ** 2 / q)]
            expected = 1.0 if d[1] <= d[0] else min(1.0, d[0] / (d[1] - d[0]))
            assert best == pytest.approx(expected, abs=1e-3)

    def test_the_best_of_several_blind_actions(self):
        """Label efficient: asking (0) against the better of the guesses (2)."""
        regrets = np.array([0.9, 0.6, 0.3])
        assert choose_label_by_information_ratio(0, regrets, Constant(0.499)) == 0
        assert choose_label_by_information_ratio(0, regrets, Constant(0.501)) == 2

    @pytest.mark.parametrize("kind", [PGTS, PGIDS])
    def test_a_clear_case_is_decided(self, kind):
        """The first outcome (where tasting is right) if x > 0."""
        strategy = kind(APPLES, 1, seed=0)
        rng = np.random.default_rng(0)
        assert strategy.act([1.0]) == 1  # the first round looks
        strategy.observe(APPLES.feedback[1][0])
        for _ in range(120):
            x = rng.choice([-3.0, 3.0])
            action = strategy.act([x])
            strategy.observe(APPLES.feedback[action][0 if x > 0 else 1])
        assert sum(strategy.act([3.0]) for _ in range(10)) == 10
        assert sum(strategy.act([-3.0]) for _ in range(10)) <= 1

    @pytest.mark.slow
    def test_on_the_published_stream(self):
        """Four runs of 1 500 rounds; the published runs of 7 500 rounds have 179 and 130."""
        contexts, outcomes = published_contexts(4, 1_500)
        environment = Replay(outcomes, contexts=contexts, law="outcome")
        for kind, most in ((PGTS, 110), (PGIDS, 85)):
            results = sl.simulate(kind(APPLES, 10), environment, horizon=1_500, runs=4, checkpoints=1)
            assert results.final.mean() < most


class TestArraysThatGrow:
    """More labels than there was room for."""

    @pytest.mark.parametrize("refresh", [1.0, 0.2])
    def test_compiled_as_interpreted(self, refresh):
        rng = np.random.default_rng(0)
        outcomes = (rng.random(400) < 0.1).astype(int)
        environment = Replay(outcomes, contexts=np.abs(rng.normal(size=(400, 1))), law="outcome")
        for kind in (PGTS, PGIDS):
            strategy = kind(APPLES, 1, transitions=1, refresh=refresh)
            how = {"horizon": 400, "runs": 1, "workers": 1}
            with compiled():
                fast = sl.simulate(strategy, environment, **how)
            with interpreted(), np.errstate(all="raise"):
                slow = sl.simulate(strategy, environment, **how)
            assert fast.plays[0, 1] > 256
            assert np.array_equal(fast.regret, slow.regret)

    def test_saved_and_loaded(self, tmp_path):
        strategy = PGTS(APPLES, 1, transitions=1, refresh=0.1, seed=2)
        rng = np.random.default_rng(0)

        def played(one, x):
            action = one.act(x)
            one.observe(APPLES.feedback[action][0])
            return action

        for _ in range(300):
            played(strategy, rng.random(1))
        assert strategy.state.posterior.labels[0] > 256
        strategy.save(tmp_path / "strategy.npz")
        again = PGTS.load(tmp_path / "strategy.npz")
        twin = strategy.clone()
        for _ in range(250):
            x = rng.random(1)
            assert played(strategy, x) == played(again, x) == played(twin, x)
        assert np.array_equal(again.state.posterior.theta, strategy.state.posterior.theta)
        assert strategy.state.posterior.omega.shape == (1_024,)


class TestRefusals:
    """What cannot be done is said."""

    @pytest.mark.parametrize("kind", [PGTS, PGIDS])
    @pytest.mark.parametrize("name", ["bartok", "hopeless", "bernoulli-bandit"])
    def test_other_games(self, kind, name):
        with pytest.raises(sl.SidelightError, match=f"{kind.__name__} plays games of two outcomes .* exactly one"):
            kind(sl.games.load(name), 2)

    def test_thompson_sampling_warns_where_it_never_pays_for_information(self):
        with pytest.warns(UserWarning, match="the game is hard"):
            PGTS(LABELS, 2)
        with pytest.warns(UserWarning, match="told apart only by a degenerate action"):
            PGTS(sl.games.load("degenerate-informative"), 2)
