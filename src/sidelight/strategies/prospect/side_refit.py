"""Refits of ProspectSide, in small portions: each round does a bounded amount of arithmetic, so no round stalls.

A refit takes the labels that are kept at its beginning, with the means and scales of the features then, and finds

- the precision lambda of the prior N(0, (2 lambda (I - 11'/M) x I)^-1), from how large the coefficients are and how
  much of them the labels have determined (the evidence approximation);
- eps, by one step of expectation maximization;
- m = argmin sum_s v_s nll(tau_s eta_s) / tau_s + prior + what stands for labels no longer kept, by Fisher scoring with
  halved steps; S is the inverse of its Hessian, tau and v are as in `side_posterior`;
- at 64 labels (more with many coefficients), each doubling and when the labels first fill their room: whether much
  more noise, with larger coefficients, explains them better (by Laplace's approximation of the evidence); small steps
  would not find this.

When there is no room for more labels, the least informative ones are replaced by their quadratic approximation at m.
Labels that come during a refit are applied one by one to the new posterior at its end, when it takes over.

The stages follow one another as `advance` says. Each unit of work visits one label, or solves one linear system.
"""

from __future__ import annotations

import math

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import dot, invert
from sidelight.strategies.prospect.side_fit import (
    ABSORB,
    ABSORBED_FLIPS,
    ADVANTAGE,
    BEST_NOISE,
    BEST_PRECISION,
    CANDIDATES,
    CATCH_UP,
    CLOSE,
    CUT,
    DERIVE,
    EVIDENCE,
    FINAL,
    FLIPS,
    IDLE,
    INVERT,
    LABEL,
    LAST_ROUND,
    LAST_SEEN,
    LINE,
    MAIN,
    MEASURE,
    NEXT_SEARCH,
    NOISE,
    OPEN,
    PRECISION,
    PREPARE,
    REFERENCE,
    ROLE,
    SNAPSHOT,
    SOLVE,
    SPREAD,
    STAGE,
    START_PRECISION,
    STEP,
    TARGET,
    Belief,
    capacity,
    coefficient_size,
    derive,
    evidence_of,
    find_direction,
    measure,
    open_fit,
    try_length,
)
from sidelight.strategies.prospect.side_model import (
    Stakes,
    localization,
    set_information,
    set_law,
    symbol_mass,
    symbol_probability,
    tempering,
)
from sidelight.strategies.prospect.side_posterior import (
    APPLIED,
    KEPT,
    LOCAL_FROM,
    LOCAL_WIDTH,
    SEEN,
    Scratch,
    learn,
    predict,
)
from sidelight.strategies.prospect.side_scale import rescale, rescale_products, spread

START_NOISE = 0.5 / 20.5
_HYPER = 0.02
_LEAST_PRECISION = 1e-4
_MOST_NOISE = 0.9
_EVERY = 60
_GROWTH = 1.1
_SEARCH_LENGTH = 6.0
_NEVER = 2**62


@kernel
def advance(stakes: Stakes, belief: Belief, t: int, quota: float, now: Scratch) -> None:
    """Apply new labels, and do some of the refit under way, or begin one that is due."""
    place, counts = belief.refit.place, belief.labels.counts
    rows, size = now.scores.shape[0], float(now.scores.shape[0] * now.z.shape[0])
    visit = 20.0 * (rows + 1.0) * (rows + 1.0)
    left = quota
    while left > 0.0:
        stage = place[STAGE]
        late = counts[APPLIED] < counts[KEPT]
        if late or (stage == CATCH_UP and place[LABEL] < counts[KEPT]):
            apply_label(stakes, belief, late, now)
            left -= label_work(size, rows)
            continue
        if stage == IDLE:
            if not is_due(belief, t):
                break
            begin(belief, t)
            left -= 10.0 * size * size
            continue
        now.valid[0] = 0
        if stage == PREPARE:
            prepare(stakes, belief, now)
            left -= size * size / rows + visit
        elif stage == OPEN:
            open_fit(belief)
            left -= 4.0 * size * size
        elif stage == DERIVE:
            derive(stakes, belief, now)
            left -= 0.5 * size * size + 2.0 * size + visit
        elif stage == SOLVE:
            find_direction(belief)
            left -= size * size * (size / 6.0 + 2.0)
        elif stage == MEASURE:
            measure(belief)
            left -= 4.0 * size * size
        elif stage == LINE:
            try_length(stakes, belief, now)
            left -= size + 0.5 * visit
        elif stage == CLOSE:
            close_fit(belief)
            left -= 2.0 * size * size
        elif stage == INVERT:
            set_posterior(belief)
            left -= size * size * (0.5 * size + 2.0)
        elif stage == ABSORB:
            absorb(stakes, belief, now)
            left -= size * size + visit
        else:
            take_over(belief)
            left -= 4.0 * size * size


@kernel
def label_work(size: float, rows: float) -> float:
    """Return how many multiplications it takes to apply a label."""
    return size * size * (rows + 1.0) + 80.0 * (rows + 1.0) * (rows + 1.0)


@kernel
def is_due(belief: Belief, t: int) -> bool:
    """Say whether there are enough new labels or rounds for a refit, or whether a feature's scale has changed."""
    place, posterior, moments = belief.refit.place, belief.posterior, belief.moments
    seen, last, full = belief.labels.counts[SEEN], place[LAST_SEEN], capacity(belief.labels)
    if seen > last and (seen < _EVERY or seen >= _GROWTH * last or belief.labels.counts[KEPT] >= full):
        return True
    if t >= 2 * place[LAST_ROUND]:
        return t > 1
    which = posterior.current[0]
    for k in range(moments.scale.shape[0]):
        moved = abs(moments.mean[k] - posterior.mean[which, k])
        if 0.5 * moments.scale[k] > posterior.scale[which, k] or moved > moments.scale[k]:
            return True
    return False


@kernel
def begin(belief: Belief, t: int) -> None:
    """Take the labels of this moment; put the old posterior into the new scales, to start from, and set lambda."""
    posterior, place, value = belief.posterior, belief.refit.place, belief.refit.value
    old = posterior.current[0]
    new = 1 - old
    features = posterior.mean.shape[1] + 1
    place[LABEL] = 0
    place[SNAPSHOT] = belief.labels.counts[KEPT]
    place[LAST_SEEN] = belief.labels.counts[SEEN]
    place[LAST_ROUND] = t
    value[SPREAD] = spread(posterior.theta[old], posterior.covariance[old], features)
    for k in range(features - 1):
        posterior.mean[new, k] = belief.moments.mean[k]
        posterior.scale[new, k] = belief.moments.scale[k]
    rescale(posterior, old)
    size, variance = coefficient_size(posterior.theta[new], posterior.covariance[new], features)
    free = (features - 1.0) * (posterior.theta.shape[1] // features)
    determined = max(0.0, free - posterior.precision[old] * variance)
    found = (determined + 2.0 * _HYPER) / (size + 2.0 * _HYPER / START_PRECISION)
    value[PRECISION] = max(_LEAST_PRECISION, 1.0 / (place[LAST_SEEN] + 1.0), found)
    value[NOISE] = posterior.noise[old]
    value[FLIPS] = value[ABSORBED_FLIPS]
    for i in range(posterior.theta.shape[1]):
        belief.refit.theta[i] = posterior.theta[new, i]
    place[ROLE] = MAIN
    place[STEP] = 0
    place[STAGE] = PREPARE if place[SNAPSHOT] > 0 else OPEN


@kernel
def prepare(stakes: Stakes, belief: Belief, now: Scratch) -> None:
    """Standardize one label's context, set its tau and v, and add the probability that noise changed its outcome."""
    posterior, labels, refit = belief.posterior, belief.labels, belief.refit
    place, value = refit.place, refit.value
    s, noise = place[LABEL], value[NOISE]
    predict(posterior, 1 - posterior.current[0], labels.context[s], now)
    for c in range(now.z.shape[0]):
        refit.features[s, c] = now.z[c]
    refit.temper[s] = tempering(now.scores, now.variance, now.law)
    set_law(now.scores, refit.temper[s], now.law)
    refit.weight[s] = 1.0
    if place[LAST_SEEN] > LOCAL_FROM:
        refit.weight[s] = localization(stakes, now.law, noise, LOCAL_WIDTH)
    value[FLIPS] += flip_probability(stakes, labels.action[s], labels.symbol[s], now.law, noise)
    place[LABEL] = s + 1
    if s + 1 == place[SNAPSHOT]:
        outcomes = now.law.shape[0]
        rate = (value[FLIPS] + 0.5) / (place[LAST_SEEN] + 20.5)
        value[NOISE] = min(_MOST_NOISE / outcomes, rate / (outcomes - 1.0))
        place[STAGE] = OPEN


@kernel
def flip_probability(stakes: Stakes, action: int, symbol: int, law: Floats, noise: float) -> float:
    """Return the probability that noise changed the outcome of a symbol that was seen."""
    mass, count = symbol_mass(stakes, action, symbol, law)
    return noise * (count - mass) / symbol_probability(mass, count, law.shape[0], noise)


@kernel
def close_fit(belief: Belief) -> None:
    """End a fit: the main one and the last become the posterior, those between are compared."""
    refit = belief.refit
    place, value, role = refit.place, refit.value, refit.place[ROLE]
    if role in (MAIN, FINAL):
        place[STAGE] = INVERT
        return
    evidence = evidence_of(refit)
    if role == REFERENCE or evidence < value[EVIDENCE] - ADVANTAGE:
        value[EVIDENCE] = evidence
        value[BEST_NOISE] = value[NOISE]
        value[BEST_PRECISION] = value[PRECISION]
        for i in range(refit.theta.shape[0]):
            refit.best[i] = refit.theta[i]
    compare_next(belief)


@kernel
def compare_next(belief: Belief) -> None:
    """Begin the fit with the next higher noise, or the last one with the best noise; none if the noise is unchanged."""
    posterior, refit = belief.posterior, belief.refit
    place, value = refit.place, refit.value
    new = 1 - posterior.current[0]
    features = refit.features.shape[1]
    rows = refit.theta.shape[0] // features
    role = place[ROLE] + 1
    while role < FINAL and candidate_rate(role) <= rows * posterior.noise[new]:
        role += 1
    place[ROLE] = role
    place[STEP] = 0
    place[STAGE] = OPEN
    if role < FINAL:
        size, _ = coefficient_size(posterior.theta[new], posterior.covariance[new], features)
        size = max(size, 1e-6)
        factor = max(1.0, _SEARCH_LENGTH / math.sqrt(size))
        for i in range(refit.theta.shape[0]):
            refit.theta[i] = factor * posterior.theta[new, i]
        value[NOISE] = candidate_rate(role) / rows
        value[PRECISION] = rows * (features - 1.0) / (size * factor * factor)
    elif value[BEST_NOISE] == posterior.noise[new]:
        settle(belief, True)
    else:
        value[NOISE] = value[BEST_NOISE]
        value[PRECISION] = value[BEST_PRECISION]
        for i in range(refit.theta.shape[0]):
            refit.theta[i] = refit.best[i]


@kernel
def candidate_rate(role: int) -> float:
    """Return the rate of changed outcomes that a comparison tries."""
    if role == CANDIDATES:
        return 0.05
    return 0.12 if role == CANDIDATES + 1 else 0.22


@kernel
def set_posterior(belief: Belief) -> None:
    """Set the new posterior from a fit, and go on to compare it with more noise if that is due."""
    posterior, refit = belief.posterior, belief.refit
    place, value = refit.place, refit.value
    new, seen, first = 1 - posterior.current[0], place[LAST_SEEN], place[ROLE] == MAIN
    invert(refit.hessian, posterior.covariance[new], refit.direction)
    posterior.noise[new] = value[NOISE]
    posterior.precision[new] = value[PRECISION]
    for i in range(refit.theta.shape[0]):
        posterior.theta[new, i] = refit.theta[i]
    if first and seen >= place[NEXT_SEARCH]:
        full = capacity(belief.labels)
        place[NEXT_SEARCH] = 2 * seen if 2 * seen < full or seen >= full else full
        place[ROLE] = REFERENCE
        place[STEP] = 0
        place[STAGE] = OPEN
    else:
        settle(belief, not first)


@kernel
def settle(belief: Belief, searched: bool) -> None:
    """Go on to absorb labels if their room is full (not after a search, which left other weights), or to the end."""
    place, value = belief.refit.place, belief.refit.value
    if searched or place[SNAPSHOT] < capacity(belief.labels):
        place[LABEL] = place[SNAPSHOT]
        place[STAGE] = CATCH_UP
    else:
        place[LABEL] = place[TARGET] = 0
        place[NEXT_SEARCH] = _NEVER
        place[STAGE] = ABSORB
        value[CUT] = median(belief.refit.information, place[SNAPSHOT])


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


@kernel
def absorb(stakes: Stakes, belief: Belief, now: Scratch) -> None:
    """Replace one label by its quadratic approximation, or keep it, moving it to the next free place."""
    labels, refit = belief.labels, belief.refit
    place = refit.place
    s, target = place[LABEL], place[TARGET]
    room = 4 * (s - target) < 3 * capacity(labels)
    if s < place[SNAPSHOT] and room and refit.information[s] <= refit.value[CUT]:
        add_quadratic(stakes, belief, s, now)
    else:
        for k in range(labels.context.shape[1]):
            labels.context[target, k] = labels.context[s, k]
        labels.action[target] = labels.action[s]
        labels.symbol[target] = labels.symbol[s]
        place[TARGET] = target + 1
    place[LABEL] = s + 1
    if s + 1 == labels.counts[KEPT]:
        place[LABEL] = place[TARGET] - (labels.counts[KEPT] - place[SNAPSHOT])
        labels.counts[KEPT] = labels.counts[APPLIED] = place[TARGET]
        place[STAGE] = CATCH_UP


@kernel
def add_quadratic(stakes: Stakes, belief: Belief, s: int, now: Scratch) -> None:
    """Add a label's log-likelihood, expanded at m: its Hessian H to the absorbed ones, gradient + H m to the pull."""
    posterior, labels, refit = belief.posterior, belief.labels, belief.refit
    new, z, features, noise = 1 - posterior.current[0], refit.features[s], now.z.shape[0], refit.value[NOISE]
    rows = now.scores.shape[0]
    set_law(refit.scores[s], refit.temper[s], now.law)
    weight = refit.weight[s] * refit.temper[s]
    action, symbol = labels.action[s], labels.symbol[s]
    refit.value[ABSORBED_FLIPS] += flip_probability(stakes, action, symbol, now.law, noise)
    set_information(stakes, action, symbol, now.law, noise, weight, now.score, now.seen, now.information)
    for k in range(rows):
        total = refit.weight[s] * now.seen[k] + dot(now.information[k], refit.scores[s])
        for c in range(features):
            posterior.pull[new, k * features + c] += total * z[c]
            for j in range(rows):
                scaled = now.information[k, j] * z[c]
                row = posterior.absorbed[new, k * features + c]
                for other in range(features):
                    row[j * features + other] += scaled * z[other]


@kernel
def apply_label(stakes: Stakes, belief: Belief, late: bool, now: Scratch) -> None:
    """Take the next label into the posterior that decides, or one that came during the refit into the new one."""
    posterior, labels, place = belief.posterior, belief.labels, belief.refit.place
    s, which, seen = labels.counts[APPLIED], posterior.current[0], labels.counts[SEEN]
    if late:
        labels.counts[APPLIED] = s + 1
    else:
        s, which, seen = place[LABEL], 1 - which, place[LAST_SEEN]
        place[LABEL] = s + 1
    learn(stakes, posterior, which, seen, labels.action[s], labels.symbol[s], labels.context[s], now)


@kernel
def take_over(belief: Belief) -> None:
    """Let the new posterior decide from now on."""
    posterior, value = belief.posterior, belief.refit.value
    new, features = 1 - posterior.current[0], posterior.mean.shape[1] + 1
    rescale_products(posterior, posterior.current[0], belief.future)
    belief.fading[0] *= math.sqrt(value[SPREAD] / spread(posterior.theta[new], posterior.covariance[new], features))
    posterior.current[0] = new
    belief.refit.place[STAGE] = IDLE
