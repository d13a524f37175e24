"""BOBWLocal: best of both worlds in easy games, by exploration by optimization.

It plays like `ExpPM`, with two differences. The program is restricted to p_a >= q_a / (2 k), and the rate depends on
how sure the weights q are, H their entropy: with losses scaled to a range of 1 and A the actions that can be optimal,

    beta_1 = c1,   beta_{t+1} = beta_t + c1 / sqrt(1 + sum_{s<=t} H(q_s) / log|A|),   eta_t = 1 / max(B, beta_t),
    B = 2 m k^2,   c1 = learning m k^1.5 sqrt(log T / log|A|)          for k actions of at most m symbols.

The theorem says of which order c1 is. With the factor 1, 20 000 rounds of larger games hardly differ from uniform play;
0.1 was the only other one tried.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.analysis import analyze
from sidelight.errors import SidelightError
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
from sidelight.strategies.adversarial.exponential_weights import set_shares
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, check_whole, observe
from sidelight.strategies.shared.requirements import settled_action


class Parameters(NamedTuple):
    """What BOBWLocal knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    bound: float  # B
    step: float  # c1
    log_actions: float  # log|A|
    program: Program


class State(NamedTuple):
    """What play changes; p and the estimates that follow each symbol are those of the last round."""

    totals: Floats
    beta: Floats
    entropy: Floats  # the sum of H(q_s)
    p: Floats
    table: Floats
    scratch: Workspace


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.settled >= 0:
        return parameters.settled
    eta = 1.0 / max(parameters.bound, state.beta[0])
    weights = state.scratch.weights
    _, total = set_shares(state.totals, eta, weights)
    for b in range(weights.shape[0]):
        weights[b] /= total
        state.entropy[0] -= weights[b] * math.log(weights[b])
    state.beta[0] += parameters.step / math.sqrt(1.0 + state.entropy[0] / parameters.log_actions)
    solve_program(parameters.program, state.scratch, eta, 0.5 / state.p.shape[0], state.p, state.table)
    return draw_from(state.p, rng.random())


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    row = parameters.program.first[action] + symbol
    for b in range(state.totals.shape[0]):
        state.totals[b] += state.table[row, b]


class BOBWLocal(KernelStrategy):
    """Best of both worlds in easy games: regret of order log T under one law, and sqrt(T) whatever the outcomes.

    A late symbol is read by the estimates of the last round.

    Parameters
    ----------
    game
        The game: an easy one; a trivial one is played optimally from the first round, hard ones are refused.
    horizon
        T, on which the constants depend only by its logarithm; a rough guess will do.
    learning
        The factor of c1; less is bolder.
    seed
        Where the draws start.

    References
    ----------
    T. Tsuchiya, S. Ito, J. Honda, "Best-of-both-worlds algorithms for partial monitoring", ALT 2023.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.BOBWLocal(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("rotten"), s.act()
    (1, None, 1)
    """

    guarantee: ClassVar[str] = "easy games without degenerate actions: sqrt(T) (adversarial), log T under one law"

    def __init__(self, game: Game, horizon: int = 20_000, learning: float = 0.1, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.horizon = check_whole("horizon", horizon, least=2)
        self.learning = check_number("learning", learning, above=0)
        self.analysis = analyze(game)
        if self.analysis.kind not in ("trivial", "easy"):
            raise SidelightError(f"BOBWLocal plays easy games, and this one is {self.analysis.kind}: use BOBW")

    def _compile(self) -> Parameters:
        k, symbols = self.game.n_actions, max(len(self.game.symbols(a)) for a in range(self.game.n_actions))
        log_actions = math.log(max(2, len(self.analysis.cells.pareto)))
        return Parameters(
            settled=settled_action(self.analysis),
            bound=2.0 * symbols * k**2,
            step=self.learning * symbols * k**1.5 * math.sqrt(math.log(self.horizon) / log_actions),
            log_actions=log_actions,
            program=new_program(self.analysis),
        )

    def _start(self) -> State:
        program, actions = self.compiled_parameters.program, self.game.n_actions
        return State(
            totals=np.zeros(len(program.members)),
            beta=np.full(1, self.compiled_parameters.step),
            entropy=np.zeros(1),
            p=np.full(actions, 1.0 / actions),
            table=np.zeros((len(program.rows), len(program.members))),
            scratch=new_workspace(program),
        )
