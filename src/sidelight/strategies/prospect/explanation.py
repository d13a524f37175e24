"""Explain in words why Prospect chose an action, from the state after its last evaluation."""

from __future__ import annotations

import numpy as np

from sidelight.kernels.arrays import Floats
from sidelight.strategies.prospect.prospect import Prospect

# Up to this many outcomes, rivals and looks are named; more are only counted.
_MOST = 6


def explanation(strategy: Prospect) -> str:
    """Say what was believed at the last evaluation, what looks cost and may earn; nothing before the first round."""
    parameters, state = strategy.compiled_parameters, strategy.state
    t = int(state.clock[0])
    if t == 0:
        return ""
    if parameters.settled >= 0:
        return f"The game is trivial: no action is ever better than {_name(strategy, parameters.settled)}."
    evaluated, following = int(state.decision[2]), int(state.decision[1])
    lines = [_belief(strategy), *_rivals(strategy), *_looks(strategy), _reason(strategy)]
    if following > evaluated + 1:
        lines.append(f"This was worked out in round {evaluated + 1} and holds until round {following}.")
    return "\n".join(lines)


def _belief(strategy: Prospect) -> str:
    belief = strategy.state.belief
    law = belief.fit.law
    expected = sum(float(k) for a, k in enumerate(belief.under_way) if strategy.game.informative(a))
    order = np.argsort(-law, kind="stable")[:_MOST]
    parts = [f"{strategy.game.outcomes[m]} {law[m]:.3g}" for m in sorted(order.tolist())]
    late = f", with {expected:.0f} more symbols expected, as if they agreed" if expected >= 0.5 else ""
    return f"Believed: {', '.join(parts)}{_more(len(law))}{late}"


def _rivals(strategy: Prospect) -> list[str]:
    """Describe the action that is best so far, and its strongest rivals."""
    game, outlook = strategy.compiled_parameters.game, strategy.state.belief.outlook
    best = int(outlook.best[0])
    lines = [
        f"Best by that: {_name(strategy, int(game.member[best]))}, with {outlook.rounds[0]:.0f} rounds to come in mind"
    ]
    rivals = sorted((c for c in range(len(game.member)) if c != best), key=lambda c: (-outlook.gain[c], c))
    cost, gain = _in_losses(strategy, outlook.cost), _in_losses(strategy, outlook.gain)
    for c in rivals[:_MOST]:
        a = int(game.member[c])
        lines.append(
            f"  {_name(strategy, a)} costs {cost[a]:.3g} more (log likelihood ratio {outlook.evidence[c]:.3g}); "
            f"to know for sure would gain {gain[c]:.3g} a round"
        )
    return [*lines, f"  {_more(len(rivals)).strip()}"] if len(rivals) > _MOST else lines


def _looks(strategy: Prospect) -> list[str]:
    """Say what a look at each action costs and may earn."""
    outlook = strategy.state.belief.outlook
    cost, earning = _in_losses(strategy, outlook.cost), _in_losses(strategy, outlook.earning)
    looks = sorted(
        (a for a in range(len(earning)) if earning[a] > 0.0), key=lambda a: (-earning[a] / max(cost[a], 1e-300), a)
    )
    lines = []
    for a in looks[:_MOST]:
        verdict = "pays" if earning[a] > cost[a] else "does not pay"
        lines.append(
            f"  a look at {_name(strategy, a)} costs {cost[a]:.3g} and may earn {earning[a]:.3g}: it {verdict}"
        )
    return [*lines, f"  {_more(len(looks)).strip()}"] if len(looks) > _MOST else lines


def _reason(strategy: Prospect) -> str:
    game, outlook = strategy.compiled_parameters.game, strategy.state.belief.outlook
    chosen, best = int(strategy.state.decision[0]), int(game.member[outlook.best[0]])
    if chosen != best:
        return f"Chosen: {_name(strategy, chosen)}, to look: of all looks this one may earn most for what it costs"
    free = strategy.game.informative(best)
    return f"Chosen: {_name(strategy, best)}, since no look pays{', and what it shows is free' if free else ''}"


def _in_losses(strategy: Prospect, values: Floats) -> list[float]:
    """Return costs and gains in the game's own units of loss."""
    return [float(value) for value in values * strategy.compiled_parameters.game.scale]


def _name(strategy: Prospect, action: int) -> str:
    return f"{action} {strategy.game.actions[action]}"


def _more(count: int) -> str:
    return f" and {count - _MOST} more" if count > _MOST else ""
