"""Explain in words why ProspectSide chose an action, from the state after the last round."""

from __future__ import annotations

from sidelight.strategies.prospect.prospect_side import (
    BEST,
    BOUGHT,
    CHECKED,
    CHOSEN,
    LOOKING,
    LOOKS,
    NEARLY,
    ROUNDS,
    WEIGHED,
    ProspectSide,
)
from sidelight.strategies.prospect.side_model import expected_loss
from sidelight.strategies.prospect.side_posterior import SEEN


def explanation(strategy: ProspectSide) -> str:
    """Say what was known at the last call of `act` and why its action was chosen; nothing before the first."""
    settled = strategy.compiled_parameters.settled
    if settled >= 0:
        return f"The game is trivial: no action is ever better than {_name(strategy, settled)}."
    counts, now = strategy.state.counts, strategy.state.scratch
    if counts[ROUNDS] == 0 or not now.law.any():  # scratch is not saved
        return ""
    best, chosen = int(now.decision[BEST]), int(now.decision[CHOSEN])
    noise = _noise(strategy)
    outcomes = strategy.game.n_outcomes
    law = [noise + (1 - outcomes * noise) * q for q in now.law]
    shares = ", ".join(f"{name} {p:.1%}" for name, p in zip(strategy.game.outcomes, law, strict=True))
    lines = [
        f"Round {counts[ROUNDS]:.0f}: {counts[LOOKS]:.0f} looks so far, {counts[BOUGHT]:.0f} of them bought; "
        f"{strategy.state.belief.labels.counts[SEEN]} symbols have come.",
        f"Expected at this context: {shares}.",
        f"{_name(strategy, best)} costs least.",
    ]
    if now.decision[CHECKED]:
        return "\n".join([*lines, f"{_name(strategy, chosen)} is played: {_check(strategy, best, chosen)}."])
    if not now.decision[WEIGHED]:
        return "\n".join([*lines, "It is also the only action that shows anything, so there is nothing to weigh."])
    for a in range(strategy.game.n_actions):
        if strategy.game.informative(a):
            lines.append(_look(strategy, a, best))
    reason = "it costs least and no look pays for itself" if chosen == best else "its look may pay for itself"
    return "\n".join([*lines, f"{_name(strategy, chosen)} is played: {reason}."])


def _check(strategy: ProspectSide, best: int, chosen: int) -> str:
    """Say why another action is played than the model proposes, although no look pays for itself."""
    now, checks = strategy.state.scratch, strategy.state.checks
    seen = checks.counts[2 * best + int(now.decision[NEARLY])].sum()
    where = f"where {_name(strategy, best)} seems best, like here"
    if strategy.game.informative(chosen):
        return f"it checks {where}; of such rounds, symbols worth {seen:.3g} have been seen"
    return f"it was better {where}, by symbols worth {seen:.3g} in such rounds"


def _look(strategy: ProspectSide, action: int, best: int) -> str:
    """Say what a look by an action costs and may earn."""
    now, stakes, unit = strategy.state.scratch, strategy.compiled_parameters.stakes, _unit(strategy)
    noise = _noise(strategy)
    cost = expected_loss(stakes, action, now.law, noise) - expected_loss(stakes, best, now.law, noise)
    rounds, value = float(now.decision[LOOKING]), float(now.value[action])
    return (
        f"A look by {_name(strategy, action)} costs {unit * cost:.4g}; it may earn {unit * value:.2g} in each of about "
        f"{rounds:.0f} rounds, {unit * rounds * value:.4g} in all."
    )


def _noise(strategy: ProspectSide) -> float:
    posterior = strategy.state.belief.posterior
    return float(posterior.noise[posterior.current[0]])


def _unit(strategy: ProspectSide) -> float:
    columns = zip(*strategy.game.loss, strict=True)
    return float(max(max(column) - min(column) for column in columns))


def _name(strategy: ProspectSide, action: int) -> str:
    return f"{strategy.game.actions[action]} ({action})"
