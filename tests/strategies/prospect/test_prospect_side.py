"""ProspectSide: against its naive twin, in hostile worlds, and without stalls."""

import numpy as np
import pytest
from naive_prospect_side import NaiveProspectSide

import sidelight as sl
from sidelight.kernels import compiled, interpreted
from sidelight.strategies.prospect import prospect_side, side_belief, side_fit
from sidelight.strategies.prospect.prospect_side import BLIND, ODDS, ROUNDS
from sidelight.strategies.prospect.side_belief import ABSORBED, KEPT, NOISE, PRECISION, SEEN, first_search, room_for

APPLES, LABELS = sl.games.load("apple-tasting"), sl.games.load("label-efficient")
BARTOK, PRICES = sl.games.load("bartok"), sl.games.load("dynamic-pricing", prices=3)


def softmax_world(outcomes, dimension, rounds, seed=0, scale=2.0):
    """Return contexts and outcomes that follow a softmax."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, dimension))
    scores = X @ rng.normal(size=(dimension, outcomes)) * scale / dimension**0.5
    laws = np.exp(scores - scores.max(axis=1, keepdims=True))
    laws /= laws.sum(axis=1, keepdims=True)
    return X, np.array([rng.choice(outcomes, p=law) for law in laws])


def play(strategy, X, outcomes):
    """Play all rounds by hand; return the actions."""
    actions = []
    for x, j in zip(X, outcomes, strict=True):
        actions.append(strategy.act(x))
        strategy.observe(strategy.game.feedback[actions[-1]][j])
    return actions


def posterior(belief):
    """Return what a belief says of its coefficients, and with which noise and precision."""
    return np.concatenate([belief.theta, belief.covariance.ravel(), belief.setting[[NOISE, PRECISION]]])


@pytest.mark.parametrize(
    ("game", "options", "rounds"),
    [(APPLES, {}, 150), (LABELS, {"horizon": 200}, 150), (BARTOK, {"caution": 2.0}, 60), (PRICES, {}, 60)],
    ids=lambda part: getattr(part, "name", None),
)
def test_plays_as_its_naive_twin(game, options, rounds):
    X, outcomes = softmax_world(game.n_outcomes, 3, rounds, seed=2)
    X = X * [1.0, 1e3, 1e-3] + [0.0, 5e4, 1.0]
    strategy, twin = sl.strategies.ProspectSide(game, 3, **options), NaiveProspectSide(game, 3, **options)
    for x, j in zip(X, outcomes, strict=True):
        action = strategy.act(x)
        assert action == twin.act(x)
        symbol = game.feedback[action][j]
        strategy.observe(symbol)
        twin.observe(x, action, game.symbols(action).index(symbol))
        for belief, other in ((strategy.state.linear, twin.linear), (strategy.state.constant, twin.constant)):
            expected = np.concatenate([other.m, other.S.ravel(), [other.noise, other.precision]])
            assert posterior(belief) == pytest.approx(expected, rel=1e-5, abs=1e-6)
        assert strategy.state.counts[ODDS] == pytest.approx(twin.odds, rel=1e-5, abs=1e-6)
    assert twin.looks > len(twin.constant.labels) > 0


def test_plays_as_its_twin_past_the_searches_for_noise():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    outcomes = (X[:, 0] > 0).astype(int) ^ (rng.random(300) < 0.2)
    strategy, twin = sl.strategies.ProspectSide(APPLES, 2), NaiveProspectSide(APPLES, 2)
    for x, j in zip(X, outcomes, strict=True):
        action = strategy.act(x)
        assert action == twin.act(x)
        strategy.observe(APPLES.feedback[action][j])
        twin.observe(x, action, APPLES.symbols(action).index(APPLES.feedback[action][j]))
    assert strategy.state.linear.setting[NOISE] == pytest.approx(twin.linear.noise, rel=1e-5)
    assert twin.linear.next_search > 128


@pytest.mark.parametrize("game", [APPLES, BARTOK], ids=lambda game: game.name)
def test_refits_visit_labels_a_bounded_number_of_times(game, monkeypatch):
    """No act visits a label more often than the passes of its fits allow, and few acts do more than predict."""
    visits = []
    original = side_fit.add_label

    def counted(*arguments):
        visits[-1] += 1
        return original(*arguments)

    monkeypatch.setattr(side_fit, "add_label", counted)
    X, outcomes = softmax_world(game.n_outcomes, 5, 400, seed=5)
    strategy = sl.strategies.ProspectSide(game, 5)
    for x, j in zip(X, outcomes, strict=True):
        visits.append(0)
        strategy.observe(game.feedback[strategy.act(x)][j])
    labels = strategy.state.linear.counts[SEEN]
    fits = 1 + len(side_fit._RATES) + 1  # the linear belief's, those of a search, and the constant belief's
    assert max(visits) <= fits * side_fit._PASSES * labels
    assert 10 * labels < sum(visits) < 200 * labels
    assert np.count_nonzero(visits) < 150


def test_symbols_that_come_all_at_once_are_fitted_at_once(monkeypatch):
    X, outcomes = softmax_world(2, 3, 900, seed=6)
    strategy = sl.strategies.ProspectSide(APPLES, 3)
    played = [(x, j, strategy.act(x)) for x, j in zip(X, outcomes, strict=True)]
    fits = []
    original = prospect_side.refit
    monkeypatch.setattr(prospect_side, "refit", lambda *arguments: (fits.append(1), original(*arguments)))
    for x, j, action in played:
        strategy.observe(APPLES.feedback[action][j], action=action, context=x)
    assert fits == []
    strategy.act(X[0])
    assert len(fits) == 2


def regret(strategy, X, laws, outcomes):
    """Return the expected regret of playing all rounds, compiled."""
    game = strategy.game
    world = sl.environments.Replay(outcomes, contexts=X)
    plays = sl.simulate(strategy, world, horizon=len(X), runs=1, checkpoints=len(X), progress=False, workers=1)
    assert np.isfinite(plays.regret).all()
    loss = np.array(game.loss, float) @ np.asarray(laws).T
    best = loss.min(axis=0).sum()
    hindsight = np.array(game.loss, float)[:, outcomes].sum(axis=1).min()
    return plays.final[0] + hindsight - best  # realized losses less the expected ones of the best actions


def sharp_world(rounds, dimension, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, dimension))
    outcomes = (X @ rng.normal(size=dimension) > 0).astype(np.int64)
    return X, np.eye(2)[outcomes], outcomes


def test_learns_a_half_space():
    X, laws, outcomes = sharp_world(6000, 5, seed=7)
    assert regret(sl.strategies.ProspectSide(APPLES, 5), X, laws, outcomes) < 120
    assert regret(sl.strategies.ProspectSide(LABELS, 5), X, laws, outcomes) < 300


@pytest.mark.parametrize("transform", ["offset", "tiny", "huge", "bad"])
def test_units_do_not_matter(transform):
    X, laws, outcomes = sharp_world(3000, 4, seed=8)
    other = {
        "offset": X + 1e9,
        "tiny": X * 1e-9,
        "huge": X * 1e290,
        "bad": X * [1e-6, 1.0, 1e3, 1e9] + [0.0, 1e3, -1e9, 1e12],
    }[transform]
    before = regret(sl.strategies.ProspectSide(APPLES, 4), X, laws, outcomes)
    assert regret(sl.strategies.ProspectSide(APPLES, 4), other, laws, outcomes) < 1.5 * before + 20


def test_duplicate_features_do_no_harm():
    X, laws, outcomes = sharp_world(3000, 3, seed=9)
    doubled = np.repeat(X, 3, axis=1)
    assert regret(sl.strategies.ProspectSide(APPLES, 9), doubled, laws, outcomes) < 150


def test_a_feature_may_be_constant_until_late():
    """Half of the time the first feature is silent; then it matters most."""
    rng = np.random.default_rng(10)
    X = rng.normal(size=(8000, 3))
    X[:4000, 0] = 0.0
    outcomes = (2.0 * X[:, 0] + X[:, 1] > 0).astype(np.int64)
    X[:, 0] += 3.0
    strategy = sl.strategies.ProspectSide(APPLES, 3)
    assert regret(strategy, X, np.eye(2)[outcomes], outcomes) < 900  # without that feature: 1400


def test_a_sensor_may_be_rescaled():
    X, laws, outcomes = sharp_world(8000, 3, seed=11)
    X[4000:, 0] *= 1000.0
    assert regret(sl.strategies.ProspectSide(APPLES, 3), X, laws, outcomes) < 900


@pytest.mark.parametrize("outcome", [0, 1])
def test_symbols_may_be_equal_for_long(outcome):
    rng = np.random.default_rng(12)
    X = rng.normal(size=(6000, 4))
    X[:3000, 0] = (abs(X[:3000, 0]) + 0.5) * (1 if outcome else -1)
    outcomes = (X[:, 0] > 0).astype(np.int64)
    assert regret(sl.strategies.ProspectSide(LABELS, 4), X, np.eye(2)[outcomes], outcomes) < 400


@pytest.mark.parametrize("dimension", [1, 100])
def test_few_and_many_features(dimension):
    X, laws, outcomes = sharp_world(2000, dimension, seed=13)
    most = 60 if dimension == 1 else 750  # guessing would cost 1000
    assert regret(sl.strategies.ProspectSide(APPLES, dimension), X, laws, outcomes) < most


def test_equal_contexts_always():
    outcomes = (np.random.default_rng(14).random(4000) < 0.2).astype(np.int64)
    X = np.full((4000, 3), 7.0)
    laws = np.tile([0.8, 0.2], (4000, 1))
    for game in (APPLES, LABELS):
        strategy = sl.strategies.ProspectSide(game, 3)
        assert abs(regret(strategy, X, laws, outcomes)) < 150


def test_feedback_that_never_comes_is_bought_rarely():
    strategy = sl.strategies.ProspectSide(LABELS, 3)
    X, _ = softmax_world(2, 3, 1500, seed=15)
    looks = [strategy.act(x) == 0 for x in X]
    assert sum(looks) < 200
    assert any(looks[500:])  # it does not give up


def test_looks_under_way_count():
    """With answers that come 300 rounds late it buys a few more than with answers at once, not 300 more."""
    X, outcomes = softmax_world(2, 3, 900, seed=16)
    strategy = sl.strategies.ProspectSide(LABELS, 3)
    bought = 0
    waiting = []
    for t, (x, j) in enumerate(zip(X, outcomes, strict=True)):
        action = strategy.act(x)
        bought += action == 0
        waiting.append((t, x, j, action))
        while waiting and waiting[0][0] <= t - 300:
            _, seen, i, chosen = waiting.pop(0)
            strategy.observe(LABELS.feedback[chosen][i], action=chosen, context=seen)
    prompt = play(sl.strategies.ProspectSide(LABELS, 3), X, outcomes)
    assert bought < prompt.count(0) + 150


def test_order_of_feedback_may_change():
    X, outcomes = softmax_world(3, 2, 60, seed=17)
    one, other = sl.strategies.ProspectSide(BARTOK, 2), sl.strategies.ProspectSide(BARTOK, 2)
    for first in range(0, 60, 3):
        played = [
            (x, j, one.act(x), other.act(x)) for x, j in zip(X[first : first + 3], outcomes[first:], strict=False)
        ]
        for x, j, action, _ in played:
            one.observe(BARTOK.feedback[action][j], action=action, context=x)
        for x, j, _, action in reversed(played):
            other.observe(BARTOK.feedback[action][j], action=action, context=x)
    assert one.state.linear.counts[SEEN] == other.state.linear.counts[SEEN] > 0
    assert np.isfinite(posterior(other.state.linear)).all()


def test_a_long_run_keeps_its_room_and_its_bits():
    """Past the room for labels: those that say least are absorbed, compiled as interpreted."""
    X, _, outcomes = sharp_world(1700, 2, seed=19)
    strategy = sl.strategies.ProspectSide(sl.games.load("full-information"), 2)
    outcomes = outcomes + (X[:, 1] > 1)
    world = sl.environments.Replay(outcomes, contexts=X)
    options = {"horizon": 1700, "runs": 1, "checkpoints": 50, "progress": False, "workers": 1}
    with compiled():
        fast = sl.simulate(strategy, world, **options)
    with interpreted(), np.errstate(all="raise", under="ignore"):
        plain = sl.simulate(strategy, world, **options)
    assert np.array_equal(fast.regret, plain.regret)
    played = sl.strategies.ProspectSide(APPLES, 2, caution=1e6)
    play(played, X, np.zeros(1700, int))
    counts = played.state.linear.counts
    assert counts[SEEN] > room_for(2, 2) // 2 > counts[KEPT]
    assert counts[ABSORBED] == 1
    assert played.state.linear.absorbed.any()


def test_more_symbols_than_there_is_room_for_are_left_out(monkeypatch):
    monkeypatch.setattr(side_belief, "_LEAST_CAPACITY", 100)
    strategy = sl.strategies.ProspectSide(sl.games.load("full-information"), 1)
    room = room_for(strategy.game.n_outcomes, 1)
    X, _ = softmax_world(2, 1, room + 50, seed=20)
    assert room == 480
    actions = [strategy.act(x) for x in X]
    for x, action in zip(X, actions, strict=True):
        strategy.observe(strategy.game.feedback[action][0], action=action, context=x)
    assert strategy.state.linear.counts[KEPT] == room
    assert strategy.act(X[0]) in range(strategy.game.n_actions)


def test_more_coefficients_have_room_for_more_labels():
    assert room_for(2, 1) == room_for(2, 10) == room_for(3, 5) == 2000
    labels = sl.strategies.ProspectSide(APPLES, 50).state.linear.labels
    assert len(labels.action) == len(labels.context) == room_for(2, 50) == 2 * 60 * 51


def test_with_many_features_the_search_for_noise_waits():
    """A smooth law over 30 features, whose first labels can be separated, is not mistaken for a sharp one."""
    assert [first_search(size) for size in (2, 11, 12, 31)] == [64, 64, 64, 427]
    rng = np.random.default_rng(31)
    X = rng.normal(size=(400, 30))
    law = 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))
    strategy = sl.strategies.ProspectSide(sl.games.load("full-information", outcomes=2), 30)
    play(strategy, X, (rng.random(400) >= law).astype(int))
    assert 1.0 < np.linalg.norm(strategy.state.linear.theta) < 5.0


def test_explains_itself():
    X, outcomes = softmax_world(2, 3, 60, seed=21)
    strategy = sl.strategies.ProspectSide(LABELS, 3)
    assert strategy.explain() == ""
    blind = set()
    for x, j in zip(X, outcomes, strict=True):
        action = strategy.act(x)
        blind.add("does not depend on the context" in strategy.explain())
        assert ("does not depend on the context" in strategy.explain()) == strategy.state.scratch.decision[BLIND]
        strategy.observe(LABELS.feedback[action][j])
    assert blind == {True, False}
    while strategy.state.scratch.decision[BLIND]:
        strategy.act(X[0])
    before = strategy.save()
    said = strategy.explain()
    assert "A look by ask (0) costs" in said
    assert "may earn" in said
    assert said.endswith(".")
    other = strategy.explain(X[3])
    assert other.startswith(f"Round {strategy.state.counts[ROUNDS] + 1:.0f}:")
    assert repr(strategy.save()) == repr(before)
    trivial = sl.strategies.ProspectSide(sl.Game([[0, 0], [1, 1]], [["a", "b"], ["c", "c"]]), 1)
    trivial.act([1.0])
    assert "trivial" in trivial.explain()
    apples = sl.strategies.ProspectSide(APPLES, 3)
    apples.act(X[0])
    assert "nothing to weigh" in apples.explain()
