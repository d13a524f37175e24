"""How ProspectSide checks its model: now and then it looks where the model would not, and counts what it sees.

A linear model that asks where it is unsure learns from unusual contexts. Where the law fits no line it may then be
wrong, and sure, about all the others. So rounds in which the model wants no look are put into *cells*, by the action
that it proposes and by whether a look was nearly worth it, and each cell has a belief of its own, without contexts:

    F(p) = sum_u nu_u log(S_u p) + sum_m (alpha + kappa c_m) log p_m,    alpha = 1 / sqrt(2 M),

nu being the symbols seen in the cell and c the mean law that the model claims there. phat = argmax F, and q_j, the
argmax where g = argmin_a L_a phat and its neighbor j cost the same, are found by expectation maximization. What a look
earns is Prospect's formula (see `evaluation`), times the probability w that the cell's belief is the better
one. The log odds of that are a prior's, plus those by which phat predicted the cell's symbols better than the model
before they came, plus those by which the model was better in other cells. Played is what is best under
w phat + (1 - w) c, or the look that earns most for its cost.

The model learns: counts, and odds against it, fade as one over the number of its labels. A cell knows its symbols by
their contexts, which are kept until the symbols come; without room for another one, nothing is checked.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.kernels import kernel, large_kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.prospect.evaluation import normal_gain
from sidelight.strategies.prospect.side_model import Stakes, best_action, expected_loss, symbol_mass
from sidelight.strategies.prospect.side_posterior import same

DOUBT = -1.0
"""The log odds, before anything is seen, that a cell's own belief is better than the model."""
_CLAIM = 4.0  # kappa
_MOST_ODDS = 6.0
_NEWEST = 0.02  # the share of the newest claim in their mean, at least
_SHARE_HELD = 0.01
_ROOM = 32
_STEPS = 2
_NEWTON_STEPS = 12
_BALANCED = 1e-13
_NEAR = 1e-9
_BLIND = 1e-15


class Workspace(NamedTuple):
    """What is worked out anew."""

    prior: Floats  # (M,)
    expected: Floats  # (M,)
    earning: Floats  # (actions,)


class Checks(NamedTuple):
    """What was seen in each cell; cells 2 a and 2 a + 1 are those where the model proposes action a."""

    counts: Floats  # (cells, actions, M): nu
    rounds: Floats  # (cells,)
    claimed: Floats  # (cells, M): c
    law: Floats  # (cells, M): phat
    rivals: Floats  # (cells, actions, M): q
    odds: Floats  # (cells,): by which phat has predicted better, as a logarithm
    known: Floats  # (cells,): how much the model had learned when the cell was last touched
    verdict: Integers  # (cells, 2): what to play, and the round of the next evaluation
    context: Floats  # (room, d): of rounds whose symbols are to come
    due: Integers  # (room, 2): their cell, -1 where there is none, and their round
    scratch: Workspace


def new_checks(actions: int, outcomes: int, dimension: int) -> Checks:
    """Return the cells before the first round."""
    cells = 2 * actions
    return Checks(
        counts=np.zeros((cells, actions, outcomes)),
        rounds=np.zeros(cells),
        claimed=np.zeros((cells, outcomes)),
        law=np.full((cells, outcomes), 1.0 / outcomes),
        rivals=np.full((cells, actions, outcomes), 1.0 / outcomes),
        odds=np.zeros(cells),
        known=np.zeros(cells),
        verdict=np.zeros((cells, 2), np.int64),
        context=np.zeros((_ROOM, dimension)),
        due=np.full((_ROOM, 2), -1),
        scratch=Workspace(np.zeros(outcomes), np.zeros(outcomes), np.zeros(actions)),
    )


@kernel
def claim(checks: Checks, cell: int, law: Floats, noise: float) -> None:
    """Count a round, and take what the model claims into the mean of the cell."""
    checks.rounds[cell] += 1.0
    share = max(1.0 / checks.rounds[cell], _NEWEST)
    keep = 1.0 - law.shape[0] * noise
    for m in range(law.shape[0]):
        checks.claimed[cell, m] += share * (noise + keep * law[m] - checks.claimed[cell, m])


@kernel
def note(checks: Checks, cell: int, t: int, context: Floats) -> bool:
    """Keep a context until its symbol comes, or the rounds have doubled; say whether there was room."""
    for s in range(checks.due.shape[0]):
        if checks.due[s, 0] < 0 or t >= 2 * checks.due[s, 1] + 100:
            checks.due[s, 0] = cell
            checks.due[s, 1] = t
            for k in range(context.shape[0]):
                checks.context[s, k] = context[k]
            return True
    return False


@kernel
def recall(checks: Checks, context: Floats) -> int:
    """Return the cell of a context whose symbol has come, and forget it; -1 if it was not kept."""
    for s in range(checks.due.shape[0]):
        if checks.due[s, 0] >= 0 and same(context, checks.context[s]):
            cell = checks.due[s, 0]
            checks.due[s, 0] = -1
            return cell
    return -1


@kernel
def count(stakes: Stakes, checks: Checks, cell: int, action: int, symbol: int, claimed: float, known: float) -> None:
    """Count a symbol that the model had given the probability `claimed`."""
    fade(checks, cell, known)
    own, _ = symbol_mass(stakes, action, symbol, checks.law[cell])
    odds = checks.odds[cell] + math.log(own / claimed)
    checks.odds[cell] = min(max(odds, -_MOST_ODDS), _MOST_ODDS)
    checks.counts[cell, action, symbol] += 1.0


@kernel
def fade(checks: Checks, cell: int, known: float) -> None:
    """Let what was seen fade by how much the model has learned since."""
    factor = checks.known[cell] / known
    checks.known[cell] = known
    if checks.odds[cell] > 0.0:
        checks.odds[cell] *= factor
    for a in range(checks.counts.shape[1]):
        for u in range(checks.counts.shape[2]):
            checks.counts[cell, a, u] *= factor


@kernel
def expect(stakes: Stakes, counts: Floats, law: Floats, now: Workspace) -> float:
    """Set how often each outcome is expected to have happened, given symbols, prior and a law; return their sum."""
    total = 0.0
    for m in range(law.shape[0]):
        now.expected[m] = now.prior[m]
        total += now.prior[m]
    for a in range(counts.shape[0]):
        for u in range(stakes.symbols[a]):
            if counts[a, u] > 0.0:
                mass, _ = symbol_mass(stakes, a, u, law)
                total += counts[a, u]
                for m in range(law.shape[0]):
                    if stakes.shown[a, m] == u:
                        now.expected[m] += counts[a, u] * law[m] / mass
    return total


@kernel
def multiplier(one: Floats, other: Floats, expected: Floats, total: float) -> float:
    """Return the lambda for which p_m = e_m / (n + lambda x_m) has x p = 0, x being the difference of losses."""
    least = most = 0.0
    for m in range(expected.shape[0]):
        least, most = min(least, other[m] - one[m]), max(most, other[m] - one[m])
    low, high = -total / most, -total / least
    found = 0.0
    for _ in range(_NEWTON_STEPS):
        balance = slope = 0.0
        for m in range(expected.shape[0]):
            share = (other[m] - one[m]) / (total + found * (other[m] - one[m]))
            balance += share * expected[m]
            slope += share * share * expected[m]
        if abs(balance) < _BALANCED:
            break
        if balance > 0.0:
            low = found
        else:
            high = found
        found += balance / slope
        if found <= low or found >= high:
            found = 0.5 * (low + high)
    return found


@large_kernel
def fit(stakes: Stakes, counts: Floats, one: int, other: int, law: Floats, now: Workspace) -> float:
    """Raise F of a law, kept where the two actions cost the same if they differ; return how many symbols it is of."""
    total = 0.0
    for _ in range(_STEPS):
        total = expect(stakes, counts, law, now)
        factor = 0.0
        if one != other:
            factor = multiplier(stakes.loss[one], stakes.loss[other], now.expected, total)
        for m in range(law.shape[0]):
            law[m] = now.expected[m] / (total + factor * (stakes.loss[other, m] - stakes.loss[one, m]))
    return total


@kernel
def advantage(stakes: Stakes, counts: Floats, law: Floats, rival: Floats, prior: Floats) -> float:
    """Return F of a law less that of a rival."""
    total = 0.0
    for m in range(law.shape[0]):
        total += prior[m] * math.log(law[m] / rival[m])
    for a in range(counts.shape[0]):
        for u in range(stakes.symbols[a]):
            if counts[a, u] > 0.0:
                p, _ = symbol_mass(stakes, a, u, law)
                q, _ = symbol_mass(stakes, a, u, rival)
                total += counts[a, u] * math.log(p / q)
    return total


@kernel
def looks(stakes: Stakes, a: int, evidence: float, law: Floats, rival: Floats) -> float:
    """Return how many looks at an action matter, as Prospect has it; infinity if they tell nothing."""
    information = 0.0
    for u in range(stakes.symbols[a]):
        p, _ = symbol_mass(stakes, a, u, law)
        q, _ = symbol_mass(stakes, a, u, rival)
        information += p * math.log(p / q)
    return max(1.0, evidence / ((1.0 + evidence) * information)) if information > _BLIND else math.inf


@kernel
def examine(stakes: Stakes, checks: Checks, cell: int, g: int, j: int, rounds: float) -> None:
    """Add what looks may earn by telling the cell's best action g from its neighbor j."""
    counts, law, rival, now = checks.counts[cell], checks.law[cell], checks.rivals[cell, j], checks.scratch
    total = fit(stakes, counts, g, j, rival, now)
    evidence = advantage(stakes, counts, law, rival, now.prior)
    if evidence > _NEAR:
        z = math.sqrt(2.0 * evidence)
        cost = expected_loss(stakes, j, law, 0.0) - expected_loss(stakes, g, law, 0.0)
        gain = cost / z * normal_gain(z)
        rounds = min(rounds, looks(stakes, g, evidence, law, rival)) if stakes.symbols[g] > 1 else rounds
    else:  # they tie: the difference of losses is as uncertain as its mean over `total` outcomes
        variance = 0.0
        for m in range(law.shape[0]):
            difference = stakes.loss[j, m] - stakes.loss[g, m]
            variance += law[m] * difference * difference / total
        gain = math.sqrt(variance) * normal_gain(0.0)
    for a in range(counts.shape[0]):
        if a != g and stakes.symbols[a] > 1:
            number = looks(stakes, a, evidence, law, rival) if evidence > _NEAR else total
            if rounds > number:
                now.earning[a] += (rounds - number) * gain / number


@kernel
def weight_of(checks: Checks, cell: int, doubt: float) -> float:
    """Return w, the probability that a cell's own belief is better than the model."""
    odds = doubt + checks.odds[cell]
    for other in range(checks.odds.shape[0]):
        if other != cell:
            odds += min(0.0, checks.odds[other])
    return 1.0 / (1.0 + math.exp(-odds))


@large_kernel
def judge(stakes: Stakes, checks: Checks, cell: int, t: int, rounds: float, doubt: float, known: float) -> None:
    """Set what to play in a cell, with `rounds` to come there, and until when."""
    fade(checks, cell, known)
    law, now = checks.law[cell], checks.scratch
    for m in range(law.shape[0]):
        now.prior[m] = 1.0 / math.sqrt(2.0 * law.shape[0]) + _CLAIM * checks.claimed[cell, m]
    fit(stakes, checks.counts[cell], 0, 0, law, now)
    g = best_action(stakes, law, 0.0)
    for a in range(stakes.loss.shape[0]):
        now.earning[a] = 0.0
    for j in range(stakes.loss.shape[0]):
        if stakes.neighbor[g, j] == 1:
            examine(stakes, checks, cell, g, j, rounds)
    weight, least = weight_of(checks, cell, doubt), expected_loss(stakes, g, law, 0.0)
    for m in range(law.shape[0]):
        now.expected[m] = weight * law[m] + (1.0 - weight) * checks.claimed[cell, m]
    best = best_action(stakes, now.expected, 0.0)
    chosen, most, seen = best, 1.0, 0.0
    for a in range(stakes.loss.shape[0]):
        ratio = weight * now.earning[a] / max(expected_loss(stakes, a, law, 0.0) - least, 1e-12)
        if ratio > most:
            chosen, most = a, ratio
        for u in range(stakes.symbols[a]):
            seen += checks.counts[cell, a, u]
    held = seen if chosen != best or stakes.symbols[best] > 1 else checks.rounds[cell]
    checks.verdict[cell, 0] = chosen
    checks.verdict[cell, 1] = t + 1 + int(_SHARE_HELD * held)
