"""ExpPM: exponential weights that explore by optimization.

Each round weighs the Pareto-optimal actions by q_a proportional to exp(-eta sum y_a), finds with which p to play and
how to estimate losses from symbols by the program of `exploration_program`, plays from p and adds the estimates y. The
rate adapts to what the program's value V was in the rounds before,

    eta_t = min(1 / B, sqrt(log k / (1 + sum_{s<t} max(0, V_s)))),

with k actions that can be optimal, B = 2 m k^2 in easy games (m: the most symbols of an action) and B = c_G^2 in hard
ones and those with degenerate actions, c_G as for `BOBW`. As only the value matters for the bound, a program solved
roughly costs no more than its larger value says.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import generic, implements
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import normalize
from sidelight.optimization.geometry import loss_range
from sidelight.strategies.adversarial.exploration_program import (
    Program,
    Workspace,
    new_program,
    new_program_arrays,
    solve_program,
)
from sidelight.strategies.adversarial.exponential_weights import estimates, estimator_size, new_estimator, set_shares
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action
from sidelight.strategies.shared.transport import draw_by_shares

learning_rate = generic("learning_rate", ("rule", "known"))
"""Return eta_t."""
adapt = generic("adapt", ("rule", "known", "weights", "value"))
"""Take in the weights of a round and the value of its program."""


class ValueRate(NamedTuple):
    """The rate that adapts to the program's values; `known` holds the sum of max(0, V) first."""

    most: float  # 1 / B
    scale: float  # sqrt(log k); infinite for a fixed rate


@implements(learning_rate, ValueRate)
def _learning_rate(rule: ValueRate, known: Floats) -> float:
    return min(rule.most, rule.scale / math.sqrt(1.0 + known[0]))


@implements(adapt, ValueRate)
def _adapt(rule: ValueRate, known: Floats, weights: Floats, value: float) -> None:
    known[0] += max(0.0, value)


class Parameters(NamedTuple):
    """What exploration by optimization knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    rule: Any  # how the rate adapts
    least: float  # of p_a, as a share of q_a
    program: Program


class State(NamedTuple):
    """What play changes; p and the estimates that follow each symbol are those of the last round."""

    totals: Annotated[Floats, "members"]
    known: Annotated[Floats, 2]  # what the rate depends on
    p: Annotated[Floats, "actions"]
    table: Annotated[Floats, "symbols", "members"]
    scratch: Workspace


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.settled >= 0:
        return parameters.settled
    eta = learning_rate(parameters.rule, state.known)
    weights = state.scratch.weights
    set_shares(state.totals, eta, weights)
    normalize(weights)
    value = solve_program(parameters.program, state.scratch, eta, parameters.least, state.p, state.table)
    adapt(parameters.rule, state.known, weights, value)
    return draw_by_shares(state.p, rng.random())


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    row = parameters.program.first[action] + symbol
    for b in range(state.totals.shape[0]):
        state.totals[b] += state.table[row, b]


class ExpPM(KernelStrategy):
    """Exploration by optimization: near-optimal bounds in every game that can be learned, and little to tune.

    It explores no more than the symbols of this round are worth. A late symbol is read by the estimates of the last
    round.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    eta
        A factor on the learning rate; 1 is the theory, more is bolder.
    rate
        A learning rate that stays as it is, instead of the one that adapts.
    seed
        Where the draws start.

    References
    ----------
    T. Lattimore, Cs. Szepesvári, "Exploration by optimisation in partial monitoring", COLT 2020.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.ExpPM(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("rotten"), s.act()
    (1, None, 1)
    """

    guarantee: ClassVar[str] = "easy games sqrt(T), hard games T^(2/3), whatever the outcomes (adversarial)"

    def __init__(self, game: Game, eta: float = 1.0, rate: float | None = None, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.eta = check_number("eta", eta, above=0)
        self.rate = None if rate is None else check_number("rate", rate, above=0)
        refuse_hopeless(self.analysis)

    def _rule(self) -> ValueRate:
        analysis, game, eta = self.analysis, self.game, float(self.eta)
        if self.rate is not None:
            return ValueRate(eta * float(self.rate), math.inf)
        symbols = max(len(game.symbols(a)) for a in range(game.n_actions))
        size = estimator_size(new_estimator(analysis, estimates(analysis), loss_range(game)))
        bound = 2.0 * symbols * game.n_actions**2 if analysis.kind == "easy" else size**2
        if analysis.degenerate:
            bound = max(bound, size**2)
        return ValueRate(self.eta / bound, self.eta * math.sqrt(math.log(max(2, len(analysis.cells.pareto)))))

    def _compile(self) -> Parameters:
        return Parameters(settled_action(self.analysis), self._rule(), 0.0, new_program(self.analysis))

    def _start(self) -> State:
        return new_state(self.compiled_parameters.program)


def new_state(program: Program) -> State:
    """Return the state before the first round."""
    state = new_program_arrays(State, program)
    state.p[:] = 1.0 / len(state.p)
    return state
