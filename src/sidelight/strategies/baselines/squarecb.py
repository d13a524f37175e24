"""SquareCB for partial monitoring: explore an action the less, the larger its estimated gap.

The law p(x) = Theta (x, 1), or Theta x without an intercept, is estimated by ridge regression on the symbols (see
`linear_law_regression`), clipped at 0 and normalized. With l = L p_hat(x), losses scaled to a range of 1, b the best
of the k actions and t the round, every other action has the probability

    pi_a = 1 / (k + gamma sqrt(t) (l_a - l_b)),

and b the rest. The k actions are the Pareto-optimal ones, one per class of duplicates, and all others that show
something. As a Pareto-optimal action far from b may teach nothing, its probability is shared with the actions on its
way to b, if there are more than two (see `transport`).
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot, multiply
from sidelight.optimization.geometry import loss_range
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_flag, check_number, check_whole, observe
from sidelight.strategies.shared.candidates import BestActions, best_action_candidates, least_played_candidate
from sidelight.strategies.shared.gap_bounds import Rivals, rivals_for_gap_bounds
from sidelight.strategies.shared.linear_law_regression import (
    Regression,
    add_symbol_to_linear_law_regression,
    make_law_of_linear_estimate,
    set_law_of_linear_regression,
)
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action
from sidelight.strategies.shared.ridge import begin_ridge_regression, set_context_features
from sidelight.strategies.shared.transport import (
    neighbor_adjacency_for_transport,
    place_of_least_value_for_transport,
    transport_shares,
)


class Parameters(NamedTuple):
    """What SquareCB knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    gamma: float  # per unit of loss
    intercept: int
    choice: BestActions  # the classes of equal losses that are Pareto-optimal
    others: Integers  # informative actions that are not
    loss: Floats  # of the others, relative to the first class
    adjacent: Integers
    compared: Rivals


class Scratch(NamedTuple):
    """What every round works out anew."""

    features: Annotated[Floats, "features"]
    expected: Annotated[Floats, "classes"]
    chance: Annotated[Floats, "classes"]  # pi
    parent: Annotated[Integers, "classes"]
    share: Annotated[Floats, "classes"]  # pi after the transport


class State(NamedTuple):
    """What play changes. `stale` says that symbols came in since Theta was last worked out."""

    clock: Annotated[Integers, 1]
    plays: Annotated[Integers, "actions"]
    stale: Annotated[Integers, 1]
    regression: Regression
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    state.clock[0] += 1
    if parameters.settled >= 0:
        return parameters.settled
    regression, room = state.regression, state.scratch
    if state.stale[0] == 1:
        multiply(regression.inverse, regression.response, regression.theta)
        state.stale[0] = 0
    set_context_features(room.features, context, parameters.intercept)
    set_law_of_linear_regression(regression, room.features)
    make_law_of_linear_estimate(regression.scratch.law)
    multiply(parameters.choice.loss, regression.scratch.law, room.expected)
    chosen = draw_inverse_gap_weighted_action(parameters, state, rng.random())
    state.plays[chosen] += 1
    return chosen


@kernel
def draw_inverse_gap_weighted_action(parameters: Parameters, state: State, u: float) -> int:
    """Set the probabilities and choose an action by u, uniform on [0, 1)."""
    room, law, others = state.scratch, state.regression.scratch.law, parameters.others
    best = place_of_least_value_for_transport(room.expected)
    count = room.expected.shape[0] + others.shape[0]
    slope = parameters.gamma * math.sqrt(state.clock[0])
    for n in range(others.shape[0]):
        chance = 1.0 / (count + slope * max(0.0, dot(parameters.loss[n], law) - room.expected[best]))
        u -= chance
        if u < 0.0:
            return others[n]
    for c in range(room.expected.shape[0]):
        room.chance[c] = 0.0  # the best one takes what is left
        if c != best:
            room.chance[c] = 1.0 / (count + slope * (room.expected[c] - room.expected[best]))
    shares = room.chance
    if shares.shape[0] > 2:  # otherwise nothing lies between them
        transport_shares(parameters.adjacent, best, room.chance, room.expected, room.parent, room.share)
        shares = room.share
    drawn = best
    for c in range(shares.shape[0]):
        u -= shares[c]
        if u < 0.0:
            drawn = c
            break
    return least_played_candidate(parameters.choice, drawn, state.plays)


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if parameters.compared.symbols[action] > 1:
        set_context_features(state.scratch.features, context, parameters.intercept)
        add_symbol_to_linear_law_regression(
            parameters.compared, state.regression, state.scratch.features, action, symbol
        )
        state.stale[0] = 1


class SquareCB(KernelStrategy):
    """Inverse gap weighting on a law that is linear in the context, for any game that can be learned.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally.
    dimension
        How many numbers a context has.
    gamma
        How fast exploration falls with the gap; more is bolder.
    regularization
        lambda of the ridge regression.
    intercept
        Add a constant 1 to the context.
    seed
        Where the draws start.

    References
    ----------
    D. Foster, A. Rakhlin, "Beyond UCB: optimal and efficient contextual bandits with regression oracles", ICML 2020,
    for bandits.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.SquareCB(sl.games.load("apple-tasting"), dimension=2, seed=1)
    >>> s.act([0.5, 1.0]), s.observe("nothing"), s.act([0.1, 0.2])
    (0, None, 0)
    """

    guarantee: ClassVar[str] = "in bandits, sqrt(T) where the law is linear; none is proved for other games"

    def __init__(
        self,
        game: Game,
        dimension: int,
        gamma: float = 1.0,
        *,
        regularization: float = 0.05,
        intercept: bool = True,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, seed=seed)
        self.dimension = check_whole("dimension", dimension, least=1)
        self.gamma = check_number("gamma", gamma, above=0)
        self.regularization = check_number("regularization", regularization, above=0)
        self.intercept = check_flag("intercept", intercept)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        game, pareto = self.game, self.analysis.cells.pareto
        base = game.loss[pareto[0]]
        others = [a for a in range(game.n_actions) if game.informative(a) and a not in self.analysis.pareto]
        relative = [[float(x - y) for x, y in zip(game.loss[a], base, strict=True)] for a in others]
        return Parameters(
            settled=settled_action(self.analysis),
            gamma=float(self.gamma) / loss_range(game),
            intercept=int(self.intercept),
            choice=best_action_candidates(self.analysis, relative=True, pareto=True),
            others=np.array(others, np.int64),
            loss=np.array(relative, float).reshape(len(others), game.n_outcomes),
            adjacent=neighbor_adjacency_for_transport(self.analysis),
            compared=rivals_for_gap_bounds(self.analysis),
        )

    def _start(self) -> State:
        size, classes = int(self.dimension) + int(self.intercept), len(self.analysis.cells.pareto)
        state = self._zeros(State, features=size, coefficients=size * self.game.n_outcomes, classes=classes)
        begin_ridge_regression(state.regression.gram, state.regression.inverse, float(self.regularization))
        state.stale[0] = 1
        return state
