"""The one round loop. Every simulation of every strategy in every environment runs through it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import baseline, cost, draw
from sidelight.kernels import implements, loop
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.base import act, observe

ROUND, OUTCOME, DRAWN, CHECKPOINT = 0, 1, 2, 3


class Run(NamedTuple):
    """The record of one run. `progress` holds the next round, an outcome already drawn, and the next checkpoint."""

    signals: Integers  # (actions, outcomes): which of the action's symbols the outcome shows
    checkpoints: Integers
    regret: Floats
    plays: Integers
    progress: Integers
    spent: Floats


@loop
def play(
    parameters: Any,
    state: Any,
    world: Any,
    run: Run,
    context: Floats,
    rng: Any,
    world_rng: np.random.Generator,
    until: int,
) -> int:
    """Play up to the round `until`; return 0 then.

    When the strategy has a question, return -1, to be called again. An action that the game does not have is not
    played: then return it plus one. The strategy is shown the symbol and nothing else.
    """
    t = run.progress[ROUND]
    outcome = run.progress[OUTCOME]
    drawn = run.progress[DRAWN]
    mark = run.progress[CHECKPOINT]
    spent = run.spent[0]
    waiting = 0
    while t < until:
        if drawn == 0:
            outcome = draw(world, context, world_rng)
        drawn = 0
        action = act(parameters, state, context, rng)
        if action < 0 or action >= run.plays.shape[0]:
            drawn = 1
            waiting = -1 if action < 0 else action + 1
            break
        observe(parameters, state, action, run.signals[action, outcome], context)
        spent += cost(world, action, outcome)
        run.plays[action] += 1
        t += 1
        if mark < run.checkpoints.shape[0] and t == run.checkpoints[mark]:
            run.regret[mark] = spent - baseline(world)
            mark += 1
    run.progress[ROUND] = t
    run.progress[OUTCOME] = outcome
    run.progress[DRAWN] = drawn
    run.progress[CHECKPOINT] = mark
    run.spent[0] = spent
    return waiting


class Stepped(NamedTuple):
    """Stands for a strategy of plain Python, so that the same loop can step it in the interpreter."""

    strategy: Any


@implements(act, Stepped)
def _act(parameters: Stepped, state: None, context: Floats, rng: None) -> int:
    return int(parameters.strategy.act(context))


@implements(observe, Stepped)
def _observe(parameters: Stepped, state: None, action: int, symbol: int, context: Floats) -> None:
    parameters.strategy.observe(parameters.strategy.game.symbols(action)[symbol])
