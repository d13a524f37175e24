"""What looking may still earn: the evaluation behind Prospect's decisions.

With the belief phat and the log posterior F of `sidelight.optimization.posterior_mode`, g is the best class of actions
under phat and cost_a = (L_a - L_g) phat. For each rival j, another class that can be optimal,

    q_j = argmax of F where (L_j - L_g) p = 0,    Lambda_j = F(phat) - F(q_j),    z = sqrt(2 Lambda_j),
    G_j = (cost_j / z) psi(z),    psi(z) = phi(z) - z Phi(-z),

G_j is what a round could gain if g and j were told apart: the expected excess of j over g if their difference were
normal, with the tail of the likelihood ratio. For an informative action a,

    N_aj = max(1, Lambda_j / ((1 + Lambda_j) KL(S_a phat | S_a q_j)))

looks at a matter, and with H rounds to come (H_j = min(H, N_gj), since what g itself shows is free) a look earns

    e_a = sum_j max(0, H_j - N_aj) G_j / N_aj.

Looks under way, whose symbols are still to come (see `expected_symbols`), count as if these had come and agreed with
the belief: k_a of them multiply the evidence by f = 1 + sum_a k_a KL(S_a phat | S_a q_j) / Lambda_j, so that f Lambda_j
takes the place of Lambda_j, sqrt(f) z that of z.

Where g and j tie, z and KL / Lambda tend to what the curvature of F at phat says: with x = L_j - L_g, v the step along
which x p grows most cheaply, s^2 = x v, z = cost_j / s and KL / Lambda = sum_u (S_u v)^2 / (S_u phat) / s^2.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.game_arrays import Signals, float_rows, signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays
from sidelight.kernels.linear_algebra import copy, dot
from sidelight.optimization.divergence import divergence
from sidelight.optimization.likelihood import Fit, is_informative, project, symbols_seen
from sidelight.optimization.posterior_mode import (
    Solutions,
    factorize_curvature,
    law_on_border,
    maximize_posterior,
    solve_for_mass,
    solve_weighted,
)
from sidelight.strategies.shared.candidates import candidates

# Expected losses, relative to the range of losses, that differ by less are equal.
_TIE = 1e-12
# Below this log-likelihood ratio, and this much per symbol, the limit of a tie is used.
_NEAR = 1e-4
_NEAR_PER_SYMBOL = 1e-11
# An action tells nothing about a pair if a look at it yields no more than this share of the log-likelihood ratio.
_BLIND = 1e-15


class Terms(NamedTuple):
    """A game as evaluations need it. A class holds actions of equal losses that can be the only best ones."""

    signals: Signals
    loss: Floats  # (actions, outcomes): less the losses of the first action, over their range
    member: Integers  # what is played of each class: the action that shows most
    border: Floats  # (pairs of classes, outcomes): the difference of losses, its largest entry 1; see `pair`
    gap: Floats  # (pairs of classes): that largest entry in units of `loss`
    prior: float
    scale: float  # the unit of `loss`, for people


class Outlook(NamedTuple):
    """What the last evaluation found."""

    best: Annotated[Integers, 1]  # the class that is best under the belief
    cost: Annotated[Floats, "actions"]
    earning: Annotated[Floats, "actions"]  # of a look
    evidence: Annotated[Floats, "classes"]  # Lambda
    gain: Annotated[Floats, "classes"]  # G
    rounds: Annotated[Floats, 1]  # H


class Workspace(NamedTuple):
    """What evaluations compute with."""

    rival: Fit
    solutions: Solutions
    rate: Annotated[Floats, "actions"]  # the share of the evidence that a look at it adds


class Belief(NamedTuple):
    """The counts of symbols and what they make most likely."""

    counts: Annotated[Floats, "symbols"]
    under_way: Annotated[Floats, "actions"]  # looks whose symbols are expected
    fit: Fit
    rivals: Annotated[Floats, "pairs", "outcomes"]  # the likeliest law where two classes tie
    outlook: Outlook
    scratch: Workspace


def terms(analysis: Analysis) -> Terms:
    """Lay out a game for evaluations."""
    game = analysis.game
    relative = [[a - b for a, b in zip(row, game.loss[0], strict=True)] for row in game.loss]
    scale = max(abs(value) for row in relative for value in row) or 1
    classes = {i: group for i, group in candidates(analysis).items() if analysis.status(i) == "pareto"}
    rows = list(classes)
    differences = [
        [a - b for a, b in zip(game.loss[j], game.loss[i], strict=True)] for k, j in enumerate(rows) for i in rows[:k]
    ]
    gaps = [max(map(abs, row)) for row in differences]
    return Terms(
        signals=signals(game),
        loss=float_rows([value / scale for value in row] for row in relative),
        member=np.array([max(group, key=lambda a: (len(game.symbols(a)), -a)) for group in classes.values()], np.int64),
        border=np.array(
            [[float(value / gap) for value in row] for row, gap in zip(differences, gaps, strict=True)]
        ).reshape(len(gaps), game.n_outcomes),
        gap=np.array([float(gap / scale) for gap in gaps]),
        prior=1.0 / math.sqrt(2.0 * game.n_outcomes),
        scale=float(scale),
    )


def new_belief(game: Terms) -> Belief:
    """Return the belief before the first round."""
    (actions, outcomes), pairs, classes = game.loss.shape, len(game.border), len(game.member)
    sizes = {"symbols": int(game.signals.first[-1]), "pairs": pairs, "classes": classes}
    belief = new_arrays(Belief, actions=actions, outcomes=outcomes, **sizes)
    belief.fit.law[:] = belief.scratch.rival.law[:] = 1.0 / outcomes
    for law, row in zip(belief.rivals, game.border.tolist(), strict=True):
        law[:] = law_on_border(row)
    return belief


@kernel
def pair(i: int, j: int) -> int:
    """Return the place of two classes among all pairs."""
    low, high = min(i, j), max(i, j)
    return high * (high - 1) // 2 + low


@kernel
def normal_gain(z: float) -> float:
    """Return psi(z) = phi(z) - z Phi(-z), the expected positive part of a normal variable with mean -z."""
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - 0.5 * z * math.erfc(z / math.sqrt(2.0))


@kernel
def set_costs(game: Terms, law: Floats, outlook: Outlook) -> int:
    """Find the class that is best under the law, and what every action costs more; return the action to play."""
    least = math.inf
    for c in range(game.member.shape[0]):
        expected = dot(game.loss[game.member[c]], law)
        if expected < least - _TIE:
            outlook.best[0], least = c, expected
    for a in range(game.loss.shape[0]):
        outlook.cost[a] = max(dot(game.loss[a], law) - least, 0.0)
        outlook.earning[a] = 0.0
    return game.member[outlook.best[0]]


@kernel
def evidence(game: Terms, belief: Belief) -> float:
    """Return Lambda, by how much the rival law is less likely than the belief."""
    best, rival = belief.fit, belief.scratch.rival
    total = 0.0
    for m in range(best.law.shape[0]):
        total += math.log(best.law[m] / rival.law[m])
    total *= game.prior
    for a in range(game.loss.shape[0]):
        if is_informative(game.signals, a):
            for u in range(game.signals.first[a], game.signals.first[a + 1]):
                if belief.counts[u] > 0.0:
                    total += belief.counts[u] * math.log(best.image[u] / rival.image[u])
    return max(total, 0.0)


@kernel
def tie_variance(game: Terms, belief: Belief, row: Floats) -> float:
    """Return s^2 at the belief, after setting the image of the direction v in place of that of the rival law."""
    fit, found, step = belief.fit, belief.scratch.solutions, belief.scratch.rival.scratch.step
    factorize_curvature(game.signals, belief.counts, game.prior, fit)
    mass = solve_for_mass(fit, found.mass)
    solve_weighted(fit, row, found.border)
    share = dot(fit.law, found.border) / mass
    for m in range(row.shape[0]):
        step[m] = fit.law[m] * (found.border[m] - share * found.mass[m])
    project(game.signals, step, belief.scratch.rival.image)
    return max(dot(row, step), 1e-300)


@kernel
def tie_information(signals: Signals, image: Floats, along: Floats, a: int) -> float:
    """Return sum_u (S_u v)^2 / (S_u p) over the symbols of an action."""
    total = 0.0
    for u in range(signals.first[a], signals.first[a + 1]):
        total += along[u] * along[u] / image[u]
    return total


@kernel
def set_rates(game: Terms, belief: Belief, level: float, variance: float) -> float:
    """Set the share of the evidence that a look at each action adds; return the factor of the looks under way."""
    image, other, rate = belief.fit.image, belief.scratch.rival.image, belief.scratch.rate
    factor = 1.0
    for a in range(rate.shape[0]):
        rate[a] = 0.0
        if is_informative(game.signals, a):
            if variance > 0.0:
                rate[a] = tie_information(game.signals, image, other, a) / variance
            else:
                rate[a] = divergence(game.signals, image, other, a) / level
            factor += belief.under_way[a] * rate[a]
    return factor


@kernel
def looks_that_matter(evidence: float, rate: float) -> float:
    """Return N, how many looks matter if each adds the share `rate` of the evidence; infinity if they tell nothing."""
    return max(1.0, 1.0 / ((1.0 + evidence) * rate)) if rate > _BLIND else math.inf


@kernel
def fit_rival(game: Terms, belief: Belief, e: int) -> None:
    """Find the likeliest law at which the classes of a pair tie, starting from the previous one."""
    rival = belief.scratch.rival
    copy(belief.rivals[e], rival.law)
    maximize_posterior(game.signals, belief.counts, game.prior, game.border[e], True, rival, belief.scratch.solutions)
    copy(rival.law, belief.rivals[e])


@kernel
def examine_rival(game: Terms, belief: Belief, g: int, c: int) -> None:
    """Add what looks may earn by telling the best action g from the rival class c."""
    outlook, rate = belief.outlook, belief.scratch.rate
    e = pair(outlook.best[0], c)
    fit_rival(game, belief, e)
    level, cost, variance = evidence(game, belief), outlook.cost[game.member[c]], 0.0
    if level < max(_NEAR, _NEAR_PER_SYMBOL * symbols_seen(game.signals, belief.counts)):
        variance = tie_variance(game, belief, game.border[e])
        deviation = math.sqrt(variance) * game.gap[e]
        z = cost / deviation
    else:
        z = math.sqrt(2.0 * level)
        deviation = cost / z
    factor = set_rates(game, belief, level, variance)
    root = math.sqrt(factor)
    outlook.evidence[c] = factor * level
    outlook.gain[c] = max(deviation / root * normal_gain(root * z), 0.0)
    rounds = min(outlook.rounds[0], looks_that_matter(factor * level, rate[g] / factor))
    for a in range(rate.shape[0]):
        number = looks_that_matter(factor * level, rate[a] / factor)
        if a != g and rounds > number:
            outlook.earning[a] += (rounds - number) * outlook.gain[c] / number


@kernel
def evaluate(game: Terms, belief: Belief, rounds: float) -> int:
    """Fit the belief, set the outlook with `rounds` to come, and return the action that is best under the belief."""
    belief.outlook.rounds[0] = rounds
    scratch = belief.scratch
    maximize_posterior(game.signals, belief.counts, game.prior, belief.fit.law, False, belief.fit, scratch.solutions)
    g = set_costs(game, belief.fit.law, belief.outlook)
    for c in range(game.member.shape[0]):
        if c == belief.outlook.best[0]:
            belief.outlook.evidence[c] = belief.outlook.gain[c] = 0.0
        else:
            examine_rival(game, belief, g, c)
    return g


@kernel
def most_worthwhile_look(outlook: Outlook, g: int) -> int:
    """Return the action whose look earns most for its cost, if it earns more than it costs; else g."""
    chosen, most = g, 1.0
    for a in range(outlook.cost.shape[0]):
        if a != g and outlook.earning[a] > most * max(outlook.cost[a], _TIE):
            chosen, most = a, outlook.earning[a] / max(outlook.cost[a], _TIE)
    return chosen
