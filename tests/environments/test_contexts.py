"""Contextual environments: laws, contexts and regret are what the formulas say, and what is drawn follows them."""

import json

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from sidelight.cli.research.arguments.contexts import parse_contexts_option
from sidelight.environments import (
    FiniteContexts,
    HalfspaceContexts,
    LinearContexts,
    LogisticContexts,
    RegionContexts,
    Replay,
    SwitchingContexts,
    contexts_by_name,
)
from sidelight.environments.base import baseline, cost, draw
from sidelight.strategies.baselines.uniform import FixedAction

APPLES = sl.games.load("apple-tasting")
LABELS = sl.games.load("label-efficient")
BARTOK = sl.games.load("bartok")
ROUNDS = 6_000

SCORES = np.array([[2.0, -1.0], [0.5, 3.0], [-1.0, 0.0]])
LAWS = np.array([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0], [0.6, 0.1, 0.3]])
FEATURES = np.array([[1.0, 0.0], [0.5, -2.0], [3.0, 1.0]])


def softmax(scores):
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def rest(first):
    return np.append(first, 1.0 - first.sum())


# Each environment, a game for it, its law given what is seen, and the bounds of what is seen.
EXAMPLES = {
    "linear": (LinearContexts(np.full(10, 0.1)), LABELS, lambda x, world: rest(np.array([0.1 * x.sum()])), (0, 1)),
    "linear, three outcomes": (
        LinearContexts([[0.2, 0.1, 0.1], [0.1, 0.3, 0.1]], low=[1.0, 0.0, -0.5], high=[1.0, 1.0, 1.0]),
        BARTOK,
        lambda x, world: rest(np.array([[0.2, 0.1, 0.1], [0.1, 0.3, 0.1]]) @ x),
        (-0.5, 1),
    ),
    "half-space": (
        HalfspaceContexts(5, seed=3),
        APPLES,
        lambda x, world: np.eye(2)[int(world.direction @ (x * world.std + world.mean) >= 0.5)],
        (-2, 2),
    ),
    "ball": (
        RegionContexts(LAWS[:2], 3),
        BARTOK,
        lambda x, world: LAWS[0 if x @ x < world.most else 1],
        (-8, 8),
    ),
    "ring": (
        RegionContexts(LAWS[:2], 2, "ring"),
        BARTOK,
        lambda x, world: LAWS[0 if world.least <= x @ x < world.most else 1],
        (-8, 8),
    ),
    "fold": (
        RegionContexts(LAWS[:2], 3, relevant=1),
        BARTOK,
        lambda x, world: LAWS[0 if x[0] ** 2 < world.most else 1],
        (-8, 8),
    ),
    "plane with heavy tails": (
        RegionContexts(LAWS[:2], 4, "plane", relevant=2, tails=2.5),
        BARTOK,
        lambda x, world: LAWS[0 if x[0] + x[1] > 0 else 1],
        (-1e4, 1e4),
    ),
    "checkers": (
        RegionContexts(LAWS[:2], 3, "checkers"),
        BARTOK,
        lambda x, world: LAWS[0 if x[0] * x[1] > 0 else 1],
        (-8, 8),
    ),
    "logistic": (LogisticContexts(SCORES), BARTOK, lambda x, world: softmax(SCORES @ x), (-1, 1)),
    "finite": (
        FiniteContexts(LAWS, FEATURES, [0.5, 0.2, 0.3]),
        BARTOK,
        lambda x, world: LAWS[np.flatnonzero((x == FEATURES).all(axis=1))[0]],
        (-2, 3),
    ),
}


def played(environment, game, rounds=ROUNDS, seed=0, run=0):
    """Return contexts, outcomes, the cost of every action, and the world."""
    rng = np.random.default_rng(seed)
    world = environment.start(game, run, rng)
    x = np.zeros(environment.dimension)
    contexts, outcomes, costs = [], [], []
    for _ in range(rounds):
        outcome = draw(world, x, rng)
        contexts.append(x.copy())
        outcomes.append(outcome)
        costs.append([cost(world, a, outcome) for a in range(game.n_actions)])
    assert baseline(world) == 0.0
    return np.array(contexts), np.array(outcomes), np.array(costs), world


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request):
    environment, game, law, box = EXAMPLES[request.param]
    return environment, game, law, box, played(environment, game)


def test_costs_are_the_gaps_of_the_law_at_the_context(example):
    _, game, law, box, (contexts, _, costs, world) = example
    loss = np.array(game.loss, float)
    laws = np.array([law(x, world) for x in contexts])
    assert laws.min() >= 0
    assert laws.sum(axis=1) == pytest.approx(np.ones(ROUNDS))
    expected = laws @ loss.T
    assert costs == pytest.approx(expected - expected.min(axis=1, keepdims=True), abs=1e-12)
    assert (costs.min(axis=1) == 0).all()
    assert box[0] <= contexts.min() < contexts.max() <= box[1]


def test_outcomes_follow_the_law_at_the_context(example):
    _, game, law, _, (contexts, outcomes, _, world) = example
    laws = np.array([law(x, world) for x in contexts])
    for j in range(game.n_outcomes):
        for weight in (np.ones(ROUNDS), *contexts.T):  # uncorrelated with everything that is seen
            error = weight @ ((outcomes == j) - laws[:, j])
            spread = np.sqrt(weight**2 @ (laws[:, j] * (1 - laws[:, j])))
            assert abs(error) <= 4 * spread + 1e-9


def test_it_is_plain_data_and_says_everything(example):
    environment, _, _, _, _ = example
    said = json.loads(json.dumps(environment.describe(), allow_nan=False))
    assert said.pop("name") == type(environment).__name__
    again = type(environment)(**said)
    assert again.describe() == environment.describe()
    assert again.dimension == environment.dimension


def test_simulated_regret_of_a_fixed_action():
    """Always revealing costs E|1 - 2 p(x)| where hiding is better: 1 468 on average in 20 000 rounds, as measured."""
    environment = LinearContexts(np.full(10, 0.1))
    results = sl.simulate(FixedAction(APPLES, 1), environment, horizon=20_000, runs=4, checkpoints=1)
    assert results.final == pytest.approx(np.full(4, 1_463), rel=0.03)
    assert results.regret_kind == "pseudo-regret"


def test_contexts_are_uniform():
    environment = LogisticContexts(np.zeros((2, 2)), low=[0.0, -1.0], high=[2.0, 1.0])
    contexts = played(environment, APPLES, 3_000)[0]
    assert stats.kstest(contexts[:, 0], stats.uniform(0, 2).cdf).pvalue > 1e-4
    assert stats.kstest(contexts[:, 1], stats.uniform(-1, 2).cdf).pvalue > 1e-4
    assert abs(np.corrcoef(contexts.T)[0, 1]) < 0.08


class TestHalfspace:
    """The protocol behind the published table."""

    def test_what_is_seen_is_standardized_by_a_sample_of_its_own_in_each_run(self):
        environment = HalfspaceContexts(4)
        worlds = [environment.start(APPLES, run, np.random.default_rng(run)) for run in (0, 1)]
        assert not np.array_equal(worlds[0].mean, worlds[1].mean)
        for world in worlds:
            assert np.abs(world.mean - 0.5).max() < 0.02
            assert np.abs(world.std - np.sqrt(1 / 12)).max() < 0.01
        contexts = played(environment, APPLES)[0]
        assert np.abs(contexts.mean(axis=0)).max() < 0.06
        assert contexts.std(axis=0) == pytest.approx(np.ones(4), abs=0.03)

    def test_the_direction_follows_the_seed_and_sums_to_one(self):
        one, same, other = (HalfspaceContexts(10, seed=seed).direction for seed in (1, 1, 2))
        assert one.sum() == pytest.approx(1)
        assert one.min() > 0
        assert np.array_equal(one, same)
        assert not np.array_equal(one, other)

    def test_both_sides_are_about_as_likely(self):
        outcomes = played(HalfspaceContexts(10), APPLES)[1]
        assert 0.45 < outcomes.mean() < 0.55


class TestFinite:
    """Finitely many contexts."""

    def test_frequencies(self):
        contexts = played(FiniteContexts(LAWS, weights=[0.5, 0.2, 0.3]), BARTOK)[0]
        assert set(contexts.sum(axis=1)) == {1.0}
        assert stats.chisquare(contexts.sum(axis=0), np.array([0.5, 0.2, 0.3]) * ROUNDS).pvalue > 1e-4

    def test_a_context_of_no_weight_never_comes(self):
        contexts = played(FiniteContexts(LAWS, weights=[0.5, 0.5, 0.0]), BARTOK, 500)[0]
        assert contexts[:, 2].sum() == 0


class TestReplayed:
    """Recorded contexts."""

    def test_regret_against_each_outcome(self):
        outcomes = np.array([0, 1, 1, 0])
        environment = Replay(outcomes, contexts=np.arange(8.0).reshape(4, 2), law="outcome")
        results = sl.simulate(FixedAction(LABELS, 0), environment, horizon=4, runs=1, checkpoints=4)
        assert results.regret.tolist() == [[1, 2, 3, 4]]  # asking always costs 1, the right guess nothing
        results = sl.simulate(FixedAction(LABELS, 1), environment, horizon=4, runs=1, checkpoints=4)
        assert results.regret.tolist() == [[1, 1, 1, 2]]

    def test_another_word_is_refused(self):
        with pytest.raises(sl.SidelightError, match="'outcome', or nothing"):
            Replay([0, 1], law="outcomes")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LinearContexts(np.full(10, 0.11)), r"outcome 0 a probability between 0 and 1\.1"),
        (lambda: LinearContexts([0.5, -0.5]), r"between -0\.5 and 0\.5"),
        (lambda: LinearContexts([[0.6, 0.0], [0.6, 0.0]]), "all but the last a probability between 0 and 1.2"),
        (lambda: LinearContexts([np.nan, 0.1]), "finite matrix"),
        (lambda: LinearContexts([0.1, 0.2], low=[0, 0, 0]), "have 2 entries"),
        (lambda: LinearContexts([0.1, 0.2], low=1, high=0), "low <= high"),
        (lambda: LogisticContexts([1.0, 2.0]), "shape"),
        (lambda: LogisticContexts(np.zeros((2, 2)), high=np.inf), "not finite"),
        (lambda: HalfspaceContexts(0), "at least 1"),
        (lambda: RegionContexts([[0.5, 0.5]] * 2, 0), "at least 1"),
        (lambda: RegionContexts([[0.5, 0.5]] * 2, 1, "checkers"), "at least 2"),
        (lambda: RegionContexts([[0.5, 0.5]] * 2, 2, "star"), "region is 'star': give 'ball' or 'ring' or"),
        (lambda: RegionContexts([[0.5, 0.5]] * 2, 2, relevant=3), "relevant is 3: give 1 to 2"),
        (lambda: RegionContexts([[0.5, 0.5]] * 2, 2, tails=2.5), "for checkers or a plane"),
        (lambda: SwitchingContexts(HalfspaceContexts(2), HalfspaceContexts(3), 5), "2 coordinates before, but 3"),
        (lambda: SwitchingContexts(Replay([0, 1]), Replay([0, 1]), 1), "knows no law"),
        (lambda: SwitchingContexts(HalfspaceContexts(2), HalfspaceContexts(2), 0), "at least 1"),
        (lambda: SwitchingContexts(HalfspaceContexts(2), 2, 5), "2 is not an environment"),
        (lambda: RegionContexts([[0.5, 0.5]]), "there are 1 laws: give two"),
        (lambda: RegionContexts([[0.5, 0.5], [0.5, 0.6]]), "the law outside is"),
        (lambda: RegionContexts([[0.5, 0.5]] * 2).check(BARTOK, 1, 1), "3 probabilities"),
        (lambda: FiniteContexts([[0.5, 0.6]]), "the law of context 0"),
        (lambda: FiniteContexts([[0.5, 0.5]], features=[[1.0], [2.0]]), r"\(1, d\)"),
        (lambda: FiniteContexts([[0.5, 0.5]], weights=[0.5]), "weights"),
        (lambda: LinearContexts([0.5, 0.5]).check(BARTOK, 1, 1), "3 outcomes needs 2"),
        (lambda: LogisticContexts(np.zeros((2, 2))).check(BARTOK, 1, 1), "the game has 3"),
        (lambda: HalfspaceContexts(2).check(BARTOK, 1, 1), "the game 3"),
        (lambda: FiniteContexts([[0.5, 0.5]]).check(BARTOK, 1, 1), "give 3 probabilities"),
    ],
)
def test_what_is_wrong_is_said(make, words):
    with pytest.raises(sl.SidelightError, match=words):
        make()


class TestCommandLine:
    """Contexts as they are written on a command line."""

    def test_the_kinds(self):
        assert np.array_equal(parse_contexts_option("linear:d=4", APPLES).theta, [[0.25] * 4])
        assert parse_contexts_option("linear:d=4", BARTOK).theta.tolist() == [[0.25, 0, 0.25, 0], [0, 0.25, 0, 0.25]]
        assert parse_contexts_option("halfspace:d=7,seed=2", APPLES).describe()["seed"] == 2
        assert parse_contexts_option("halfspace", APPLES).dimension == 10
        assert parse_contexts_option("logistic:d=3", BARTOK).theta.shape == (3, 3)
        one, large = (parse_contexts_option(f"logistic:d=5,seed=0,scale={scale}", APPLES) for scale in (1, 2.5))
        assert np.array_equal(2.5 * one.theta, large.theta)
        finite = parse_contexts_option("finite:contexts=6,seed=1", BARTOK)
        assert finite.laws.shape == (6, 3)
        assert finite.dimension == 6

    @pytest.mark.parametrize(
        ("text", "game", "words"),
        [
            ("liner:d=3", APPLES, "did you mean 'linear'"),
            ("", APPLES, "there are linear:d=10,spread=1, halfspace:d=10,seed=1, logistic"),
            ("linear:3", APPLES, "'3' is not a parameter: write name=value"),
            ("linear:k=3", APPLES, "there is no parameter 'k': it takes d=10"),
            ("linear:d=3,d=4", APPLES, "given twice"),
            ("linear:d=0", APPLES, "d=0: give a whole number of at least 1"),
            ("linear:d=true", APPLES, "d=True: give a whole number"),
            ("linear:d=1", BARTOK, "for games of 2 to 2 outcomes, and this one has 3"),
            ("halfspace:seed=-1", APPLES, "at least 0"),
            ("halfspace:d=3", BARTOK, "two outcomes"),
            ("logistic:scale=x", APPLES, "scale=x: give a positive number"),
        ],
    )
    def test_errors(self, text, game, words):
        with pytest.raises(sl.SidelightError, match=words):
            parse_contexts_option(text, game)


@pytest.mark.parametrize("region", ["ball", "ring", "checkers", "plane"])
@pytest.mark.parametrize("d", [2, 7, 40])
def test_a_region_holds_half_of_the_contexts(region, d):
    environment = RegionContexts([[1.0, 0.0], [0.0, 1.0]], d, region)
    outcomes = played(environment, APPLES, rounds=4000)[1]
    assert np.mean(outcomes) == pytest.approx(0.5, abs=0.04)


def test_regions_by_name_have_different_best_actions_inside_and_outside():
    for name in ("ball", "ring", "fold", "checkers", "sparse", "heavy-tails"):
        for game in (APPLES, BARTOK):
            laws = contexts_by_name.load_context_environment(name, game, seed=5).laws
            loss = np.array(game.loss, float)
            assert len(set((loss @ laws.T).argmin(axis=0).tolist())) == 2
    with pytest.raises(sl.SidelightError, match="nothing to tell apart"):
        contexts_by_name.load_context_environment("ball", sl.games.load("trivial"))


def test_useless_contexts_have_one_law():
    environment = contexts_by_name.load_context_environment("useless", BARTOK, seed=3)
    assert environment.dimension == 10
    assert (environment.laws[0] == environment.laws[1]).all()


def test_a_switch_leaves_one_world_for_the_other():
    inside, outside = [1.0, 0.0], [0.0, 1.0]
    worlds = [RegionContexts(laws, 2, "plane") for laws in ([inside, outside], [outside, inside])]
    contexts, outcomes, costs, _ = played(SwitchingContexts(*worlds, rounds=300), LABELS, rounds=500)
    positive = contexts.sum(axis=1) > 0
    assert (outcomes[:300] == np.where(positive[:300], 0, 1)).all()
    assert (outcomes[300:] == np.where(positive[300:], 1, 0)).all()
    assert (costs == np.array(LABELS.loss, float)[:, outcomes].T).all()
