"""How ProspectSide fits its model to the labels: at once, whenever their number has grown by a tenth.

A refit takes all labels that are kept, with the means and scales of the features at that time, and finds

- the precision lambda of the prior N(0, I / lambda), from how large the coefficients are and how much of them the
  labels have determined (the evidence approximation), near the first one while labels are few;
- eps, by one step of expectation maximization;
- m = argmin sum_s nll(tau_s eta_s) / tau_s + prior + what stands for labels no longer kept, by Fisher scoring with
  halved steps; S is the inverse of its Hessian. tau = 1 / sqrt(1 + pi v / 8), v being the variance of the label's
  score, makes this a Gaussian variational fit: with Laplace's method separable labels send variances to infinity.

When the labels fill half of their room, the older half is replaced by its quadratic approximation at m, and means and
scales stay as they are, unless a feature moves far from them: then what was replaced is forgotten.
"""

from __future__ import annotations

import math

from sidelight.kernels import kernel, large_kernel
from sidelight.kernels.linear_algebra import cholesky, clear, dot, invert, solve
from sidelight.strategies.prospect.side_belief import (
    ABSORBED,
    FITTED,
    KEPT,
    LAST_ROUND,
    NOISE,
    NOISY_LABELS,
    PRECISION,
    SEEN,
    START_PRECISION,
    Belief,
    clear_labels,
    crowding,
    predict,
)
from sidelight.strategies.prospect.side_model import Stakes, set_law, set_score, symbol_chance
from sidelight.strategies.shared.standardization import Moments, standardize

_HYPER = 0.02
_LEAST_PRECISION = 1e-4
_MOST_NOISE = 0.9

_EVERY = 60
_GROWTH = 1.1
_PASSES = 16


@kernel
def is_due(belief: Belief, moments: Moments, t: int) -> bool:
    """Say whether there are enough new labels or rounds for a refit, or whether a feature has moved."""
    counts = belief.counts
    seen, last = counts[SEEN], counts[FITTED]
    if seen > last and (seen < _EVERY or seen >= _GROWTH * last or 2 * counts[KEPT] >= belief.labels.action.shape[0]):
        return True
    return (t > 1 and t >= 2 * counts[LAST_ROUND]) or has_moved(belief, moments)


@kernel
def has_moved(belief: Belief, moments: Moments) -> bool:
    """Say whether the scale of a feature has doubled, or its mean moved by a standard deviation."""
    moved = False
    for k in range(belief.scale.shape[0]):
        distance = abs(moments.mean[k] - belief.mean[k])
        moved = moved or 0.5 * moments.scale[k] > belief.scale[k] or distance > moments.scale[k]
    return moved


@large_kernel
def refit(stakes: Stakes, belief: Belief, moments: Moments, t: int) -> None:
    """Fit the belief to the labels that are kept."""
    counts, setting, labels, now = belief.counts, belief.setting, belief.labels, belief.scratch
    rescale(belief, moments)
    counts[FITTED], counts[LAST_ROUND] = counts[SEEN], t
    set_precision(belief)
    rows, changed = stakes.loss.shape[1] - 1.0, NOISY_LABELS
    for s in range(counts[KEPT]):
        now.temper[s] = predict(belief, labels.context[s])
        chance, mass = symbol_chance(stakes, labels.action[s], labels.symbol[s], now.law, setting[NOISE])
        changed += 1.0 - (1.0 - rows * setting[NOISE]) * mass / chance
    if belief.mean.shape[0] > 0 and counts[KEPT] > 0 and counts[ABSORBED] == 0:
        labels_before = NOISY_LABELS + clear_labels(belief.theta.shape[0])
        setting[NOISE] = min(_MOST_NOISE / (rows + 1.0), changed / (counts[KEPT] + labels_before) / rows)
    fit(stakes, belief)
    invert(now.hessian, belief.covariance, now.direction)
    if 2 * counts[KEPT] >= labels.action.shape[0]:
        absorb(stakes, belief)


@kernel
def rescale(belief: Belief, moments: Moments) -> None:
    """Take the present means and scales, and change the units of m, S and A."""
    if belief.counts[ABSORBED] == 1:
        if not has_moved(belief, moments):
            return
        belief.counts[ABSORBED] = 0
        clear(belief.absorbed)
        for i in range(belief.theta.shape[0]):
            belief.pull[i] = 0.0
    features, size = belief.scratch.z.shape[0], belief.theta.shape[0]
    for k in range(features - 1):
        old, new = belief.scale[k], moments.scale[k]
        shift = (moments.mean[k] - belief.mean[k]) / old if old > 0.0 else 0.0
        ratio = new / old if old > 0.0 and new > 0.0 else 1.0
        belief.scale[k], belief.mean[k] = new, moments.mean[k]
        for i in range(k, size, features):
            belief.theta[i - k + features - 1] += shift * belief.theta[i]
            belief.theta[i] *= ratio
            for j in range(size):
                belief.covariance[i, j] *= ratio
                belief.covariance[j, i] *= ratio
                belief.future[i, j] /= ratio
                belief.future[j, i] /= ratio


@kernel
def set_precision(belief: Belief) -> None:
    """Set lambda from the last fit; intercepts do not count."""
    features, length, seen = belief.scratch.z.shape[0], float(belief.theta.shape[0]), float(belief.counts[SEEN])
    size = determined = 0.0
    for i in range(belief.theta.shape[0]):
        if i % features < features - 1:
            size += belief.theta[i] * belief.theta[i]
            determined += 1.0 - belief.setting[PRECISION] * belief.covariance[i, i]
    few = 2.0 * _HYPER * length / (length + seen)
    found = (max(0.0, determined) + few) / (size + few / START_PRECISION)
    belief.setting[PRECISION] = max(_LEAST_PRECISION, crowding(belief.theta.shape[0]) / (seen + 1.0), found)


@kernel
def fit(stakes: Stakes, belief: Belief) -> None:
    """Move m to the optimum by damped Newton steps; S makes room for Cholesky's factor."""
    now, theta = belief.scratch, belief.theta
    value, step, decrement = math.inf, 0.0, 0.0
    for _ in range(_PASSES):
        trial = derive(stakes, belief)
        if decrement < 1e-3 or trial <= value - 0.1 * step * decrement:
            ending = value < math.inf and decrement < 1e-3
            value, step = trial, 1.0
            cholesky(now.hessian, belief.covariance, theta.shape[0], 0.0, 0.0)
            solve(belief.covariance, now.gradient, now.direction)
            decrement = dot(now.gradient, now.direction)
            if ending or decrement < 1e-6:
                return
            change = 1.0
        else:
            step *= 0.5
            change = -step
        for i in range(theta.shape[0]):
            theta[i] += change * now.direction[i]


@large_kernel
def derive(stakes: Stakes, belief: Belief) -> float:
    """Set gradient and Hessian at m; return the objective."""
    now, theta, features = belief.scratch, belief.theta, belief.scratch.z.shape[0]
    objective = 0.0
    for i in range(theta.shape[0]):
        for j in range(theta.shape[0]):
            now.hessian[i, j] = belief.absorbed[i, j]
        now.hessian[i, i] += belief.setting[PRECISION] if i % features < features - 1 else START_PRECISION
        total = dot(now.hessian[i], theta)
        now.gradient[i] = belief.pull[i] - total
        objective += (0.5 * total - belief.pull[i]) * theta[i]
    for s in range(belief.counts[KEPT]):
        objective += add_label(stakes, belief, s)
    return objective


@large_kernel
def add_label(stakes: Stakes, belief: Belief, s: int) -> float:
    """Add one label's part of gradient and Hessian (its lower half) at m; return that of the objective."""
    labels, now, noise, temper = belief.labels, belief.scratch, belief.setting[NOISE], belief.scratch.temper[s]
    z, features, rows = now.z, now.z.shape[0], now.scores.shape[0]
    standardize(belief.mean, belief.scale, labels.context[s], z)
    z[features - 1] = 1.0
    for k in range(rows):
        now.scores[k] = dot(belief.theta[k * features : (k + 1) * features], z)
    set_law(now.scores, temper, noise, now.law)
    clear(now.weights)  # the information of the action
    for u in range(stakes.symbols[labels.action[s]]):
        chance = temper * set_score(stakes, labels.action[s], u, now.law, noise, now.score)
        for k in range(rows):
            for j in range(rows):
                now.weights[k, j] += chance * now.score[k] * now.score[j]
    chance = set_score(stakes, labels.action[s], labels.symbol[s], now.law, noise, now.score)
    for i in range(rows * features):
        k, row = i // features, now.hessian[i]
        feature = z[i - k * features]
        now.gradient[i] += now.score[k] * feature
        for j in range(k + 1):
            scaled = now.weights[k, j] * feature
            for c in range(min(features, i + 1 - j * features)):
                row[j * features + c] += scaled * z[c]
    return -math.log(chance) / temper


@kernel
def absorb(stakes: Stakes, belief: Belief) -> None:
    """Replace the older half of the labels by its quadratic approximation: its Hessian H, and gradient + H m."""
    labels, counts, now, theta = belief.labels, belief.counts, belief.scratch, belief.theta
    old, counts[ABSORBED] = counts[KEPT] // 2, 1
    clear(now.hessian)
    for i in range(theta.shape[0]):
        now.gradient[i] = 0.0
    for s in range(old):
        add_label(stakes, belief, s)
    counts[KEPT] -= old
    for s in range(counts[KEPT]):
        for k in range(labels.context.shape[1]):
            labels.context[s, k] = labels.context[s + old, k]
        labels.action[s], labels.symbol[s] = labels.action[s + old], labels.symbol[s + old]
    for i in range(theta.shape[0]):
        belief.pull[i] += now.gradient[i]
        for j in range(theta.shape[0]):
            entry = now.hessian[max(i, j), min(i, j)]
            belief.absorbed[i, j] += entry
            belief.pull[i] += entry * theta[j]
