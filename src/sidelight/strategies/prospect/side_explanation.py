"""Explain in words why ProspectSide chose an action, from the state after the last round."""

from __future__ import annotations

from sidelight.optimization.geometry import loss_range
from sidelight.strategies.prospect.prospect_side import (
    BEST,
    BLIND,
    BOUGHT,
    CHOSEN,
    LOOKING,
    LOOKS,
    ROUNDS,
    WEIGHT,
    ProspectSide,
)
from sidelight.strategies.prospect.side_belief import SEEN
from sidelight.strategies.prospect.side_model import expected_loss


def explanation(strategy: ProspectSide) -> str:
    """Say what was known at the last call of `act` and why its action was chosen; nothing before the first."""
    settled = strategy.compiled_parameters.settled
    if settled >= 0:
        return f"The game is trivial: no action is ever better than {_name(strategy, settled)}."
    counts, now = strategy.state.counts, strategy.state.scratch
    if counts[ROUNDS] == 0 or not now.law.any():  # scratch is not saved
        return ""
    best, chosen = int(now.decision[BEST]), int(now.decision[CHOSEN])
    shares = ", ".join(f"{name} {p:.1%}" for name, p in zip(strategy.game.outcomes, now.law, strict=True))
    lines = [
        f"Round {counts[ROUNDS]:.0f}: {counts[LOOKS]:.0f} looks so far, {counts[BOUGHT]:.0f} of them bought; "
        f"{strategy.state.linear.counts[SEEN]} symbols have come.",
        f"That contexts say nothing here has the weight {now.decision[WEIGHT]:.1%}.",
        f"Expected at this context: {shares}.",
        f"{_name(strategy, best)} costs least.",
    ]
    looks = [a for a in range(strategy.game.n_actions) if strategy.game.informative(a)]
    if looks == [best]:
        return "\n".join([*lines, "It is also the only action that shows anything, so there is nothing to weigh."])
    if now.decision[BLIND]:
        reason = "a look that does not depend on the context shows whether contexts help"
    else:
        lines += [_look(strategy, a, best) for a in looks]
        reason = "it costs least and no look pays for itself" if chosen == best else "its look may pay for itself"
    return "\n".join([*lines, f"{_name(strategy, chosen)} is played: {reason}."])


def _look(strategy: ProspectSide, action: int, best: int) -> str:
    """Say what a look by an action costs and may earn."""
    state, stakes = strategy.state, strategy.compiled_parameters.stakes
    law, rounds = state.scratch.law, float(state.scratch.decision[LOOKING])
    unit = loss_range(strategy.game)
    cost = unit * (expected_loss(stakes, action, law, 0.0) - expected_loss(stakes, best, law, 0.0))
    value = unit * float(state.linear.scratch.value[action])
    return (
        f"A look by {_name(strategy, action)} costs {cost:.4g}; it may earn {value:.2g} in each of about "
        f"{rounds:.0f} rounds, {rounds * value:.4g} in all."
    )


def _name(strategy: ProspectSide, action: int) -> str:
    return f"{strategy.game.actions[action]} ({action})"
