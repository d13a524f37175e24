import math

import numpy as np
import pytest
from legacy import published_streams

import sidelight as sl
from sidelight.environments import IID, Replay, laws
from sidelight.errors import SidelightError
from sidelight.kernels import interpreted
from sidelight.optimization.geometry import lay_out_search_geometry
from sidelight.strategies.base import act, observe
from sidelight.strategies.dmed import general
from sidelight.strategies.dmed.hinge import PMDMEDHinge
from sidelight.strategies.dmed.pmdmed import PMDMED

APPLE = sl.games.load("apple-tasting")
LABEL = sl.games.load("label-efficient")
PRICES = sl.games.load("dynamic-pricing", prices=3, cost=2)
NOTHING = np.zeros(0)


def dirichlet(game):
    return IID(laws.load("dirichlet", game.n_outcomes))


@pytest.mark.parametrize(
    ("game", "kind", "low", "high"),
    [
        (APPLE, "imbalanced", 12, 15),
        (APPLE, "balanced", 105, 115),
        (LABEL, "imbalanced", 27, 31),
        (LABEL, "balanced", 1850, 2100),
    ],
)
def test_published_instances(game, kind, low, high):
    outcomes, law = published_streams(kind)
    result = sl.simulate(PMDMED(game), Replay(outcomes, law=law), horizon=20_000, runs=96, progress=False)
    assert low <= result.final.mean() <= high
    if kind == "imbalanced":
        assert result.final.max() < 200  # a frozen run would have thousands


def next_loop(game, counts, plays, t, c=0.0):
    """Return who is in the next loop after round t, with two outcomes."""
    s = PMDMED(game, c=c).reset()
    schedule = s.state.schedule
    schedule.clock[0] = t
    schedule.plays[:] = schedule.seen[:] = plays
    s.state.counts[:] = counts
    schedule.waiting[:] = 0
    first = s.act()
    return sorted([first, *np.flatnonzero(schedule.waiting).tolist()])


def test_apple_tasting_asks_for_a_look_exactly_when_too_few_were_taken():
    needed = 5.18821 * math.log(100)
    assert 20 < needed < 25
    assert next_loop(APPLE, [4, 16], [80, 20], 100) == [0, 1]
    assert next_loop(APPLE, [5, 20], [75, 25], 100) == [0]
    assert next_loop(APPLE, [16, 4], [80, 20], 100) == [1]
    assert next_loop(APPLE, [1, 0], [99, 1], 100) == [1]


def test_ties_and_forced_exploration_add_everybody_else():
    assert next_loop(LABEL, [3, 3], [6, 47, 47], 100) == [0, 1, 2]
    assert next_loop(APPLE, [16, 4], [2, 98], 100, c=1.0) == [0, 1]
    assert next_loop(APPLE, [16, 4], [3, 97], 100, c=1.0) == [1]


def run_general(game, law, horizon, seed):
    """Play a two-outcome game with the kernel for any number of outcomes, beside the closed forms."""
    parameters = general.Parameters(1.0, 1e-6, lay_out_search_geometry(sl.analyze(game)))
    state = general.new_dmed_state(parameters.game)
    simple = PMDMED(game).reset()
    rng = np.random.default_rng(seed)
    for _ in range(horizon):
        action = act(parameters, state, NOTHING, rng)
        yield action, simple.act()
        outcome = rng.choice(2, p=law)
        symbol = game.feedback[action][outcome]
        observe(parameters, state, action, game.symbols(action).index(symbol), NOTHING)
        simple.observe(symbol)


@pytest.mark.parametrize("name", ["apple-tasting", "label-efficient", "spam-filtering", "degenerate-informative"])
def test_both_kernels_play_two_outcomes_alike(name):
    game = sl.games.load(name)
    for seed, p in enumerate((0.1, 0.35, 0.48, 0.5, 0.9)):
        assert all(a == b for a, b in run_general(game, [p, 1 - p], 200, seed))


@pytest.mark.parametrize("game", [APPLE, LABEL, PRICES, sl.games.load("bartok")])
def test_hinge_without_slack_is_pm_dmed(game):
    with interpreted():
        plain, hinge = (
            sl.simulate(s, dirichlet(game), horizon=150, runs=2, seed=3, progress=False)
            for s in (PMDMED(game), PMDMEDHinge(game, a=0, b=0))
        )
    assert (plain.regret == hinge.regret).all()
    assert (plain.plays == hinge.plays).all()


def test_hinge_with_a_little_slack_is_nearly_pm_dmed():
    """With one informative action the frequencies are the law, and a tiny radius changes nothing."""
    outcomes, law = published_streams("imbalanced", runs=8, horizon=400)
    with interpreted():
        plain, hinge = (
            sl.simulate(s, Replay(outcomes, law=law), horizon=400, runs=8, progress=False)
            for s in (PMDMED(LABEL), PMDMEDHinge(LABEL, a=1e-11, b=1e-11))
        )
    assert (plain.plays == hinge.plays).all()


def test_larger_games_are_played_as_they_always_were():
    """These plays and regrets come from straightforward loops over all entries, zeros included."""
    rng = np.random.default_rng(2)
    many = sl.Game(rng.integers(0, 20, (15, 6)).tolist(), rng.integers(0, 2, (15, 6)).tolist())
    for game, plays, regret in (
        (sl.games.load("dynamic-pricing", prices=9), [8, 8, 8, 8, 7, 14, 49, 49, 49], 103.66666666666652),
        (many, [12, 3, 22, 28, 3, 3, 28, 3, 15, 27, 19, 22, 3, 3, 9], 756.2857142857132),
    ):
        law = np.arange(1, game.n_outcomes + 1)
        r = sl.simulate(PMDMED(game), IID(law / law.sum()), horizon=200, runs=1, checkpoints=1, progress=False)
        assert r.plays[0].tolist() == plays
        assert r.final[0] == regret


def test_late_and_missing_feedback():
    for make in (PMDMED, PMDMEDHinge):
        s = make(PRICES)
        moves = [s.act() for _ in range(6)]
        assert sorted(moves) == [0, 0, 1, 1, 2, 2]  # nothing known: everybody in turn
        for action in moves:
            s.observe(PRICES.feedback[action][1], action=action)
        assert s.act() in range(3)


def test_a_margin_needs_a_radius():
    with pytest.raises(SidelightError, match="b is 0: give a positive number, or 0 together with a = 0"):
        PMDMEDHinge(APPLE, a=1, b=0)
