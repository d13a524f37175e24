"""BPM-TS: hold a Gaussian belief about the outcome law, draw from it, and play what is best under the draw.

The belief is that of BPM-Least: N(mean, Lambda^-1) with, after symbol u of action a that m_u outcomes show,

    Lambda += S_a' (S_a S_a')^-1 S_a,      h += S_a' e_u / m_u,      mean = Lambda^-1 h.

The draw need not lie in the simplex; it plays argmin_a L_a p all the same, of equal losses the least played informative
action. In contrast to TSPM nothing is rejected.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import cholesky, solve, solve_upper
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.shared.candidates import BestActions, best_action_candidates, best_candidate_action
from sidelight.strategies.shared.gaussian import (
    Channels,
    GaussianBelief,
    add_symbol_to_gaussian_belief,
    begin_gaussian_belief,
    gaussian_channels,
)
from sidelight.strategies.shared.requirements import check_game_playable, settled_action


class Parameters(NamedTuple):
    """The constants of BPM-TS, fixed before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    choice: BestActions
    channel: Channels


class State(NamedTuple):
    """The plays and the belief; the rest is worked out anew when the belief has changed, or in every round."""

    plays: Annotated[Integers, "actions"]
    stale: Annotated[Integers, 1]
    belief: GaussianBelief
    root: Annotated[Floats, "size", "size"]
    mean: Annotated[Floats, "size"]
    scratch: Annotated[Floats, "outcomes"]  # the law drawn


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    chosen = parameters.settled
    if chosen < 0:
        draw_gaussian_posterior(state, rng)
        chosen = best_candidate_action(parameters.choice, state.scratch, state.plays)
    state.plays[chosen] += 1
    return chosen


@kernel
def draw_gaussian_posterior(state: State, rng: np.random.Generator) -> None:
    """Set a draw from the belief."""
    size = state.mean.shape[0]
    if state.stale[0] == 1:
        cholesky(state.belief.precision, state.root, size, 0.0, 0.0)
        solve(state.root, state.belief.information, state.mean)
        state.stale[0] = 0
    law = state.scratch
    for i in range(size):
        law[i] = rng.normal()
    deviation = law[:size]
    solve_upper(state.root, deviation, deviation)
    rest = 1.0
    for i in range(size):
        law[i] += state.mean[i]
        rest -= law[i]
    law[size] = rest


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if add_symbol_to_gaussian_belief(parameters.channel, state.belief, action, symbol):
        state.stale[0] = 1


class BPMTS(KernelStrategy):
    """Bayes-update partial monitoring by Thompson sampling: play what is best under a law drawn from the belief.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally. A hard one gives a warning, and so does
        one in which only a degenerate action tells neighbors apart.
    regularization
        lambda, the precision of the prior belief about each probability.
    seed
        Where the draws start.

    References
    ----------
    H. Vanchinathan, G. Bartók, A. Krause, "Efficient partial monitoring with prior information", NeurIPS 2014.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.BPMTS(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("rotten"), s.act()
    (1, None, 1)
    """

    guarantee: ClassVar[str] = "none is proved"

    def __init__(self, game: Game, regularization: float = 1.0, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.regularization = check_number("regularization", regularization, above=0)
        check_game_playable(self.analysis, self.name, only_optimal=True)

    def _compile(self) -> Parameters:
        return Parameters(
            settled=settled_action(self.analysis),
            choice=best_action_candidates(self.analysis, relative=True, pareto=True),
            channel=gaussian_channels(self.game),
        )

    def _start(self) -> State:
        state = self._zeros(State, size=self.game.n_outcomes - 1)
        begin_gaussian_belief(state.belief, float(self.regularization))
        state.stale[0] = 1
        return state
