"""Observer vectors, laid out for a loop: how to weight symbol counts to estimate each pair's loss difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.analysis.linear_algebra import Vector
from sidelight.analysis.observability import ObserverVectors
from sidelight.errors import GameError, SidelightError
from sidelight.game import read_exact_loss
from sidelight.game_arrays import first_places
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.shared.requirements import refuse_hopeless


class Observation(NamedTuple):
    """The non-zero observer vectors of all pairs, one after the other.

    The terms of pair e are start[e] to start[e + 1]; term k belongs to the informative action action[k], its vector is
    vector[first[k]] to vector[first[k + 1]]. The counts of action a begin at place[a]; the terms that belong to it are
    own[own_start[a]] to own[own_start[a + 1]]. What uninformative actions add
    is certain and stands in constant[e].
    """

    start: Integers
    action: Integers
    first: Integers
    vector: Floats
    norm: Floats
    constant: Floats
    tiny: Floats  # what rounding can make of an estimate of 0
    place: Integers
    own_start: Integers
    own: Integers


class Watch(NamedTuple):
    """Observer vectors of a game: as arrays, with W_a = max over pairs of |v_a| and the observers of each pair."""

    arrays: Observation
    weights: Floats
    sets: tuple[tuple[int, ...], ...]


def max_norm_of_observer_vector(vector: Vector) -> float:
    """Return the largest entry, regardless of sign."""
    return float(max(map(abs, vector)))


def euclidean_norm_of_observer_vector(vector: Vector) -> float:
    """Return the Euclidean norm."""
    return math.sqrt(float(sum(value * value for value in vector)))


def half_range_of_observer_vector(vector: Vector) -> float:
    """Return (max - min) / 2, the largest standard deviation that the weight of a random symbol can have."""
    return float(max(vector) - min(vector)) / 2


def lay_out_cbp_observers(
    analysis: Analysis, choice: str | Mapping[Any, Any], norm: Callable[[Vector], float] = max_norm_of_observer_vector
) -> Watch:
    """Lay out the observer vectors of all pairs of neighbors, chosen by name or given, and measured by `norm`."""
    refuse_hopeless(analysis)
    if isinstance(choice, str):
        vectors = [analysis.observer_vectors(i, j, choice) for i, j in analysis.neighbors]  # type: ignore[arg-type]
        sets = tuple(analysis.observers(*pair) for pair in analysis.neighbors)
    else:
        given = _check_given_cbp_observers(choice, analysis)
        vectors = [given[pair] for pair in analysis.neighbors]
        sets = tuple(tuple(sorted(v)) for v in vectors)
    arrays, weights = _arrays_of_cbp_observers(analysis, vectors, norm), np.zeros(analysis.game.n_actions)
    np.maximum.at(weights, arrays.action, arrays.norm)
    return Watch(arrays, weights, sets)


def _arrays_of_cbp_observers(
    analysis: Analysis, vectors: list[ObserverVectors], norm_of: Callable[[Vector], float]
) -> Observation:
    game = analysis.game
    start, action, first, flat, norm, constant = [0], [], [0], [], [], []
    for one in vectors:
        sure = sum((v[0] for a, v in one.items() if not game.informative(a)), Fraction(0))
        for a, v in one.items():
            if game.informative(a) and any(v):
                action.append(a)
                flat += [float(value) for value in v]
                first.append(len(flat))
                norm.append(norm_of(v))
        start.append(len(action))
        constant.append(float(sure))
    reach = [
        abs(c) + sum(norm[first_term:last_term])
        for c, first_term, last_term in zip(constant, start, start[1:], strict=False)
    ]
    return Observation(
        start=np.array(start, np.int64),
        action=np.array(action, np.int64),
        first=np.array(first, np.int64),
        vector=np.array(flat, float),
        norm=np.array(norm, float),
        constant=np.array(constant, float),
        tiny=1e-15 * np.array(reach, float),
        place=first_places(game)[:-1],
        own_start=np.searchsorted(np.sort(action), np.arange(game.n_actions + 1)).astype(np.int64),
        own=np.argsort(action, kind="stable").astype(np.int64),
    )


def _check_given_cbp_observers(choice: Any, analysis: Analysis) -> dict[tuple[int, int], ObserverVectors]:
    """Check the user's own observer vectors: each pair of neighbors has them, and they give its loss difference."""
    if not isinstance(choice, Mapping):
        raise SidelightError(
            "observers must be 'minimum-norm', 'half-range', 'max-norm' or a mapping from pairs to vectors"
        )
    found: dict[tuple[int, int], ObserverVectors] = {}
    for key, vectors in choice.items():
        pair = _read_pair_of_cbp_observers(key)
        one = {
            int(a): tuple(_read_fraction_of_cbp_observers(x, pair, a) for x in np.ravel(np.array(v, dtype=object)))
            for a, v in vectors.items()
        }
        if pair[0] > pair[1]:
            pair, one = (pair[1], pair[0]), {a: tuple(-x for x in v) for a, v in one.items()}
        _check_identity_of_cbp_observers(analysis, pair, one)
        found[pair] = one
    missing = [pair for pair in analysis.neighbors if pair not in found]
    if missing:
        raise SidelightError(
            f"observers lack the pair of neighbors {missing[0]}: give vectors for all of {analysis.neighbors}"
        )
    return found


def _read_pair_of_cbp_observers(key: Any) -> tuple[int, int]:
    try:
        i, j = key.split(",") if isinstance(key, str) else key
        return int(i), int(j)
    except (TypeError, ValueError):
        raise SidelightError(f"observers have the key {key!r}: give a pair of actions such as (0, 1)") from None


def _read_fraction_of_cbp_observers(value: Any, pair: tuple[int, int], action: Any) -> Fraction:
    try:
        return read_exact_loss(value, f"an observer vector of action {action} for {pair}")
    except GameError as error:
        raise SidelightError(str(error)) from None


def _check_identity_of_cbp_observers(analysis: Analysis, pair: tuple[int, int], vectors: ObserverVectors) -> None:
    """Check that sum_a S_a' v_a = L_i - L_j, exactly."""
    game = analysis.game
    if pair not in analysis.neighbors:
        raise SidelightError(f"observers name {pair}, which are not neighbors; those are {analysis.neighbors}")
    total = [Fraction(0)] * game.n_outcomes
    for a, v in vectors.items():
        if not 0 <= a < game.n_actions:
            raise SidelightError(f"observers of {pair} name action {a}, which there is not")
        if len(v) != len(game.symbols(a)):
            shown = ", ".join(map(repr, game.symbols(a)))
            raise SidelightError(f"the observer vector of action {a} for {pair} needs one entry per symbol: {shown}")
        for weight, row in zip(v, game.signal(a), strict=True):
            total = [t + weight * s for t, s in zip(total, row, strict=True)]
    wanted = [a - b for a, b in zip(game.loss[pair[0]], game.loss[pair[1]], strict=True)]
    if total != wanted:
        sums, losses = (", ".join(map(str, values)) for values in (total, wanted))
        raise SidelightError(f"the observers of {pair} add up to ({sums}), not to the loss difference ({losses})")
