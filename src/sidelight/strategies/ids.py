"""Information directed sampling (IDS): buy information where it costs the least regret.

The outcome law p is estimated by ridge regression on the symbols. With S_a the signal matrix of action a,

    V = I + sum S_a' S_a,   p_hat = V^-1 sum S_a' e(y),   beta = (sqrt((log det V + 2 log 1/delta) / 2) + 1)^2,

sums over all symbols y seen, one-hot, of informative actions. Outside an event of probability delta, p lies in the
ellipsoid |p - p_hat|_V <= sqrt(beta): a symbol's deviation from its mean, seen in any direction, has a range of at most
sqrt(2) and so is sub-Gaussian with variance 1/2. In round t, delta = 1 / (t log t); t counts blind rounds, too, or a
wrong decision for a blind action would never be looked at again. From that follow, for each action, a bound on its gap
to the best action and what playing it would teach,

    D(a) = max_b [ (L_a - L_b) p_hat + sqrt(beta) |L_a - L_b|_{V^-1} ],      I(a) = log det(1 + S_a V^-1 S_a'),

b over the Pareto-optimal actions, which always include a best one (a dominated action may be unobservable, and would
keep the bound from ever shrinking); each term is at most max_j (L_a - L_b)_j. Played is the mixture mu of least
information ratio D(mu)^2 / I(mu). A mixture of two actions attains it: for D_1 <= D_2 and I_1 < I_2 the second has the
share

    q = D_1 / (D_2 - D_1) - 2 I_1 / (I_2 - I_1),     clipped to [0, 1].

An action whose bound is 0 is certainly the best and is played.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.analysis import analyze
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix, signal_indices, symbol_counts
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import multiply
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.playable import refuse_hopeless, settled_action

# Rank-one updates of V^-1 between two inversions from scratch, which forget the rounding errors.
_FRESH = 1000


class Parameters(NamedTuple):
    """What IDS knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    width: float
    rivals: Integers  # the Pareto-optimal actions, one per class of duplicates
    loss: Floats
    most: Floats  # (actions, rivals): the largest possible gap
    signals: Integers  # (actions, outcomes): which of the action's symbols the outcome shows
    symbols: Integers  # how many symbols each action has


class State(NamedTuple):
    """What play changes. `stale` says that symbols came in since the bounds below it were worked out."""

    clock: Integers
    stale: Integers
    updates: Integers
    seen: Floats  # symbols seen of each action
    response: Floats  # sum S_a' e(y)
    inverse: Floats  # V^-1
    log_det: Floats
    law: Floats  # p_hat
    solved: Floats  # L V^-1
    mean: Floats  # (actions, rivals): estimated gaps
    reach: Floats  # (actions, rivals): |L_a - L_b| in the norm of V^-1
    gain: Floats  # I
    gap: Floats  # D
    mixed: Integers  # the pair of actions to play
    share: Floats  # and with which probability the second of them
    row: Floats
    matrix: Floats


@kernel
def add_symbols(parameters: Parameters, state: State, action: int) -> None:
    """Add S_a' S_a to V: V^-1 by Sherman and Morrison's formula, once for each symbol, and log det V."""
    size = state.law.shape[0]
    inverse, row = state.inverse, state.row
    for u in range(parameters.symbols[action]):
        grown = 1.0
        for j in range(size):
            total = 0.0
            for k in range(size):
                if parameters.signals[action, k] == u:
                    total += inverse[j, k]
            row[j] = total
            if parameters.signals[action, j] == u:
                grown += total
        for j in range(size):
            factor = row[j] / grown
            for k in range(size):
                inverse[j, k] -= factor * row[k]
        state.log_det[0] += math.log(grown)


@kernel
def invert(parameters: Parameters, state: State) -> None:
    """Work out V^-1 and log det V from the counts, by Gauss and Jordan without pivoting: V is positive definite."""
    size = state.law.shape[0]
    V, inverse = state.matrix, state.inverse
    for j in range(size):
        for k in range(size):
            V[j, k] = inverse[j, k] = 1.0 if j == k else 0.0
            for a in range(state.seen.shape[0]):
                if parameters.symbols[a] > 1 and parameters.signals[a, j] == parameters.signals[a, k]:
                    V[j, k] += state.seen[a]
    state.log_det[0] = 0.0
    for i in range(size):
        pivot = V[i, i]
        state.log_det[0] += math.log(pivot)
        for k in range(size):
            V[i, k] /= pivot
            inverse[i, k] /= pivot
        for j in range(size):
            factor = V[j, i]
            if j != i and factor != 0.0:
                for k in range(size):
                    V[j, k] -= factor * V[i, k]
                    inverse[j, k] -= factor * inverse[i, k]


@kernel
def estimate(parameters: Parameters, state: State) -> None:
    """Work out p_hat, the estimated gaps and how far they reach."""
    size = state.law.shape[0]
    inverse, loss = state.inverse, parameters.loss
    multiply(inverse, state.response, state.law)
    for a in range(loss.shape[0]):
        for j in range(size):
            total = 0.0
            for k in range(size):
                total += loss[a, k] * inverse[k, j]
            state.solved[a, j] = total
    for a in range(loss.shape[0]):
        for r in range(parameters.rivals.shape[0]):
            b = parameters.rivals[r]
            mean = square = 0.0
            for j in range(size):
                difference = loss[a, j] - loss[b, j]
                mean += difference * state.law[j]
                square += difference * (state.solved[a, j] - state.solved[b, j])
            state.mean[a, r] = mean
            state.reach[a, r] = math.sqrt(max(square, 0.0))


@kernel
def information(parameters: Parameters, state: State, action: int) -> float:
    """Return log det(1 + S_a V^-1 S_a'), by elimination."""
    size, count = state.law.shape[0], parameters.symbols[action]
    B = state.matrix
    if count == 1:
        return 0.0
    for u in range(count):
        for v in range(count):
            B[u, v] = 1.0 if u == v else 0.0
    for j in range(size):
        u = parameters.signals[action, j]
        for k in range(size):
            B[u, parameters.signals[action, k]] += state.inverse[j, k]
    det = 0.0
    for i in range(count):
        det += math.log(B[i, i])
        for u in range(i + 1, count):
            factor = B[u, i] / B[i, i]
            for v in range(i + 1, count):
                B[u, v] -= factor * B[i, v]
    return det


@kernel
def share_of_second(gap: float, gain: float, other_gap: float, other_gain: float) -> float:
    """Return the best share of the action with the larger gap; gap <= other_gap."""
    if other_gain <= gain:
        return 0.0
    if other_gap == gap:
        return 1.0
    share = gap / (other_gap - gap) - 2.0 * gain / (other_gain - gain)
    return min(max(share, 0.0), 1.0)


@kernel
def mix(gap: Floats, gain: Floats, mixed: Integers, share: Floats) -> None:
    """Find the mixture of two actions with the least information ratio; ties go to the lowest indices."""
    sure = 0
    for a in range(1, gap.shape[0]):
        if gap[a] < gap[sure]:
            sure = a
    mixed[0] = mixed[1] = sure
    share[0] = 0.0
    if gap[sure] <= 0.0:
        return
    least = math.inf
    for a in range(gap.shape[0]):
        for b in range(a + 1, gap.shape[0]):
            i, j = (a, b) if gap[a] <= gap[b] else (b, a)
            q = share_of_second(gap[i], gain[i], gap[j], gain[j])
            learnt = (1.0 - q) * gain[i] + q * gain[j]
            if learnt > 0.0:
                lost = (1.0 - q) * gap[i] + q * gap[j]
                ratio = lost * lost / learnt
                if ratio < least:
                    least = ratio
                    mixed[0], mixed[1] = i, j
                    share[0] = q


@kernel
def bound_gaps(parameters: Parameters, state: State, count: float) -> None:
    """Set D, with delta = 1 / (count log count)."""
    doubt = math.log(count) + math.log(math.log(count))
    radius = parameters.width * (math.sqrt(0.5 * (state.log_det[0] + 2.0 * doubt)) + 1.0)
    for a in range(state.gap.shape[0]):
        gap = 0.0
        for r in range(parameters.rivals.shape[0]):
            if parameters.rivals[r] != a:
                bound = state.mean[a, r] + radius * state.reach[a, r]
                gap = max(gap, min(bound, parameters.most[a, r]))
        state.gap[a] = gap


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    state.clock[0] += 1
    if parameters.settled >= 0:
        return parameters.settled
    if state.stale[0] == 1:
        if state.updates[0] >= _FRESH:
            invert(parameters, state)
            state.updates[0] = 0
        estimate(parameters, state)
        for a in range(state.gain.shape[0]):
            state.gain[a] = information(parameters, state, a)
        state.stale[0] = 0
    bound_gaps(parameters, state, max(2.0, state.clock[0]))
    mix(state.gap, state.gain, state.mixed, state.share)
    if state.share[0] > 0.0 and (state.share[0] >= 1.0 or rng.random() < state.share[0]):
        return state.mixed[1]
    return state.mixed[0]


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if parameters.symbols[action] == 1 or parameters.settled >= 0:
        return
    state.stale[0] = 1
    state.updates[0] += 1
    state.seen[action] += 1.0
    for j in range(state.law.shape[0]):
        if parameters.signals[action, j] == symbol:
            state.response[j] += 1.0
    add_symbols(parameters, state, action)


class IDS(KernelStrategy):
    """Information directed sampling with full information gain, for any globally observable game.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    width
        Scales the confidence width sqrt(beta); 1 is the theory, less is bolder.
    seed
        Where the draws start.

    References
    ----------
    J. Kirschner, T. Lattimore, A. Krause, "Information directed sampling for linear partial monitoring", COLT 2020;
    D. Russo, B. Van Roy, "Learning to optimize via information-directed sampling", Operations Research, 2018.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.IDS(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("good"), s.act()
    (1, None, 1)
    """

    guarantee: ClassVar[str] = "easy and hard games"

    def __init__(self, game: Game, width: float = 1.0, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.width = width
        check_number("width", width, above=0)
        self.analysis = analyze(game)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        game, rivals = self.game, self.analysis.cells.pareto
        most = [
            [max(float(x - y) for x, y in zip(row, game.loss[b], strict=True)) for b in rivals] for row in game.loss
        ]
        return Parameters(
            settled=settled_action(self.analysis),
            width=float(self.width),
            rivals=np.array(rivals, np.int64),
            loss=loss_matrix(game),
            most=np.array(most),
            signals=signal_indices(game),
            symbols=symbol_counts(game),
        )

    def _start(self) -> State:
        actions, outcomes, rivals = self.game.n_actions, self.game.n_outcomes, len(self.analysis.cells.pareto)
        return State(
            clock=np.zeros(1, np.int64),
            stale=np.ones(1, np.int64),
            updates=np.zeros(1, np.int64),
            seen=np.zeros(actions),
            response=np.zeros(outcomes),
            inverse=np.eye(outcomes),
            log_det=np.zeros(1),
            law=np.zeros(outcomes),
            solved=np.zeros((actions, outcomes)),
            mean=np.zeros((actions, rivals)),
            reach=np.zeros((actions, rivals)),
            gain=np.zeros(actions),
            gap=np.zeros(actions),
            mixed=np.zeros(2, np.int64),
            share=np.zeros(1),
            row=np.zeros(outcomes),
            matrix=np.zeros((outcomes, outcomes)),
        )
