"""What must not matter to a strategy: names, hidden outcomes, and losses that all actions share."""

from __future__ import annotations

import numpy as np

from sidelight.checks.report import checks_in, ensure, is_same_checked_data
from sidelight.checks.stage import HORIZON, Stage, own_seed_on_stage
from sidelight.game import Game


def names_do_not_matter(stage: Stage) -> None:
    """Check that renaming symbols (of each action on its own), actions and outcomes changes nothing."""
    game = stage.game
    renamed = Game(
        game.loss,
        [[(a, game.symbols(a).index(symbol)) for symbol in row] for a, row in enumerate(game.feedback)],
        name="renamed",
        actions=[f"action {a}" for a in range(game.n_actions)],
        outcomes=[f"outcome {j}" for j in range(game.n_outcomes)],
    )
    ensure(stage.play(stage.make()) == stage.play(stage.make(renamed)), "renaming symbols or actions changes the play")


def common_losses_do_not_matter(stage: Stage) -> str | None:
    """Check that adding a constant to a column of the loss matrix changes nothing, since no action can avoid it."""
    if not getattr(stage.strategy, "shift_invariant", True):
        return "the class says that absolute losses matter to it (shift_invariant = False)"
    game = stage.game
    shifted = Game([[value + (-1) ** j * (j + 1) for j, value in enumerate(row)] for row in game.loss], game.feedback)
    alike = stage.play(stage.make()) == stage.play(stage.make(shifted))
    ensure(alike, "adding a constant to a loss column changes the play; set shift_invariant = False if that is meant")
    return None


def hidden_outcomes_do_not_matter(stage: Stage) -> str | None:
    """Check that the strategy cannot tell outcomes apart that show the same symbols."""
    other = stage.outcomes.copy()
    for run in range(len(other)):
        made = stage.make().reset(own_seed_on_stage(run))
        for t in range(HORIZON):
            action = made.act(stage.contexts[run, t] if stage.dimension else None)
            row = stage.game.feedback[action]
            made.observe(row[other[run, t]])
            alike = [j for j, symbol in enumerate(row) if symbol == row[other[run, t]]]
            other[run, t] = alike[(alike.index(other[run, t]) + 1) % len(alike)]
    if np.array_equal(other, stage.outcomes):
        return "every outcome shows a symbol of its own"
    seen, hidden = stage.simulate(stage.make()), stage.simulate(stage.make(), outcomes=other)
    ensure(
        is_same_checked_data(seen, hidden),
        "outcomes that show the same symbols lead to different play: the strategy sees more",
    )
    return None


CHECKS = checks_in(globals())
