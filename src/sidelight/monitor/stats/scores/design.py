"""How often to verify predictions in each bin of scores, so that a verdict takes few labels.

Let g_b be the error rates of bins as they seem to be, with the mean p over the shares q_b of bins, and f_b the same
rates with their logits shifted so that their mean is the tolerance τ. Of all rates g⁰ with mean τ, those that are
hardest to tell from g have the same Kullback-Leibler distance KL(g_b, g⁰_b) in every bin, and an optimal sampler
verifies the bin b with a propensity proportional to

    g⁰_b (1 - g⁰_b) / |g⁰_b - g_b|.

Passed predictions cost time: the propensities are scaled up by powers of 1.35, clipped to [0.2, 1], and the scale with
the least log(labels) + 0.25 log(predictions) is taken, both computed from the expected growth of the logarithm of the
evidence. Verifying everything is among the candidates.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.monitor.stats.scores.bins import BINS, Array, logistic_of_score

FLOOR = 0.2
"""The least propensity."""
_NEAREST = 0.15
"""A design aims at a rate at least this far from the tolerance, as a share of it."""
_LEAST_RATE = 0.02
_DELAY_WEIGHT = 0.25
_SCALE = 1.35
_SCALES = _SCALE ** np.arange(13.0)
_STEPS, _HALVINGS = 30, 14
_PRECISION = 1e-9
_LARGEST_STEP = 2.0
_SAFE = 0.999


class Design(NamedTuple):
    """How predictions are verified from now on."""

    propensities: Array
    centres: Array
    """f_b"""
    labels: float
    """Labels that add 1 to the logarithm of the evidence, if the rates are what they seem to be."""


def scored_bet_outcomes(propensities: Array, centres: Array) -> Array:
    """Return z = f + ξ (y - f) / π by bin for a pass (ξ = 0), a right (y = 0) and a wrong answer (y = 1)."""
    return np.stack([centres, centres - centres / propensities, centres + (1.0 - centres) / propensities], axis=-1)


def optimal_propensity_design(logits: Array, shares: Array, tolerance: float) -> Design:
    """Return the best design for error rates of bins that are given by their logits."""
    rate = float(shares @ logistic_of_score(logits))
    below = rate < tolerance
    if below:
        rate = max(_LEAST_RATE * tolerance, min(rate, tolerance * (1.0 - _NEAREST)))
    else:
        rate = min(max(rate, tolerance * (1.0 + _NEAREST)), (1.0 + tolerance) / 2.0)
    rates, centres = shift_logits_of_rates(logits, shares, rate), shift_logits_of_rates(logits, shares, tolerance)
    null = hardest_null_hypothesis(rates, centres, shares, tolerance)
    raw = null * (1.0 - null) / np.maximum(np.abs(null - rates), 1e-12)
    candidates = np.vstack([np.clip(np.outer(_SCALES, raw / raw.max()), FLOOR, 1.0), np.ones(BINS)])
    growth = _expected_log_growth_of_bet(candidates, rates, centres, shares, tolerance, below)
    labels = candidates @ shares
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = np.where(growth > 0.0, np.log(labels / growth) - _DELAY_WEIGHT * np.log(growth), np.inf)
    costs[-1] -= _PRECISION  # of equals, the simplest
    best = int(np.argmin(costs))
    return Design(candidates[best], centres, float(labels[best] / growth[best]))


def shift_logits_of_rates(logits: Array, shares: Array, mean: float) -> Array:
    """Return rates whose logits are shifted so that they have the given mean: Newton's method on its logit."""
    shift, goal = 0.0, math.log(mean / (1.0 - mean))
    for _ in range(_STEPS):
        rates = logistic_of_score(logits + shift)
        now = float(shares @ rates)
        step = (goal - math.log(now / (1.0 - now))) * now * (1.0 - now) / float(shares @ (rates * (1.0 - rates)))
        shift += max(-_LARGEST_STEP, min(_LARGEST_STEP, step))
        if abs(step) < _PRECISION:
            break
    return logistic_of_score(logits + shift)


def hardest_null_hypothesis(rates: Array, start: Array, shares: Array, mean: float) -> Array:
    """Return the rates with a given mean that have the same distance KL(rates, .) in all bins.

    Newton's method in the logits u of all bins and the distance L together: dKL/du = x - g and dx/du = x (1 - x).
    `start` has that mean and lies on one side of the rates.
    """
    own = np.log(rates / (1.0 - rates))
    entropy = rates * np.log(rates) + (1.0 - rates) * np.log1p(-rates)
    u = np.log(start / (1.0 - start))
    for _ in range(_STEPS):
        x = logistic_of_score(u)
        away = x - rates
        distance = entropy - rates * np.log(x) - (1.0 - rates) * np.log1p(-x)
        pull = shares * x * (1.0 - x) / away
        level = (mean - float(shares @ x) + float(pull @ distance)) / float(pull.sum())
        step = np.clip((level - distance) / away, -_LARGEST_STEP, _LARGEST_STEP)
        after = u + step
        # Never past the rates themselves, where the distance is 0.
        crossed = (after - own) * (u - own) <= 0.0
        u = np.where(crossed, (u + own) / 2.0, after)
        if float(np.abs(step).max()) < _PRECISION * 1e3:
            break
    return logistic_of_score(u)


def _expected_log_growth_of_bet(
    propensities: Array, rates: Array, centres: Array, shares: Array, tolerance: float, below: bool
) -> Array:
    """Return for each row of propensities the expected growth per prediction of log evidence with the best bet."""
    z = scored_bet_outcomes(propensities, np.broadcast_to(centres, propensities.shape))
    change = (tolerance - z if below else z - tolerance).reshape(len(propensities), -1)
    asked = propensities * shares
    chances = np.stack([shares - asked, asked * (1.0 - rates), asked * rates], axis=-1).reshape(change.shape)
    gains, low = chances * change, np.zeros((len(change), 1))
    high = _SAFE / np.maximum(-change.min(axis=1, keepdims=True), _PRECISION)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        rising = (gains / (1.0 + middle * change)).sum(axis=1, keepdims=True) > 0.0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    growth: Array = (chances * np.log1p(low * change)).sum(axis=1)
    return growth
