"""What papers prove about strategies, as numbers: upper bounds on the regret for a game, a law and a horizon.

They are loose, often by a factor of a hundred; they say how regret can grow, not what to expect.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sidelight.analysis import Analysis, analyze
from sidelight.analysis.linear_program import maximize_exactly
from sidelight.environments import LinearContexts
from sidelight.errors import SidelightError
from sidelight.limits.lower_bound import read_exact_law
from sidelight.optimization.geometry import loss_range
from sidelight.strategies.adversarial.bobw import BOBW
from sidelight.strategies.adversarial.exponential_weights import estimates, estimator_size, new_estimator
from sidelight.strategies.adversarial.exppm import ExpPM
from sidelight.strategies.adversarial.feedexp3 import FeedExp3
from sidelight.strategies.adversarial.neighborhood_watch import NeighborhoodWatch2, rates
from sidelight.strategies.base import Strategy, check_whole
from sidelight.strategies.confidence_bounds.cbp import RandCBP
from sidelight.strategies.confidence_bounds.cbpside import RandCBPSide
from sidelight.strategies.posterior.mario import Mario


class Condition(NamedTuple):
    """Something that the proof needs, and whether it holds here."""

    text: str
    holds: bool


@dataclass(frozen=True)
class UpperBound:
    """A proved bound on the expected regret.

    Attributes
    ----------
    value
        The bound, in the game's own losses.
    source
        Where it is proved.
    conditions
        What the proof needs, and whether that holds here.
    """

    value: float
    source: str
    conditions: tuple[Condition, ...]

    @property
    def holds(self) -> bool:
        """Whether all conditions hold."""
        return all(condition.holds for condition in self.conditions)

    def __str__(self) -> str:
        lines = [f"regret <= {self.value:.6g} ({self.source})"]
        lines += [f"  {'holds' if holds else 'does not hold'}: {text}" for text, holds in self.conditions]
        return "\n".join(lines)


class _Setting(NamedTuple):
    strategy: Any
    law: Any  # probabilities, or the environment of contexts
    horizon: int
    scale: float


class _Ways(NamedTuple):
    """Who tells neighbors apart: all observers, those outside of all neighborhoods, and how many a way can have."""

    observers: set[int]
    outside: set[int]
    longest: int


def _observers_along_ways_of_bound(analysis: Analysis) -> _Ways:
    """Collect the observers of neighbors, and bound how many a path of neighbors to the optimal action can have."""
    observers = {pair: set(analysis.observers(*pair)) for pair in analysis.neighbors}
    inner = set().union(*(analysis.neighborhood(*pair) for pair in analysis.neighbors))
    everyone = set().union(*observers.values())
    steps = len(analysis.cells.pareto) - 1
    return _Ways(everyone, everyone - inner, sum(sorted(map(len, observers.values()), reverse=True)[:steps]))


def upper_bound(strategy: Strategy, law: Any, horizon: int) -> UpperBound:
    """Return the regret bound that is proved for a strategy in its game, under a law, after so many rounds.

    There are bounds with all constants for CBP, RandCBP, CBPSide, RandCBPSide, FeedExp3, BOBW, ExpPM,
    NeighborhoodWatch2 and Mario.

    Parameters
    ----------
    strategy
        The strategy, with its parameters and its game.
    law
        The outcome law, read as by `lower_bound`; bounds against any sequence of outcomes do not depend on it. For a
        strategy with contexts, the `LinearContexts` that it plays in.
    horizon
        The number of rounds.

    Examples
    --------
    >>> import sidelight as sl
    >>> bound = upper_bound(sl.strategies.ExpPM(sl.games.load("full-information")), [0.5, 0.3, 0.2], 10_000)
    >>> round(bound.value), bound.holds
    (148, False)
    """
    check_whole("horizon", horizon, least=2)
    for kind, bound in _BOUNDS.items():
        if isinstance(strategy, kind):
            game = strategy.game
            if analyze(game).kind == "trivial":
                return UpperBound(0.0, "one action is optimal whatever the outcomes", ())
            known = law if strategy.dimension else read_exact_law(law, game.n_outcomes)
            return bound(_Setting(strategy, known, horizon, loss_range(game)))
    raise SidelightError(
        f"no bound with all its constants is known for {strategy.name}: there are some for "
        f"{', '.join(kind.__name__ for kind in _BOUNDS)}"
    )


def _upper_bound_of_cbp(setting: _Setting) -> UpperBound:
    """Evaluate the theorem on RandCBP in the appendix of the ICML 2024 paper, which holds for CBP, too.

    Sum_k [2 (1 + 1 / (2 alpha - 2)) |V| + 1] + sum_k delta_k + sum_{delta_k > 0} 4 W_k^2 (g_k^2 / delta_k) alpha log T,
    and in hard games, with F(W) = alpha^(1/3) W^(2/3) T^(2/3) log^(1/3) T, in addition the sum over k in V outside N+
    of 2 delta_k F(W_k) + 2 g_k F(W) (the theorem's minimum is bounded by its second argument). g_k, the number of
    observers along a way to the optimal action, is bounded by that along the largest pairs that a way can have.
    """
    strategy, game = setting.strategy, setting.strategy.game
    alpha, log_horizon = float(strategy.alpha), math.log(setting.horizon)
    everyone, outside, way = _observers_along_ways_of_bound(strategy.analysis)
    losses = [sum((x * y for x, y in zip(row, setting.law, strict=True)), Fraction(0)) for row in game.loss]
    gaps = [float(loss - min(losses)) for loss in losses]
    W = strategy._watch.weights
    failures = math.inf if alpha <= 1 else game.n_actions * (2 * (1 + 1 / (2 * alpha - 2)) * len(everyone) + 1)
    total = failures + sum(gaps)
    total += sum(4 * W[k] ** 2 * way**2 / gap * alpha * log_horizon for k, gap in enumerate(gaps) if gap > 0)
    rate = (alpha * log_horizon) ** (1 / 3) * setting.horizon ** (2 / 3)
    for k in outside:
        total += 2 * gaps[k] * W[k] ** (2 / 3) * rate + 2 * way * max(W) ** (2 / 3) * rate
    conditions = (
        Condition("losses at one outcome differ by at most 1", setting.scale <= 1),
        Condition("alpha is above 1", alpha > 1),
        Condition("the randomization starts at 0 or below", float(getattr(strategy, "lower", 0.0)) <= 0),
        Condition("the optimal action is unique", sum(gap == 0 for gap in gaps) == 1),
    )
    return UpperBound(float(total), "Heuillet, Ahmad, Durand, ICML 2024", conditions)


def _upper_bound_of_cbpside(setting: _Setting) -> UpperBound:
    """Evaluate the theorem on RandCBPside* in the appendix of the ICML 2024 paper, which holds for CBPside*, too.

    With B = sqrt((d + 4) log T), Psi the most symbols of an action, |x| <= E, g as for CBP and

        D_k = 2 g W_k Psi (B + Psi) sqrt(2 d log(1 + T E^2 / (d lambda)))       (the paper: lambda = 1),

    N pi^2 / 6 + N + sqrt(T) sum_k D_k, and in hard games in addition, with f = (alpha log T)^(1/3) T^(2/3), the sum
    over k in V outside N+ of 2 D_k sqrt(W_k^(2/3) f) + 2 T g Psi (B + Psi) W^(2/3) / sqrt(f).
    """
    strategy, game, T = setting.strategy, setting.strategy.game, setting.horizon
    world = setting.law
    if not isinstance(world, LinearContexts):
        raise SidelightError("the bound needs laws that are linear in the context: give a LinearContexts as the law")
    world.check(game, 1, 1)
    _, outside, way = _observers_along_ways_of_bound(strategy.analysis)
    W, d, alpha = strategy._watch.weights, strategy._size, float(strategy.alpha)
    symbols = max(len(game.symbols(a)) for a in range(game.n_actions))
    width = symbols * (math.sqrt((d + 4) * math.log(T)) + symbols)
    longest = float((np.maximum(world.low**2, world.high**2)).sum()) + strategy._with_intercept  # E^2
    spread = math.sqrt(2 * d * math.log(1 + T * longest / (d * float(strategy.regularization))))
    gaps = 2 * way * W * width * spread
    total = game.n_actions * (math.pi**2 / 6 + 1) + math.sqrt(T) * gaps.sum()
    rate = (alpha * math.log(T)) ** (1 / 3) * T ** (2 / 3)
    for k in outside:
        total += 2 * gaps[k] * math.sqrt(W[k] ** (2 / 3) * rate)
        total += 2 * T * way * width * max(W) ** (2 / 3) / math.sqrt(rate)
    conditions = (
        Condition("losses at one outcome differ by at most 1", setting.scale <= 1),
        Condition("alpha is above 1", alpha > 1),
        Condition("the bounds are the corrected ones", strategy.bounds == "corrected"),
        Condition("the model is linear, without units and hinge", not strategy._wrapped),
        Condition("the proof's step from all widths to that of the action played, taken as printed, is right", False),
    )
    return UpperBound(float(total), "Heuillet, Ahmad, Durand, ICML 2024", conditions)


def _upper_bound_of_feedexp3(setting: _Setting) -> UpperBound:
    """Evaluate log|A| / eta_T + sum_t (e - 2) eta_t K / gamma_t + sum_t gamma_t, the usual analysis, for its rates."""
    strategy = setting.strategy
    compiled, rounds = strategy.compiled_parameters, np.arange(1.0, setting.horizon + 1)
    gamma, eta = np.minimum(1.0, compiled.exploring * rounds ** (-1 / 3)), compiled.learning * rounds ** (-2 / 3)
    estimator = compiled.estimator
    ends = [*estimator.place.tolist(), len(estimator.weights)]
    half = [0.5 * float(np.ptp(estimator.weights[ends[i] : ends[i + 1]], axis=1).max()) for i in estimator.explorers]
    spread = len(half) * sum(value**2 for value in half)
    actions = len(estimator.members)
    value = math.log(actions) / eta[-1] + (math.e - 2) * spread * (eta / gamma).sum() + setting.scale * gamma.sum()
    conditions = (
        Condition("the rates are those of the theory", strategy.eta is None and strategy.gamma is None),
        Condition("no estimate exceeds the inverse of its rate", eta[0] * max(half) * len(half) <= gamma[0]),
    )
    return UpperBound(float(value), "Cesa-Bianchi, Lugosi, Stoltz, 2006", conditions)


def _upper_bound_of_bobw(setting: _Setting) -> UpperBound:
    """Evaluate the analysis of BOBW against any sequence of outcomes, with the constants that the paper leaves out.

    Let k be the actions that can be optimal, r_t the strategy's ratio b_t / gamma'_t, at most r = 4 (1 + T^(1/3) / c1),
    X = log k sum r_t and kappa = (e^4 - 5) / 16, for which exp(-z) + z - 1 <= kappa z^2 if z >= -4: an estimate, at the
    chance of its action and relative to that of the heaviest one, is at most 4 beta_t. The regret is at most the sum of

        gamma'_t:                                               (3/8) c1 T^(2/3),
        c_G / (2 beta_t) and 4 kappa c_G^2 r_t / beta_t:        (4 kappa c_G^2 + c_G / 8) sum r_t / beta_t,
        (beta_{t+1} - beta_t) times the entropy of q_{t+1}:     c2 (2 sqrt(c1 + X) + r log k / sqrt(c1)),

    and beta_1 log k. As beta grows by at least c2 r_t / sqrt(c1 + X), with D = beta_1 sqrt(c1 + X) / c2,

        sum r_t / beta_t <= (sqrt(c1 + X) / c2) (log(1 + sum r_t / D) + r / D).
    """
    compiled, T = setting.strategy.compiled_parameters, setting.horizon
    c1, c2, size = compiled.exploring, compiled.learning, compiled.size
    log_k = math.log(len(compiled.estimator.members))
    first, most = max(c2, 2 * size), 4 * (1 + T ** (1 / 3) / c1)
    root = math.sqrt(c1 + log_k * T * most)
    start = first * root / c2
    stability = root / c2 * (math.log(1 + T * most / start) + most / start)
    kappa = (math.e**4 - 5) / 16
    value = 3 / 8 * c1 * T ** (2 / 3) + (4 * kappa * size**2 + size / 8) * stability
    value += c2 * (2 * root + most * log_k / math.sqrt(c1)) + first * log_k
    return UpperBound(setting.scale * value, "after Tsuchiya, Ito, Honda, ALT 2023", ())


def _upper_bound_of_exppm(setting: _Setting) -> UpperBound:
    """Evaluate 6 m k^1.5 sqrt(n log k) in easy games, 3 (c_G n / 2)^(2/3) (log k)^(1/3) in hard ones.

    In games with full information sqrt(2 n log k), in bandits sqrt(2 n k log k).
    """
    strategy, analysis, game = setting.strategy, setting.strategy.analysis, setting.strategy.game
    k, n = game.n_actions, setting.horizon
    symbols = max(len(game.symbols(a)) for a in range(k))
    if all(len(game.symbols(a)) == game.n_outcomes for a in range(k)):
        value = math.sqrt(2 * n * math.log(k))
    elif _bound_game_shows_its_loss(game):
        value = math.sqrt(2 * n * k * math.log(k))
    elif analysis.kind == "easy":
        value = 6 * symbols * k**1.5 * math.sqrt(n * math.log(k))
    else:
        size = estimator_size(new_estimator(analysis, estimates(analysis), setting.scale))
        value = 3 * (size * n / 2) ** (2 / 3) * math.log(k) ** (1 / 3)
    conditions = (
        Condition("no action is degenerate", not analysis.degenerate),
        Condition("the rate is that of the theory", strategy.eta == 1.0 and strategy.rate is None),
        Condition("the program of each round is solved exactly, at a rate fixed for the horizon", False),
    )
    return UpperBound(setting.scale * value, "Lattimore, Szepesvári, COLT 2020", conditions)


def _bound_game_shows_its_loss(game: Any) -> bool:
    """Say whether every action's symbol determines its loss: a bandit."""
    return all(
        len({(symbol, loss) for symbol, loss in zip(game.feedback[a], game.loss[a], strict=True)})
        == len(game.symbols(a))
        for a in range(game.n_actions)
    )


def _upper_bound_of_neighborhood_watch(setting: _Setting) -> UpperBound:
    """Evaluate an analysis of NeighborhoodWatch2 with all constants; the paper leaves one of the game open.

    That one is kappa of `local_to_global_constant_of_bound`: as r is stationary, r loses at most kappa times what the
    rows b lose together, each against its best neighbor. With n_b neighbors of b, N = 1 + gamma (without the bias
    term 1), which -eta Z does not exceed, and s = (exp(N) - 1 - N) / N^2, for which exp(-z) <= 1 - z + s z^2 if
    z >= -N, they lose

        sum_b log(1 + n_b) / eta_T + sum_t eta_t V^2 X_t (1 + s (1 + 2 eta_t + gamma_t))    (without: s V^2 eta_t X_t),

    where X bounds sum_b sum_a Q_b(a) sum_{c in N_ab} r_b^2 / P_c. As r_a >= r_b Q_b(a), and REDISTRIBUTE leaves to a
    half of r_a at least and to an action d of D exactly min(r_a / alpha, r_b / (1 - alpha)) / (2 k), that is at most
    2 max_b (1 + n_b + k d_b) / (1 - gamma), d_b counting the actions of D between b and each of its neighbors.
    Exploration costs gamma_t. That weights stay above exp(-30) costs less than 1e-12 a round, and is left out.
    """
    strategy, analysis = setting.strategy, setting.strategy.analysis
    compiled, rounds = strategy.compiled_parameters, np.arange(1.0, setting.horizon + 1)
    k = len(compiled.watch.played)
    eta, gamma = np.array([rates(compiled, t) for t in rounds]).T
    near: dict[int, list[int]] = {b: [] for b in analysis.cells.pareto}  # for each neighbor, how many of D are between
    for i, j in analysis.neighbors:
        for b in (i, j):
            near[b].append(len(analysis.neighborhood(i, j)) - 2)
    spread = 2 * max(1 + len(between) + k * sum(between) for between in near.values()) / (1 - gamma)
    most = 1 + compiled.bias * gamma
    square = (np.exp(most) - 1 - most) / most**2
    factor = compiled.bias + square * (1 + compiled.bias * (2 * eta + gamma))
    rows = sum(math.log(1 + len(between)) for between in near.values()) / eta[-1]
    rows += (factor * eta * compiled.size**2 * spread).sum()
    value = float(local_to_global_constant_of_bound(analysis)) * rows + gamma.sum()
    return UpperBound(setting.scale * value, "after Lattimore, Szepesvári, ALT 2019", ())


def local_to_global_constant_of_bound(analysis: Analysis) -> Fraction:
    """Return the least kappa such that an action's gap is, under any law, at most kappa times that to its neighbors.

    For all a and b there are y >= 0 with sum y <= kappa and L_b - L_a <= sum_c y_c (L_b - L_c), c over the neighbors of
    b. By duality kappa is the largest (L_b - L_a) w with w >= 0 and (L_b - L_c) w <= 1 for all c.
    """
    cells = analysis.cells
    near = {b: [i + j - b for i, j in analysis.neighbors if b in (i, j)] for b in cells.pareto}
    programs = [
        ([cells.difference(b, c) for c in near[b]], cells.difference(b, a)) for a in near for b in near if a != b
    ]
    return max(maximize_exactly(rows, [1] * len(rows), gain).value for rows, gain in programs)


def _upper_bound_of_mario(setting: _Setting) -> UpperBound:
    """Evaluate k^1.5 (d + 1) sqrt(8 n log k) for k actions and d outcomes, a bound on the Bayes regret."""
    game = setting.strategy.game
    k, d = game.n_actions, game.n_outcomes
    value = k**1.5 * (d + 1) * math.sqrt(8 * setting.horizon * math.log(k))
    conditions = (
        Condition("no action is degenerate", not setting.strategy.analysis.degenerate),
        Condition("regret is averaged over laws drawn from the prior, not under one law", False),
        Condition("the posterior is exact, not a pool of draws", False),
    )
    return UpperBound(setting.scale * value, "Lattimore, Szepesvári, COLT 2019", conditions)


_BOUNDS: dict[type, Callable[[_Setting], UpperBound]] = {
    RandCBP: _upper_bound_of_cbp,
    RandCBPSide: _upper_bound_of_cbpside,
    FeedExp3: _upper_bound_of_feedexp3,
    BOBW: _upper_bound_of_bobw,
    ExpPM: _upper_bound_of_exppm,
    NeighborhoodWatch2: _upper_bound_of_neighborhood_watch,
    Mario: _upper_bound_of_mario,
}
