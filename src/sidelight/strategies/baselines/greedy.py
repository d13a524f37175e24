"""Greedy play under the estimated outcome law, alone or with a share of exploring rounds.

The law is estimated by least squares on the symbols, with lambda imagined observations of the uniform law (see
`gaussian`): where an action shows the outcome, these are the smoothed frequencies (n f + lambda / M) / (n + lambda).
It plays argmin_a L_a p_hat. `EpsilonGreedy` instead plays an informative action, drawn uniformly, with probability

    epsilon_t = min(1, scale / t^exponent),    exponent = 1/3.

After t rounds about t^(2/3) of them have explored, so the estimate is off by about t^(-1/3), which is also the share of
exploring rounds. Both cost T^(2/3) in total, the least that any strategy can guarantee in a hard game. The schedule
1 / t would be better for a law that is not near a tie, but only if its constant fits the unknown gap; if the constant
is too small, the regret grows almost linearly.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import cholesky, solve
from sidelight.strategies.base import UNANSWERED, Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.shared.candidates import BestActions, best_action_candidates, best_candidate_action
from sidelight.strategies.shared.gaussian import (
    Channels,
    GaussianBelief,
    add_symbol_to_gaussian_belief,
    begin_gaussian_belief,
    gaussian_channels,
)
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action
from sidelight.strategies.shared.rounds import count_play, play_first_rounds


class Schedule(NamedTuple):
    """How often to explore, and the actions to draw from."""

    scale: float
    exponent: float
    actions: Integers


class Parameters(NamedTuple):
    """The constants of the strategies, fixed before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    schedule: Schedule
    choice: BestActions
    channel: Channels


class State(NamedTuple):
    """The state of play. `stale` says that symbols came in since the law was last estimated."""

    clock: Annotated[Integers, 1]
    plays: Annotated[Integers, "actions"]
    stale: Annotated[Integers, 1]
    belief: GaussianBelief
    law: Annotated[Floats, "outcomes"]
    scratch: Annotated[Floats, "size", "size"]


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    chosen = play_first_rounds(parameters.settled, state.clock[0], state.plays)
    if chosen == UNANSWERED:
        chosen = explore_greedily(parameters.schedule, state.clock[0], rng)
    if chosen == UNANSWERED:
        if state.stale[0] == 1:
            estimate_law_for_greedy(state)
            state.stale[0] = 0
        chosen = best_candidate_action(parameters.choice, state.law, state.plays)
    count_play(state.clock, state.plays, chosen)
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if add_symbol_to_gaussian_belief(parameters.channel, state.belief, action, symbol):
        state.stale[0] = 1


@kernel
def explore_greedily(schedule: Schedule, t: int, rng: np.random.Generator) -> int:
    """Return an action to explore with after t rounds, or UNANSWERED."""
    if schedule.scale > 0.0 and rng.random() < schedule.scale / t**schedule.exponent:
        return schedule.actions[int(rng.random() * schedule.actions.shape[0])]
    return UNANSWERED


@kernel
def estimate_law_for_greedy(state: State) -> None:
    """Set the law to the mean of the Gaussian belief, with a last entry that completes the sum to 1."""
    size = state.belief.information.shape[0]
    cholesky(state.belief.precision, state.scratch, size, 0.0, 0.0)
    solve(state.scratch, state.belief.information, state.law[:size])
    rest = 1.0
    for j in range(size):
        rest -= state.law[j]
    state.law[size] = rest


class Greedy(KernelStrategy):
    """Play each action once, and then always the action of least expected loss under the estimated law.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally.
    regularization
        lambda: how many observations the uniform law counts for.
    seed
        Not used, since nothing is drawn.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.Greedy(sl.games.load("apple-tasting"))
    >>> [s.act(), s.observe("nothing"), s.act(), s.observe("rotten"), s.act()]
    [0, None, 1, None, 1]
    """

    guarantee: ClassVar[str] = "none: it may stop looking while it is wrong, and its regret then grows linearly"
    # Options of `EpsilonGreedy`.
    scale: float = 0.0
    exponent: float = 0.0

    def __init__(self, game: Game, regularization: float = 1.0, *, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.regularization = check_number("regularization", regularization, above=0)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        return Parameters(
            settled=settled_action(self.analysis),
            schedule=schedule_greedy_exploration(self.game, self.scale, self.exponent),
            choice=best_action_candidates(self.analysis, relative=True),
            channel=gaussian_channels(self.game),
        )

    def _start(self) -> State:
        state = self._zeros(State, size=self.game.n_outcomes - 1)
        begin_gaussian_belief(state.belief, float(self.regularization))
        state.stale[0] = 1
        return state


class EpsilonGreedy(Greedy):
    """Greedy, but with probability min(1, scale / t^exponent) play a random informative action.

    Parameters
    ----------
    game, regularization
        As for `Greedy`.
    scale, exponent
        The probability of exploring in round t is scale / t^exponent; the default exponent 1/3 balances the cost of
        exploring with what it teaches in every globally observable game.
    seed
        Where the draws start.
    """

    guarantee: ClassVar[str] = "easy and hard games, of the order T^(2/3), with the exponent 1/3"

    def __init__(
        self, game: Game, regularization: float = 1.0, *, scale: float = 1.0, exponent: float = 1 / 3, seed: Seed = 0
    ) -> None:
        super().__init__(game, regularization, seed=seed)
        self.scale = check_number("scale", scale, above=0)
        self.exponent = check_number("exponent", exponent, least=0, most=1)  # beyond 1 exploration ends


def schedule_greedy_exploration(game: Game, scale: float, exponent: float) -> Schedule:
    """Lay out when to explore, and with which actions."""
    actions = [a for a in range(game.n_actions) if game.informative(a)]
    return Schedule(float(scale), float(exponent), np.array(actions, np.int64))
