"""What a look may earn: the expected fall of future losses per round if an action's symbol were seen now.

Let i be the cheapest action and j a neighbor of it, h the margin between them (see `side_model`), b the margin
in its standard deviations, and g the gradient in eta of the loss of j less that of i, taken where the border is
nearest. A little less variance of the scores saves omega g'(dV) g with

    omega = phi(b) / (2 sigma) / sqrt(1 + 0.64 sigma^2 / r^2),    sigma^2 = g'V g,

r being half the range of the difference of losses. A = average over contexts of sum_j omega g g' x z z' stands for the
contexts to come, with newer ones counting more, and a symbol of action a, which reduces the variance of the
coefficients by U (I + W_a V)^-1 W_a U', earns per round to come

    VOI_a = tr[(I + W_a V)^-1 W_a U'A U].
"""

from __future__ import annotations

import math

from sidelight.kernels import kernel, large_kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import dot, fill, quadratic_form, solve_square
from sidelight.strategies.prospect.side_belief import FADING, NOISE, Belief, Scratch, predict
from sidelight.strategies.prospect.side_model import (
    Stakes,
    best_action,
    corrected,
    gains_and_losses,
    noise_shift,
    set_information,
    set_law,
)

SATURATION = 0.64
MEMORY = 5.0
_FARTHEST = 60.0  # in squared standard deviations: no border beyond matters
_LEAST = 1e-300
_FADED = 1e-100
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


@large_kernel
def consider(stakes: Stakes, belief: Belief, context: Floats, t: float) -> None:
    """Predict at the context of round t, take it into A, and set what a look by each action may earn."""
    predict(belief, context)
    set_weights(stakes, belief.setting[NOISE], belief.scratch)
    add_to_future(belief, t)
    set_prospects(belief)
    for a in range(stakes.loss.shape[0]):
        belief.scratch.value[a] = 0.0
        if stakes.symbols[a] > 1:
            belief.scratch.value[a] = look_value(stakes, a, belief.setting[NOISE], belief.scratch)


@kernel
def set_weights(stakes: Stakes, noise: float, now: Scratch) -> None:
    """Set `weights` to the sum over the neighbors of the best action of omega g g'."""
    rows, best = now.scores.shape[0], best_action(stakes, now.law, noise)
    for k in range(rows):
        fill(now.weights[k], 0.0)
    for other in range(stakes.loss.shape[0]):
        if stakes.neighbor[best, other] == 1:
            add_rival(stakes, best, other, noise, now)


@kernel
def add_rival(stakes: Stakes, best: int, other: int, noise: float, now: Scratch) -> None:
    """Add omega g g' of one neighbor."""
    rows, law = now.scores.shape[0], now.plain_law
    shift = noise_shift(stakes, best, other, noise)
    above, below = gains_and_losses(stakes, best, other, law, noise)
    if above < _LEAST or below < _LEAST:
        return
    margin = math.log(above / below)
    for k in range(rows):
        term = corrected(stakes, best, other, k, noise, shift) * law[k]
        now.slope[k] = term / above if term > 0.0 else term / below
    variance = quadratic_form(now.variance, now.slope, now.score)
    if variance <= 0.0 or margin * margin > _FARTHEST * variance:
        return
    for k in range(rows):  # the most likely scores on the border
        now.score[k] = now.scores[k] - margin / variance * dot(now.variance[k], now.slope)
    law = now.border_law
    set_law(now.score, 1.0, law)
    mean, low, high = 0.0, math.inf, -math.inf
    for j in range(law.shape[0]):
        mean += corrected(stakes, best, other, j, noise, shift) * law[j]
        difference = stakes.loss[other, j] - stakes.loss[best, j]
        low, high = min(low, difference), max(high, difference)
    for k in range(rows):
        now.slope[k] = law[k] * (corrected(stakes, best, other, k, noise, shift) - mean)
    squared = quadratic_form(now.variance, now.slope, now.score)
    if squared > 0.0:
        relative = 4.0 * squared / ((high - low) * (high - low))
        density = _DENSITY * math.exp(-0.5 * margin * margin / variance)
        omega = density / (2.0 * math.sqrt(squared * (1.0 + SATURATION * relative)))
        for k in range(rows):
            for j in range(rows):
                now.weights[k, j] += omega * now.slope[k] * now.slope[j]


@kernel
def add_to_future(belief: Belief, t: float) -> None:
    """Take this context into A, which is `future` times a factor that falls with time; without features A is new."""
    now, future, setting = belief.scratch, belief.future, belief.setting
    rows, features = now.scores.shape[0], now.z.shape[0]
    share = MEMORY / (t - 1.0 + MEMORY) if features > 1 else 1.0
    if share == 1.0 or setting[FADING] < _FADED:
        for i in range(rows * features):
            for j in range(rows * features):
                future[i, j] *= 0.0 if share == 1.0 else setting[FADING]
        setting[FADING] = 1.0
    if share < 1.0:
        setting[FADING] *= 1.0 - share
    for k in range(rows):
        for j in range(rows):
            if now.weights[k, j] != 0.0:
                weight = share * now.weights[k, j] / setting[FADING]
                for c in range(features):
                    scaled = weight * now.z[c]
                    row = future[k * features + c]
                    for other in range(features):
                        row[j * features + other] += scaled * now.z[other]


@kernel
def set_prospects(belief: Belief) -> None:
    """Set `weights` to U'A U."""
    now = belief.scratch
    rows, size = now.lifted.shape
    for k in range(rows):
        for i in range(size):
            now.direction[i] = belief.setting[FADING] * dot(belief.future[i], now.lifted[k])
        for j in range(rows):
            now.weights[j, k] = dot(now.lifted[j], now.direction)


@kernel
def set_reduction(now: Scratch) -> None:
    """Set B = (I + W V)^-1 W."""
    rows = now.scores.shape[0]
    for k in range(rows):
        for j in range(rows):
            now.square[k, j] = 1.0 if k == j else 0.0
            now.reduction[k, j] = now.information[k, j]
            for i in range(rows):
                now.square[k, j] += now.information[k, i] * now.variance[i, j]
    solve_square(now.square, now.reduction)


@large_kernel
def look_value(stakes: Stakes, action: int, noise: float, now: Scratch) -> float:
    """Return VOI of an action, given `weights` = U'A U and the law at the context."""
    rows = now.scores.shape[0]
    set_information(stakes, action, -1, now.law, noise, 1.0, now.score, now.seen, now.information)
    set_reduction(now)
    total = 0.0
    for k in range(rows):
        for j in range(rows):
            total += now.reduction[k, j] * now.weights[j, k]
    return max(0.0, total)
