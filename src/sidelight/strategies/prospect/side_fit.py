"""One penalized fit of ProspectSide, done in units of one label or one linear system (see `side_refit`).

Minimizes sum_s v_s nll(tau_s eta_s) / tau_s + prior + what stands for labels no longer kept by Fisher scoring with
halved steps. The stages of a fit are OPEN (the fixed parts of objective, gradient and Hessian), DERIVE (those of each
label), SOLVE (the direction), MEASURE and LINE (the objective at a step along it, of the fixed parts and of each label)
and CLOSE.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import cholesky, dot, solve
from sidelight.strategies.prospect.side_model import (
    Stakes,
    set_information,
    set_law,
    symbol_mass,
    symbol_probability,
)
from sidelight.strategies.prospect.side_posterior import Labels, Posterior, Scratch
from sidelight.strategies.shared.standardization import Moments

_LEAST_CAPACITY = 1000
_LABELS_PER_COEFFICIENT = 60
START_PRECISION = 0.2
ADVANTAGE = 1.0
"""By how much the evidence must be better with more noise."""
_FIRST_SEARCH = 64
_FEW_COEFFICIENTS = 12
_STEPS = 10
_HALVINGS = 12

# The stages, in their order: a fit is OPEN to CLOSE.
IDLE, PREPARE, OPEN, DERIVE, SOLVE, MEASURE, LINE, CLOSE, INVERT, ABSORB, CATCH_UP = range(11)
# What a fit is made for: the new posterior, comparisons with other noise, or the posterior with the noise found.
MAIN, REFERENCE, CANDIDATES, FINAL = 0, 1, 2, 5
# The places in `place`.
STAGE, LABEL, STEP, HALVING, ROLE, SNAPSHOT, TARGET, NEXT_SEARCH, LAST_SEEN, LAST_ROUND = range(10)
# The places in `value`.
OBJECTIVE, TRIAL, DECREMENT, LENGTH, PRECISION, NOISE, FLIPS, ABSORBED_FLIPS, SPREAD, CUT = range(10)
EVIDENCE, BEST_NOISE, BEST_PRECISION = 10, 11, 12


class Refit(NamedTuple):
    """Where a refit stands."""

    place: Integers
    value: Floats
    features: Floats  # (room, d + 1)
    temper: Floats  # (room,): tau
    weight: Floats  # (room,): v
    scores: Floats  # (room, E): eta
    change: Floats  # (room, E): of eta, along the direction
    information: Floats  # (room,): trace of tau W
    theta: Floats  # (P,)
    best: Floats  # (P,)
    gradient: Floats  # (P,)
    direction: Floats  # (P,)
    hessian: Floats  # (P, P)
    factor: Floats  # (P, P)


class Belief(NamedTuple):
    """All that was learned."""

    moments: Moments
    posterior: Posterior
    labels: Labels
    refit: Refit
    future: Floats  # (P, P): A, but for a factor
    fading: Floats  # (1,): the factor


def room_for(outcomes: int, dimension: int) -> int:
    """Return how many labels there is room for: twice as many as a refit looks at before some are absorbed.

    Labels that are absorbed too early, while the coefficients are far from what they will be, mislead for good.
    """
    return 2 * max(_LEAST_CAPACITY, _LABELS_PER_COEFFICIENT * (outcomes - 1) * (dimension + 1))


def first_search(size: int) -> int:
    """Return after how many labels noise is first searched for.

    With many coefficients a few labels can be separated under any law; noise and ever larger coefficients then seem to
    explain them better.
    """
    return round(_FIRST_SEARCH * max(1.0, (size / _FEW_COEFFICIENTS) ** 2))


@kernel
def capacity(labels: Labels) -> int:
    """Return how many labels a refit looks at before the less informative ones are absorbed."""
    return labels.action.shape[0] // 2


def new_refit(outcomes: int, dimension: int) -> Refit:
    """Return an idle refit."""
    rows, features, room = outcomes - 1, dimension + 1, room_for(outcomes, dimension)
    place = np.zeros(10, np.int64)
    size = rows * features
    place[NEXT_SEARCH] = first_search(size)
    return Refit(
        place=place,
        value=np.zeros(13),
        features=np.zeros((room, features)),
        temper=np.ones(room),
        weight=np.ones(room),
        scores=np.zeros((room, rows)),
        change=np.zeros((room, rows)),
        information=np.zeros(room),
        theta=np.zeros(size),
        best=np.zeros(size),
        gradient=np.zeros(size),
        direction=np.zeros(size),
        hessian=np.zeros((size, size)),
        factor=np.zeros((size, size)),
    )


@kernel
def prior_factor(k: int, j: int, rows: int) -> float:
    """Return an entry of 2 (I - 11'/M)."""
    return 2.0 * ((1.0 if k == j else 0.0) - 1.0 / (rows + 1.0))


@kernel
def fixed_entry(belief: Belief, i: int, j: int) -> float:
    """Return an entry of the Hessian's part that does not depend on the labels that are kept."""
    posterior, refit = belief.posterior, belief.refit
    features = refit.features.shape[1]
    entry = posterior.absorbed[1 - posterior.current[0], i, j]
    c = i % features
    if c == j % features:
        own = refit.value[PRECISION] if c < features - 1 else START_PRECISION
        entry += own * prior_factor(i // features, j // features, refit.theta.shape[0] // features)
    return entry


@kernel
def open_fit(belief: Belief) -> None:
    """Set objective, gradient and Hessian to the parts of the prior and of the labels that were absorbed."""
    refit, pull = belief.refit, belief.posterior.pull[1 - belief.posterior.current[0]]
    objective = 0.0
    for i in range(refit.theta.shape[0]):
        total = 0.0
        for j in range(refit.theta.shape[0]):
            entry = fixed_entry(belief, i, j)
            refit.hessian[i, j] = entry
            total += entry * refit.theta[j]
        refit.gradient[i] = pull[i] - total
        objective += (0.5 * total - pull[i]) * refit.theta[i]
    refit.value[OBJECTIVE] = objective
    refit.place[LABEL] = 0
    refit.place[STAGE] = DERIVE if refit.place[SNAPSHOT] > 0 else SOLVE


@kernel
def temper_of(refit: Refit, s: int) -> float:
    """Return tau of a label; fits that are compared do without."""
    return refit.temper[s] if refit.place[ROLE] == MAIN else 1.0


@kernel
def label_objective(stakes: Stakes, labels: Labels, refit: Refit, s: int, scores: Floats, law: Floats) -> float:
    """Return v nll(tau eta) / tau of a label, after setting the law."""
    temper = temper_of(refit, s)
    set_law(scores, temper, law)
    mass, count = symbol_mass(stakes, labels.action[s], labels.symbol[s], law)
    probability = symbol_probability(mass, count, law.shape[0], refit.value[NOISE])
    return -refit.weight[s] * math.log(probability) / temper


@kernel
def derive(stakes: Stakes, belief: Belief, now: Scratch) -> None:
    """Add one label's part of objective, gradient and Hessian."""
    labels, refit = belief.labels, belief.refit
    s, noise = refit.place[LABEL], refit.value[NOISE]
    z, features = refit.features[s], now.z.shape[0]
    for k in range(now.scores.shape[0]):
        total = 0.0
        for c in range(features):
            total += refit.theta[k * features + c] * z[c]
        refit.scores[s, k] = total
    refit.value[OBJECTIVE] += label_objective(stakes, labels, refit, s, refit.scores[s], now.law)
    weight = refit.weight[s] * temper_of(refit, s)
    action, symbol = labels.action[s], labels.symbol[s]
    set_information(stakes, action, symbol, now.law, noise, weight, now.score, now.seen, now.information)
    refit.information[s] = 0.0
    for k in range(now.scores.shape[0]):
        refit.information[s] += now.information[k, k]
        error = refit.weight[s] * now.seen[k]
        for c in range(features):
            refit.gradient[k * features + c] += error * z[c]
    add_curvature(refit.hessian, now.information, z)
    refit.place[LABEL] = s + 1
    if s + 1 == refit.place[SNAPSHOT]:
        refit.place[STAGE] = SOLVE


@kernel
def add_curvature(matrix: Floats, information: Floats, z: Floats) -> None:
    """Add W x z z' to the lower half of a matrix."""
    features = z.shape[0]
    for k in range(information.shape[0]):
        for j in range(k + 1):
            if information[k, j] != 0.0:
                for c in range(features):
                    scaled = information[k, j] * z[c]
                    row = matrix[k * features + c]
                    for other in range(c + 1 if j == k else features):
                        row[j * features + other] += scaled * z[other]


@kernel
def find_direction(belief: Belief) -> None:
    """Solve for the Newton direction; a fit whose expected decrease is next to nothing ends here."""
    refit = belief.refit
    cholesky(refit.hessian, refit.factor, refit.theta.shape[0], 0.0, 0.0)
    solve(refit.factor, refit.gradient, refit.direction)
    refit.value[DECREMENT] = dot(refit.gradient, refit.direction)
    refit.value[LENGTH] = 1.0
    refit.place[HALVING] = 0
    refit.place[STAGE] = CLOSE if refit.value[DECREMENT] < 1e-6 or is_hopeless(refit) else MEASURE


@kernel
def is_hopeless(refit: Refit) -> bool:
    """Say whether a comparison is lost: the objective is expected to fall by half the decrement more."""
    role, value = refit.place[ROLE], refit.value
    return CANDIDATES <= role < FINAL and evidence_of(refit) - value[DECREMENT] > value[EVIDENCE] - ADVANTAGE


@kernel
def evidence_of(refit: Refit) -> float:
    """Return minus the log of the evidence, by Laplace's method, with the prior of the noise."""
    value, size, features = refit.value, refit.theta.shape[0], refit.features.shape[1]
    rows = size // features
    rate = rows * value[NOISE]
    evidence = value[OBJECTIVE] - 0.5 * math.log(rate) - 20.0 * math.log(1.0 - rate)
    evidence -= 0.5 * rows * (features - 1.0) * math.log(value[PRECISION])
    for i in range(size):
        evidence += math.log(refit.factor[i, i])
    return evidence


@kernel
def measure(belief: Belief) -> None:
    """Set the trial objective to the parts of the prior and of the labels that were absorbed."""
    refit, pull = belief.refit, belief.posterior.pull[1 - belief.posterior.current[0]]
    length = refit.value[LENGTH]
    objective = 0.0
    for i in range(refit.theta.shape[0]):
        total = 0.0
        for j in range(refit.theta.shape[0]):
            total += fixed_entry(belief, i, j) * (refit.theta[j] + length * refit.direction[j])
        objective += (0.5 * total - pull[i]) * (refit.theta[i] + length * refit.direction[i])
    refit.value[TRIAL] = objective
    refit.place[STAGE] = LINE
    refit.place[LABEL] = 0


@kernel
def try_length(stakes: Stakes, belief: Belief, now: Scratch) -> None:
    """Add one label's part of the trial objective."""
    refit, features = belief.refit, now.z.shape[0]
    s = refit.place[LABEL]
    for k in range(now.scores.shape[0]):
        if refit.place[HALVING] == 0:
            total = 0.0
            for c in range(features):
                total += refit.direction[k * features + c] * refit.features[s, c]
            refit.change[s, k] = total
        now.moved[k] = refit.scores[s, k] + refit.value[LENGTH] * refit.change[s, k]
    refit.value[TRIAL] += label_objective(stakes, belief.labels, refit, s, now.moved, now.law)
    refit.place[LABEL] = s + 1
    if s + 1 == refit.place[SNAPSHOT]:
        judge_length(refit)


@kernel
def judge_length(refit: Refit) -> None:
    """Accept the step or halve it; near the optimum full steps need no watching, and one is enough."""
    place, value = refit.place, refit.value
    close = value[DECREMENT] < 1e-3
    if close or value[TRIAL] <= value[OBJECTIVE] - 0.1 * value[LENGTH] * value[DECREMENT]:
        for i in range(refit.theta.shape[0]):
            refit.theta[i] += value[LENGTH] * refit.direction[i]
        value[OBJECTIVE] = value[TRIAL]
        place[STEP] += 1
        place[STAGE] = CLOSE if close or place[STEP] == _STEPS else OPEN
    elif place[HALVING] + 1 == _HALVINGS:
        place[STAGE] = CLOSE
    else:
        place[HALVING] += 1
        value[LENGTH] *= 0.5
        place[STAGE] = MEASURE


@kernel
def coefficient_size(theta: Floats, covariance: Floats, features: int) -> tuple[float, float]:
    """Return m'K m and tr(K S) without intercepts, K = 2 (I - 11'/M) x I."""
    rows = theta.shape[0] // features
    size = variance = 0.0
    for k in range(rows):
        for j in range(rows):
            factor = prior_factor(k, j, rows)
            for c in range(features - 1):
                size += factor * theta[k * features + c] * theta[j * features + c]
                variance += factor * covariance[k * features + c, j * features + c]
    return size, variance
