"""Checks that a strategy plays the same however it is run."""

from __future__ import annotations

import numpy as np

from sidelight.checks.report import checks_in, ensure, is_same_checked_data
from sidelight.checks.stage import HORIZON, RUNS, Stage, own_seed_on_stage
from sidelight.kernels import compiled_available, interpreted
from sidelight.strategies.base import KernelStrategy


def simulated_as_by_hand(stage: Stage) -> None:
    """Check that `simulate` plays like a caller of act and observe, and does not change the strategy."""
    made = stage.make()
    stage.play(made, 0, 5)
    before = made.save()
    plays = stage.simulate(made)["plays"]
    ensure(is_same_checked_data(made.save(), before), "simulate changes the strategy it is given")
    for run in range(RUNS):
        made.reset(own_seed_on_stage(run))
        counts = np.zeros(stage.game.n_actions, plays.dtype)
        for t in range(HORIZON):
            action = made.act(stage.contexts[run, t] if stage.dimension else None)
            counts[action] += 1
            made.observe(stage.game.feedback[action][stage.outcomes[run, t]])
        ensure(
            is_same_checked_data(plays[run], counts),
            f"simulated, run {run} plays differently from the same run by hand",
        )


def runs_are_independent(stage: Stage) -> None:
    """Check that a run is the same alone, among others, and when repeated."""
    made = stage.make()
    whole = stage.simulate(made)
    ensure(
        is_same_checked_data(stage.simulate(made), whole),
        "simulating twice gives different results: a run leaves something behind",
    )
    last = stage.simulate(made, first_run=RUNS - 1, runs=1)
    alike = all(is_same_checked_data(last[key][0], whole[key][-1]) for key in whole)
    ensure(alike, "the last run alone differs from the same run among others")


def workers_do_not_matter(stage: Stage) -> str | None:
    """Check that one thread and two give the same results."""
    if not (isinstance(stage.strategy, KernelStrategy) and compiled_available()):
        return "threads are used for compiled strategies only"
    one, two = stage.simulate(stage.make()), stage.simulate(stage.make(), workers=2)
    ensure(is_same_checked_data(one, two), "one worker and two give different results")
    return None


def compiled_as_interpreted(stage: Stage) -> str | None:
    """Check that the compiled loop and the interpreter agree to the last bit, with floating-point errors raised."""
    if not isinstance(stage.strategy, KernelStrategy):
        return "the strategy is plain Python"
    with interpreted(), np.errstate(all="raise", under="ignore"):
        slow = stage.simulate(stage.make())
    if not compiled_available():
        return "nothing is compiled here: Numba is missing or switched off"
    fast = stage.simulate(stage.make())
    ensure(is_same_checked_data(fast, slow), "compiled and interpreted, the strategy plays differently")
    return None


CHECKS = checks_in(globals())
