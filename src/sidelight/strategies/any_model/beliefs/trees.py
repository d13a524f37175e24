"""Members of ProspectModel that are forests of extremely randomized trees, grown and asked in compiled loops.

A tree splits each node at a random place of one of 3 sqrt(d) random features, the one that leaves the least Gini
impurity, as long as two rows are on each side; with the usual sqrt(d) few labels would not tell which of many features
matter. That is the belief for laws that no smooth function describes, and it needs no library.

Reference
---------
P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 2006.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sidelight.kernels import kernel, loop
from sidelight.kernels.arrays import Floats, Integers, new_arrays
from sidelight.strategies.any_model.beliefs.clones import Clones, Told

_TREES = 16  # of a member
_TRIES = 3.0  # times sqrt(d)
_LEAST = 2  # rows in a leaf
_MOST_LABELS = 4000  # the newest ones


class Forest(NamedTuple):
    """The nodes of all trees, each tree in a row; since leaves hold two rows, there are fewer nodes than rows."""

    feature: Annotated[Integers, "trees", "nodes"]  # -1 in a leaf
    threshold: Annotated[Floats, "trees", "nodes"]
    left: Annotated[Integers, "trees", "nodes"]  # the right child is the next node
    law: Annotated[Floats, "trees", "nodes", "classes"]


class Scratch(NamedTuple):
    """What growing a tree needs."""

    order: Annotated[Integers, "rows"]  # rows, those of a node next to each other
    stack: Annotated[Integers, "rows", 3]  # nodes to split, and where their rows start and end
    features: Annotated[Integers, "features"]
    best: Annotated[Floats, 2]  # gain and threshold
    totals: Annotated[Floats, "classes"]
    below: Annotated[Floats, "classes"]


class Trees(Clones):
    """A belief of forests, each grown on its own weights of the labels."""

    def fit(self, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Grow all trees anew."""
        newest = slice(-_MOST_LABELS, None)
        super().fit(contexts[newest], actions[newest], symbols[newest], pool)

    def predict(self, contexts: Any) -> Floats:
        """Return the probability of each outcome under each member."""
        return self._floored(asked(self._models, contexts, self._members))

    def _fitted(self, told: Iterable[Told], rng: np.random.Generator) -> Forest:
        return grown(list(told), _TREES, self._stakes.outcomes, rng, _TRIES)


def grown(told: Sequence[Told], trees: int, classes: int, rng: np.random.Generator, tries: float = 1.0) -> Forest:
    """Return `trees` for each sample of weighted rows, all equally many; a node tries `tries` times sqrt(d) splits."""
    rows, features = told[0].rows.shape
    forest = new_arrays(Forest, trees=trees * len(told), nodes=rows, classes=classes)
    scratch = new_arrays(Scratch, rows=rows, features=features, classes=classes)
    splits = max(1, round(tries * math.sqrt(features)))
    for start, sample in zip(range(0, len(forest.feature), trees), told, strict=True):
        own = Forest._make(nodes[start : start + trees] for nodes in forest)
        _grow(*sample, splits, own, scratch, rng)
    return forest


def asked(forest: Forest, rows: Floats, members: int) -> Floats:
    """Return the mean of what the trees of each member say about rows, (members, n, classes)."""
    laws = np.zeros((members, len(rows), forest.law.shape[2]))
    _ask(forest, np.ascontiguousarray(rows), laws)
    return laws


@loop
def _grow(X: Floats, y: Integers, weights: Floats, tries: int, forest: Forest, scratch: Scratch, rng: Any) -> None:
    for tree in range(forest.feature.shape[0]):
        for i in range(X.shape[0]):
            scratch.order[i] = i
        scratch.stack[0, 0], scratch.stack[0, 1], scratch.stack[0, 2] = 0, 0, X.shape[0]
        waiting = used = 1
        while waiting > 0:
            waiting -= 1
            node, start, stop = scratch.stack[waiting, 0], scratch.stack[waiting, 1], scratch.stack[waiting, 2]
            total = _set_law(y, weights, start, stop, forest.law[tree, node], scratch)
            feature = -1
            if total > 0.0 and stop - start >= 2 * _LEAST:
                feature = _split(X, y, weights, start, stop, tries, scratch, rng)
            forest.feature[tree, node] = feature
            if feature >= 0:
                middle = _divide(X, feature, scratch.best[1], start, stop, scratch.order)
                forest.threshold[tree, node], forest.left[tree, node] = scratch.best[1], used
                for side in range(2):
                    scratch.stack[waiting, 0] = used + side
                    scratch.stack[waiting, 1] = start if side == 0 else middle
                    scratch.stack[waiting, 2] = middle if side == 0 else stop
                    waiting += 1
                used += 2


@kernel
def _set_law(y: Integers, weights: Floats, start: int, stop: int, law: Floats, scratch: Scratch) -> float:
    """Set the shares of classes among the rows of a node; return their impurity, 0 if all are of one class."""
    for c in range(law.shape[0]):
        scratch.totals[c] = 0.0
    total = 0.0
    for k in range(start, stop):
        i = scratch.order[k]
        scratch.totals[y[i]] += weights[i]
        total += weights[i]
    most = 0.0
    for c in range(law.shape[0]):
        law[c] = scratch.totals[c] / max(total, 1e-300)
        most = max(most, scratch.totals[c])
    return total - most


@kernel
def _split(
    X: Floats, y: Integers, weights: Floats, start: int, stop: int, tries: int, scratch: Scratch, rng: Any
) -> int:
    """Return the feature of the best random split, whose threshold is written to `best`; -1 if none is possible."""
    found, left, tried = -1, scratch.features.shape[0], 0
    for k in range(left):
        scratch.features[k] = k
    scratch.best[0] = 0.0
    while left > 0 and (tried < tries or found < 0):
        place = int(rng.random() * left)
        left -= 1
        feature = scratch.features[place]
        scratch.features[place] = scratch.features[left]
        low = high = X[scratch.order[start], feature]
        for k in range(start + 1, stop):
            value = X[scratch.order[k], feature]
            low, high = min(low, value), max(high, value)
        if high > low:
            tried += 1
            threshold = low + rng.random() * (high - low)
            gain = _gain(X, y, weights, feature, threshold, start, stop, scratch)
            if gain > scratch.best[0]:
                scratch.best[0], scratch.best[1] = gain, threshold
                found = feature
    return found


@kernel
def _gain(
    X: Floats, y: Integers, weights: Floats, feature: int, threshold: float, start: int, stop: int, scratch: Scratch
) -> float:
    """Return the sum over both sides of (weight of a class)^2 / weight, 0 if a side has too few rows."""
    for c in range(scratch.below.shape[0]):
        scratch.below[c] = 0.0
    rows = 0
    for k in range(start, stop):
        i = scratch.order[k]
        if X[i, feature] <= threshold:
            rows += 1
            scratch.below[y[i]] += weights[i]
    if rows < _LEAST or stop - start - rows < _LEAST:
        return 0.0
    under = over = under_squares = over_squares = 0.0
    for c in range(scratch.below.shape[0]):
        rest = scratch.totals[c] - scratch.below[c]
        under += scratch.below[c]
        over += rest
        under_squares += scratch.below[c] * scratch.below[c]
        over_squares += rest * rest
    return under_squares / max(under, 1e-300) + over_squares / max(over, 1e-300)


@kernel
def _divide(X: Floats, feature: int, threshold: float, start: int, stop: int, order: Integers) -> int:
    """Put the rows at or below the threshold first; return where the others start."""
    middle = start
    for k in range(start, stop):
        i = order[k]
        if X[i, feature] <= threshold:
            order[k], order[middle] = order[middle], i
            middle += 1
    return middle


@loop
def _ask(forest: Forest, X: Floats, laws: Floats) -> None:
    trees = forest.feature.shape[0] // laws.shape[0]
    for tree in range(forest.feature.shape[0]):
        for i in range(X.shape[0]):
            node = 0
            while forest.feature[tree, node] >= 0:
                right = X[i, forest.feature[tree, node]] > forest.threshold[tree, node]
                node = forest.left[tree, node] + (1 if right else 0)
            for c in range(laws.shape[2]):
                laws[tree // trees, i, c] += forest.law[tree, node, c] / trees
