"""Information directed sampling (IDS): buy information where it costs the least regret.

The outcome law p is estimated by ridge regression on the symbols (see `law_regression`). Outside an event of
probability delta, p lies in the ellipsoid |p - p_hat|_V <= sqrt(beta): a symbol's deviation from its mean, seen in any
direction, has a range of at most sqrt(2) and so is sub-Gaussian with variance 1/2. From that follow, for each action, a
bound D on its gap to the best action and the information I that playing it would give (see `gap_bounds`). The rounds t
in delta = 1 / (t log t) include blind ones; otherwise a wrong decision for a blind action would never be revised.

It plays the mixture mu of least information ratio D(mu)^2 / I(mu). A mixture of two actions attains it: for D_1 <= D_2
and I_1 < I_2 the second has the share

    q = D_1 / (D_2 - D_1) - 2 I_1 / (I_2 - I_1),     clipped to [0, 1].

An action whose bound is 0 is certainly best, and it is played.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.information.law_regression import (
    Regression,
    add_symbol_to_ids_regression,
    refresh_ids_regression,
)
from sidelight.strategies.shared.gap_bounds import (
    Bounds,
    Rivals,
    bound_gaps,
    confidence_radius_of_gap,
    information_gain_for_gap_bounds,
    rivals_for_gap_bounds,
)
from sidelight.strategies.shared.information_ratio import draws_second_of_mixture, mix_actions_by_information_ratio
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action


class Parameters(NamedTuple):
    """The constants of IDS, fixed before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    width: float
    compared: Rivals


class State(NamedTuple):
    """The state of play. `stale` says that symbols came in since gaps and information were last worked out."""

    clock: Annotated[Integers, 1]
    stale: Annotated[Integers, 1]
    regression: Regression
    bounds: Bounds
    mixed: Annotated[Integers, 2]  # the pair of actions to play
    share: Annotated[Floats, 1]  # and with which probability the second of them


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    compared, regression, bounds = parameters.compared, state.regression, state.bounds
    state.clock[0] += 1
    if parameters.settled >= 0:
        return parameters.settled
    if state.stale[0] == 1:
        refresh_ids_regression(compared, regression, bounds)
        for a in range(bounds.gain.shape[0]):
            bounds.gain[a] = information_gain_for_gap_bounds(compared, regression.inverse, regression.scratch.matrix, a)
        state.stale[0] = 0
    radius = confidence_radius_of_gap(parameters.width, regression.log_det[0], max(2.0, state.clock[0]))
    bound_gaps(compared, radius, bounds.mean, bounds.reach, bounds.gap)
    mix_actions_by_information_ratio(bounds.gap, bounds.gain, state.mixed, state.share)
    return state.mixed[1] if draws_second_of_mixture(state.share[0], rng) else state.mixed[0]


@implements(observe, Parameters)
def observe_ids_symbol(parameters: Parameters, state: Any, action: int, symbol: int, context: Context) -> None:
    """Take in a symbol, unless it says nothing or the game is trivial."""
    if parameters.compared.symbols[action] > 1 and parameters.settled < 0:
        add_symbol_to_ids_regression(parameters.compared, state.regression, action, symbol)
        state.stale[0] = 1


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
    _parameters: ClassVar[type[Parameters]] = Parameters
    _state_type: ClassVar[Any] = State

    def __init__(self, game: Game, width: float = 1.0, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.width = check_number("width", width, above=0)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Any:
        analysis = self.analysis
        return self._parameters(settled_action(analysis), float(self.width), rivals_for_gap_bounds(analysis))

    def _start(self) -> Any:
        state = self._zeros(self._state_type, rivals=len(self.analysis.cells.pareto))
        state.regression.inverse[:] = np.eye(self.game.n_outcomes)
        state.stale[0] = 1
        return state
