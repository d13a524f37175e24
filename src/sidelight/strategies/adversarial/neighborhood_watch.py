"""NeighborhoodWatch2: every action keeps exponential weights over itself and its neighbors.

Let A be the Pareto-optimal actions, one per class of duplicates, D the other actions of neighborhoods (duplicates, and
degenerate actions on the line between two neighbors), k = |A| + |D|, and losses scaled to a range of 1. In each round

    Q_i(a) = exp(-eta sum Z_ia) on i and its neighbors a, normalized;   r = r Q, the stationary law of Q;
    P = (1 - gamma) REDISTRIBUTE(r) + gamma / k on A and D.

After playing I and seeing the symbol y, with v^{ai} the observer vectors of L_a - L_i and V their largest entry,

    Z_ia = r_i v^{ai}_I[y] / P_I - eta V^2 sum_{b in N_ai} r_i^2 / P_b.

The rates are eta = sqrt(log(k n) / (n k)) / V and gamma = V k eta, at most 1/2, for n rounds (the published ones for a
bound that fails with probability 1/n).

REDISTRIBUTE moves weight to an action d of D whose losses are alpha L_a + (1 - alpha) L_b so that no expected loss
changes: starting from q = r, for each d with c_a = alpha q_b / (alpha q_b + (1 - alpha) q_a) and c_b = 1 - c_a,

    rho = min(r_a / (q_a c_a), r_b / (q_b c_b)) / (2 k),
    q_d = rho (c_a q_a + c_b q_b),   q_a <- (1 - rho c_a) q_a,   q_b <- (1 - rho c_b) q_b.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.game_arrays import first_places
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import copy, fill, normalize
from sidelight.optimization.geometry import loss_range
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_flag, check_whole, observe
from sidelight.strategies.shared.requirements import refuse_all_but_easy, settled_action

# Below exp(-30) a weight does not matter beside gamma, and products of many such weights do not underflow.
_LEAST = -30.0


class Watch(NamedTuple):
    """The neighbors of each member of A, and what tells them apart; `source` and `target` are places in A."""

    members: Integers  # A, as actions
    source: Integers  # for each directed pair of neighbors i
    target: Integers  # and a
    vectors: Floats  # (pairs, symbols): v^{ai}
    watched: Integers  # (pairs, actions): whether an action is in N_ai
    place: Integers  # where the symbols of each action begin
    played: Integers  # A and D


class Mixtures(NamedTuple):
    """The actions d of D: their losses are alpha L_a + (1 - alpha) L_b."""

    mixed: Integers
    first: Integers  # a, as an action
    second: Integers  # b
    alpha: Floats


class Parameters(NamedTuple):
    """What NeighborhoodWatch2 knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    horizon: float  # 0 if it is unknown: the round takes its place
    size: float  # V
    bias: float  # 1, or 0 where the second term of Z is left out
    watch: Watch
    mixtures: Mixtures


class Scratch(NamedTuple):
    """What every round works out anew."""

    chain: Annotated[Floats, "members", "members"]  # Q
    law: Annotated[Floats, "members"]  # r


class State(NamedTuple):
    """What play changes; the rest is of the last round: eta, r of each member of A, and P."""

    clock: Annotated[Integers, 1]
    totals: Annotated[Floats, "directed"]  # of Z, for each directed pair
    eta: Annotated[Floats, 1]
    stationary: Annotated[Floats, "actions"]  # r, by actions
    chance: Annotated[Floats, "actions"]  # P
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    state.clock[0] += 1
    if parameters.settled >= 0:
        return parameters.settled
    played = parameters.watch.played
    k = played.shape[0]
    state.eta[0], gamma = rates(parameters, state.clock[0])
    set_chain(parameters.watch, state.totals, state.eta[0], state.scratch.chain)
    set_stationary(state.scratch.chain, state.scratch.law)
    for i in range(state.scratch.law.shape[0]):
        state.stationary[parameters.watch.members[i]] = state.scratch.law[i]
    redistribute(parameters.mixtures, k, state.stationary, state.chance)
    u = rng.random()
    chosen = -1
    for n_played in range(k):
        a = played[n_played]
        state.chance[a] = (1.0 - gamma) * state.chance[a] + gamma / k
        if chosen < 0:
            u -= state.chance[a]
            if u < 0.0 or n_played == k - 1:
                chosen = a
    return chosen


@kernel
def rates(parameters: Parameters, t: float) -> tuple[float, float]:
    """Return eta and gamma of round t."""
    k = parameters.watch.played.shape[0]
    n = parameters.horizon if parameters.horizon > 0.0 else max(2.0, t)
    gamma = min(0.5, k * math.sqrt(math.log(k * n) / (n * k)))
    return gamma / (k * parameters.size), gamma


@kernel
def set_chain(watch: Watch, totals: Floats, eta: float, chain: Floats) -> None:
    """Set Q."""
    size = chain.shape[0]
    for i in range(size):
        fill(chain[i], 0.0)
    # Relative to the largest weight of a row, which is found first; on the diagonal the sum is 0.
    for e in range(totals.shape[0]):
        i = watch.source[e]
        chain[i, i] = min(chain[i, i], totals[e])
    for e in range(totals.shape[0]):
        i = watch.source[e]
        chain[i, watch.target[e]] = math.exp(max(_LEAST, eta * (chain[i, i] - totals[e])))
    for i in range(size):
        chain[i, i] = math.exp(max(_LEAST, eta * chain[i, i]))
        normalize(chain[i])


@kernel
def set_stationary(chain: Floats, law: Floats) -> None:
    """Set the stationary law of a chain, which is lost, by the elimination of Grassmann, Taksar and Heyman."""
    size = law.shape[0]
    for m in range(size - 1, 0, -1):
        leaving = 0.0
        for j in range(m):
            leaving += chain[m, j]
        for i in range(m):
            chain[i, m] /= leaving
            for j in range(m):
                chain[i, j] += chain[i, m] * chain[m, j]
    law[0] = 1.0
    for j in range(1, size):
        weight = 0.0
        for i in range(j):
            weight += law[i] * chain[i, j]
        law[j] = weight
    normalize(law)


@kernel
def redistribute(mixtures: Mixtures, k: int, stationary: Floats, moved: Floats) -> None:
    """Set what REDISTRIBUTE makes of a law on A."""
    copy(stationary, moved)
    for n in range(mixtures.mixed.shape[0]):
        a, b, alpha = mixtures.first[n], mixtures.second[n], mixtures.alpha[n]
        share = alpha * moved[b] / (alpha * moved[b] + (1.0 - alpha) * moved[a])
        rest = 1.0 - share
        rho = math.inf
        if share > 0.0:
            rho = stationary[a] / (moved[a] * share)
        if rest > 0.0:
            rho = min(rho, stationary[b] / (moved[b] * rest))
        rho /= 2.0 * k
        moved[mixtures.mixed[n]] = rho * (share * moved[a] + rest * moved[b])
        moved[a] *= 1.0 - rho * share
        moved[b] *= 1.0 - rho * rest


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    watch, chance = parameters.watch, state.chance
    row = watch.place[action] + symbol
    for e in range(state.totals.shape[0]):
        weight = state.stationary[watch.members[watch.source[e]]]
        bias = 0.0
        for b in range(chance.shape[0]):
            if watch.watched[e, b] == 1:
                bias += weight * weight / chance[b]
        state.totals[e] += weight * watch.vectors[e, row] / chance[action]
        state.totals[e] -= parameters.bias * state.eta[0] * parameters.size * parameters.size * bias


class NeighborhoodWatch2(KernelStrategy):
    """Exponential weights over neighbors, for easy games and any sequence of outcomes; regret of order sqrt(T).

    The first strategy known to have regret of order sqrt(T) in every easy game, with degenerate and duplicate actions.
    A late symbol is weighted by the probabilities of the last round.

    Parameters
    ----------
    game
        The game: an easy one; a trivial one is played optimally from the first round, hard ones are refused.
    horizon
        n, the number of rounds; without it the rates fall with the rounds played.
    bias
        Whether Z has its second term, which a bound with high probability needs. Without it there is less exploration
        and no proof; the figure of the paper that followed seems to have left it out.
    seed
        Where the draws start.

    References
    ----------
    T. Lattimore, Cs. Szepesvári, "Cleaning up the neighborhood: a full classification for adversarial partial
    monitoring", ALT 2019.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.NeighborhoodWatch2(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("rotten"), s.act()
    (1, None, 1)
    """

    guarantee: ClassVar[str] = "easy games, whatever the outcomes (adversarial): regret of order sqrt(T log T)"

    def __init__(self, game: Game, horizon: int | None = None, bias: bool = True, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.horizon = None if horizon is None else check_whole("horizon", horizon, least=2)
        self.bias = check_flag("bias", bias)
        refuse_all_but_easy(self.analysis, self.name, "FeedExp3 or BOBW")

    def _compile(self) -> Parameters:
        mixtures = self._mixtures()
        watch = self._watch(mixtures)
        return Parameters(
            settled=settled_action(self.analysis),
            horizon=float(self.horizon or 0),
            size=float(np.abs(watch.vectors).max()) if len(watch.vectors) else 1.0,
            bias=float(self.bias),
            watch=watch,
            mixtures=mixtures,
        )

    def _watch(self, mixtures: Mixtures) -> Watch:
        """Lay out the neighbors and their observer vectors, of which the largest entry is as small as possible."""
        game, analysis, members = self.game, self.analysis, list(self.analysis.cells.pareto)
        place, scale = first_places(game), loss_range(game)
        directed = [(i, a) for i, j in analysis.neighbors for i, a in ((i, j), (j, i))]
        vectors = np.zeros((len(directed), place[-1]))
        watched = np.zeros((len(directed), game.n_actions), np.int64)
        for e, (i, a) in enumerate(directed):
            for action, vector in analysis.observer_vectors(a, i, "max-norm").items():
                vectors[e, place[action] : place[action + 1]] = np.array(vector, float) / scale
            watched[e, list(analysis.neighborhood(a, i))] = 1
        return Watch(
            members=np.array(members, np.int64),
            source=np.array([members.index(i) for i, _ in directed], np.int64),
            target=np.array([members.index(a) for _, a in directed], np.int64),
            vectors=vectors,
            watched=watched,
            place=place[:-1],
            played=np.array(sorted({*members, *mixtures.mixed.tolist()}), np.int64),
        )

    def _mixtures(self) -> Mixtures:
        """Return the actions D, each with the two neighbors that its losses mix and the weight of the first."""
        analysis, loss = self.analysis, self.game.loss
        found: dict[int, tuple[int, int, float]] = {}
        for i, j in analysis.neighbors:
            at = next(m for m, (x, y) in enumerate(zip(loss[i], loss[j], strict=True)) if x != y)
            for d in analysis.neighborhood(i, j):
                if d not in (i, j):
                    found[d] = (i, j, float((loss[d][at] - loss[j][at]) / (loss[i][at] - loss[j][at])))
        return Mixtures(
            mixed=np.array(list(found), np.int64),
            first=np.array([i for i, _, _ in found.values()], np.int64),
            second=np.array([j for _, j, _ in found.values()], np.int64),
            alpha=np.array([alpha for _, _, alpha in found.values()]),
        )

    def _start(self) -> State:
        analysis = self.analysis
        return self._zeros(State, members=len(analysis.cells.pareto), directed=2 * len(analysis.neighbors))
