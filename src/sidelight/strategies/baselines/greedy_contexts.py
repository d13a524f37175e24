"""Greedy play with contexts, under an outcome law that is linear in the context.

The law p(x) = Theta (x, 1) is estimated by ridge regression on the symbols (see `linear_law_regression`). The action
played is argmin_a L_a p_hat(x), or now and then a random informative action, as in `greedy`. Contexts are taken as they
are: features of very different sizes are penalized very differently.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import multiply
from sidelight.strategies.base import UNANSWERED, Context, KernelStrategy, Seed, act, check_number, check_whole, observe
from sidelight.strategies.baselines.greedy import Schedule, explore_greedily, schedule_greedy_exploration
from sidelight.strategies.shared.candidates import BestActions, best_action_candidates, best_candidate_action
from sidelight.strategies.shared.gap_bounds import Rivals, rivals_for_gap_bounds
from sidelight.strategies.shared.linear_law_regression import (
    Regression,
    add_symbol_to_linear_law_regression,
    set_law_of_linear_regression,
)
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action
from sidelight.strategies.shared.ridge import begin_ridge_regression, set_context_features
from sidelight.strategies.shared.rounds import count_play, play_first_rounds


class Parameters(NamedTuple):
    """The constants of the strategies, fixed before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    schedule: Schedule
    choice: BestActions
    compared: Rivals


class State(NamedTuple):
    """The state of play. `stale` says that symbols came in since Theta was last worked out."""

    clock: Annotated[Integers, 1]
    plays: Annotated[Integers, "actions"]
    stale: Annotated[Integers, 1]
    regression: Regression
    scratch: Annotated[Floats, "features"]  # of a context


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    chosen = play_first_rounds(parameters.settled, state.clock[0], state.plays)
    if chosen == UNANSWERED:
        chosen = explore_greedily(parameters.schedule, state.clock[0], rng)
    if chosen == UNANSWERED:
        regression = state.regression
        if state.stale[0] == 1:
            multiply(regression.inverse, regression.response, regression.theta)
            state.stale[0] = 0
        set_context_features(state.scratch, context, 1)
        set_law_of_linear_regression(regression, state.scratch)
        chosen = best_candidate_action(parameters.choice, regression.scratch.law, state.plays)
    count_play(state.clock, state.plays, chosen)
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if parameters.compared.symbols[action] > 1:
        set_context_features(state.scratch, context, 1)
        add_symbol_to_linear_law_regression(parameters.compared, state.regression, state.scratch, action, symbol)
        state.stale[0] = 1


class GreedySide(KernelStrategy):
    """Play each action once, then always the action of least expected loss under a law that is linear in the context.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally.
    dimension
        How many numbers a context has; a constant 1 is added to them.
    regularization
        lambda of the ridge regression.
    seed
        Not used, since nothing is drawn.
    """

    guarantee: ClassVar[str] = "none: it may stop looking while it is wrong, and its regret then grows linearly"
    # Options of `EpsilonGreedySide`.
    scale: float = 0.0
    exponent: float = 0.0

    def __init__(self, game: Game, dimension: int, regularization: float = 0.05, *, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.dimension = check_whole("dimension", dimension, least=1)
        self.regularization = check_number("regularization", regularization, above=0)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        return Parameters(
            settled=settled_action(self.analysis),
            schedule=schedule_greedy_exploration(self.game, self.scale, self.exponent),
            choice=best_action_candidates(self.analysis, relative=True),
            compared=rivals_for_gap_bounds(self.analysis),
        )

    def _start(self) -> State:
        size = int(self.dimension) + 1
        state = self._zeros(State, features=size, coefficients=size * self.game.n_outcomes)
        begin_ridge_regression(state.regression.gram, state.regression.inverse, float(self.regularization))
        state.stale[0] = 1
        return state


class EpsilonGreedySide(GreedySide):
    """GreedySide, but with probability min(1, scale / t^exponent) play a random informative action.

    Parameters
    ----------
    game, dimension, regularization
        As for `GreedySide`.
    scale, exponent
        The probability of exploring in round t is scale / t^exponent; see `EpsilonGreedy`.
    seed
        Where the draws start.
    """

    guarantee: ClassVar[str] = "none is proved here"

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 0.05,
        *,
        scale: float = 1.0,
        exponent: float = 1 / 3,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, dimension, regularization, seed=seed)
        self.scale = check_number("scale", scale, above=0)
        self.exponent = check_number("exponent", exponent, least=0, most=1)  # beyond 1 exploration ends
