"""STAP: apple tasting with any online classifier.

If the classifier says accept, accept. If it says reject, still accept with probability sqrt((1 + m) / t), where m
counts the false rejections that this has uncovered so far. Only rounds whose label is seen train the classifier.

The published runs counted all mistakes of the classifier in m (`count="all"`), trained ridge regression with the
constant 1 / 0.05, and drew a number every round whether it was needed or not.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.linear_algebra import dot
from sidelight.strategies.base import Context, Seed, act, check_choice, observe
from sidelight.strategies.labels.online_classifier import LabelClassifierStrategy, State, train_online_label_classifier


class Parameters(NamedTuple):
    """The constants of STAP, fixed before the first round."""

    accept: int
    reject: int
    learner: int
    all_mistakes: int
    sign: float  # the label of the revealing action's first symbol: +1 if accepting is right for it


# The places in `statistics`: rounds, and mistakes that were uncovered.
ROUNDS, MISTAKES = 0, 1


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    state.statistics[ROUNDS] += 1.0
    t = state.statistics[ROUNDS]
    if t == 1.0 or dot(state.classifier.weights, context) > 0.0:
        return parameters.accept
    if rng.random() < math.sqrt((1.0 + state.statistics[MISTAKES]) / t):
        return parameters.accept
    return parameters.reject


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if action == parameters.accept:
        y = parameters.sign if symbol == 0 else -parameters.sign
        accepted = dot(state.classifier.weights, context) > 0.0
        mistake = accepted != (y > 0.0)
        if mistake and (parameters.all_mistakes == 1 or not accepted):
            state.statistics[MISTAKES] += 1.0
        train_online_label_classifier(parameters.learner, state.classifier, context, y, mistake)


class STAP(LabelClassifierStrategy):
    """The standard apple tasting transformation of an online classifier.

    Parameters
    ----------
    game
        A game of two outcomes and two Pareto-optimal actions, one of which reveals the outcome and the other nothing.
    dimension
        How many numbers a context has.
    learner
        The classifier: "ridge" or "perceptron".
    regularization
        lambda of the ridge regression.
    count
        What raises the rate of exploration: "false-rejections", as in the original, or "all" mistakes seen.
    seed
        Where the draws start.

    References
    ----------
    D. Helmbold, N. Littlestone, P. Long, "Apple tasting", Information and Computation, 2000.
    """

    guarantee: ClassVar[str] = "apple tasting, with a mistake bound that depends on the classifier's"

    def __init__(
        self,
        game: Game,
        dimension: int,
        learner: str = "ridge",
        regularization: float = 0.05,
        count: str = "false-rejections",
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, dimension, learner, regularization, seed)
        self.count = check_choice("count", count, ("false-rejections", "all"))
        accept = self._revealing
        gains = [game.loss[1 - accept][j] - game.loss[accept][j] for j in (0, 1)] if game.n_actions == 2 else []
        if not gains or min(gains) >= 0 or max(gains) <= 0:
            raise SidelightError("STAP is for apple tasting: two actions, each of them better at one of two outcomes")
        self._sign = 1.0 if gains[0] > 0 else -1.0

    def _compile(self) -> Parameters:
        return Parameters(
            accept=self._revealing,
            reject=1 - self._revealing,
            learner=self._learner,
            all_mistakes=int(self.count == "all"),
            sign=self._sign,
        )
