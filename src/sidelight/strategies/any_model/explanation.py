"""Explain in words why ProspectModel chose an action."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.strategies.any_model.prospect_model import Decision, ProspectModel


def explanation(strategy: ProspectModel, settled: int, decision: Decision | None) -> str:
    """Explain the last decision: what was expected, what looks may earn, and why; empty before the first one."""
    game, state, unit = strategy.game, strategy.state, strategy._stakes.unit
    names = [f"{name} ({a})" for a, name in enumerate(game.actions)]
    if settled >= 0:
        return f"The game is trivial: no action is ever better than {names[settled]}."
    if decision is None:
        return ""
    shares = state.mixture.shares
    names_of_models = ["no contexts", *state.mixture.names]
    trust = ", ".join(
        f"{name} {share:.0%}" for name, share in zip(names_of_models, [1.0 - shares.sum(), *shares], strict=True)
    )
    law = ", ".join(f"{name} {p:.1%}" for name, p in zip(game.outcomes, decision.law, strict=True))
    lines = [
        f"Round {state.clock}: {state.looks} looks so far, {state.bought} of them bought; "
        f"{len(state.labels)} labels are known, {len(state.under_way)} looks under way.",
        f"Trust in the models, by how well they predicted: {trust}.",
        f"Expected at this context: {law}.",
        f"{names[decision.best]} costs least.",
    ]
    if decision.blind:
        reason = "a look that does not depend on the context shows whether contexts help"
        return "\n".join([*lines, f"{names[decision.chosen]} is played: {reason}."])
    if not decision.values:
        return "\n".join([*lines, "It is also the only action that shows anything, so there is nothing to weigh."])
    for a in decision.values:
        cost = unit * (decision.costs[a] - decision.costs[decision.best])
        earned = unit * decision.values[a]
        lines.append(
            f"A look by {names[a]} costs {cost:.4g}; it may earn {earned:.2g} in each of about {decision.rounds:.0f} "
            f"rounds, {decision.rounds * earned:.4g} in all."
        )
    plain = decision.chosen == decision.best
    reason = "it costs least and no look pays for itself" if plain else "its look may pay for itself"
    return "\n".join([*lines, f"{names[decision.chosen]} is played: {reason}."])
