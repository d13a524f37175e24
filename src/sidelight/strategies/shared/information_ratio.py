"""The policy of least information ratio, when one of finitely many contexts is seen before each round.

With D(a, c) what action a may cost in context c, I(a, c) what it teaches and rho_c the contexts' probabilities, a
policy mu has the ratio

    Psi(mu) = D(mu)^2 / I(mu),   D(mu) = sum_c rho_c sum_a mu(a | c) D(a, c),   I(mu) alike,

which is convex and is minimized by Frank and Wolfe's method. The gradient at mu has its least value at the policy that
plays argmin_a 2 D(a, c) - r I(a, c) in each context, r = D(mu) / I(mu), and the line toward it is searched exactly.
Since only the two numbers D(mu) and I(mu) matter, a mixture of two deterministic policies is best. Each step keeps the
better pair of its three policies, and after finitely many steps the method ends at the minimum itself.

Without contexts, all pairs of actions are searched for the best one (`mix_actions_by_information_ratio`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import copy

_STEPS = 100
_ENOUGH = 1e-12


class Point(NamedTuple):
    """Expected regret D and information I of a policy."""

    cost: float
    gain: float


@kernel
def best_share_for_information_ratio(cost: float, gain: float, other_cost: float, other_gain: float) -> float:
    """Return the share q of the second policy that minimizes (cost + q c)^2 / (gain + q g)."""
    more_cost, more_gain = other_cost - cost, other_gain - gain
    # Convex: the sign of the derivative at the ends says whether the minimum lies between them.
    if 2.0 * more_cost * gain - cost * more_gain >= 0.0:
        return 0.0
    if 2.0 * more_cost * other_gain - other_cost * more_gain <= 0.0:
        return 1.0
    return min(1.0, max(0.0, cost / more_cost - 2.0 * gain / more_gain))


@kernel
def draws_second_of_mixture(share: float, rng: np.random.Generator) -> bool:
    """Say whether the second of two mixed policies is played; nothing is drawn if its share is 0 or 1."""
    return share > 0.0 and (share >= 1.0 or rng.random() < share)


@kernel
def information_ratio_of_mixture(low: Point, high: Point) -> float:
    """Return the least ratio of a mixture of two policies."""
    q = best_share_for_information_ratio(low.cost, low.gain, high.cost, high.gain)
    cost, gain = low.cost + q * (high.cost - low.cost), low.gain + q * (high.gain - low.gain)
    return cost * cost / gain if gain > 0.0 else math.inf


@kernel
def gap_and_information_of_policy(policy: Integers, weights: Floats, gap: Floats, gain: Floats) -> Point:
    """Return the mean gap D and the mean information gain I of a deterministic policy over all contexts."""
    cost = learned = 0.0
    for c in range(weights.shape[0]):
        cost += weights[c] * gap[c, policy[c]]
        learned += weights[c] * gain[c, policy[c]]
    return Point(cost, learned)


@kernel
def steepest_policy_for_information_ratio(policy: Integers, slope: float, gap: Floats, gain: Floats) -> None:
    """Set the policy that plays argmin_a 2 D(a, c) - slope I(a, c) in each context; ties go to the lowest index."""
    for c in range(policy.shape[0]):
        least = math.inf
        for a in range(gap.shape[1]):
            here = 2.0 * gap[c, a] - slope * gain[c, a]
            if here < least:
                policy[c], least = a, here


@kernel
def extreme_policies_for_information_ratio(gap: Floats, gain: Floats, first: Integers, second: Integers) -> None:
    """Set the policy of least cost and that of most information (among those the cheaper one)."""
    for c in range(first.shape[0]):
        first[c] = second[c] = 0
        for a in range(1, gap.shape[1]):
            if gap[c, a] < gap[c, first[c]]:
                first[c] = a
            best = second[c]
            if gain[c, a] > gain[c, best] or (gain[c, a] == gain[c, best] and gap[c, a] < gap[c, best]):
                second[c] = a


@kernel
def mix_policies_by_information_ratio(
    weights: Floats, gap: Floats, gain: Floats, first: Integers, second: Integers, third: Integers, share: Floats
) -> float:
    """Find the mixture of two policies with the least information ratio, and return that ratio."""
    extreme_policies_for_information_ratio(gap, gain, first, second)
    low = gap_and_information_of_policy(first, weights, gap, gain)
    high = gap_and_information_of_policy(second, weights, gap, gain)
    share[0] = 0.0
    if low.cost <= 0.0 or high.gain <= 0.0:  # nothing left to lose, or nothing to learn
        return 0.0 if low.cost <= 0.0 else math.inf
    for _ in range(_STEPS):
        q = best_share_for_information_ratio(low.cost, low.gain, high.cost, high.gain)
        cost, learned = low.cost + q * (high.cost - low.cost), low.gain + q * (high.gain - low.gain)
        slope = cost / learned
        steepest_policy_for_information_ratio(third, slope, gap, gain)
        fresh = gap_and_information_of_policy(third, weights, gap, gain)
        # How much smaller the linear function is there than here, where it is 2 D - r I = D.
        if 2.0 * fresh.cost - slope * fresh.gain >= cost * (1.0 - _ENOUGH):
            break
        if information_ratio_of_mixture(low, fresh) <= information_ratio_of_mixture(fresh, high):
            high = fresh
            copy(third, second)
        else:
            low = fresh
            copy(third, first)
    share[0] = best_share_for_information_ratio(low.cost, low.gain, high.cost, high.gain)
    return information_ratio_of_mixture(low, high)


@kernel
def share_of_second_by_information_ratio(gap: float, gain: float, other_gap: float, other_gain: float) -> float:
    """Return the best share of the action with the larger gap; gap <= other_gap."""
    if other_gain <= gain:
        return 0.0
    if other_gap == gap:
        return 1.0
    share = gap / (other_gap - gap) - 2.0 * gain / (other_gain - gain)
    return min(max(share, 0.0), 1.0)


@kernel
def mix_actions_by_information_ratio(gap: Floats, gain: Floats, mixed: Integers, share: Floats) -> None:
    """Find the mixture of two actions with the least information ratio; ties go to the lowest indices."""
    sure = 0
    for a in range(1, gap.shape[0]):
        if gap[a] < gap[sure]:
            sure = a
    mixed[0] = mixed[1] = sure
    share[0] = 0.0
    if gap[sure] <= 0.0:
        return
    least = math.inf
    for a in range(gap.shape[0]):
        for b in range(a + 1, gap.shape[0]):
            i, j = (a, b) if gap[a] <= gap[b] else (b, a)
            q = share_of_second_by_information_ratio(gap[i], gain[i], gap[j], gain[j])
            learned = (1.0 - q) * gain[i] + q * gain[j]
            if learned > 0.0:
                lost = (1.0 - q) * gap[i] + q * gap[j]
                ratio = lost * lost / learned
                if ratio < least:
                    least = ratio
                    mixed[0], mixed[1] = i, j
                    share[0] = q
