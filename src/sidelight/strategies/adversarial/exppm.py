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
from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.analysis import analyze
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats
from sidelight.strategies.adversarial.exploration_program import (
    Program,
    Workspace,
    draw_from,
    new_program,
    new_workspace,
    solve_program,
)
from sidelight.strategies.adversarial.exponential_weights import estimates, estimator_size, new_estimator, set_shares
from sidelight.strategies.adversarial.loss_range import loss_range
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action


class Parameters(NamedTuple):
    """What ExpPM knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    most: float  # 1 / B
    rate: float  # sqrt(log k)
    program: Program


class State(NamedTuple):
    """What play changes; p and the estimates that follow each symbol are those of the last round."""

    totals: Floats
    spent: Floats  # the sum of max(0, V)
    p: Floats
    table: Floats
    scratch: Workspace


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.settled >= 0:
        return parameters.settled
    eta = min(parameters.most, parameters.rate / math.sqrt(1.0 + state.spent[0]))
    weights = state.scratch.weights
    _, total = set_shares(state.totals, eta, weights)
    for b in range(weights.shape[0]):
        weights[b] /= total
    value = solve_program(parameters.program, state.scratch, eta, 0.0, state.p, state.table)
    state.spent[0] += max(0.0, value)
    return draw_from(state.p, rng.random())


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

    def __init__(self, game: Game, eta: float = 1.0, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.eta = eta
        check_number("eta", eta, above=0)
        self.analysis = analyze(game)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        analysis, game = self.analysis, self.game
        symbols = max(len(game.symbols(a)) for a in range(game.n_actions))
        size = estimator_size(new_estimator(analysis, estimates(analysis), loss_range(game)))
        bound = 2.0 * symbols * game.n_actions**2 if analysis.kind == "easy" else size**2
        if analysis.degenerate:
            bound = max(bound, size**2)
        return Parameters(
            settled=settled_action(analysis),
            most=self.eta / bound,
            rate=self.eta * math.sqrt(math.log(max(2, len(analysis.cells.pareto)))),
            program=new_program(analysis),
        )

    def _start(self) -> State:
        program = self.compiled_parameters.program
        actions = self.game.n_actions
        return State(
            totals=np.zeros(len(program.members)),
            spent=np.zeros(1),
            p=np.full(actions, 1.0 / actions),
            table=np.zeros((len(program.rows), len(program.members))),
            scratch=new_workspace(program),
        )
