"""FeedExp3: exponential weights on estimated loss differences, for any globally observable game, adversaries included.

Let A be the Pareto-optimal actions, one per class of duplicates, and b one of them. Since every pair of neighbors is
observable and neighbors connect all of A, there are vectors v^a_I over the symbols of the informative actions I and
constants c^a with

    L_a - L_b = c^a + sum_I S_I' v^a_I          at every outcome.

After playing I, drawn with probability q_I, and seeing the symbol y, c^a + v^a_I[y] / q_I is an unbiased estimate of
L_a - L_b at the outcome of the round, whatever it is. With G_a the sum of these estimates,

    w_a = exp(-eta_t G_a) / sum_b exp(-eta_t G_b),   q_I = (1 - gamma_t) w_I + gamma_t [I in E] / |E|,

E being the actions with v_I not zero. The solution of least norm is linear in the loss difference, so the choice of b
shifts all G alike and changes nothing.

The usual analysis bounds the regret by

    log|A| / eta + (e - 2) eta T K / gamma + gamma T,      K = |E| sum_{I in E} k_I^2,

with k_I the largest |v^a_I[y]| (the c^a add a term of lower order); shifting all estimates alike shows that half the
largest difference |v^a_I[y] - v^{a'}_I[y]| will do. It is least, up to a factor, for

    gamma_t = min(1, ((e - 2) K log|A| / t)^(1/3)),     eta_t = (log|A|)^(2/3) ((e - 2) K)^(-1/3) t^(-2/3).

For equal k_I these are the published rates. The contribution of uninformative actions is certain and belongs to c^a,
like every constant: it needs no draw and no division.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.analysis import Analysis, analyze
from sidelight.analysis.linear_algebra import Vector
from sidelight.analysis.observability import Observers
from sidelight.game import Game
from sidelight.game_arrays import first_places
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.shared.requirements import refuse_hopeless


class Estimates(NamedTuple):
    """Exact estimates of L_a - L_b for each a in A: a constant, and a weight for each symbol of each action."""

    constant: tuple[Fraction, ...]
    weights: dict[int, tuple[Vector, ...]]  # informative action -> for each a in A a vector over its symbols


class Parameters(NamedTuple):
    """What FeedExp3 knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    learning: float  # eta_t t^(2/3)
    exploring: float  # gamma_t t^(1/3)
    members: Integers  # A, as actions
    rank: Integers  # for each action its place in A, or -1
    explorers: Integers  # E
    explores: Integers  # for each action whether it is in E
    place: Integers  # where the symbols of each action begin in `weights`
    weights: Floats  # (symbols, A)
    constant: Floats


class Scratch(NamedTuple):
    """What every round works out anew."""

    shares: Floats  # of the members of A, relative to the largest


class State(NamedTuple):
    """What play changes; `chance` is the probability with which each action was last played."""

    clock: Integers
    totals: Floats
    chance: Floats
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    t = state.clock[0] + 1
    state.clock[0] = t
    if parameters.settled >= 0:
        return parameters.settled
    rate = t ** (-1 / 3)
    gamma = min(1.0, parameters.exploring * rate)
    eta = parameters.learning * rate * rate
    best = 0
    for k in range(1, state.totals.shape[0]):
        if state.totals[k] < state.totals[best]:
            best = k
    total = 0.0
    for k in range(state.totals.shape[0]):
        # At most 1, and 1 for the best: nothing overflows, the sum is not 0, and no share underflows.
        state.scratch.shares[k] = math.exp(max(eta * (state.totals[best] - state.totals[k]), -600.0))
        total += state.scratch.shares[k]
    u = rng.random()
    count = parameters.explorers.shape[0]
    if u < gamma:
        chosen = parameters.explorers[min(int(u / gamma * count), count - 1)]
    else:
        point = (u - gamma) / (1.0 - gamma) * total
        chosen = parameters.members[best]
        for k in range(state.totals.shape[0]):
            point -= state.scratch.shares[k]
            if point < 0.0:
                chosen = parameters.members[k]
                break
    chance = 0.0
    if parameters.rank[chosen] >= 0:
        chance = (1.0 - gamma) * state.scratch.shares[parameters.rank[chosen]] / total
    if parameters.explores[chosen] == 1:
        chance += gamma / count
    state.chance[chosen] = chance
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    row = parameters.place[action] + symbol
    for k in range(state.totals.shape[0]):
        state.totals[k] += parameters.constant[k]
        if parameters.explores[action] == 1:
            state.totals[k] += parameters.weights[row, k] / state.chance[action]


class FeedExp3(KernelStrategy):
    """Exponential weights on estimated losses, for any sequence of outcomes; regret of order T^(2/3).

    It makes no assumption about the outcomes and pays for that with constant exploration: if outcomes are drawn from
    one law, the other strategies are far better. A late symbol is weighted by the probability with which its action was
    last played.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    eta, gamma
        Factors on the learning rate and on the exploration rate of the theory; None is 1.
    seed
        Where the draws start.

    References
    ----------
    A. Piccolboni, C. Schindelhauer, "Discrete prediction games with arbitrary feedback and loss", COLT 2001;
    N. Cesa-Bianchi, G. Lugosi, G. Stoltz, "Regret minimization under partial monitoring", Mathematics of Operations
    Research, 2006; T. Lattimore, Cs. Szepesvári, "Bandit algorithms", 2020, chapter 37.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.FeedExp3(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("nothing"), s.act()
    (0, None, 1)
    """

    guarantee: ClassVar[str] = "easy and hard games, whatever the outcomes (adversarial): regret of order T^(2/3)"

    def __init__(self, game: Game, eta: float | None = None, gamma: float | None = None, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.eta = eta
        self.gamma = gamma
        for name, value in (("eta", eta), ("gamma", gamma)):
            if value is not None:
                check_number(name, value, above=0)
        self.analysis = analyze(game)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        game, every = self.game, range(self.game.n_actions)
        found = estimates(self.analysis)
        explorers = [i for i, vectors in found.weights.items() if any(map(any, vectors))]
        members = self._members(explorers)
        gamma, eta = rates(_spread(found, explorers), len(members))
        place = first_places(game)
        weights = np.zeros((place[-1], len(members)))
        for i, vectors in found.weights.items():
            weights[place[i] : place[i + 1]] = np.array(vectors, float).T
        return Parameters(
            settled=-1 if len(members) > 1 else members[0],
            learning=eta * (1.0 if self.eta is None else self.eta),
            exploring=gamma * (1.0 if self.gamma is None else self.gamma),
            members=np.array(members, np.int64),
            rank=np.array([members.index(i) if i in members else -1 for i in every], np.int64),
            explorers=np.array(explorers, np.int64),
            explores=np.array([int(i in explorers) for i in every], np.int64),
            place=place[:-1],
            weights=weights,
            constant=np.array(found.constant, float),
        )

    def _members(self, explorers: list[int]) -> list[int]:
        """Return the action that stands for each class of A: one that also explores, if its class has one."""
        groups = {group[0]: group for group in self.analysis.duplicates}
        classes = [groups.get(a, (a,)) for a in self.analysis.cells.pareto]
        return [next((i for i in group if i in explorers), group[0]) for group in classes]

    def _start(self) -> State:
        size = len(self.analysis.cells.pareto)
        return State(
            clock=np.zeros(1, np.int64),
            totals=np.zeros(size),
            chance=np.zeros(self.game.n_actions),
            scratch=Scratch(np.zeros(size)),
        )


def estimates(analysis: Analysis) -> Estimates:
    """Return, for each a in A, the constant c^a and the shortest vector v^a that solve S'v + c 1 = d.

    S'v = d - c 1 has the shortest solution v(d) - c v(1), which is shortest for c = v(d) v(1) / v(1) v(1).
    """
    game, cells = analysis.game, analysis.cells
    watching = tuple(i for i in range(game.n_actions) if game.informative(i))
    differences = [cells.difference(a, cells.pareto[0]) for a in cells.pareto]
    if len(differences) == 1:
        return Estimates((Fraction(0),), {})
    observers = Observers(game, watching, cells.scale)
    one = observers.vectors([cells.scale] * game.n_outcomes)
    length = sum((x * x for vector in one.values() for x in vector), Fraction(0))
    constants, vectors = [], []
    for difference in differences:
        v = observers.vectors(difference)
        c = sum((x * y for i in watching for x, y in zip(v[i], one[i], strict=True)), Fraction(0)) / length
        constants.append(c)
        vectors.append({i: tuple(x - c * y for x, y in zip(v[i], one[i], strict=True)) for i in watching})
    return Estimates(tuple(constants), {i: tuple(v[i] for v in vectors) for i in watching})


def rates(spread: float, actions: int) -> tuple[float, float]:
    """Return gamma_t t^(1/3) and eta_t t^(2/3) for K = spread and |A| = actions; 0 where there is nothing to learn."""
    if actions == 1:
        return 0.0, 0.0
    variance = (math.e - 2.0) * spread
    return (variance * math.log(actions)) ** (1 / 3), math.log(actions) ** (2 / 3) / variance ** (1 / 3)


def _spread(found: Estimates, explorers: list[int]) -> float:
    """Return K = |E| sum k_I^2, with k_I half the largest difference between estimates for one symbol."""
    halves = [max(max(column) - min(column) for column in zip(*found.weights[i], strict=True)) / 2 for i in explorers]
    return float(len(explorers) * sum((k * k for k in halves), Fraction(0)))
