"""Outcomes drawn independently: their frequencies are those of the law, and what is impossible never occurs."""

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from sidelight.environments import IID, HalfspaceContexts, LinearContexts, LogisticContexts, Replay, laws
from sidelight.environments.base import draw, gaps
from sidelight.game_arrays import loss_matrix

GAME = sl.games.load("full-information", outcomes=4)
LAW = [0.1, 0.4, 0.2, 0.3]
NO_CONTEXT = np.zeros(0)


class Constant:
    """Stands in for a random generator that always draws the same number."""

    def __init__(self, number):
        self.number = number

    def random(self):
        return self.number


def outcomes(environment, run=0, count=4_000, seed=0, game=GAME):
    rng = np.random.default_rng(seed)
    world = environment.start(game, run, rng)
    return np.array([draw(world, NO_CONTEXT, rng) for _ in range(count)])


def fits(observed, law):
    counts = np.bincount(observed, minlength=len(law))
    possible = np.array(law) > 0
    assert counts[~possible].sum() == 0
    return stats.chisquare(counts[possible], np.array(law)[possible] * len(observed)).pvalue > 1e-4


def test_frequencies_of_one_law():
    assert fits(outcomes(IID(LAW)), LAW)
    assert not fits(outcomes(IID(LAW)), LAW[::-1])


def test_a_law_for_each_run():
    rows = np.array([LAW, LAW[::-1], [0.25] * 4])
    environment = IID(rows)
    for run, law in enumerate(rows):
        assert fits(outcomes(environment, run), law)


def test_outcomes_are_independent_of_the_previous_one():
    seen = outcomes(IID(LAW), count=8_000)
    table = np.zeros((4, 4))
    np.add.at(table, (seen[:-1], seen[1:]), 1)
    assert stats.chi2_contingency(table).pvalue > 1e-4


def test_a_sampler_is_called_once_per_run_with_the_generator_of_the_world():
    calls = []

    def sampler(rng):
        calls.append(rng)
        return rng.dirichlet(np.ones(4))

    environment = IID(sampler)
    assert not calls
    rng = np.random.default_rng(5)
    world = environment.start(GAME, 0, rng)
    assert calls == [rng]
    law = np.random.default_rng(5).dirichlet(np.ones(4))
    assert np.allclose(np.diff(world.cumulative, prepend=0.0), law)
    assert fits(outcomes(environment, seed=5), law)


@pytest.mark.parametrize(
    "law",
    [
        [0.0, 0.5, 0.0, 0.5],
        [0.1, 0.2, 0.7, 0.0],
        [1 / 3, 1 / 3, 1 / 3, 0.0],
        [1e-300, 1.0, 0.0, 0.0],
    ],
)
def test_the_impossible_never_occurs(law):
    world = IID(law).start(GAME, 0, np.random.default_rng(0))
    possible = set(np.flatnonzero(law))
    sums = np.cumsum(law)
    edges = [0.0, 5e-324, *sums, *np.nextafter(sums, 0), *np.nextafter(sums, 1), np.nextafter(1.0, 0.0)]
    for u in edges:
        if 0.0 <= u < 1.0:
            assert draw(world, NO_CONTEXT, Constant(u)) in possible
    assert set(outcomes(IID(law), count=300)) <= possible


def test_gaps_are_differences_to_the_best_action():
    game = sl.Game([[1, 0, 2], [0, 1, 1], [5, 5, 5]], [["x"] * 3] * 3)
    assert gaps(game, np.array([0.5, 0.25, 0.25])).tolist() == [0.5, 0.0, 4.5]


def test_what_is_said_about_it():
    assert IID(LAW).describe() == {"name": "IID", "law": LAW}
    assert IID([LAW, LAW]).describe() == {"name": "IID", "law": [LAW, LAW]}
    assert IID(laws.load("dirichlet", 4)).describe() == {"name": "IID", "law": "dirichlet"}
    assert IID(LAW).regret_kind == "pseudo-regret"


def sampler(rng):
    return [0.25] * 4


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        (IID([0.3, 0.7]), "IID([0.3, 0.7])"),
        (IID(np.array([[0.3, 0.7], [0.5, 0.5]])), "IID([[0.3, 0.7], [0.5, 0.5]])"),
        (IID(np.full((96, 4), 0.25)), "IID(<array of shape (96, 4)>)"),
        (IID(laws.load("dirichlet", 4)), "IID(laws.load('dirichlet', 4))"),
        (IID(sampler), "IID(sampler)"),
        (LinearContexts([[0.2, 0.5]]), "LinearContexts([[0.2, 0.5]])"),
        (LinearContexts([[0.2, 0.5]], high=[1, 0.5]), "LinearContexts([[0.2, 0.5]], high=[1.0, 0.5])"),
        (LogisticContexts([[1, 0], [0, 1]]), "LogisticContexts([[1.0, 0.0], [0.0, 1.0]])"),
        (HalfspaceContexts(4), "HalfspaceContexts(dimension=4)"),
        (Replay([0, 1], law=[0.5, 0.5]), "Replay([0, 1], law=[0.5, 0.5])"),
        (Replay([0, 1], [[0.5], [1.5]], "outcome"), "Replay([0, 1], contexts=[[0.5], [1.5]], law='outcome')"),
        (Replay(np.zeros((3, 500), int)), "Replay(<array of shape (3, 500)>)"),
    ],
)
def test_repr(environment, text):
    assert repr(environment) == text


def test_changing_the_given_array_afterwards_changes_nothing():
    given = np.array(LAW)
    environment = IID(given)
    given[:] = [1.0, 0.0, 0.0, 0.0]
    assert fits(outcomes(environment), LAW)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ([0.5, 0.6, 0.0, 0.0], "sums to 1.1"),
        ([0.5, 0.5, 0.5, -0.5], "not negative"),
        ([float("nan"), 0.5, 0.25, 0.25], "finite"),
        ([0.5, 0.5], "4 probabilities"),
        (0.5, "shape"),
        (np.full((2, 2, 4), 0.25), "shape"),
        ([[0.25] * 4, [0.3] * 4], "run 1"),
        ([[0.25] * 4], "1 runs, but 2"),
        (lambda rng: [0.5, 0.6, 0.0, 0.0], "drawn for run 0"),
        (lambda rng: [0.5, 0.5], "4 probabilities"),
        ("dirichlet", "law"),
        ([[0.25] * 4, [0.5, 0.5]], "law"),
    ],
)
def test_wrong_laws(law, words):
    with pytest.raises(sl.SidelightError, match=words):
        sl.simulate(sl.strategies.CBP(GAME), IID(law), horizon=5, runs=2)


class TestLaws:
    """The usual ways to draw a law."""

    def drawn(self, name, outcomes=2, count=2_000):
        sampler = laws.load(name, outcomes)
        rng = np.random.default_rng(1)
        return np.array([sampler(rng) for _ in range(count)])

    def test_names(self):
        assert laws.priors() == ("dirichlet", "uniform", "balanced", "imbalanced", "rare")
        assert laws.names() == (*laws.priors(), "near-vertex", "sparse", "near-border", "near-tie")
        pennies = sl.games.load("matching-pennies")
        assert all(laws.load(name, pennies).__name__ == name for name in laws.names())

    def test_dirichlet_is_uniform_over_all_laws(self):
        drawn = self.drawn("dirichlet", 4)
        assert np.allclose(drawn.sum(axis=1), 1.0)
        assert stats.kstest(drawn[:, 2], stats.beta(1, 3).cdf).pvalue > 1e-4

    def test_uniform_and_balanced(self):
        assert stats.kstest(self.drawn("uniform")[:, 0], stats.uniform(0, 1).cdf).pvalue > 1e-4
        assert stats.kstest(self.drawn("balanced")[:, 0], stats.uniform(0.4, 0.2).cdf).pvalue > 1e-4

    def test_imbalanced_is_one_side_or_the_other(self):
        p = self.drawn("imbalanced")[:, 0]
        low, high = p[p < 0.5], p[p >= 0.5]
        assert stats.kstest(low, stats.uniform(0, 0.2).cdf).pvalue > 1e-4
        assert stats.kstest(high, stats.uniform(0.8, 0.2).cdf).pvalue > 1e-4
        assert stats.binomtest(len(low), len(p)).pvalue > 1e-4

    def test_errors(self):
        with pytest.raises(sl.SidelightError, match="did you mean 'balanced'"):
            laws.load("balance", 2)
        with pytest.raises(sl.SidelightError, match="two outcomes, and the game has 3"):
            laws.load("uniform", 3)
        with pytest.raises(sl.SidelightError, match=r"write laws.load\('near-tie', game\)"):
            laws.load("near-tie", 3)

    @pytest.mark.parametrize(
        ("name", "share", "point"), [("balanced", 0.8, [1 / 2, 1 / 2]), ("imbalanced", 0.8, None), ("rare", 0.95, None)]
    )
    def test_intervals_are_the_mixtures_for_two_outcomes(self, name, share, point):
        """Laws of two outcomes are drawn otherwise, as they always were; their distribution is that of the formula."""
        rng = np.random.default_rng(2)
        rest = (1 - share) * rng.dirichlet(np.ones(2), 2_000)
        points = np.eye(2)[rng.integers(2, size=2_000)] if point is None else np.array(point)
        assert stats.ks_2samp((share * points + rest)[:, 0], self.drawn(name)[:, 0]).pvalue > 1e-4

    @pytest.mark.parametrize(
        ("name", "least", "most"), [("imbalanced", 0.8, 1), ("rare", 0.95, 1), ("near-vertex", 0.7, 1)]
    )
    @pytest.mark.parametrize("outcomes", [2, 3, 9])
    def test_near_a_vertex(self, name, least, most, outcomes):
        drawn = self.drawn(name, outcomes)
        assert np.allclose(drawn.sum(axis=1), 1.0)
        largest = drawn.max(axis=1)
        assert least <= largest.min()
        assert largest.max() <= most
        assert stats.chisquare(np.bincount(drawn.argmax(axis=1), minlength=outcomes)).pvalue > 1e-4

    def test_balanced_laws_of_many_outcomes(self):
        drawn = self.drawn("balanced", 5)
        assert drawn.min() >= 0.16
        assert drawn.max() <= 0.36
        assert np.allclose(drawn.mean(axis=0), 0.2, atol=0.004)

    def test_sparse_laws(self):
        drawn = self.drawn("sparse", 6)
        assert np.allclose(drawn.sum(axis=1), 1.0)
        assert np.median(np.sort(drawn, axis=1)[:, -2:].sum(axis=1)) > 0.9

    @pytest.mark.parametrize("name", ["apple-tasting", "bartok", "dueling-bandit", "dynamic-pricing"])
    def test_near_a_border_the_best_action_is_about_to_change(self, name):
        game = sl.games.load(name)
        loss = loss_matrix(game)

        def lead(kind):
            """Return by how much the best action leads, run by run."""
            ordered = np.sort(self.drawn(kind, game, 200) @ loss.T, axis=1)
            return ordered[:, 1] - ordered[:, 0]

        spread = [np.median(lead(kind)) for kind in ("near-tie", "near-border", "dirichlet")]
        assert 0 < spread[0] < spread[1] < spread[2]

    def test_a_game_without_borders(self):
        drawn = self.drawn("near-tie", sl.games.load("trivial"), 20)
        assert np.allclose(drawn.sum(axis=1), 1.0)

    @pytest.mark.parametrize("parameters", [{"kind": "duplicate"}, {"kind": "degenerate"}])
    def test_a_game_without_borders_gets_the_law_that_a_thousand_vain_attempts_end_with(self, parameters):
        draw_law = laws.load("near-border", sl.games.load("trivial-degenerate", **parameters))
        rng, slow = np.random.default_rng(7), np.random.default_rng(7)
        attempts = [slow.dirichlet(np.ones(2), size=2) for _ in range(1_000)]
        assert np.array_equal(draw_law(rng), attempts[-1][0])
        assert rng.random() == slow.random()
