"""What a look may earn: the expected fall of future losses per round if an action's symbol were seen now.

Let i be the cheapest action, j a neighbor of it, and c_k what j costs more than i at the outcome k of the softmax, on
average over the noise. Both cost the same where sum_k c_k q_k = 0. The *margin*

    h = log(sum of c_k q_k over c_k > 0) - log(-sum of c_k q_k over c_k < 0)

is 0 there and nearly linear in eta: exactly linear for two outcomes, where it is eta itself if mistakes cost the same
both ways. Let b be the margin in its standard deviations, and g the gradient in eta of the loss of j less that of i,
taken where the border is nearest. A little less variance of the scores saves omega g'(dV) g with

    omega = phi(b) / (2 sigma) / sqrt(1 + 0.64 sigma^2 / r^2),    sigma^2 = g'V g,

r being half the range of the difference of losses. A = average over contexts of sum_j omega g g' x z z' stands for the
contexts to come, with newer ones counting more. A look by action a, which reduces the variance of the coefficients,
earns per round to come

    VOI_a = sum_u G_u e_u'U'A U e_u / (1 + sum_u G_u e_u'V e_u),

exactly if the action has two symbols.
"""

from __future__ import annotations

import math

from sidelight.kernels import kernel, large_kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import clear, dot, multiply
from sidelight.strategies.prospect.side_belief import NOISE, Belief, Scratch, predict, quadratic
from sidelight.strategies.prospect.side_model import Stakes, best_action, set_law, set_score

SATURATION = 0.64
MEMORY = 5.0
_FARTHEST = 60.0  # in squared standard deviations: no border beyond matters
_LEAST = 1e-300
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


@large_kernel
def consider(stakes: Stakes, belief: Belief, context: Floats, t: float) -> None:
    """Predict at the context of round t, take it into A, and set what a look by each action may earn."""
    now, rows = belief.scratch, belief.scratch.scores.shape[0]
    predict(belief, context)
    clear(now.weights)
    best = best_action(stakes, now.law)
    for other in range(stakes.loss.shape[0]):
        if stakes.neighbor[best, other] == 1:
            add_rival(stakes, best, other, belief.setting[NOISE], now)
    add_to_future(belief, t)
    for k in range(rows):  # from here on `weights` is U'A U
        multiply(belief.future, now.lifted[k], now.direction)
        for j in range(rows):
            now.weights[j, k] = dot(now.lifted[j], now.direction)
    for a in range(stakes.loss.shape[0]):
        now.value[a] = look_value(stakes, a, belief.setting[NOISE], now) if stakes.symbols[a] > 1 else 0.0


@kernel
def add_rival(stakes: Stakes, best: int, other: int, noise: float, now: Scratch) -> None:
    """Add omega g g' of one neighbor to the weights."""
    rows, law, differences = now.scores.shape[0], now.other, now.difference
    low, high, shift = math.inf, -math.inf, 0.0
    for j in range(law.shape[0]):
        difference = stakes.loss[other, j] - stakes.loss[best, j]
        low, high, shift = min(low, difference), max(high, difference), shift + noise * difference
        differences[j] = (1.0 - law.shape[0] * noise) * difference
    set_law(now.scores, 1.0, 0.0, law)
    above = below = 0.0
    for j in range(law.shape[0]):
        differences[j] += shift
        above += max(0.0, differences[j] * law[j])
        below += max(0.0, -differences[j] * law[j])
    if above < _LEAST or below < _LEAST:
        return
    margin = math.log(above / below)
    for k in range(rows):
        now.slope[k] = differences[k] * law[k] / (above if differences[k] > 0.0 else below)
    variance = quadratic(now.variance, now.slope)
    if variance <= 0.0 or margin * margin > _FARTHEST * variance:
        return
    for k in range(rows):  # the most likely scores on the border
        now.score[k] = now.scores[k] - margin / variance * dot(now.variance[k], now.slope)
    set_law(now.score, 1.0, 0.0, law)
    mean = dot(differences, law)
    for k in range(rows):
        now.slope[k] = law[k] * (differences[k] - mean)
    squared = quadratic(now.variance, now.slope)
    if squared > 0.0:
        relative = 4.0 * squared / ((high - low) * (high - low))
        density = _DENSITY * math.exp(-0.5 * margin * margin / variance)
        omega = density / (2.0 * math.sqrt(squared * (1.0 + SATURATION * relative)))
        for k in range(rows):
            for j in range(rows):
                now.weights[k, j] += omega * now.slope[k] * now.slope[j]


@kernel
def add_to_future(belief: Belief, t: float) -> None:
    """Take this context into A; without features A is new."""
    now, features = belief.scratch, belief.scratch.z.shape[0]
    share = MEMORY / (t - 1.0 + MEMORY) if features > 1 else 1.0
    for i in range(belief.theta.shape[0]):
        row, k = belief.future[i], i // features
        lifted = share * now.z[i - k * features]
        for j in range(now.scores.shape[0]):
            weight = lifted * now.weights[k, j]
            for c in range(features):
                row[j * features + c] += weight * now.z[c] - share * row[j * features + c]


@kernel
def look_value(stakes: Stakes, action: int, noise: float, now: Scratch) -> float:
    """Return VOI of an action, given `weights` = U'A U and the law at the context."""
    saved, spread = 0.0, 1.0
    for u in range(stakes.symbols[action]):
        chance = set_score(stakes, action, u, now.law, noise, now.score)
        saved += chance * quadratic(now.weights, now.score)
        spread += chance * quadratic(now.variance, now.score)
    return max(0.0, saved / spread)
