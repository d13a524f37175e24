"""Explain in words why CBP and RandCBP chose an action, from the state after the round."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sidelight.kernels.arrays import Flags
from sidelight.strategies.confidence_bounds.cbp import RandCBP, best_plausible_action
from sidelight.strategies.confidence_bounds.plausible import Differences, collect_plausible_actions
from sidelight.strategies.confidence_bounds.ties import standing_of_cbp_action

# Up to this many pairs get a line each; more are only listed.
_MOST_LINES = 6
_MOST_SCORES = 8


class RemainingActions(NamedTuple):
    """The actions that the decided signs leave, in the notation of the module `cbp`."""

    plausible: list[int]  # P(t)
    allowed: Flags  # P(t) u N+(t)
    observing: Flags  # V(t)
    limits: list[float]  # W_a^(2/3) f(t): as long as n_a is no more, a is in R(t)


def explain_cbp_action(strategy: RandCBP) -> str:
    """Say what was known at the last call of `act` and why its action was chosen; nothing before the first."""
    state, settled = strategy.state, strategy.compiled_parameters.settled
    t = int(state.clock[0]) - 1
    if t < 0:
        return ""
    if settled >= 0:
        return f"The game is trivial: no action is ever better than {_action_name_for_cbp(strategy, settled)}."
    if t < strategy.game.n_actions:
        return f"Opening: each action is played once, and now it is the turn of {_action_name_for_cbp(strategy, t)}."
    choice = actions_left_by_cbp_signs(strategy, t)
    return "\n".join(
        [
            *_explain_cbp_differences(strategy, t),
            *_explain_plausible_sets(strategy, choice),
            _explain_cbp_choice(strategy, choice, t),
        ]
    )


def actions_left_by_cbp_signs(strategy: RandCBP, t: int) -> RemainingActions:
    """Work out again which actions the signs of the last round leave, without touching the state."""
    found, scratch = strategy.state.differences, strategy.plausible_sets.scratch()
    alive = strategy.plausible_sets.meeting(found.signs)
    facts = strategy.plausible_sets.snapshot()
    collect_plausible_actions(facts, alive, scratch.allowed, scratch.observing)
    cells = np.flatnonzero(alive[len(found.signs) :])
    plausible = sorted(int(a) for c in cells for a in facts.members[facts.member_start[c] : facts.member_start[c + 1]])
    parameters = strategy.compiled_parameters
    rate = parameters.alpha ** (1 / 3) * t ** (2 / 3) * math.log(t) ** (1 / 3)
    return RemainingActions(plausible, scratch.allowed, scratch.observing, (parameters.rate * rate).tolist())


def _explain_cbp_differences(strategy: RandCBP, t: int) -> list[str]:
    """Describe the estimate of each pair: a line each, or two lists if there are many."""
    pairs, found = strategy.analysis.neighbors, strategy.state.differences
    digits = _decimals_of_cbp_differences(strategy)
    if len(pairs) > _MOST_LINES:
        return _list_cbp_pairs(strategy, digits)
    bound = math.sqrt(strategy.alpha * math.log(t))
    lines = ["Loss differences, estimate +- confidence width:"]
    for e, (i, j) in enumerate(pairs):
        if found.reach[e] == 0.0:
            lines.append(f"  {i} - {j}  unknown: feedback of an observer is still missing")
            continue
        drawn = f"  Z {found.width[e] / found.reach[e]:.2f} of {bound:.2f}" if strategy.bins > 1 else ""
        number = f"{found.delta[e]:+.{digits}f} +- {found.width[e]:.{digits}f}"
        lines.append(f"  {i} - {j}  {number}{drawn}  {_explain_cbp_sign(strategy, e)}")
    return lines


def _decimals_of_cbp_differences(strategy: RandCBP) -> int:
    """Return how many decimals loss differences of this game need."""
    loss = strategy.game.loss
    size = max(abs(x - y) for i, j in strategy.analysis.neighbors for x, y in zip(loss[i], loss[j], strict=True))
    return min(9, max(3, 3 - math.floor(math.log10(size))))


def _explain_cbp_sign(strategy: RandCBP, e: int) -> str:
    """Say whether a pair is decided, and for whom."""
    i, j = strategy.analysis.neighbors[e]
    sign = strategy.state.differences.signs[e]
    if sign:
        return f"decided: {_action_name_for_cbp(strategy, j if sign > 0 else i)} is better"
    if _explain_withdrawn_cbp_sign(strategy.state.differences, e):
        return "taken back: it contradicts the others"
    return f"open: {_action_name_for_cbp(strategy, i)} or {_action_name_for_cbp(strategy, j)}"


def _explain_withdrawn_cbp_sign(found: Differences, e: int) -> bool:
    delta = found.delta[e]
    return bool(found.signs[e] == 0 and found.reach[e] > 0 and delta != 0 and abs(delta) >= found.width[e])


def _list_cbp_pairs(strategy: RandCBP, digits: int) -> list[str]:
    """List many pairs by their numbers, decided ones first."""
    groups: dict[str, list[str]] = {"decided": [], "open": [], "taken back": [], "unknown": []}
    found = strategy.state.differences
    for e, (i, j) in enumerate(strategy.analysis.neighbors):
        number = f"{found.delta[e]:+.{digits}f} +- {found.width[e]:.{digits}f}"
        if found.signs[e]:
            better, worse = (j, i) if found.signs[e] > 0 else (i, j)
            number = f"{abs(found.delta[e]):.{digits}f} +- {found.width[e]:.{digits}f}"
            groups["decided"].append(f"{better} beats {worse} ({number})")
        elif found.reach[e] == 0.0:
            groups["unknown"].append(f"{i} - {j}")
        else:
            groups["taken back" if _explain_withdrawn_cbp_sign(found, e) else "open"].append(f"{i} - {j} ({number})")
    count = len(strategy.analysis.neighbors)
    titles = {
        "decided": "Decided",
        "open": "Open (loss differences)",
        "taken back": "Taken back, as they contradict the others",
        "unknown": "Unknown, as feedback of an observer is still missing",
    }
    return [f"{titles[kind]}, {len(of)} of {count}: {', '.join(of)}" for kind, of in groups.items() if of]


def _explain_plausible_sets(strategy: RandCBP, choice: RemainingActions) -> list[str]:
    """Name the plausible actions, and those that their borders and observers add."""
    plausible = choice.plausible
    lines = [f"Plausible: {_action_names_for_cbp(strategy, plausible)}"]
    beside = [a for a in np.flatnonzero(choice.allowed).tolist() if a not in plausible]
    if beside:
        lines.append(f"On a border between them: {_action_names_for_cbp(strategy, beside)}")
    weight = strategy.compiled_parameters.weight
    watching = [a for a in np.flatnonzero(choice.observing).tolist() if not choice.allowed[a] and weight[a] > 0]
    before = _plays_before_cbp_choice(strategy, choice)
    for a in watching:
        if before is None:
            break
        n, limit = before[a], choice.limits[a]
        verdict = "explored up to" if n <= limit else "explored enough, the limit is"
        lines.append(
            f"Observer: {_action_name_for_cbp(strategy, a)}, played {_times_played_for_cbp(n)}, {verdict} {limit:.4g}"
        )
    return lines


def _explain_cbp_choice(strategy: RandCBP, choice: RemainingActions, t: int) -> str:
    """Say why this action was chosen: it is the only one left, or has the largest W^2 / n."""
    before = _plays_before_cbp_choice(strategy, choice)
    if before is None:
        return "Which action was chosen cannot be told, since several wait for feedback."
    playable = [a for a, n in enumerate(before) if choice.allowed[a] or (choice.observing[a] and n <= choice.limits[a])]
    if len(playable) == 1:
        return f"Chosen: {_action_name_for_cbp(strategy, playable[0])}, the only action left"
    scores = {a: float(strategy.compiled_parameters.weight[a] / before[a]) for a in playable}
    ties, delta = strategy.compiled_parameters.ties, strategy.state.differences.delta
    order = sorted(
        playable,
        key=lambda a: (-scores[a], standing_of_cbp_action(ties, delta, a) if ties.greedy else 0.0, a),
    )
    chosen, second = order[:2]
    rule = "the one of least estimated loss" if ties.greedy else "the first"
    tie = f" ({rule} of equals)" if scores[chosen] == scores[second] else ""
    listed = ", ".join(f"{_action_name_for_cbp(strategy, a)} ({scores[a]:.4g})" for a in order[:_MOST_SCORES])
    more = f" and {len(order) - _MOST_SCORES} more" if len(order) > _MOST_SCORES else ""
    return f"Chosen: {_action_name_for_cbp(strategy, chosen)}, whose W^2/n is largest{tie}: {listed}{more}"


def _plays_before_cbp_choice(strategy: RandCBP, choice: RemainingActions) -> list[float] | None:
    """Return how often each action had been played when the last one was chosen.

    That action is among those that wait for feedback. If there are several, it is the one that would be chosen if it
    had been played once less; None if that holds for more than one.
    """
    state, t = strategy.state, int(strategy.state.clock[0]) - 1
    parameters, delta = strategy.compiled_parameters, state.differences.delta
    under_way = [a for a, count in enumerate(strategy._under_way) if count]
    found = []
    for a in under_way or range(strategy.game.n_actions):
        plays = state.plays.copy()
        plays[a] -= 1.0
        if plays[a] > 0.0:
            chosen = best_plausible_action(parameters, plays, delta, choice.allowed, choice.observing, t)
            found += [plays.tolist()] if chosen == a else []
    return found[0] if len(found) == 1 else None


def _action_name_for_cbp(strategy: RandCBP, action: int) -> str:
    return f"{action} {strategy.game.actions[action]}"


def _action_names_for_cbp(strategy: RandCBP, actions: Iterable[int]) -> str:
    return ", ".join(_action_name_for_cbp(strategy, a) for a in actions)


def _times_played_for_cbp(n: float) -> str:
    return "once" if n == 1 else f"{n:.0f} times"
