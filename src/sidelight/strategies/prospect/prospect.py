"""Prospect: play what seems best, and look while looking may still pay for itself.

An evaluation (see `evaluation`) finds the best action g under the belief, what every action costs more per
round, and what a look at it may earn in the H rounds to come. It plays the action with the largest ratio of earning to
cost if that exceeds 1, else g.

With a known horizon T, H = caution (T - t); without one, and after T, H = caution (t + 200 sqrt(t + 10)): play is
expected to last about as long again, plus some thousands of rounds. An evaluation that chose to look at an action holds
for 1 % of the symbols seen of it; one that chose g holds for 1 % of all symbols seen or, if g shows nothing, of the
rounds so far.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Integers
from sidelight.optimization.likelihood import is_informative, symbols_of, symbols_seen
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, check_whole, observe
from sidelight.strategies.prospect.evaluation import Belief, Terms, evaluate, most_worthwhile_look, new_belief, terms
from sidelight.strategies.prospect.late_symbols import Waiting, count_old_plays, expected_symbols
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action
from sidelight.strategies.shared.rounds import count_play

_SHARE_HELD = 0.01
_LONGEST = 10**15
_MOST_CAUTIOUS = 1e12


class Parameters(NamedTuple):
    """What Prospect knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    horizon: float  # 0 if it is not known
    caution: float
    game: Terms


class State(NamedTuple):
    """What play changes."""

    clock: Integers
    plays: Integers
    decision: Integers  # the action to play, the round of the next evaluation, that of the last
    waiting: Waiting
    belief: Belief


@kernel
def rounds_to_come(parameters: Parameters, t: int) -> float:
    """Return H."""
    if t < parameters.horizon:
        return parameters.caution * (parameters.horizon - t)
    return parameters.caution * (t + 200.0 * math.sqrt(t + 10.0))


@kernel
def decide(parameters: Parameters, state: State, t: int) -> None:
    """Evaluate, and set what to play until when."""
    game, belief = parameters.game, state.belief
    count_old_plays(state.waiting, game.signals, belief.counts, state.plays, t)
    for a in range(state.plays.shape[0]):
        belief.under_way[a] = expected_symbols(state.waiting, game.signals, belief.counts, state.plays, a)
    g = evaluate(game, belief, rounds_to_come(parameters, t))
    chosen = most_worthwhile_look(belief.outlook, g)
    held = float(t)
    if chosen != g:
        held = symbols_of(game.signals, belief.counts, chosen)
    elif is_informative(game.signals, g):
        held = symbols_seen(game.signals, belief.counts)
    state.decision[0] = chosen
    state.decision[1] = t + 1 + int(_SHARE_HELD * held)
    state.decision[2] = t


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    chosen = parameters.settled
    if chosen < 0:
        t = state.clock[0]
        if t >= state.decision[1]:
            decide(parameters, state, t)
        chosen = state.decision[0]
    count_play(state.clock, state.plays, chosen)
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    state.belief.counts[parameters.game.signals.first[action] + symbol] += 1.0


class Prospect(KernelStrategy):
    """Look while looking may still pay for itself, in any globally observable game.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    horizon
        How many rounds will be played, if known. Play may continue after them.
    caution
        Factor on the rounds to come: with 2 it looks as if there were twice as many, for fewer long mistakes at the
        price of more looks.
    seed
        Not used: Prospect draws nothing.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.Prospect(sl.games.load("apple-tasting"))
    >>> [s.act(), s.observe("rotten"), s.act(), s.observe("rotten"), s.act()]
    [1, None, 1, None, 1]
    """

    guarantee: ClassVar[str] = (
        "two outcomes: a power of log T for each law without a tie, if feedback is prompt and T is not known"
    )

    def __init__(self, game: Game, horizon: int | None = None, caution: float = 1.0, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.horizon = None if horizon is None else check_whole("horizon", horizon, least=1, most=_LONGEST)
        self.caution = check_number("caution", caution, above=0, most=_MOST_CAUTIOUS)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        return Parameters(
            settled=settled_action(self.analysis),
            horizon=0.0 if self.horizon is None else float(self.horizon),
            caution=float(self.caution),
            game=terms(self.analysis),
        )

    def _start(self) -> Any:
        return State(
            clock=np.zeros(1, np.int64),
            plays=np.zeros(self.game.n_actions, np.int64),
            decision=np.zeros(3, np.int64),
            waiting=self._zeros(Waiting),
            belief=new_belief(self.compiled_parameters.game),
        )

    def explain(self) -> str:
        """Say, after `act`, what was believed, what a look would cost and may earn, and why this action was chosen."""
        from sidelight.strategies.prospect.explanation import explanation

        return explanation(self)
