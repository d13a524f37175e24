"""PGTSMulti: one model per informative action, the law that fits them, and room for more labels."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.strategies.base import act
from sidelight.strategies.labels.pgts_multi import PGTSMulti

BARTOK = sl.games.load("bartok")


def test_each_model_learns_from_its_own_plays():
    """After 60 rounds of a sure outcome each model expects the symbol that this outcome shows."""
    strategy = PGTSMulti(BARTOK, dimension=1, seed=3)
    for t in range(60):
        action = strategy.act([0.5])
        if t < 3:
            assert action == t
        strategy.observe(BARTOK.feedback[action][0])
    models = strategy.state.models
    assert models.labels.ravel().tolist() == strategy.state.plays.tolist()
    for a in range(3):
        count, shown = models.labels[a, 0], BARTOK.symbols(a).index(BARTOK.feedback[a][0])
        assert (models.features[a, :count] == [0.5, 1.0]).all()
        assert models.pull[a, 1] == pytest.approx((0.5 if shown == 0 else -0.5) * count)
    assert strategy.state.scratch.law[0] > 0.5


def test_the_law_fits_all_symbols():
    compiled = PGTSMulti(BARTOK, dimension=1).compiled_parameters
    law = np.array([0.5, 0.3, 0.2])
    symbols = np.concatenate([np.array(BARTOK.signal(a), float) @ law for a in range(3)])
    assert compiled.fit @ symbols == pytest.approx(law)


def test_room_is_made_when_it_is_needed():
    strategy = PGTSMulti(BARTOK, dimension=1, transitions=1)
    room = strategy.state.models.omega.shape[1]
    strategy.state.plays[1] = room
    assert act(strategy.compiled_parameters, strategy.state, np.zeros(1), strategy.rng) == -1
    strategy.act([0.1])
    assert strategy.state.models.omega.shape == (3, 2 * room)
    assert strategy.state.models.features.shape == (3, 2 * room, 2)


def test_games_beyond_it():
    with pytest.raises(sl.SidelightError, match="at most two symbols"):
        PGTSMulti(sl.games.load("full-information"), dimension=2)
    with pytest.warns(UserWarning, match="no guarantee here: the game is hard"):
        PGTSMulti(sl.games.load("label-efficient"), dimension=2)
