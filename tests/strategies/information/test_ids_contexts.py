"""Information directed sampling with finitely many contexts."""

import numpy as np
import pytest
from common.recordings import record_contexts

import sidelight as sl
from sidelight.strategies.base import observe
from sidelight.strategies.information.ids import IDS
from sidelight.strategies.information.ids_contexts import IDSContexts
from sidelight.strategies.shared.information_ratio import (
    best_share_for_information_ratio,
    mix_policies_by_information_ratio,
)

APPLES = sl.games.load("apple-tasting")
LABELS = sl.games.load("label-efficient")
PRICES = sl.games.load("dynamic-pricing", prices=3)


def least_ratio(weights, gap, gain):
    """Return the ratio that `mix` finds, its two policies and the share of the second."""
    policies, share = np.zeros((3, len(weights)), np.int64), np.zeros(1)
    first, second, third = policies
    found = mix_policies_by_information_ratio(
        *(np.array(one, float) for one in (weights, gap, gain)), first, second, third, share
    )
    return found, first, second, share[0]


def ratios(weights, gap, gain, policies):
    """Return the ratio of each policy, (policies, contexts, actions)."""
    cost, learned = (np.einsum("c,ca,pca->p", weights, each, policies) for each in (gap, gain))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(learned > 0, cost**2 / learned, np.inf)


class TestMixing:
    """The policy of least information ratio."""

    def test_the_known_example(self):
        gap, gain = [[0.1, 0.4, 0.6], [0.3, 0.2, 0.9]], [[0, 0.2, 0.8], [0.1, 0, 0.7]]
        found, first, second, share = least_ratio([0.6, 0.4], gap, gain)
        assert found == pytest.approx(0.35, abs=1e-12)
        policy = (1 - share) * np.eye(3)[first] + share * np.eye(3)[second]
        assert ratios(np.array([0.6, 0.4]), np.array(gap), np.array(gain), policy[None])[0] == pytest.approx(0.35)

    def test_one_context_is_the_closed_form(self):
        assert best_share_for_information_ratio(0.1, 0.05, 0.5, 0.9) == pytest.approx(0.132353, abs=5e-7)
        assert least_ratio([1.0], [[0.1, 0.5]], [[0.05, 0.9]])[3] == pytest.approx(0.132353, abs=5e-7)

    def test_no_policy_has_a_smaller_ratio(self):
        rng = np.random.default_rng(0)
        for _ in range(120):
            contexts, actions = (int(n) for n in rng.integers(1, 6, size=2))
            weights = rng.dirichlet(np.ones(contexts))
            gap = rng.random((contexts, actions))
            gain = rng.random((contexts, actions)) * (rng.random((contexts, actions)) < 0.6)
            found, first, second, share = least_ratio(weights, gap, gain)
            if not gain.any():
                assert found == np.inf
                continue
            policy = (1 - share) * np.eye(actions)[first] + share * np.eye(actions)[second]
            assert ratios(weights, gap, gain, policy[None])[0] == pytest.approx(found, rel=1e-9)
            others = rng.dirichlet(np.full(actions, 0.2), size=(3_000, contexts))
            near = 0.98 * policy + 0.02 * others
            assert found <= min(ratios(weights, gap, gain, each).min() for each in (others, near)) + 1e-12

    def test_what_is_certain_is_played(self):
        found, first, _, share = least_ratio([0.5, 0.5], [[0.0, 0.3], [0.2, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
        assert (found, share) == (0.0, 0.0)
        assert first.tolist() == [0, 1]
        found, first, _, share = least_ratio([0.5, 0.5], [[0.4, 0.3], [0.2, 0.5]], np.zeros((2, 2)))
        assert (found, share) == (np.inf, 0.0)
        assert first.tolist() == [1, 0]


def drive(strategy, rounds, seed=0):
    """Play against a fixed law; return what was seen of informative actions as (action, symbol, context)."""
    rng = np.random.default_rng(seed)
    game, seen = strategy.game, []
    for _ in range(rounds):
        x = strategy._features[rng.integers(len(strategy._features))]
        action = strategy.act(x)
        symbol = game.feedback[action][int(rng.integers(game.n_outcomes))]
        strategy.observe(symbol)
        if game.informative(action):
            seen.append((action, game.symbols(action).index(symbol), x))
    return seen


CONTEXTS = np.array([[1.0, 0.0], [1.0, 0.5], [0.2, 1.0]])


@pytest.mark.parametrize("game", [APPLES, LABELS, PRICES], ids=lambda game: game.name)
def test_bounds_follow_the_formulas(game):
    """Against NumPy's own linear algebra, with Kronecker products written out."""
    strategy = IDSContexts(game, CONTEXTS, [0.5, 0.2, 0.3], width=0.8, seed=1)
    seen = drive(strategy, 150)
    strategy.act(CONTEXTS[0])
    state, loss = strategy.state, np.array(game.loss, float)

    def observation(a, x):
        return np.kron(x[None, :], np.array(game.signal(a), float))

    size = 2 * game.n_outcomes
    V = np.eye(size) + sum(observation(a, x).T @ observation(a, x) for a, _, x in seen)
    response = sum(observation(a, x)[u] for a, u, x in seen)
    inverse, log_det = np.linalg.inv(V), np.linalg.slogdet(V)[1]
    assert state.regression.inverse == pytest.approx(inverse, abs=1e-9)
    assert state.regression.log_det[0] == pytest.approx(log_det)
    beta = (np.sqrt(0.5 * (log_det + 2 * np.log(151 * np.log(151)))) + 1) ** 2
    for c, x in enumerate(CONTEXTS):
        for a in range(game.n_actions):
            bounds = [0.0]
            for b in strategy.analysis.cells.pareto:
                d = np.kron(x, loss[a] - loss[b])
                bound = d @ inverse @ response + 0.8 * np.sqrt(beta * (d @ inverse @ d))
                bounds.append(min(bound, (loss[a] - loss[b]).max()))
            assert state.bounds.gap[c, a] == pytest.approx(max(bounds), abs=1e-9)
            inner = np.eye(len(game.symbols(a))) + observation(a, x) @ inverse @ observation(a, x).T
            gain = np.linalg.slogdet(inner)[1] if game.informative(a) else 0.0
            assert state.bounds.gain[c, a] == pytest.approx(gain, abs=1e-10)


@pytest.mark.parametrize("game", [APPLES, LABELS, PRICES], ids=lambda game: game.name)
def test_with_one_context_it_is_ids(game):
    """Shown the same symbols, both have the same bounds and play at the same information ratio (ties may differ)."""
    plain, ours = IDS(game, seed=1), IDSContexts(game)
    rng = np.random.default_rng(3)
    for _ in range(200):
        action = plain.act()
        ours.act([1.0])
        assert ours.state.bounds.gap[0] == pytest.approx(plain.state.bounds.gap, abs=1e-9)
        assert ours.state.bounds.gain[0] == pytest.approx(plain.state.bounds.gain, abs=1e-9)
        found = []
        for share, pair in (
            (plain.state.share[0], plain.state.mixed),
            (ours.state.share[0], ours.state.policies[:2, 0]),
        ):
            law = (1 - share) * np.eye(game.n_actions)[pair[0]] + share * np.eye(game.n_actions)[pair[1]]
            found.append(ratios(np.ones(1), ours.state.bounds.gap, ours.state.bounds.gain, law[None, None])[0])
        assert found[0] == pytest.approx(found[1], rel=1e-9)
        symbol = game.symbols(action).index(game.feedback[action][rng.integers(game.n_outcomes)])
        for one in (plain, ours):
            observe(one.compiled_parameters, one.state, action, symbol, np.ones(one.dimension))


def test_contexts_are_told_apart():
    """In one context tasting is best, in the other selling, and it costs little to find out."""
    which = [0] * 3 + [1] * 7  # seen as often as that
    environment = record_contexts(np.array([[0.85, 0.15], [0.1, 0.9]])[which], np.eye(2)[which], 8, 4_000)
    results = sl.simulate(IDSContexts(APPLES, 2, [0.3, 0.7]), environment, 4_000, 8, checkpoints=1)
    assert results.final.mean() < 120  # always tasting costs 2 240, always selling 840
    assert results.plays.mean(axis=0) / 4_000 == pytest.approx([0.7, 0.3], abs=0.05)


def test_what_is_seen_is_taken_for_the_nearest_context():
    one, other = (IDSContexts(APPLES, CONTEXTS, seed=2) for _ in range(2))
    for x in CONTEXTS[[0, 1, 2, 2, 1, 0] * 5]:
        action = one.act(x)
        assert other.act(x + 1e-3) == action
        for each in (one, other):
            each.observe(APPLES.feedback[action][0])
    assert np.array_equal(one.state.regression.inverse, other.state.regression.inverse)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"contexts": 0}, "at least 1"),
        ({"contexts": [1.0, 2.0]}, r"\(contexts, d\)"),
        ({"contexts": [[1.0], [np.nan]]}, "finite"),
        ({"contexts": "ab"}, "not numeric"),
        ({"contexts": 2, "weights": [1.0]}, "2 probabilities"),
        ({"contexts": 2, "weights": [0.7, 0.7]}, "sum to 1"),
        ({"contexts": 2, "weights": [1.5, -0.5]}, "probabilities"),
        ({"contexts": 2, "weights": "even"}, "not numeric"),
    ],
)
def test_parameters(wrong, words):
    with pytest.raises(sl.SidelightError, match=words):
        IDSContexts(APPLES, **wrong)
