"""BPM-Least: hold a Gaussian belief about the outcome law, and play the least played action that may still be optimal.

An observation is treated as Gaussian, e(y) ~ N(S_a p, S_a S_a'), so the belief is Gaussian, too. It starts at the prior
N(1/M, I / lambda), and after symbol u of action a

    Lambda += S_a' (S_a S_a')^-1 S_a,      h += S_a' e_u / m_u,      mean = Lambda^-1 h,

m_u being the number of outcomes that show u. An action is alive while the confidence ellipsoid meets its cell,

    min over q in C_i of (q - mean)' Lambda (q - mean) <= beta_t^2,    beta_t = radius sqrt(log(t + 1)),   t = 1, 2, ...

(see `cell_distance`) and it plays the alive action with the fewest plays, the lowest one on ties; if none is alive,
the one whose cell is nearest to the mean.

The published runs (apple tasting, 15.125 and 165.040 where the exact test gives 18.897 and 203.384) come from a test by
sampling: the largest radius that it tries is 0.9 sqrt(log(t + 1)), in every tenth round it judges by the samples of the
round before, and in the first round everything is alive; `radius="published"` does the same without sampling.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Integers
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, check_parameter, observe
from sidelight.strategies.posterior.cell_distance import (
    Cells,
    Distances,
    lay_out_cells_for_posterior,
    set_posterior_cell_metric,
    squared_posterior_cell_distance,
)
from sidelight.strategies.shared.gaussian import (
    Channels,
    GaussianBelief,
    add_symbol_to_gaussian_belief,
    begin_gaussian_belief,
    gaussian_channels,
)
from sidelight.strategies.shared.requirements import check_game_playable, settled_action
from sidelight.strategies.shared.rounds import count_play

_PUBLISHED_RADIUS = 0.9
_PUBLISHED_PERIOD = 10


class Parameters(NamedTuple):
    """The constants of BPM-Least, fixed before the first round."""

    radius: float
    period: int  # in every so many rounds the test of the round before stands; 0 for never
    settled: int  # the action to play in a trivial game, else -1
    channel: Channels
    cell: Cells


class State(NamedTuple):
    """The plays, the belief, and how far the cells are from its mean."""

    clock: Annotated[Integers, 1]
    stale: Annotated[Integers, 1]  # 1 if the belief has changed since distances were last prepared
    plays: Annotated[Integers, "actions"]
    alive: Annotated[Integers, "actions"]
    belief: GaussianBelief
    distances: Distances


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    t = state.clock[0]
    chosen = parameters.settled
    if chosen < 0:
        if state.stale[0] == 1:
            set_posterior_cell_metric(parameters.cell, state.distances, state.belief)
            state.stale[0] = 0
        bound = parameters.radius * parameters.radius * math.log(t + 2)
        chosen = least_played_alive_action_of_bpm(parameters, state, bound, t)
        if chosen < 0:
            chosen = action_of_nearest_cell_for_bpm(parameters, state)
    count_play(state.clock, state.plays, chosen)
    return chosen


@kernel
def least_played_alive_action_of_bpm(parameters: Parameters, state: State, bound: float, t: int) -> int:
    """Return the alive action with the fewest plays, or -1 if none is alive; test only actions that could win."""
    number, period = parameters.cell.number, parameters.period
    chosen = -1
    for a in range(number.shape[0]):
        if number[a] < 0:
            continue
        better = chosen < 0 or state.plays[a] < state.plays[chosen]
        if (period == 0 and better) or (period > 0 and t % period > 0):
            near = squared_posterior_cell_distance(parameters.cell, state.distances, number[a]) <= bound
            state.alive[a] = 1 if near else 0
        if better and state.alive[a] == 1:
            chosen = a
    return chosen


@kernel
def action_of_nearest_cell_for_bpm(parameters: Parameters, state: State) -> int:
    """Return the action whose cell is nearest to the mean, when all cells are too far."""
    number, distance = parameters.cell.number, state.distances.distance
    chosen = -1
    for a in range(number.shape[0]):
        if number[a] >= 0 and (chosen < 0 or distance[number[a]] < distance[number[chosen]]):
            chosen = a
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if add_symbol_to_gaussian_belief(parameters.channel, state.belief, action, symbol):
        state.stale[0] = 1


class BPMLeast(KernelStrategy):
    """Bayes-update partial monitoring: play the least played action that the belief does not rule out.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a hard one gives a warning, a trivial one is played optimally.
    radius
        Scales the confidence radius sqrt(log(t + 1)); or "published", what the published runs really did.
    regularization
        lambda, the precision of the prior belief about each probability.
    seed
        Not used, since nothing is drawn; every strategy takes one.

    References
    ----------
    H. Vanchinathan, G. Bartók, A. Krause, "Efficient partial monitoring with prior information", NeurIPS 2014.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.BPMLeast(sl.games.load("apple-tasting"))
    >>> [s.act(), s.observe("nothing"), s.act(), s.observe("rotten"), s.act()]
    [0, None, 1, None, 0]
    """

    guarantee: ClassVar[str] = "easy games"

    def __init__(
        self,
        game: Game,
        radius: float | Literal["published"] = 1.0,
        *,
        regularization: float = 1.0,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, seed=seed)
        self.radius = radius
        self.regularization = check_number("regularization", regularization, above=0)
        if isinstance(radius, str):
            check_parameter("radius", radius, radius == "published", "a finite number above 0, or 'published'")
        else:
            check_number("radius", radius, above=0)
        check_game_playable(self.analysis, self.name)
        self._cell = lay_out_cells_for_posterior(self.analysis)

    def _compile(self) -> Parameters:
        published = self.radius == "published"
        return Parameters(
            radius=_PUBLISHED_RADIUS if published else float(self.radius),
            period=_PUBLISHED_PERIOD if published else 0,
            settled=settled_action(self.analysis),
            channel=gaussian_channels(self.game),
            cell=self._cell,
        )

    def _start(self) -> State:
        (rows, size), cells = self._cell.row.shape, self._cell.start.shape[0] - 1
        state = self._zeros(State, rows=rows, size=size, corner=size + 2, cells=cells)
        begin_gaussian_belief(state.belief, float(self.regularization))
        state.stale[0] = 1
        state.alive[:] = 1
        return state
