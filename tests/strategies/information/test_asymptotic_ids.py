"""AsymptoticIDS: the nearest laws at which a rival is as good, and when it stops exploring."""

import numpy as np
import pytest
from common.recordings import record_law

import sidelight as sl
from sidelight.strategies.information.asymptotic_ids import (
    AsymptoticIDS,
    find_alternatives_for_ids,
    leading_rival_for_ids,
)
from sidelight.strategies.shared.gap_bounds import confidence_radius_of_gap


def played(name, rounds, law, **given):
    game = sl.games.load(name)
    strategy, rng = AsymptoticIDS(game, seed=3, **given), np.random.default_rng(1)
    for _ in range(rounds):
        strategy.observe(game.feedback[strategy.act()][rng.choice(game.n_outcomes, p=law)])
    strategy.act()
    return strategy


def test_alternatives_are_the_nearest_laws_on_the_border():
    strategy = played("bartok", 60, [0.5, 0.3, 0.2])
    compared, state = strategy.compiled_parameters.compared, strategy.state
    best = leading_rival_for_ids(compared, state.regression.law)
    nearest = find_alternatives_for_ids(compared, state.regression, best, state.scratch)
    V, law, rng = np.linalg.inv(state.regression.inverse), state.regression.law, np.random.default_rng(0)
    for r in range(3):
        if r == best:
            continue
        difference = compared.loss[compared.rivals[r]] - compared.loss[compared.rivals[best]]
        move, distance = state.scratch.moves[r], state.scratch.distance[r]
        assert difference @ (law + move) == pytest.approx(0, abs=1e-9)
        assert move @ V @ move == pytest.approx(distance)
        assert distance >= nearest
        along = rng.normal(size=(100, 3))
        along -= np.outer(along @ difference, difference) / (difference @ difference)
        others = move + along
        assert (np.einsum("ni,ij,nj->n", others, V, others) >= distance - 1e-9).all()


def test_information_and_gaps_by_the_formulas():
    strategy = played("apple-tasting", 5, [0.4, 0.6])
    game, state, compared = strategy.game, strategy.state, strategy.compiled_parameters.compared
    best = leading_rival_for_ids(compared, state.regression.law)
    radius = confidence_radius_of_gap(1.0, state.regression.log_det[0], float(state.clock[0]))
    (rival,) = [r for r in range(2) if r != best]
    inverse, law, loss = state.regression.inverse, state.regression.law, np.array(game.loss, float)
    doubt = (loss[best] - loss[rival]) @ law + radius * np.sqrt(
        (loss[best] - loss[rival]) @ inverse @ (loss[best] - loss[rival])
    )
    assert state.bounds.gap == pytest.approx((loss - loss[best]) @ law + max(0.0, doubt))
    for a in range(2):
        rows = np.array(game.signal(a), float)
        terms = np.abs(rows @ state.scratch.moves[rival]) + radius * np.sqrt(
            np.einsum("ui,ij,uj->u", rows, inverse, rows)
        )
        assert state.bounds.gain[a] == pytest.approx((terms**2).sum() if game.informative(a) else 0.0)


def test_it_stops_exploring_when_all_rivals_are_beaten():
    """Full information and a sure outcome: after some rounds only the best action is played."""
    game = sl.games.load("full-information")
    sure = record_law([1, 0, 0], 4, 2_000)
    found = sl.simulate(AsymptoticIDS(game), sure, 2_000, 4, checkpoints=[200, 2_000], workers=1)
    assert (found.regret[:, 0] == found.regret[:, 1]).all()
