import math
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from legacy import published_streams
from random_games import seeded_game
from scipy.optimize import minimize

import sidelight as sl
from sidelight.environments import IID, Replay
from sidelight.errors import SidelightError
from sidelight.game_arrays import signal_indices
from sidelight.strategies.base import observe
from sidelight.strategies.posterior.bpm import BPMLeast
from sidelight.strategies.posterior.cell_distance import set_posterior_cell_metric, squared_posterior_cell_distance

APPLE = sl.games.load("apple-tasting")
NOTHING = np.zeros(0)


def quiet(game, **parameters):
    """Return the strategy without the warning about hard games."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return BPMLeast(game, **parameters)


def show(strategy, action, symbol, times=1):
    for _ in range(times):
        observe(strategy.compiled_parameters, strategy.state, action, symbol, NOTHING)


def coarse(game):
    """Say whether losses differ by more than a hair."""
    return all(value.denominator < 10**6 for row in game.loss for value in row)


def distances(strategy):
    """Return the squared distance of every action's cell; infinity for dominated actions."""
    cell, state = strategy.compiled_parameters.cell, strategy.state
    set_posterior_cell_metric(cell, state.distances, state.belief)
    with np.errstate(all="raise"):
        return [squared_posterior_cell_distance(cell, state.distances, c) if c >= 0 else math.inf for c in cell.number]


class Naive:
    """The text of the strategy: M x M matrices, a quadratic program per action by trying every set of active faces."""

    def __init__(self, game, regularization=1.0):
        size = game.n_outcomes
        self.game, self.analysis = game, sl.analyze(game)
        self.precision, self.information = np.eye(size) * regularization, np.full(size, regularization / size)
        self.plays, self.clock = [0] * game.n_actions, 0
        self.loss = np.array(game.loss, float)

    def distance(self, i):
        """Return min over the cell of (q - mean)' Lambda (q - mean)."""
        mean = np.linalg.solve(self.precision, self.information)
        size = len(mean)
        faces = np.vstack([self.loss - self.loss[i], np.eye(size)])
        faces = faces[np.abs(faces).max(axis=1) > 0]
        best = math.inf
        for count in range(size):
            for chosen in combinations(range(len(faces)), count):
                equal = np.vstack([np.ones(size), faces[list(chosen)]])
                right = np.r_[1.0, np.zeros(count)]
                kkt = np.block([[self.precision, equal.T], [equal, np.zeros((count + 1, count + 1))]])
                q = np.linalg.lstsq(kkt, np.r_[self.information, right], rcond=None)[0][:size]
                if (faces @ q >= -1e-9).all() and np.abs(equal @ q - right).max() < 1e-9:
                    best = min(best, (q - mean) @ self.precision @ (q - mean))
        return best

    def worth_playing(self, i):
        """Say whether no duplicate shows more, nor, for a blind action, comes first."""
        twins = [k for k in range(self.game.n_actions) if self.game.loss[k] == self.game.loss[i]]
        seeing = [k for k in twins if self.game.informative(k)]
        return self.analysis.status(i) != "dominated" and i in (seeing or twins[:1])

    def act(self):
        self.clock += 1
        candidates = [i for i in range(self.game.n_actions) if self.worth_playing(i)]
        values = {i: self.distance(i) for i in candidates}
        alive = [i for i in candidates if values[i] <= math.log(self.clock + 1) + 1e-9]
        chosen = min(alive, key=lambda i: self.plays[i]) if alive else min(candidates, key=values.get)
        self.plays[chosen] += 1
        return chosen

    def observe(self, action, symbol):
        signal = np.array(self.game.signal(action), float)
        scatter = np.linalg.inv(signal @ signal.T)
        self.precision = self.precision + signal.T @ scatter @ signal
        self.information = self.information + signal.T @ scatter[symbol]


def test_mean_of_the_belief_on_apple_tasting():
    strategy = BPMLeast(APPLE)
    for symbol in (0, 0, 1):
        show(strategy, 1, symbol)
    distances(strategy)
    assert strategy.state.distances.mean == pytest.approx([0.625])


def test_both_are_alive_where_the_closed_form_says_so():
    rng = np.random.default_rng(3)
    for _ in range(200):
        strategy = BPMLeast(APPLE)
        counts = rng.integers(0, 40, size=2)
        show(strategy, 1, 0, counts[0])
        show(strategy, 1, 1, counts[1])
        n, t = counts.sum(), rng.integers(1, 2000)
        gap = abs(counts[0] - counts[1]) / (1 + n)
        both = gap <= math.sqrt(math.log(t + 1) * 2 / (1 + n))
        assert (max(distances(strategy)) <= math.log(t + 1)) == both


@pytest.mark.parametrize(
    ("kind", "radius", "mean", "deviation"),
    [
        ("imbalanced", 1.0, 18.897, 11.439),
        ("balanced", 1.0, 203.384, 120.940),
        ("imbalanced", "published", 15.125, 8.063),
        ("balanced", "published", 165.040, 111.969),
    ],
)
def test_published_streams_to_the_last_digit(kind, radius, mean, deviation):
    outcomes, laws = published_streams(kind)
    results = sl.simulate(BPMLeast(APPLE, radius=radius), Replay(outcomes, law=laws), checkpoints=1)
    assert round(results.final.mean(), 3) == mean
    assert round(results.final.std(ddof=1), 3) == deviation


@pytest.mark.parametrize("name", ["apple-tasting", "bartok", "dynamic-pricing", "degenerate-informative", "difference"])
def test_plays_as_the_naive_twin(name):
    game = sl.games.load(name, **({"prices": 3} if name == "dynamic-pricing" else {}))
    shown = signal_indices(game)
    law = np.random.default_rng(5).dirichlet(np.ones(game.n_outcomes))
    rng = np.random.default_rng(6)
    strategy, naive = quiet(game), Naive(game)
    for _ in range(80):
        action = strategy.act()
        assert action == naive.act()
        symbol = shown[action, rng.choice(game.n_outcomes, p=law)]
        strategy.observe(game.symbols(action)[symbol])
        naive.observe(action, symbol)


def beliefs(strategy, rng, count):
    """Move the belief about: symbols of a random law, and now and then a mean far outside the simplex."""
    game, shown = strategy.game, signal_indices(strategy.game)
    law = rng.dirichlet(np.full(game.n_outcomes, 0.5))
    for _ in range(count):
        for _ in range(rng.integers(1, 60)):
            action = int(rng.integers(game.n_actions))
            show(strategy, action, shown[action, rng.choice(game.n_outcomes, p=law)])
        if rng.random() < 0.3:
            strategy.state.belief.information[:] = rng.normal(size=game.n_outcomes - 1) * np.trace(
                strategy.state.belief.precision
            )
        yield


def playable(seeds, rng):
    """Yield strategies for random games that are neither trivial nor hopeless, of three to seven outcomes."""
    for seed in seeds:
        game = seeded_game(seed, int(rng.integers(2, 7)), int(rng.integers(3, 8)))
        if sl.analyze(game).kind in ("easy", "hard"):
            yield quiet(game)


def test_distances_prove_themselves():
    """The point found lies in the cell, and multipliers show that none is nearer, also for cells a hair wide."""
    rng, checked = np.random.default_rng(0), 0
    for strategy in playable(range(40), rng):
        state, cell = strategy.state, strategy.compiled_parameters.cell
        work = state.distances
        # Faces that differ by 1e-12 cross somewhere that floats know to four digits only.
        tolerance = 1e-10 if coarse(strategy.game) else 1e-3
        for _ in beliefs(strategy, rng, 8):
            set_posterior_cell_metric(cell, work, state.belief)
            for c in range(len(cell.start) - 1):
                value = squared_posterior_cell_distance(cell, work, c)
                rows = np.r_[cell.start[c] : cell.start[c + 1], cell.units : len(cell.row)]
                unit = max(0.0, work.missing[rows].max())
                if unit == 0.0:
                    assert value == 0.0
                    continue
                point = work.mean + np.linalg.solve(np.tril(work.root).T, work.nearest * unit)
                short = (cell.row[rows] @ point + cell.offset[rows]).min()
                assert short > -tolerance * (1 + abs(work.mean).max())
                size = work.active_size[c]
                active, weight = work.active[c, :size], work.multiplier[:size]
                assert set(active) <= set(rows)
                assert (weight > 0).all()
                # For weights u >= 0, u . g <= (sum u_k a_k) . y <= |sum u_k a_k| |y| for every y in the cell.
                bound = weight @ work.missing[active] / np.linalg.norm(weight @ work.white[active])
                assert math.sqrt(value) == pytest.approx(bound, rel=1e-7)
                checked += 1
    assert checked > 300


def test_distances_agree_with_a_general_solver():
    rng, checked = np.random.default_rng(1), 0
    for name in ("bartok", "dynamic-pricing", "revenue-pricing", "bernoulli-bandit", "full-information"):
        strategy = quiet(sl.games.load(name))
        for _ in beliefs(strategy, rng, 8):
            found = distances(strategy)
            lower = np.tril(strategy.state.belief.precision)
            precision = lower + np.tril(lower, -1).T
            for action, value in enumerate(found):
                assert value == pytest.approx(
                    solved(strategy.game, action, precision, strategy.state.distances.mean), rel=1e-5
                )
                checked += value > 0
    assert checked > 50


def solved(game, action, precision, mean):
    loss = np.array(game.loss, float)
    faces = np.vstack([loss - loss[action], np.eye(game.n_outcomes)])
    faces = faces[np.abs(faces).max(axis=1) > 0]
    scale = np.trace(precision)

    def law(x):
        return np.r_[x, 1 - x.sum()]

    answer = minimize(
        lambda x: (x - mean) @ precision @ (x - mean) / scale,
        np.full(len(mean), 1 / game.n_outcomes),
        jac=lambda x: 2 * precision @ (x - mean) / scale,
        constraints=[{"type": "ineq", "fun": lambda x: faces @ law(x), "jac": lambda x: faces[:, :-1] - faces[:, -1:]}],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return 0.0 if answer.fun < 1e-10 else answer.fun * scale


def test_two_outcomes_agree_with_the_naive_program():
    rng, checked = np.random.default_rng(2), 0
    for seed in range(150):
        game = seeded_game(seed, 4, 2)
        if not coarse(game) or sl.analyze(game).kind in ("trivial", "hopeless"):
            continue
        strategy, naive = quiet(game, regularization=0.5), Naive(game, regularization=0.5)
        for _ in range(30):
            action = int(rng.integers(game.n_actions))
            symbol = int(rng.integers(len(game.symbols(action))))
            show(strategy, action, symbol)
            naive.observe(action, symbol)
        for action, value in enumerate(distances(strategy)):
            if value < math.inf:
                assert value == pytest.approx(naive.distance(action), rel=1e-6, abs=1e-7)
                checked += 1
    assert checked > 60


def test_without_any_alive_action_the_nearest_is_played():
    game = sl.Game([[0, 3, 3], [3, 0, 3], [3, 3, 0]], [["a", "b", "c"]] * 3)
    strategy = BPMLeast(game, radius=1e-6)
    show(strategy, 0, 2, 50)
    strategy.state.belief.information[:] = [-20.0, 80.0]  # a mean outside the simplex, nearest to outcome 1
    strategy.state.stale[0] = 1
    assert strategy.act() == 1
    assert min(distances(strategy)) > 1e-3


def test_informative_duplicates_take_turns_and_dominated_actions_are_never_played():
    game = sl.Game([[1, 0], [1, 0], [0, 1], [2, 2]], [["a", "b"], ["a", "b"], ["x", "x"], ["a", "b"]])
    results = sl.simulate(BPMLeast(game), IID([0.2, 0.8]), horizon=500, runs=2)
    assert (results.plays[:, 3] == 0).all()
    assert (abs(results.plays[:, 0] - results.plays[:, 1]) <= 1).all()


@pytest.mark.parametrize("law", [[0.35, 0.65], [0.65, 0.35]])
def test_no_round_is_spent_on_an_action_that_has_an_informative_duplicate(law):
    """Both cost the same, and only one of them shows anything."""
    game = sl.Game([[1, 0], [1, 0], [0, 1]], [["x", "x"], ["a", "b"], ["x", "x"]])
    results = sl.simulate(BPMLeast(game), IID(law), horizon=3000, runs=4)
    assert (results.plays[:, 0] == 0).all()
    assert results.final.max() < 200


def test_of_blind_duplicates_the_first_stands_for_all():
    game = sl.Game([[1, 0], [1, 0], [0, 1]], [["x", "x"], ["y", "y"], ["a", "b"]])
    results = sl.simulate(BPMLeast(game), IID([0.2, 0.8]), horizon=500, runs=2)
    assert (results.plays[:, 1] == 0).all()
    assert (results.plays[:, 0] > 0).all()


def test_warns_of_hard_games():
    with pytest.warns(UserWarning, match="BPMLeast has no guarantee here: the game is hard"):
        BPMLeast(sl.games.load("label-efficient"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BPMLeast(sl.games.load("degenerate-informative"))


def test_another_word_for_the_radius():
    with pytest.raises(SidelightError, match="radius is 'wide': give a finite number above 0, or 'published'"):
        BPMLeast(APPLE, radius="wide")


def test_losses_may_be_large_and_close():
    """A cell depends on differences, which floats of the losses themselves would lose."""
    big = Fraction(10**18)
    game = sl.Game([[big + 1, big], [big, big + 1]], [["x", "x"], ["a", "b"]])
    strategy = BPMLeast(game)
    show(strategy, 1, 0, 30)
    first, second = distances(strategy)
    assert first > 10
    assert second == 0.0
