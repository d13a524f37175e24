"""How ProspectSide fits its model to the labels: at once, whenever their number has grown by a tenth.

A refit takes all labels that are kept, with the means and scales of the features at that time, and finds

- the precision lambda of the prior N(0, (2 lambda (I - 11'/M) x I)^-1), from how large the coefficients are and how
  much of them the labels have determined (the evidence approximation), near the first one while labels are few;
- eps, by one step of expectation maximization;
- at 64 labels (more with many coefficients) and each doubling: whether much more noise, with larger coefficients,
  explains them better (by Laplace's approximation of the evidence); small steps would not find this;
- m = argmin sum_s nll(tau_s eta_s) / tau_s + prior + what stands for labels no longer kept, by Fisher scoring with
  halved steps. tau = 1 / sqrt(1 + pi v / 8), v being the variance of the label's score, makes this a Gaussian
  variational fit: with Laplace's method separable labels send variances to infinity;
- S, the inverse of the Hessian at m, in which the information of each label is multiplied by `curvature_to_border`. The
  likelihood of a label far from every border is flat at m but falls off on the way to the border: with its curvature at
  m, S would say that what twenty labels exclude may well be.

When the labels fill half of their room, the less informative half is replaced by its quadratic approximation at m, and
means and scales stay as they are, unless a feature moves far from them: then what was replaced is forgotten.
"""

from __future__ import annotations

import math

from sidelight.kernels import kernel, large_kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import cholesky, copy, dot, fill, invert, solve
from sidelight.strategies.prospect.side_belief import (
    ABSORBED,
    FADING,
    FEW_COEFFICIENTS,
    FITTED,
    KEPT,
    LAST_ROUND,
    NEXT_SEARCH,
    NOISE,
    PRECISION,
    SEEN,
    START_PRECISION,
    Belief,
    predict,
    prior_factor,
    symbol_chance,
)
from sidelight.strategies.prospect.side_model import Stakes, curvature_to_border, set_information, set_law, symbol_mass
from sidelight.strategies.shared.standardization import Moments

_HYPER = 0.3  # with less, few labels of one symbol seem to prove that contexts mean nothing
_LEAST_PRECISION = 1e-4
_MOST_NOISE = 0.9
_EVERY = 60
_GROWTH = 1.1
_ADVANTAGE = 1.0  # by how much the evidence must be better with more noise
_SEARCH_LENGTH = 6.0
_RATES = (0.0, 0.05, 0.12, 0.22)  # of changed outcomes; first what there is
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
    counts, setting, now = belief.counts, belief.setting, belief.scratch
    before = spread(belief)
    rescale(belief, moments)
    counts[FITTED], counts[LAST_ROUND] = counts[SEEN], t
    set_precision(belief)
    flips = 0.0
    for s in range(counts[KEPT]):
        flips += prepare(stakes, belief, s)
    if belief.mean.shape[0] > 0 and counts[KEPT] > 0 and counts[ABSORBED] == 0:
        rows = stakes.loss.shape[1] - 1.0
        setting[NOISE] = min(_MOST_NOISE / (rows + 1.0), (flips + 0.5) / (counts[SEEN] + 20.5) / rows)
        if counts[SEEN] >= counts[NEXT_SEARCH]:
            counts[NEXT_SEARCH] = 2 * counts[SEEN]
            search(stakes, belief)
    fit(stakes, belief, 1.0)
    if belief.mean.shape[0] > 0:
        derive(stakes, belief, 1.0, True)
    invert(now.hessian, belief.covariance, now.direction)
    setting[FADING] *= math.sqrt(before / spread(belief))
    if 2 * counts[KEPT] >= belief.labels.action.shape[0]:
        absorb(stakes, belief)


@kernel
def spread(belief: Belief) -> float:
    """Return the spread of scores; the weights of contexts are inversely proportional to its square root."""
    features = belief.scratch.z.shape[0]
    rows = belief.theta.shape[0] // features
    size = variance = 0.0
    for i in range(belief.theta.shape[0]):
        if i % features < features - 1:
            size += belief.theta[i] * belief.theta[i]
        variance += belief.covariance[i, i]
    return (size + variance) / rows * (1.0 + 0.16 * variance / rows)


@kernel
def rescale(belief: Belief, moments: Moments) -> None:
    """Take the present means and scales, and change the units of m, S and A."""
    if belief.counts[ABSORBED] == 1:
        if not has_moved(belief, moments):
            return
        belief.counts[ABSORBED] = 0
        fill(belief.pull, 0.0)
        for i in range(belief.theta.shape[0]):
            fill(belief.absorbed[i], 0.0)
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
def coefficient_size(belief: Belief) -> tuple[float, float]:
    """Return m'K m and tr(K S) without intercepts, K = 2 (I - 11'/M) x I."""
    features, theta = belief.scratch.z.shape[0], belief.theta
    rows = theta.shape[0] // features
    size = variance = 0.0
    for k in range(rows):
        for j in range(rows):
            factor = prior_factor(k, j, rows)
            for c in range(features - 1):
                size += factor * theta[k * features + c] * theta[j * features + c]
                variance += factor * belief.covariance[k * features + c, j * features + c]
    return size, variance


@kernel
def set_precision(belief: Belief) -> None:
    """Set lambda from the last fit."""
    features = belief.scratch.z.shape[0]
    size, variance = coefficient_size(belief)
    free = (features - 1.0) * (belief.theta.shape[0] // features)
    determined = max(0.0, free - belief.setting[PRECISION] * variance)
    scarcity = belief.theta.shape[0] / (belief.theta.shape[0] + float(belief.counts[SEEN]))
    found = (determined + 2.0 * _HYPER * scarcity) / (size + 2.0 * _HYPER * scarcity / START_PRECISION)
    crowding = max(1.0, belief.theta.shape[0] / FEW_COEFFICIENTS)  # many coefficients separate few labels
    least = crowding * crowding / (belief.counts[SEEN] + 1.0)
    belief.setting[PRECISION] = max(_LEAST_PRECISION, least, found)


@large_kernel
def prepare(stakes: Stakes, belief: Belief, s: int) -> float:
    """Set features and tau of a label; return the probability that noise changed its outcome."""
    labels, now, noise = belief.labels, belief.scratch, belief.setting[NOISE]
    now.temper[s] = predict(belief, labels.context[s])
    copy(now.z, now.features[s])
    mass, count = symbol_mass(stakes, labels.action[s], labels.symbol[s], now.law)
    return noise * (count - mass) / symbol_chance(stakes, belief, labels.action[s], labels.symbol[s])


@large_kernel
def fit(stakes: Stakes, belief: Belief, tempered: float) -> float:
    """Move m to the optimum by damped Newton steps; return minus the log of the evidence, by Laplace's method.

    `tempered` is 1, or 0 for all tau = 1.
    """
    now, theta = belief.scratch, belief.theta
    value, length, decrement = math.inf, 1.0, 0.0
    for _ in range(_PASSES):
        trial = derive(stakes, belief, tempered, False)
        if decrement < 1e-3 or trial <= value - 0.1 * length * decrement:
            ending = value < math.inf and decrement < 1e-3
            value, length = trial, 1.0
            decrement = find_direction(belief)
            if ending or decrement < 1e-6:
                break
            copy(theta, now.start)
        else:
            length *= 0.5
        for i in range(theta.shape[0]):
            theta[i] = now.start[i] + length * now.direction[i]
    return value + correction(belief)


@kernel
def find_direction(belief: Belief) -> float:
    """Set the Newton direction; return twice the decrease that it promises. S makes room for Cholesky's factor."""
    now = belief.scratch
    cholesky(now.hessian, belief.covariance, now.gradient.shape[0], 0.0, 0.0)
    solve(belief.covariance, now.gradient, now.direction)
    return dot(now.gradient, now.direction)


@kernel
def correction(belief: Belief) -> float:
    """Return what the evidence adds to the objective: (log |F| - log |prior|) / 2 and the prior of the noise."""
    size, features = belief.theta.shape[0], belief.scratch.z.shape[0]
    rows = size // features
    rate = rows * belief.setting[NOISE]
    total = -0.5 * rows * (features - 1.0) * math.log(belief.setting[PRECISION])
    if rate > 0.0:
        total -= 0.5 * math.log(rate) + 20.0 * math.log(1.0 - rate)
    for i in range(size):
        total += math.log(belief.covariance[i, i])
    return total


@kernel
def derive(stakes: Stakes, belief: Belief, tempered: float, to_border: bool) -> float:
    """Set gradient and Hessian at m, with `to_border` for S; return the objective."""
    now, theta, features = belief.scratch, belief.theta, belief.scratch.z.shape[0]
    rows = theta.shape[0] // features
    objective = 0.0
    for i in range(theta.shape[0]):
        total = 0.0
        for j in range(theta.shape[0]):
            entry = belief.absorbed[i, j]
            if i % features == j % features:
                own = belief.setting[PRECISION] if i % features < features - 1 else START_PRECISION
                entry += own * prior_factor(i // features, j // features, rows)
            now.hessian[i, j] = entry
            total += entry * theta[j]
        now.gradient[i] = belief.pull[i] - total
        objective += (0.5 * total - belief.pull[i]) * theta[i]
    for s in range(belief.counts[KEPT]):
        objective += add_label(stakes, belief, s, now.temper[s] if tempered > 0.0 else 1.0, to_border)
    return objective


@large_kernel
def add_label(stakes: Stakes, belief: Belief, s: int, temper: float, to_border: bool) -> float:
    """Add one label's part of gradient and Hessian (its lower half) at m; return that of the objective."""
    labels, now, noise = belief.labels, belief.scratch, belief.setting[NOISE]
    z, features, rows = now.features[s], now.z.shape[0], now.scores.shape[0]
    for k in range(rows):
        now.scores[k] = dot(belief.theta[k * features : (k + 1) * features], z)
    set_law(now.scores, temper, now.law)
    action, symbol, scale = labels.action[s], labels.symbol[s], temper
    if to_border:
        scale *= curvature_to_border(stakes, now.law, noise)
    set_information(stakes, action, symbol, now.law, noise, scale, now.score, now.seen, now.information)
    now.told[s] = 0.0
    for k in range(rows):
        now.told[s] += now.information[k, k]
        for c in range(features):
            now.gradient[k * features + c] += now.seen[k] * z[c]
            row = now.hessian[k * features + c]
            for j in range(k + 1):
                scaled = now.information[k, j] * z[c]
                for other in range(c + 1 if j == k else features):
                    row[j * features + other] += scaled * z[other]
    return -math.log(symbol_chance(stakes, belief, action, symbol)) / temper


@kernel
def search(stakes: Stakes, belief: Belief) -> None:
    """Try higher noise with larger coefficients, and keep what explains the labels best."""
    theta, setting, now = belief.theta, belief.setting, belief.scratch
    rows = now.scores.shape[0]
    size = max(coefficient_size(belief)[0], 1e-6)
    factor = max(1.0, _SEARCH_LENGTH / math.sqrt(size))
    noise, precision, least = setting[NOISE], setting[PRECISION], math.inf
    copy(theta, now.base)
    for rate in _RATES:
        if rate > 0.0:
            if rate <= rows * noise:
                continue
            setting[NOISE] = rate / rows
            setting[PRECISION] = rows * (now.z.shape[0] - 1.0) / (size * factor * factor)
            for i in range(theta.shape[0]):
                theta[i] = factor * now.base[i]
        evidence = fit(stakes, belief, 0.0)
        if rate == 0.0 or evidence < least - _ADVANTAGE:
            least, noise, precision = evidence, setting[NOISE], setting[PRECISION]
            copy(theta, now.found)
    setting[NOISE], setting[PRECISION] = noise, precision
    copy(now.found, theta)


@kernel
def absorb(stakes: Stakes, belief: Belief) -> None:
    """Replace the labels that say least by their quadratic approximation: its Hessian H, and gradient + H m."""
    labels, counts, now, theta = belief.labels, belief.counts, belief.scratch, belief.theta
    cut = median(now.told, counts[KEPT])
    counts[ABSORBED] = 1
    fill(now.gradient, 0.0)
    for i in range(theta.shape[0]):
        fill(now.hessian[i], 0.0)
    kept = 0
    for s in range(counts[KEPT]):
        if now.told[s] <= cut and 4 * (s - kept) < 3 * counts[KEPT]:
            add_label(stakes, belief, s, now.temper[s], False)
        else:
            copy(labels.context[s], labels.context[kept])
            labels.action[kept], labels.symbol[kept] = labels.action[s], labels.symbol[s]
            kept += 1
    counts[KEPT] = kept
    for i in range(theta.shape[0]):
        belief.pull[i] += now.gradient[i]
        for j in range(theta.shape[0]):
            entry = now.hessian[max(i, j), min(i, j)]
            belief.absorbed[i, j] += entry
            belief.pull[i] += entry * theta[j]


@kernel
def median(numbers: Floats, count: int) -> float:
    """Return the median of numbers of at least 0, roughly, by bisection."""
    low = high = 0.0
    for s in range(count):
        high = max(high, numbers[s])
    for _ in range(16):
        middle = 0.5 * (low + high)
        below = 0
        for s in range(count):
            below += 1 if numbers[s] <= middle else 0
        if 2 * below < count:
            low = middle
        else:
            high = middle
    return high
