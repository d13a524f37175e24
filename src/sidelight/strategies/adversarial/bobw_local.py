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

from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats
from sidelight.strategies.adversarial.exploration_program import new_program
from sidelight.strategies.adversarial.exppm import Parameters, State, adapt, learning_rate, new_state
from sidelight.strategies.base import KernelStrategy, Seed, check_number, check_whole
from sidelight.strategies.shared.requirements import refuse_all_but_easy, settled_action


class EntropyRate(NamedTuple):
    """The rate that adapts to how sure the weights are; `known` holds beta and the sum of H(q_s)."""

    bound: float  # B
    step: float  # c1
    log_actions: float  # log|A|


@implements(learning_rate, EntropyRate)
def _learning_rate(rule: EntropyRate, known: Floats) -> float:
    return 1.0 / max(rule.bound, known[0])


@implements(adapt, EntropyRate)
def _adapt(rule: EntropyRate, known: Floats, weights: Floats, value: float) -> None:
    for b in range(weights.shape[0]):
        known[1] -= weights[b] * math.log(weights[b])
    known[0] += rule.step / math.sqrt(1.0 + known[1] / rule.log_actions)


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
        refuse_all_but_easy(self.analysis, self.name, "BOBW")

    def _compile(self) -> Parameters:
        k, symbols = self.game.n_actions, max(len(self.game.symbols(a)) for a in range(self.game.n_actions))
        log_actions = math.log(max(2, len(self.analysis.cells.pareto)))
        step = self.learning * symbols * k**1.5 * math.sqrt(math.log(self.horizon) / log_actions)
        rule = EntropyRate(2.0 * symbols * k**2, step, log_actions)
        return Parameters(settled_action(self.analysis), rule, 0.5 / k, new_program(self.analysis))

    def _start(self) -> State:
        state = new_state(self.compiled_parameters.program)
        state.known[0] = self.compiled_parameters.rule.step
        return state
