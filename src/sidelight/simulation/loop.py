"""The one round loop. Every simulation of every strategy in every environment runs through it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import baseline, cost, draw
from sidelight.kernels import implements, kernel, loop
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import copy
from sidelight.simulation.packing import Words
from sidelight.strategies.base import act, observe

ROW, ROWS, ROUND, OUTCOME, DRAWN, CHECKPOINT = range(6)


class Restart(NamedTuple):
    """The memory that a run changes, and its contents at the start of each run.

    Runs of few rounds would else take most of their time in entering the loop.
    """

    state: Words
    world: Words
    own_stream: Words
    world_stream: Words
    fresh_state: Words
    fresh_worlds: Words  # (runs, words of the world)
    own_seeds: Words  # (runs, words of a stream)
    world_seeds: Words


class Runs(NamedTuple):
    """The record of some runs, which are played one after the other.

    `progress` holds the row of the current run, how many rows to play, the next round of the run, an outcome, whether
    it was already drawn for that round, and the next checkpoint.
    """

    signals: Integers  # (actions, outcomes): which of the action's symbols the outcome shows
    checkpoints: Integers
    regret: Floats  # (runs, checkpoints)
    plays: Integers  # (runs, actions)
    progress: Integers
    spent: Floats
    restart: Restart


@kernel
def _begin_run(restart: Restart, row: int) -> None:
    """Reset state and world to the start of a run."""
    copy(restart.fresh_state, restart.state)
    copy(restart.fresh_worlds[row], restart.world)
    copy(restart.own_seeds[row], restart.own_stream)
    copy(restart.world_seeds[row], restart.world_stream)


@loop
def play(
    parameters: Any,
    state: Any,
    world: Any,
    runs: Runs,
    context: Floats,
    rng: Any,
    world_rng: np.random.Generator,
    until: int,
) -> int:
    """Play each run up to the round `until`; return 0 then.

    When the strategy has a question, return -1, to be called again. An action that the game does not have is not
    played: then return it plus one. The strategy is shown the symbol and nothing else.
    """
    row = runs.progress[ROW]
    t = runs.progress[ROUND]
    outcome = runs.progress[OUTCOME]
    drawn = runs.progress[DRAWN]
    mark = runs.progress[CHECKPOINT]
    spent = runs.spent[0]
    waiting = 0
    while True:
        while t < until:
            if drawn == 0:
                outcome = draw(world, context, world_rng)
            drawn = 0
            action = act(parameters, state, context, rng)
            if action < 0 or action >= runs.plays.shape[1]:
                drawn = 1
                waiting = -1 if action < 0 else action + 1
                break
            observe(parameters, state, action, runs.signals[action, outcome], context)
            spent += cost(world, action, outcome)
            runs.plays[row, action] += 1
            t += 1
            if mark < runs.checkpoints.shape[0] and t == runs.checkpoints[mark]:
                runs.regret[row, mark] = spent - baseline(world)
                mark += 1
        if waiting != 0 or row + 1 >= runs.progress[ROWS]:
            break
        row += 1
        t = mark = 0
        spent = 0.0
        _begin_run(runs.restart, row)
    runs.progress[ROW] = row
    runs.progress[ROUND] = t
    runs.progress[OUTCOME] = outcome
    runs.progress[DRAWN] = drawn
    runs.progress[CHECKPOINT] = mark
    runs.spent[0] = spent
    return waiting


class Stepped(NamedTuple):
    """Stands for a strategy of plain Python, so that the same loop can step it in the interpreter."""

    strategy: Any


@implements(act, Stepped)
def _act_of_interpreted_player(parameters: Stepped, state: None, context: Floats, rng: None) -> int:
    return int(parameters.strategy.act(context))


@implements(observe, Stepped)
def _observe_of_interpreted_player(parameters: Stepped, state: None, action: int, symbol: int, context: Floats) -> None:
    parameters.strategy.observe(parameters.strategy.game.symbols(action)[symbol])
