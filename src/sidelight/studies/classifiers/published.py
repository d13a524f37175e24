"""The published use case: classifiers with 10 classes, drawn at random, watched by each policy (Tables 4 and 5).

Case 1: true classes are uniform; one error rate, uniform on [0, 0.1], holds for all classes; errors are spread evenly
over the other classes. Case 2: a class has the weight U(50, 75) with probability 0.1 and else U(0, 25). Its error rate,
rounded to two decimals, is |N(0.1, 0.2)| with probability 0.1 and else |N(0, 0.1)| (more than 1 is drawn again as the
latter); its errors are cut into 1 to C - 2 parts of random size, and each part goes to a random other class, several
possibly to the same. Error rates are drawn again, with the weights kept, until their mean over predicted classes is at
most 0.1. Run r draws from NumPy's legacy generator with seed r, in the order of the authors' code, so that these are
the published classifiers themselves.

What is to be found is the set of predicted classes whose error rate exceeds the tolerance. A class is closed after
n_τ + 2 predictions (not verifications), with n_τ from `wald_cap`. The verdict at the end is the side on which e / n
lies, for all policies alike, and F1 is the macro F1 over {exceeds, does not exceed}, over the labels that occur.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats

CASES = (1, 2)
TOLERANCES = (0.025, 0.05, 0.1, 0.2)
N_CLASSES = 10
STREAM = 2_000_000
_HIGHEST_MEAN_ERROR = 0.1


class Classifier(NamedTuple):
    """What a stream of predictions needs to know of a classifier: per predicted class, how often and how wrong."""

    share: Floats
    error: Floats


@functools.lru_cache(maxsize=4096)
def draw_published_classifier(case: int, run: int, seed: int = 0, classes: int = N_CLASSES) -> Classifier:
    """Return the classifier of one run; with seed 0 those of the published tables."""
    if case not in CASES:
        raise SidelightError(f"case is {case!r}: give one of {CASES}")
    draws = np.random.RandomState([run, seed] if seed else run)
    if case == 1:
        return Classifier(np.full(classes, 1 / classes), np.full(classes, draws.uniform(0.0, 0.1)))
    weight = np.array([_draw_rare_or_common(draws, draws.uniform, (50.0, 75.0), (0.0, 25.0)) for _ in range(classes)])
    while True:
        rates = np.round([_draw_error_rate(draws) for _ in range(classes)], 2)
        classifier = _rates_by_predicted_class(weight / weight.sum(), _draw_confusion(draws, rates))
        if classifier.error.mean() <= _HIGHEST_MEAN_ERROR:
            return classifier


def _draw_rare_or_common(draws: Any, law: Any, rare: tuple[float, float], common: tuple[float, float]) -> float:
    """Draw from a law with the rare parameters in one case of ten, else with the common ones."""
    parameters = rare if draws.uniform(0.0, 1.0) < 0.1 else common
    return float(law(*parameters))


def _draw_error_rate(draws: Any) -> float:
    """Draw the error rate of a true class."""
    rate = abs(_draw_rare_or_common(draws, draws.normal, (0.1, 0.2), (0.0, 0.1)))
    while rate > 1.0:
        rate = abs(draws.normal(0.0, 0.1))
    return rate


def _draw_confusion(draws: Any, rates: Floats) -> Floats:
    """Draw P(predicted | true) for given error rates."""
    classes = len(rates)
    confusion = np.identity(classes)
    for true, rate in enumerate(rates):
        confusion[true, true] -= rate
        parts = draws.uniform(0.0, 1.0, draws.randint(1, classes - 1))
        for part in rate * parts / parts.sum():
            other = true
            while other == true:
                other = draws.randint(0, classes)
            confusion[true, other] += part
    return confusion


def _rates_by_predicted_class(true_share: Floats, confusion: Floats) -> Classifier:
    """Return the shares of predicted classes and the error rates among their predictions."""
    share = true_share @ confusion
    right = true_share * np.diag(confusion)
    # A class that is never predicted is never wrong.
    error = 1.0 - np.divide(right, share, out=np.ones_like(share), where=share > 0)
    return Classifier(share, np.clip(error, 0.0, 1.0))


def macro_f1_of_classifiers(truth: npt.NDArray[np.bool_], found: npt.NDArray[np.bool_]) -> Floats:
    """Return, for each row, the mean of the F1 scores of the labels that occur in truth or verdict."""
    scores, labels = np.zeros(len(truth)), np.zeros(len(truth))
    for label in (False, True):
        is_true, is_found = truth == label, found == label
        hits = (is_true & is_found).sum(axis=1)
        total = is_true.sum(axis=1) + is_found.sum(axis=1)
        scores += np.divide(2 * hits, total, out=np.zeros(len(truth)), where=total > 0)
        labels += total > 0
    return scores / labels
