"""Online binary classifiers for labels +1 and -1, and what the strategies built on them share (STAP and CESA).

- "perceptron": w += y x after a mistake;
- "ridge": w = G^-1 sum y x over all labels seen, G = lambda I + sum x x'.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from sidelight.game import Game
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import add_multiple, multiply
from sidelight.strategies.base import KernelStrategy, Seed, check_choice, check_number, check_whole
from sidelight.strategies.shared.requirements import only_revealing_action
from sidelight.strategies.shared.ridge import add_ridge_observation, begin_ridge_regression

LEARNERS = ("perceptron", "ridge")
PERCEPTRON, RIDGE = 0, 1


class Classifier(NamedTuple):
    """The state of a base learner."""

    weights: Annotated[Floats, "dimension"]
    gram: Annotated[Floats, "dimension", "dimension"]
    inverse: Annotated[Floats, "dimension", "dimension"]
    pull: Annotated[Floats, "dimension"]  # sum y x
    scratch: Annotated[Floats, "dimension"]
    seen: Annotated[Floats, 1]


@kernel
def train_online_label_classifier(kind: int, learner: Classifier, x: Floats, y: float, mistake: bool) -> None:
    """Train the classifier with a label."""
    if kind == PERCEPTRON:
        if mistake:
            add_multiple(learner.weights, y, x)
    else:
        add_ridge_observation(learner.gram, learner.inverse, x, learner.scratch, learner.seen[0])
        add_multiple(learner.pull, y, x)
        multiply(learner.inverse, learner.pull, learner.weights)
    learner.seen[0] += 1.0


class State(NamedTuple):
    """The state of play: two numbers, which each strategy defines, and the classifier."""

    statistics: Annotated[Floats, 2]
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
        state = self._zeros(State, dimension=int(self.dimension))
        begin_ridge_regression(state.classifier.gram, state.classifier.inverse, float(self.regularization))
        return state
