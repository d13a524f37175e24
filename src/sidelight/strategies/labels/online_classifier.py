"""Online binary classifiers for labels +1 and -1, and what the strategies built on them share (STAP and CESA).

- "perceptron": w += y x after a mistake;
- "ridge": w = G^-1 sum y x over all labels seen, G = lambda I + sum x x'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import multiply
from sidelight.strategies.base import KernelStrategy, Seed, check_choice, check_number, check_whole
from sidelight.strategies.shared.requirements import only_revealing_action
from sidelight.strategies.shared.ridge import add_ridge_observation

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


def new_online_label_classifier(dimension: int, penalty: float) -> Classifier:
    """Return an untrained classifier."""
    zeros = [np.zeros(dimension) for _ in range(3)]
    return Classifier(
        zeros[0], np.eye(dimension) * penalty, np.eye(dimension) / penalty, zeros[1], zeros[2], np.zeros(1)
    )


@kernel
def train_online_label_classifier(kind: int, learner: Classifier, x: Floats, y: float, mistake: bool) -> None:
    """Train the classifier with a label."""
    d = x.shape[0]
    if kind == PERCEPTRON:
        if mistake:
            for k in range(d):
                learner.weights[k] += y * x[k]
    else:
        add_ridge_observation(learner.gram, learner.inverse, x, learner.scratch, learner.seen[0])
        for k in range(d):
            learner.pull[k] += y * x[k]
        multiply(learner.inverse, learner.pull, learner.weights)
    learner.seen[0] += 1.0


class State(NamedTuple):
    """The state of play: two numbers, which each strategy defines, and the classifier."""

    statistics: Floats
    classifier: Classifier


class LabelClassifierStrategy(KernelStrategy):
    """A strategy around an online classifier, which learns from the labels that the one revealing action shows."""

    def __init__(self, game: Game, dimension: int, learner: str, regularization: float, seed: Seed) -> None:
        super().__init__(game, seed=seed)
        self.dimension = check_whole("dimension", dimension, least=1)
        self.learner = check_choice("learner", learner, LEARNERS)
        self.regularization = check_number("regularization", regularization, above=0)
        self._revealing = only_revealing_action(game, self.name)

    @property
    def _learner(self) -> int:
        return LEARNERS.index(self.learner)

    def _start(self) -> State:
        return State(np.zeros(2), new_online_label_classifier(int(self.dimension), float(self.regularization)))
