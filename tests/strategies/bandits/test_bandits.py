"""Bandits: which games are, KL-UCB and Beta-Thompson sampling without contexts, LinUCB and LinTS with them."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.optimization.divergence import bernoulli_divergence
from sidelight.strategies import KLUCB, BetaThompson, LinTS, LinUCB
from sidelight.strategies.bandits.bernoulli import kl_lower_bound_of_arm
from sidelight.strategies.bandits.losses import bandit_arms, common_losses_of_bandit

APPLES, TASTE = sl.games.load("apple-tasting"), 1
ARMS = sl.games.load("bernoulli-bandit")
BANDITS = {
    "apple-tasting",
    "tau-detection",
    "full-information",
    "bernoulli-bandit",
    "finite-bandit",
    "revenue-pricing",
    "trivial",
    "trivial-degenerate",
    "cops-and-robbers",
    "difference",
    "symbol-ladder",
    "unobservable-dominated",
}


class TestWhatIsABandit:
    """The symbol tells the loss, up to what all actions pay."""

    @pytest.mark.parametrize("name", sl.games.names())
    def test_the_catalogue(self, name):
        analysis = sl.analyze(sl.games.load(name))
        assert (common_losses_of_bandit(analysis.game, analysis.pareto) is not None) == (name in BANDITS)

    @pytest.mark.parametrize("name", sorted(BANDITS))
    def test_what_is_found_keeps_the_promise(self, name):
        game = sl.games.load(name)
        pareto = sl.analyze(game).pareto
        common = common_losses_of_bandit(game, pareto)
        for a in pareto:
            told = {}
            for j, symbol in enumerate(game.feedback[a]):
                value = game.loss[a][j] + common[j]
                assert told.setdefault(symbol, value) == value >= 0

    def test_apple_tasting_by_hand(self):
        options = bandit_arms(sl.analyze(APPLES), "it")
        assert list(options.sure) == [1, 0]
        assert list(options.loss) == [0.5, 0.0, 1.0]  # to sell, to taste what is rotten, to taste what is good

    def test_a_bandit_is_left_as_it_is(self):
        assert common_losses_of_bandit(ARMS, (0, 1)) == [0, 0, 0, 0]

    def test_common_losses_are_seen_through(self):
        shift = [Fraction(1, 3), Fraction(-7, 2), Fraction(5), Fraction(0)]
        shifted = sl.Game([[x + c for x, c in zip(row, shift, strict=True)] for row in ARMS.loss], ARMS.feedback)
        plain, other = (bandit_arms(sl.analyze(game), "it") for game in (ARMS, shifted))
        assert list(plain.loss) == list(other.loss)

    def test_a_contradiction_round_a_circle_of_outcomes(self):
        feedback = [["x", "x", "y"], ["u", "v", "v"], ["r", "s", "r"]]
        loss = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
        assert common_losses_of_bandit(sl.Game(loss, feedback), (0, 1, 2)) is not None
        loss[2] = [0, 1, Fraction(1, 10**12)]
        assert common_losses_of_bandit(sl.Game(loss, feedback), (0, 1, 2)) is None

    @pytest.mark.parametrize("kind", [KLUCB, BetaThompson, LinUCB, LinTS])
    @pytest.mark.parametrize("name", ["label-efficient", "bartok", "dynamic-pricing", "hopeless"])
    def test_other_games_are_refused(self, kind, name):
        needed = {"dimension": 2} if kind in (LinUCB, LinTS) else {}
        with pytest.raises(sl.SidelightError, match=f"{kind.__name__} plays bandits.*RandCBP plays it"):
            kind(sl.games.load(name), **needed)


class TestKLUCB:
    """The bound, by definition and by hand, and the choice."""

    @pytest.mark.parametrize("mean", [1e-9, 1e-4, 0.1, 0.5, 0.9, 1 - 1e-9, 1.0])
    @pytest.mark.parametrize("radius", [0.0, 1e-9, 1e-3, 0.1, 1.0, 20.0])
    def test_the_bound_by_bisection(self, mean, radius):
        low, high = 0.0, mean
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (low, middle) if middle > 0 and bernoulli_divergence(mean, middle) <= radius else (middle, high)
        found = kl_lower_bound_of_arm(mean, radius)
        assert 0.0 <= found <= mean
        assert found == pytest.approx(high, rel=1e-5, abs=1e-11)

    def test_the_bound_by_hand(self):
        assert kl_lower_bound_of_arm(1.0, 2.0) == pytest.approx(math.exp(-2))  # kl(1, q) = -log q
        assert kl_lower_bound_of_arm(0.5, 0.5 * math.log(4 / 3)) == pytest.approx(
            0.25
        )  # kl(1/2, q) = -log(4 q (1 - q)) / 2
        assert kl_lower_bound_of_arm(0.0, 5.0) == 0.0

    def test_a_naive_twin(self):
        game, rng = sl.games.load("bernoulli-bandit", arms=3), np.random.default_rng(4)
        strategy, seen = KLUCB(game, c=2.0), [[], [], []]
        for t in range(1, 300):
            indices = []
            for losses in seen:
                mean = np.mean(losses) if losses else 0.0
                grid = np.linspace(1e-9, 1, 20_001)
                good = grid <= mean
                if losses and mean > 0:
                    f = math.log(t) + 2 * math.log(max(1, math.log(t)))
                    rest = (1 - mean) * np.log((1 - mean) / (1 - grid[good])) if mean < 1 else 0
                    good[good] = len(losses) * (mean * np.log(mean / grid[good]) + rest) <= f
                indices.append(grid[good].min() if good.any() else 0.0)
            action = strategy.act()
            assert indices[action] <= min(indices) + 1e-4
            success = int(rng.random() < (0.3, 0.5, 0.6)[action])
            strategy.observe(success)
            seen[action].append(1 - success)
        assert min(map(len, seen)) > 5

    def test_an_action_of_known_loss_is_not_doubted(self):
        strategy = KLUCB(APPLES)
        for _ in range(40):
            strategy.observe("good" if strategy.act() == TASTE else "nothing")
        assert 1 <= strategy.state.seen[TASTE] < 8
        assert strategy.act() == 1 - TASTE


class TestBetaThompson:
    """The posterior is the Beta law."""

    def test_the_share_of_plays_is_that_of_the_posterior(self):
        strategy = BetaThompson(ARMS, seed=5)
        strategy.state.seen[:], strategy.state.loss[:] = [10, 6], [4, 3]
        drawn = np.array([strategy.act() for _ in range(4000)])
        rng = np.random.default_rng(6)
        wanted = (rng.beta(5, 7, 10**6) < rng.beta(4, 4, 10**6)).mean()
        assert drawn.mean() == pytest.approx(1 - wanted, abs=4 * math.sqrt(0.25 / 4000))

    def test_losses_in_between_count_in_part(self):
        game = sl.games.load("finite-bandit")
        strategy = BetaThompson(game, seed=1)
        action = strategy.act()
        strategy.observe("1/2")
        assert strategy.state.loss[action] == 0.5
        assert strategy.state.seen[action] == 1

    def test_ten_arms(self):
        """Russo and Van Roy, 2018: 28.1 after 1 000 rounds, arms uniform; here 29.3, standard error 0.8."""
        game = sl.games.load("bernoulli-bandit", arms=10)
        arms = np.random.default_rng(11).random((400, 10))
        laws = np.ones((400, game.n_outcomes))
        for row, wins in zip(np.array(game.loss, float), arms.T, strict=True):
            laws *= np.where(row == 0, wins[:, None], 1 - wins[:, None])
        found = sl.simulate(BetaThompson(game), sl.environments.IID(laws), 1_000, 400, 5, workers=1)
        assert found.final.mean() == pytest.approx(28.1, rel=0.1)


class TestLinear:
    """LinUCB against a naive twin, LinTS by the law of its draws."""

    @staticmethod
    def regressions(history, d, penalty):
        """Return G^-1 and the coefficients of each action, for losses less 1/2."""
        found = {}
        for a, seen in history.items():
            G, b = penalty * np.eye(d), np.zeros(d)
            for x, loss in seen:
                G += np.outer(x, x)
                b += x * (loss - 0.5)
            found[a] = np.linalg.inv(G), np.linalg.solve(G, b)
        return found

    @pytest.mark.parametrize("game", [APPLES, ARMS], ids=["apple-tasting", "bandit"])
    def test_a_naive_twin_of_linucb(self, game):
        rng, strategy = np.random.default_rng(8), LinUCB(game, 2, regularization=0.4, alpha=0.8)
        options = strategy.compiled_parameters.arms
        history = {int(a): [] for a in options.actions}
        for _ in range(200):
            x = np.append(rng.normal(size=2), 1.0)
            index = {}
            for a, (inverse, theta) in self.regressions(history, 3, 0.4).items():
                known = options.loss[options.place[a]] - 0.5
                index[a] = known if options.sure[a] else theta @ x - 0.8 * math.sqrt(x @ inverse @ x)
            action = strategy.act(x[:2])
            assert index[action] <= min(index.values()) + 1e-9
            outcome = int(x[0] - x[1] + rng.normal() < 0) * (game.n_outcomes - 1)
            symbol = game.feedback[action][outcome]
            strategy.observe(symbol)
            place = options.place[action] + game.symbols(action).index(symbol)
            history[action].append((x, options.loss[place]))
        assert min(map(len, history.values())) > 10

    def test_lints_draws_from_the_posterior(self):
        strategy, rng = LinTS(APPLES, 2, regularization=0.5, sigma=0.7, seed=2), np.random.default_rng(3)
        history = {TASTE: []}
        for n in range(12):
            x = rng.normal(size=2)
            while strategy.act(x) != TASTE:
                strategy.observe("nothing")
            strategy.observe("good" if n % 2 else "rotten")
            history[TASTE].append((np.append(x, 1.0), 1.0 if n % 2 else 0.0))
        x = np.array([0.3, -0.2, 1.0])
        inverse, theta = self.regressions(history, 3, 0.5)[TASTE]
        score = theta @ x / (0.7 * math.sqrt(x @ inverse @ x))
        wanted = 0.5 * math.erfc(score / math.sqrt(2))  # the draw is below 0
        played = np.mean([strategy.act(x[:2]) == TASTE for _ in range(4000)])
        assert played == pytest.approx(wanted, abs=4 * math.sqrt(0.25 / 4000))
