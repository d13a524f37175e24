"""Online binary classifiers for labels +1 and -1, the base learners of STAP and CESA.

- "perceptron": w += y x after a mistake;
- "ridge": w = G^-1 sum y x over all labels seen, G = lambda I + sum x x'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import multiply
from sidelight.strategies.ridge import add_observation

LEARNERS = ("perceptron", "ridge")
PERCEPTRON, RIDGE = 0, 1


class Classifier(NamedTuple):
    """The state of a base learner."""

    weights: Floats
    gram: Floats
    inverse: Floats
    pull: Floats  # sum y x
    scratch: Floats
    seen: Floats


def new_classifier(dimension: int, penalty: float) -> Classifier:
    """Return an untrained classifier."""
    zeros = [np.zeros(dimension) for _ in range(3)]
    return Classifier(
        zeros[0], np.eye(dimension) * penalty, np.eye(dimension) / penalty, zeros[1], zeros[2], np.zeros(1)
    )


@kernel
def train(kind: int, learner: Classifier, x: Floats, y: float, mistake: bool) -> None:
    """Learn a label."""
    d = x.shape[0]
    if kind == PERCEPTRON:
        if mistake:
            for k in range(d):
                learner.weights[k] += y * x[k]
    else:
        add_observation(learner.gram, learner.inverse, x, learner.scratch, learner.seen[0])
        for k in range(d):
            learner.pull[k] += y * x[k]
        multiply(learner.inverse, learner.pull, learner.weights)
    learner.seen[0] += 1.0
