"""Games with many outcomes take other ways to the same answers."""

import numpy as np
import pytest
from hypothesis import given
from random_games import games, modest, seeded_game

import sidelight as sl
from analysis.certificates import check_certificates
from sidelight.analysis import Analysis, alternative, generating_outcomes


@pytest.fixture
def many(monkeypatch):
    """Every number of outcomes counts as many."""
    monkeypatch.setattr(alternative, "_FEW", 0)
    monkeypatch.setattr(generating_outcomes, "_MANY", 0)


@modest(60)
@given(games())
def test_certificates_are_proofs(game):
    usual = Analysis(game)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alternative, "_FEW", 0)
        other = Analysis(game)
        check_certificates(other)
        assert other.neighbors == usual.neighbors


@pytest.mark.parametrize("arms", [3, 7])
def test_few_outcomes_of_a_bandit_stand_for_all(arms, many):
    cells = Analysis(sl.games.load("bernoulli-bandit", arms=arms)).cells
    rows = np.array([cells.difference(*pair) for pair in cells.neighbors], dtype=object)
    found = generating_outcomes.generating_outcomes(rows)
    assert len(found.kept) == arms
    assert (found.combinations >= 0).all()
    assert (rows[:, found.kept] @ found.combinations == generating_outcomes._FRACTION * rows).all()
    point = list(range(1, 2**arms + 1))
    assert list(rows[:, found.kept] @ np.array(found.combine(point))) == list(60 * (rows @ np.array(point)))


def test_combinations_are_exact_or_not_used(many):
    rng = np.random.default_rng(3)
    for size in (1, 1000, 1 << 50):
        rows = np.array([[int(v) for v in rng.integers(-5, 6, 9)] for _ in range(3)], dtype=object) * size
        rows[0, 0] += 1
        found = generating_outcomes.generating_outcomes(rows)
        if size == 1 << 50:
            assert found is None
        else:
            assert (rows[:, found.kept] @ found.combinations == generating_outcomes._FRACTION * rows).all()


@pytest.mark.parametrize("make", [sl.strategies.CBP, sl.strategies.RandCBP])
@pytest.mark.parametrize("seed", range(3))
def test_play_does_not_change(make, seed, monkeypatch):
    game = seeded_game(seed, 7, 5)

    def play():
        sl.analyze(game).learned.clear()  # what was learned about plausible sets
        strategy = make(game)
        return sl.simulate(strategy, sl.environments.IID(law), horizon=300, runs=2, seed=seed, workers=1)

    law = np.random.default_rng(seed).dirichlet(np.ones(5))
    usual = play()
    monkeypatch.setattr(generating_outcomes, "_MANY", 0)
    np.testing.assert_array_equal(play().regret, usual.regret)
