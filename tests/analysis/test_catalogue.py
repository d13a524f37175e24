"""Known games have their known class, structure and observer vectors."""

from fractions import Fraction
from itertools import combinations

import pytest
from naive import NaiveAnalysis, optimal_everywhere

from analysis.certificates import check_certificates
from analysis.comparison import check_against_naive
from analysis.observers import check_observers, half_range, max_norm
from sidelight import games
from sidelight.analysis import analyze

# name, parameters, class, Pareto-optimal, degenerate, dominated, pairs of neighbors, of these locally observable
KNOWN = [
    ("apple-tasting", {}, "easy", (0, 1), (), (), 1, 1),
    ("label-efficient", {}, "hard", (1, 2), (), (0,), 1, 0),
    ("label-efficient", {"cost": Fraction(1, 2)}, "easy", (1, 2), (0,), (), 1, 1),
    ("label-efficient", {"cost": Fraction(1, 4)}, "easy", (0, 1, 2), (), (), 2, 2),
    ("spam-filtering", {}, "hard", (1, 2), (), (0,), 1, 0),
    ("matching-pennies", {"cost": 1}, "hard", (0, 1), (), (2,), 1, 0),
    ("matching-pennies", {"cost": Fraction(1, 2)}, "easy", (0, 1), (2,), (), 1, 1),
    ("matching-pennies", {"cost": Fraction(1, 4)}, "easy", (0, 1, 2), (), (), 2, 2),
    ("matching-pennies", {"cost": 0}, "trivial", (2,), (0, 1), (), 0, 0),
    ("tau-detection", {"tau": Fraction(1, 5)}, "easy", (0, 1), (), (), 1, 1),
    ("tau-detection", {"tau": Fraction(1, 40)}, "easy", (0, 1), (), (), 1, 1),
    ("full-information", {"outcomes": 1}, "trivial", (0,), (), (), 0, 0),
    ("full-information", {"outcomes": 2}, "easy", (0, 1), (), (), 1, 1),
    ("full-information", {"outcomes": 3}, "easy", (0, 1, 2), (), (), 3, 3),
    ("full-information", {"outcomes": 5}, "easy", (0, 1, 2, 3, 4), (), (), 10, 10),
    ("bernoulli-bandit", {"arms": 2}, "easy", (0, 1), (), (), 1, 1),
    ("bernoulli-bandit", {"arms": 3}, "easy", (0, 1, 2), (), (), 3, 3),
    ("finite-bandit", {"arms": 2, "rewards": (0, Fraction(1, 2), 1)}, "easy", (0, 1), (), (), 1, 1),
    ("dynamic-pricing", {"prices": 2, "cost": 2}, "easy", (0, 1), (), (), 1, 1),
    ("dynamic-pricing", {"prices": 3, "cost": 2}, "hard", (0, 1, 2), (), (), 3, 2),
    ("dynamic-pricing", {"prices": 4, "cost": 2}, "hard", (0, 1, 2, 3), (), (), 6, 3),
    ("dynamic-pricing", {"prices": 5, "cost": 2}, "hard", (0, 1, 2, 3, 4), (), (), 10, 4),
    ("revenue-pricing", {"prices": 4, "cost": 3}, "easy", (0, 1, 2, 3), (), (), 6, 6),
    ("bartok", {}, "easy", (0, 1, 2), (), (), 3, 3),
    ("dueling-bandit", {"arms": 2}, "easy", (0, 2), (1,), (), 1, 1),
    ("dueling-bandit", {"arms": 3}, "easy", (0, 3, 5), (1, 2, 4), (), 3, 3),
    ("hopeless", {}, "hopeless", (0, 1), (), (), 1, 0),
    ("trivial", {}, "trivial", (0,), (), (1,), 0, 0),
    ("trivial-degenerate", {"kind": "degenerate"}, "trivial", (0,), (1,), (), 0, 0),
    ("trivial-degenerate", {"kind": "duplicate"}, "trivial", (0, 1), (2,), (), 0, 0),
    ("cops-and-robbers", {"arms": 2}, "easy", (0, 1), (), (), 1, 1),
    ("cops-and-robbers", {"arms": 3}, "easy", (0, 1, 2), (), (), 3, 3),
    ("difference", {}, "easy", (0, 1), (), (), 1, 1),
    ("symbol-ladder", {"symbols": 2}, "easy", (0, 1), (), (), 1, 1),
    ("symbol-ladder", {"symbols": 4}, "easy", (0, 1), (), (), 1, 1),
    ("degenerate-informative", {"kind": "degenerate"}, "easy", (0, 1), (2,), (), 1, 1),
    ("degenerate-informative", {"kind": "duplicate"}, "easy", (0, 1, 2), (), (), 1, 1),
    ("unobservable-dominated", {}, "easy", (0, 1), (), (2,), 1, 1),
    ("three-class-label-efficient", {"query": "full"}, "hard", (0, 1, 2), (), (3,), 3, 0),
    ("three-class-label-efficient", {"query": "coarse"}, "hopeless", (0, 1, 2), (), (3,), 3, 0),
    ("blind-degenerate", {}, "hard", (0, 1), (2,), (3,), 1, 0),
]


def loaded(name, **parameters):
    return analyze(games.load(name, **parameters))


def in_words(case):
    return ",".join([case[0], *(f"{key}={value}" for key, value in case[1].items())]).replace(" ", "")


@pytest.mark.parametrize("case", KNOWN, ids=in_words)
def test_class_and_structure(case):
    name, parameters, kind, pareto, degenerate, dominated, n_neighbors, n_local = case
    analysis = loaded(name, **parameters)
    assert analysis.kind == kind
    assert (analysis.pareto, analysis.degenerate, analysis.dominated) == (pareto, degenerate, dominated)
    assert len(analysis.neighbors) == n_neighbors
    assert sum(analysis.locally_observable(i, j) for i, j in analysis.neighbors) == n_local
    assert games.describe(name).known_kind(**parameters) in (kind, None)


@pytest.mark.parametrize("case", KNOWN, ids=in_words)
def test_certificates_observers_and_the_naive_twin(case):
    game = games.load(case[0], **case[1])
    check_certificates(analyze(game))
    check_observers(game)
    check_against_naive(game)


def test_every_game_of_the_catalogue_is_listed_here():
    assert {case[0] for case in KNOWN} == set(games.names())


@pytest.mark.parametrize("name", games.names())
def test_default_parameters(name):
    game, entry = games.load(name), games.describe(name)
    analysis = analyze(game)
    assert analysis.kind == entry.kind == NaiveAnalysis(game).kind
    assert (analysis.kind == "trivial") == bool(optimal_everywhere(game))
    check_certificates(analysis)


@pytest.mark.parametrize(
    "name", ["full-information", "bernoulli-bandit", "dynamic-pricing", "revenue-pricing", "bartok"]
)
def test_all_pairs_are_neighbors(name):
    analysis = loaded(name)
    assert analysis.neighbors == tuple(combinations(range(analysis.game.n_actions), 2))


def test_only_adjacent_prices_are_locally_observable():
    analysis = loaded("dynamic-pricing", prices=5, cost=2)
    assert [pair for pair in analysis.neighbors if analysis.locally_observable(*pair)] == [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
    ]


@pytest.mark.parametrize(
    ("name", "parameters", "pair", "neighborhood"),
    [
        ("label-efficient", {}, (1, 2), (1, 2)),
        ("matching-pennies", {"cost": Fraction(1, 2)}, (0, 1), (0, 1, 2)),
        ("dueling-bandit", {"arms": 2}, (0, 2), (0, 1, 2)),
        ("dueling-bandit", {"arms": 3}, (0, 3), (0, 1, 3)),
        ("dueling-bandit", {"arms": 3}, (0, 5), (0, 2, 5)),
        ("dueling-bandit", {"arms": 3}, (3, 5), (3, 4, 5)),
        ("degenerate-informative", {"kind": "degenerate"}, (0, 1), (0, 1, 2)),
        ("degenerate-informative", {"kind": "duplicate"}, (0, 2), (0, 1, 2)),
        ("degenerate-informative", {"kind": "duplicate"}, (1, 2), (0, 1, 2)),
        ("blind-degenerate", {}, (0, 1), (0, 1, 2)),
        ("dynamic-pricing", {"prices": 5, "cost": 2}, (0, 2), (0, 2)),
    ],
)
def test_neighborhood(name, parameters, pair, neighborhood):
    analysis = loaded(name, **parameters)
    assert analysis.neighborhood(*pair) == neighborhood
    assert analysis.neighborhood(*reversed(pair)) == neighborhood


def test_duplicates():
    assert loaded("trivial-degenerate", kind="duplicate").duplicates == ((0, 1),)
    analysis = loaded("degenerate-informative", kind="duplicate")
    assert (analysis.duplicates, analysis.neighbors) == (((0, 1),), ((0, 2),))


def test_a_dominated_action_may_stay_unobservable():
    analysis = loaded("unobservable-dominated")
    assert not analysis.globally_observable(0, 2)
    assert analysis.globally_observable(0, 1)
    assert not analysis.observability_certificate(0, 2, scope="global").observable


@pytest.mark.parametrize(
    ("name", "parameters", "pair", "vectors"),
    [
        ("apple-tasting", {}, (0, 1), {0: (0,), 1: (1, -1)}),
        ("label-efficient", {}, (1, 2), {0: (1, -1), 1: (0,), 2: (0,)}),
        ("tau-detection", {"tau": Fraction(1, 5)}, (0, 1), {0: (-3, 2), 1: (-1,)}),
        (
            "dynamic-pricing",
            {"prices": 5, "cost": 2},
            (0, 1),
            {0: (Fraction(-1, 3),), 1: (Fraction(-5, 3), Fraction(4, 3))},
        ),
        (
            "dynamic-pricing",
            {"prices": 5, "cost": 2},
            (1, 2),
            {1: (Fraction(5, 4), Fraction(-3, 4)), 2: (Fraction(-5, 4), Fraction(7, 4))},
        ),
        (
            "dynamic-pricing",
            {"prices": 5, "cost": 2},
            (0, 2),
            {0: (0,), 1: (Fraction(-1, 2), Fraction(1, 2)), 2: (Fraction(-3, 2), Fraction(3, 2)), 3: (0, 0), 4: (0, 0)},
        ),
        (
            "bernoulli-bandit",
            {"arms": 2},
            (0, 1),
            {0: (Fraction(1, 2), Fraction(-1, 2)), 1: (Fraction(-1, 2), Fraction(1, 2))},
        ),
        ("bartok", {}, (0, 1), {0: (Fraction(5, 4), Fraction(-3, 4)), 1: (Fraction(-1, 4), Fraction(3, 4))}),
        ("difference", {}, (0, 1), {0: (Fraction(-1, 2), Fraction(1, 2)), 1: (Fraction(-1, 2), Fraction(1, 2))}),
    ],
)
def test_minimum_norm_vectors(name, parameters, pair, vectors):
    assert loaded(name, **parameters).observer_vectors(*pair) == vectors


@pytest.mark.parametrize("tau", [Fraction(1, 5), Fraction(1, 2), Fraction(1, 40)])
def test_half_range_of_detection(tau):
    analysis = loaded("tau-detection", tau=tau)
    for kind in ("minimum-norm", "half-range"):
        assert half_range(analysis.observer_vectors(0, 1, kind)) == 1 / (2 * tau)


def test_detection_changes_over_at_tau():
    certificate = loaded("tau-detection", tau=Fraction(1, 5)).neighbor_certificate(0, 1)
    assert certificate.point == (Fraction(1, 5), Fraction(4, 5))


@pytest.mark.parametrize("symbols", [2, 3, 4, 6, 10])
def test_the_ladder_needs_ever_larger_vectors(symbols):
    analysis = loaded("symbol-ladder", symbols=symbols)
    assert analysis.kind == "easy"
    assert max_norm(analysis.observer_vectors(0, 1)) == symbols - 1
