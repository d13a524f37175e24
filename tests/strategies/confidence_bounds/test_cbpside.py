"""CBPside* and RandCBPside*: published digits, a naive twin, what the formulas give in special cases."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from common.recordings import record_world
from legacy import published_contexts
from naive_cbp import DIGITS, NaiveCBP

import sidelight as sl
from sidelight.environments import LinearContexts, Replay
from sidelight.kernels import compiled, interpreted
from sidelight.strategies import CBPSide, PublishedCBPSide, PublishedRandCBPSide, RandCBPSide
from sidelight.strategies.shared import ridge

APPLES = sl.games.load("apple-tasting")
LABELS = sl.games.load("label-efficient")
PRICES = sl.games.load("dynamic-pricing", prices=3)


@pytest.fixture(scope="module")
def streams():
    """The contexts and outcomes behind the published table."""
    return published_contexts()


def published(game, kind, streams, runs, **how):
    contexts, outcomes = streams
    environment = Replay(outcomes, contexts=contexts, law="outcome")
    # The published figure is that of the last round but one: the authors' last entry is missing.
    return sl.simulate(kind(game, 10, **how), environment, runs=runs, checkpoints=[19_999])


class TestPublishedTable:
    """T = 20 000, d = 10, 96 runs."""

    @pytest.mark.parametrize(
        ("game", "mean", "first"), [(APPLES, 6109.521, 6102.3333), (LABELS, 11071.333, 11038.5833)], ids=["AT", "LE"]
    )
    def test_cbpside_to_every_digit(self, streams, game, mean, first):
        final = published(game, PublishedCBPSide, streams, 96).final
        assert f"{final.mean():.3f}" == f"{mean:.3f}"
        assert final[:12].mean() == pytest.approx(first, abs=5e-4)
        assert (final == np.rint(final)).all()

    @pytest.mark.parametrize(("game", "mean"), [(APPLES, 1016.3), (LABELS, 2026.6)], ids=["AT", "LE"])
    def test_randcbpside_in_distribution(self, streams, game, mean):
        final = published(game, PublishedRandCBPSide, streams, 96, tail=1e-6).final
        assert abs(final.mean() - mean) < 30


class NaiveSide(NaiveCBP):
    """A slow twin: matrices are inverted anew in every round, the rest is that of the twin without contexts."""

    def __init__(self, game, d, rng, drawn, degrees, offset, start, factor, norm):
        super().__init__(game)
        self.rng, self.drawn, self.degrees, self.offset, self.factor = rng, drawn, degrees, offset, factor
        self.explore, self.regularization = True, start
        self.length = {
            pair: {a: norm(list(vectors[a].values())) for a in self.norm[pair]}
            for pair, vectors in self.vectors.items()
        }
        self.largest = {a: max([n.get(a, 0.0) for n in self.length.values()], default=0.0) for a in self.everyone()}
        self.history = {a: [] for a in self.everyone()}
        self.d = d

    def symbols(self, a):
        return self.game.symbols(a)

    def learn(self, a, symbol, x):
        self.history[a].append((x, symbol))

    def model(self, a, x):
        """Return the predicted law of each symbol and the norm of the context."""
        G = self.regularization * np.eye(self.d) + sum(np.outer(z, z) for z, _ in self.history[a])
        solved = np.linalg.inv(G) @ x
        law = {s: sum(z @ solved for z, y in self.history[a] if y == s) for s in self.symbols(a)}
        return law, np.sqrt(x @ solved)

    def choose_at(self, x):
        if not self.pairs:
            return self.analysis.pareto[0]
        if self.t < self.game.n_actions:
            return self.t
        bound = np.sqrt(self.degrees * np.log(self.t))
        models = {a: self.model(a, x) for a in self.everyone() if a in self.informative}
        z = {a: self.drawn(bound, self.rng) for a in sorted(models)}
        signs, self.certainty = {}, {}
        for pair in self.pairs:
            delta, reach, width = 0.0, 0.0, 0.0
            for a, vector in self.vectors[pair].items():
                if a not in self.informative:
                    delta += float(sum(vector.values()))
                elif a in self.length[pair]:
                    law, norm = models[a]
                    delta += sum(float(vector[s]) * law[s] for s in law)
                    size = self.size(pair, a, norm, x)
                    reach += size
                    width += size * (z[a] + self.offset * len(self.symbols(a)))
            if delta and abs(delta) >= width:
                signs[pair] = 1 if delta > 0 else -1
                self.certainty[pair] = Decimal(abs(delta) / reach)
        plausible, borders = self.plausible(signs)
        allowed = plausible.union(*(self.neighborhood[pair] for pair in borders))
        observing = set().union(*(set(self.vectors[pair]) for pair in borders))
        f = 1.01 ** (1 / 3) * self.t ** (2 / 3) * np.log(self.t) ** (1 / 3)
        rare = {a for a in models if self.explore and models[a][1] ** -2 < self.largest[a] ** (2 / 3) * f}
        scores = dict.fromkeys(sorted(allowed | (observing & rare)), 0.0)
        for a in scores:
            if a in models:
                width = self.scale(a) * (z[a] + self.offset * len(self.symbols(a))) * models[a][1]
                scores[a] = self.largest[a] * width
        return max(scores, key=lambda a: scores[a])

    def scale(self, a):
        return len(self.symbols(a)) if self.factor else 1

    def size(self, pair, a, norm, x):
        return self.length[pair][a] * self.scale(a) * norm

    def act_at(self, x):
        with localcontext(prec=DIGITS):
            action = self.choose_at(x)
        self.plays[action] += 1
        self.t += 1
        return action


class NaiveUnits(NaiveSide):
    """The same in units of the contexts seen, and without symbols that were predicted with certainty when they came."""

    standardize, hinge = True, True

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.contexts, self.counted, self.left_out = [], 0, 0

    def in_units(self, x):
        """Return the features of a raw context that ends with a 1."""
        if not self.standardize:
            return x
        known = np.array(self.contexts[: self.counted])
        mean, scale = known.mean(axis=0), known.std(axis=0)
        z = np.divide(x[:-1] - mean, scale, out=np.zeros(len(mean)), where=scale > 0)
        return np.append(z, 1.0)

    def act_at(self, x):
        self.contexts.append(x[:-1])
        if len(self.contexts) >= 2 * self.counted:
            self.counted = len(self.contexts)
        return super().act_at(x)

    def model(self, a, x):
        raw, x = self.history[a], self.in_units(x)
        self.history[a] = [(self.in_units(z), symbol) for z, symbol in raw]
        found = super().model(a, x)
        self.history[a] = raw
        return found

    def learn(self, a, symbol, x):
        if a in self.informative and self.hinge and self.model(a, x)[0][symbol] >= 1.0:
            self.left_out += 1
        else:
            super().learn(a, symbol, x)


def grid(bound, rng, bins=5, tail=1e-7):
    points = np.linspace(0.0, bound, bins)
    weights = np.exp(-(points[:-1] ** 2) / 2)
    weights *= (1 - tail) / weights.sum()
    u = rng.random()
    return next((p for p, reached in zip(points, np.cumsum(weights), strict=False) if u < reached), bound)


def half_normal(bound, rng):
    return 0.5 * abs(rng.normal())


def certain(bound, rng):
    return bound


def two_norm(vector):
    return float(np.linalg.norm(np.array(vector, float)))


def half_range(vector):
    return float(max(vector) - min(vector)) / 2


def twin_of(strategy, rng, d=5):
    """Return the twin of a strategy; what `bounds` stands for is written down here a second time."""
    random = strategy._draws_z
    settings = {
        "corrected": {"degrees": d + 4, "offset": np.sqrt(0.05), "start": 0.05},
        "printed": {"degrees": d - 4, "offset": 1.0, "start": 0.05},
        "published": {
            "degrees": d - 4,
            "offset": np.sqrt(0.05) if random else 0.05,
            "start": 1.0 if random else 1 / 0.05,
        },
        "tight": {"degrees": 1.01, "offset": 0.0, "start": 0.05},
    }[strategy.bounds]
    tight = strategy.bounds == "tight"
    drawn = certain if not random else half_normal if tight else grid
    norm = half_range if tight else two_norm
    twin = NaiveUnits if tight else NaiveSide
    return twin(strategy.game, d + tight, rng, drawn, factor=not tight, norm=norm, **settings)


def compare(strategy, rounds=80, d=5, seed=0, twin=None, sharpness=1.0):
    """Play a strategy and its twin side by side; the sharper, the more does a context decide which outcome comes."""
    game = strategy.game
    twin = twin or twin_of(strategy, np.random.default_rng(strategy.seed), d)
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.ones(game.n_outcomes) / sharpness, size=d)
    actions = set()
    for t in range(rounds):
        x = rng.dirichlet(np.ones(d) / min(sharpness, 4.0))
        action = strategy.act(x)
        assert action == twin.act_at(np.append(x, 1.0) if twin.d > d else x), f"round {t}"
        symbol = game.feedback[action][rng.choice(game.n_outcomes, p=x @ theta)]
        strategy.observe(symbol)
        twin.learn(action, symbol, np.append(x, 1.0) if twin.d > d else x)
        actions.add(action)
    assert len(actions) > 1
    return twin


GAMES = [
    APPLES,
    LABELS,
    PRICES,
    sl.games.load("bartok"),
    sl.games.load("blind-degenerate"),
    sl.games.load("degenerate-informative", kind="duplicate"),
    sl.games.load("tau-detection"),
]


class TestTwin:
    """Every action of every round, against matrices inverted anew and geometry in fractions."""

    @pytest.mark.parametrize(
        ("kind", "bounds"),
        [
            *((kind, "corrected") for kind in (CBPSide, RandCBPSide)),
            *(
                (kind, bounds)
                for kind in (PublishedCBPSide, PublishedRandCBPSide)
                for bounds in ("printed", "published")
            ),
        ],
    )
    @pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
    def test_bounds(self, game, kind, bounds):
        compare(kind(game, 5, bounds=bounds, seed=3), rounds=60)

    @pytest.mark.parametrize("kind", [CBPSide, RandCBPSide])
    @pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
    def test_units_and_the_hinge(self, game, kind):
        compare(kind(game, 5, seed=3), rounds=120, sharpness=50.0)

    @pytest.mark.parametrize(("standardize", "hinge"), [(True, False), (False, True), (False, False)])
    def test_units_and_the_hinge_one_by_one(self, standardize, hinge):
        strategy = RandCBPSide(APPLES, 5, standardize=standardize, hinge=hinge, seed=2)
        twin = twin_of(strategy, np.random.default_rng(2))
        twin.standardize, twin.hinge = standardize, hinge
        compare(strategy, rounds=300, sharpness=50.0, twin=twin)
        assert (twin.left_out > 5) == hinge
        assert sum(map(len, twin.history.values())) > 50

    def test_the_twin_would_notice(self):
        for change in ({"offset": 0.3}, {"degrees": 2.0}, {"regularization": 1.0}, {"explore": False}):
            strategy = RandCBPSide(LABELS, 5, bounds="corrected")
            twin = twin_of(strategy, np.random.default_rng(0))
            for name, value in change.items():
                setattr(twin, name, value)
            with pytest.raises(AssertionError):
                compare(strategy, 300, twin=twin)


class TestSpecialCases:
    """Where the formulas become counts."""

    def played(self, strategy, contexts, rounds=200):
        """Play with the given contexts in turn; return counts of each symbol of action 1 in each of them."""
        rng = np.random.default_rng(0)
        counts = np.zeros((len(contexts), 2))
        for t in range(rounds):
            c = t % len(contexts)
            action = strategy.act(contexts[c])
            symbol = APPLES.feedback[action][rng.choice(2, p=[0.4, 0.6])]
            strategy.observe(symbol)
            if action == 1:
                counts[c, APPLES.symbols(1).index(symbol)] += 1
        return counts

    def test_one_hot_contexts_are_counts(self):
        """pi(x) = count / (n + lambda) and 1 / |x|^2 = n + lambda, exactly as without contexts."""
        strategy = RandCBPSide(APPLES, 4, bounds="corrected", regularization=0.25)
        contexts = np.eye(4)
        counts = self.played(strategy, contexts)
        n = counts.sum(axis=1)
        assert n.min() >= 2
        for c in range(4):
            one = strategy.clone()
            one.act(contexts[c])
            assert one.state.scratch.law[1:] == pytest.approx(counts[c] / (n[c] + 0.25), rel=1e-12)
            assert 1 / one.state.scratch.norm[1] ** 2 == pytest.approx(n[c] + 0.25, rel=1e-12)

    def test_one_dimension_is_a_count(self):
        """With d = 1 and x = 1 the estimate is that of CBP, with n + lambda in the place of n."""
        strategy = CBPSide(APPLES, 1, bounds="corrected", regularization=1e-9)
        counts = self.played(strategy, np.ones((1, 1)), 300)[0]
        strategy.act([1.0])
        n = counts.sum()
        assert strategy.state.differences.delta[0] == pytest.approx((counts[0] - counts[1]) / n, rel=1e-9)
        # w = sigma_a (B + sqrt(lambda) sigma_a) |v| / sqrt(n), with two symbols, v = (1, -1) and B^2 = 5 log t
        expected = 2 * np.sqrt(5 * np.log(300)) * np.sqrt(2) / np.sqrt(n)
        assert strategy.state.differences.width[0] == pytest.approx(expected, rel=1e-3)

    def test_one_dimension_plays_as_cbp_does(self):
        """Widths made equal, CBPside* with x = 1 plays round by round what CBP plays."""
        rng = np.random.default_rng(5)
        side = CBPSide(APPLES, 1, regularization=1e-12, intercept=False)
        plain = sl.strategies.CBP(APPLES)
        for _ in range(400):
            actions = side.act([1.0]), plain.act()
            assert actions[0] == actions[1]
            symbol = APPLES.feedback[actions[0]][rng.choice(2, p=[0.3, 0.7])]
            side.observe(symbol)
            plain.observe(symbol)
        assert plain.state.plays.min() > 10


class TestRidge:
    """The inverse that is kept up to date."""

    def test_five_thousand_updates(self):
        rng = np.random.default_rng(0)
        d, penalty = 8, 0.05
        gram, inverse, u = np.eye(d) * penalty, np.eye(d) / penalty, np.zeros(d)
        scale = np.logspace(-1, 1, d)  # some directions are seen a hundred times better than others
        G = np.eye(d) * penalty
        for count in range(5_000):
            x = rng.normal(size=d) * scale
            ridge.add_ridge_observation(gram, inverse, x, u, float(count))
            G += np.outer(x, x)
            if count % 499 == 0 or count == 4_999:
                exact = np.linalg.inv(G)
                size = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
                assert np.abs((inverse - exact) / size).max() < 1e-9
        assert gram == pytest.approx(G, rel=1e-12)
        assert np.array_equal(inverse, inverse.T)


class TestRefusals:
    """What cannot be done is said."""

    @pytest.mark.parametrize("bounds", ["printed", "published"])
    def test_bounds_that_are_not_real(self, bounds):
        for kind in (PublishedCBPSide, PublishedRandCBPSide):
            with pytest.raises(sl.SidelightError, match=r"\(d - 4\) log t, which is negative for d = 3.*'corrected'"):
                kind(APPLES, 3, bounds=bounds)
            kind(APPLES, 4, bounds=bounds)

    @pytest.mark.parametrize("kind", [CBPSide, RandCBPSide])
    def test_units_and_the_hinge(self, kind):
        for given in ({"standardize": True}, {"hinge": True}):
            with pytest.raises(sl.SidelightError, match="are for the linear model: use model='linear'"):
                kind(APPLES, 3, model="logistic", **given)
        for given in ({"intercept": False}, {"bounds": "corrected"}):
            with pytest.raises(sl.SidelightError, match="need an intercept: use intercept=True"):
                kind(APPLES, 3, standardize=True, **given)
        for name in ("standardize", "hinge"):
            with pytest.raises(sl.SidelightError, match=f"{name} is 'yes': give True or False"):
                kind(APPLES, 3, **{name: "yes"})


class TestSimulation:
    """In the compiled loop."""

    @pytest.mark.parametrize("game", [APPLES, LABELS, PRICES], ids=lambda game: game.name)
    def test_compiled_as_interpreted(self, game):
        """Long enough for an inverse to be made anew."""
        rng = np.random.default_rng(0)
        outcomes = rng.integers(game.n_outcomes, size=2_600 if game is APPLES else 400)
        environment = Replay(outcomes, contexts=rng.normal(size=(len(outcomes), 4)), law="outcome")
        for strategy in (
            RandCBPSide(game, 4, standardize=False, hinge=False),
            RandCBPSide(game, 4, bounds="corrected", intercept=True),
            PublishedRandCBPSide(game, 4),
        ):
            how = {"horizon": len(outcomes), "runs": 1, "workers": 1}
            with compiled():
                fast = sl.simulate(strategy, environment, **how)
            with interpreted(), np.errstate(all="raise"):
                slow = sl.simulate(strategy, environment, **how)
            assert np.array_equal(fast.regret, slow.regret)
            assert np.array_equal(fast.plays, slow.plays)

    @pytest.mark.parametrize("game", [APPLES, PRICES], ids=lambda game: game.name)
    def test_units_compiled_as_interpreted(self, game):
        """With a feature that is constant for long, one with a huge offset and one whose scale changes midway."""
        rng, n = np.random.default_rng(1), 2_600 if game is APPLES else 400
        contexts = rng.normal(size=(n, 4))
        contexts[: n // 2, 0] = 3.0
        contexts[:, 1] += 1e9
        contexts[n // 3 :, 2] *= 1e5
        outcomes = (contexts[:, 3] + 0.3 * rng.normal(size=n) > 0).astype(int)
        environment = Replay(outcomes, contexts=contexts, law="outcome")
        how = {"horizon": n, "runs": 1, "workers": 1}
        with compiled():
            fast = sl.simulate(RandCBPSide(game, 4), environment, **how)
        with interpreted(), np.errstate(all="raise"):
            slow = sl.simulate(RandCBPSide(game, 4), environment, **how)
        assert np.array_equal(fast.regret, slow.regret)
        assert np.array_equal(fast.plays, slow.plays)
        if game is APPLES:
            assert fast.final[0] < 0.2 * n  # a coin: half of them

    def test_units_do_not_matter(self):
        """Contexts that are scaled and moved lead to the same play, but for rounding."""
        rng = np.random.default_rng(2)
        contexts = rng.normal(size=(3_000, 3))
        outcomes = (contexts @ [1.0, -1.0, 0.5] + 0.5 * rng.normal(size=3_000) > 0).astype(int)
        plays = [
            sl.simulate(RandCBPSide(APPLES, 3), Replay(outcomes, moved, law="outcome"), 3_000, 1).plays
            for moved in (contexts, contexts * [1e-6, 8.0, 1e6] + [0.0, 64.0, -1e7])
        ]
        assert np.abs(plays[0] - plays[1]).max() < 30

    def test_what_units_and_the_hinge_are_worth(self):
        """24 runs give 2 320 +- 7 without and 660 +- 16 with them; where the law is linear there is no difference."""
        environment = record_world(sl.environments.HalfspaceContexts(10), APPLES, 3, 20_000, seed=0)
        how = {"runs": 3, "checkpoints": 1}
        new = sl.simulate(RandCBPSide(APPLES, 10), environment, **how).final
        old = sl.simulate(RandCBPSide(APPLES, 10, standardize=False, hinge=False), environment, **how).final
        assert new.max() < 0.5 * old.min()

    def test_the_default_on_the_protocol_that_the_paper_describes(self):
        """96 runs give 124.6 +- 5.0 and 1 188 +- 30; always revealing costs 1 463 and 11 462."""
        environment = LinearContexts(np.full(10, 0.1))
        for game, most in ((APPLES, 200), (LABELS, 1_500)):
            results = sl.simulate(RandCBPSide(game, 10), environment, runs=24, checkpoints=1)
            assert results.final.mean() < most

    def test_late_feedback_belongs_to_its_context(self):
        one, other = (RandCBPSide(APPLES, 2, seed=4) for _ in range(2))
        rng = np.random.default_rng(0)
        contexts = rng.normal(size=(50, 2))
        for pair in contexts.reshape(25, 2, 2):
            waiting = [(one.act(x), x) for x in pair]
            assert [other.act(x) for x in pair] == [action for action, _ in waiting]
            for action, x in waiting:
                one.observe(APPLES.feedback[action][0], action=action, context=x)
            for action, x in reversed(waiting):
                other.observe(APPLES.feedback[action][0], action=action, context=x)
        # The order of symbols may decide what the hinge leaves out, but not here.
        assert one.state.round.gram == pytest.approx(other.state.round.gram, rel=1e-12)


def test_what_only_reproduces_print_belongs_to_the_published_classes():
    for given in ({"bins": 10}, {"width": "tight"}):
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            RandCBPSide(APPLES, 5, **given)
    with pytest.raises(sl.SidelightError, match="bounds is 'published'"):
        RandCBPSide(APPLES, 5, bounds="published")


def test_published_strategies_are_saved_and_loaded():
    strategy = PublishedCBPSide(APPLES, 5)
    loaded = sl.strategies.Strategy.load(strategy.save())
    assert type(loaded) is PublishedCBPSide
    assert loaded.parameters() == strategy.parameters()
