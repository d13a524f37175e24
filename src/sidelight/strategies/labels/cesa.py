"""CESA: the selective-sampling perceptron of Cesa-Bianchi, Gentile and Zaniboni with its adaptive parameter.

With the margin r = w x, K updates so far and X the largest norm of a context at an update or now, the label is asked
for with probability b / (b + |r|), b = beta X^2 sqrt(1 + K); otherwise sign(r) is predicted and nothing is learned.
After a mistake on a label w += y x and K grows by one.

In a label-efficient game asking costs as much as a mistake, so beta = 1, the original's choice, is ruinous there. The
published runs inverted the draw, squared the norm twice and put the margin through a sigmoid: they asked for about ten
labels in 20 000 rounds, and their 5792 measures a classifier almost without labels.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.linear_algebra import dot
from sidelight.strategies.base import Context, Seed, act, check_number, observe
from sidelight.strategies.labels.online_classifier import LabelClassifierStrategy, State, train_online_label_classifier


class Parameters(NamedTuple):
    """The constants of CESA, fixed before the first round."""

    ask: int
    positive: int  # the action that predicts the outcome of the first symbol
    negative: int
    learner: int
    beta: float


# The places in `statistics`: updates, and the largest norm of a context at one of them.
UPDATES, NORM = 0, 1


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    r = dot(state.classifier.weights, context)
    norm = max(state.statistics[NORM], math.sqrt(dot(context, context)))
    b = parameters.beta * norm * norm * math.sqrt(1.0 + state.statistics[UPDATES])
    # Written without a division: b + |r| is 0 for a context of zeros.
    if rng.random() * (b + abs(r)) <= b:
        return parameters.ask
    return parameters.positive if r > 0.0 else parameters.negative


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if action == parameters.ask:
        y = 1.0 if symbol == 0 else -1.0
        mistake = y * dot(state.classifier.weights, context) <= 0.0
        train_online_label_classifier(parameters.learner, state.classifier, context, y, mistake)
        if mistake:
            state.statistics[UPDATES] += 1.0
            state.statistics[NORM] = max(state.statistics[NORM], math.sqrt(dot(context, context)))


class CESA(LabelClassifierStrategy):
    """Selective sampling for label-efficient games.

    Parameters
    ----------
    game
        A game of two outcomes with one revealing action and, for each outcome, a blind action that is best there.
    dimension
        How many numbers a context has.
    beta
        How eagerly labels are asked for.
    learner
        The classifier: "perceptron", as in the original, or "ridge".
    regularization
        lambda of the ridge regression.
    seed
        Where the draws start.

    References
    ----------
    N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-case analysis of selective sampling for linear classification",
    Journal of Machine Learning Research, 2006.
    """

    guarantee: ClassVar[str] = "label-efficient games, with a bound on mistakes that does not count the price of labels"

    def __init__(
        self,
        game: Game,
        dimension: int,
        beta: float = 1.0,
        learner: str = "perceptron",
        regularization: float = 0.05,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, dimension, learner, regularization, seed)
        self.beta = check_number("beta", beta, above=0)
        blind = [a for a in range(game.n_actions) if a != self._revealing]
        self._guess = [min(blind, key=lambda a: game.loss[a][j]) for j in (0, 1)]
        if self._guess[0] == self._guess[1]:
            raise SidelightError(
                "CESA is for label-efficient games: two blind actions, each better at one of two outcomes"
            )

    def _compile(self) -> Parameters:
        # The first symbol of the revealing action is that of the first outcome.
        positive, negative = self._guess
        return Parameters(self._revealing, positive, negative, self._learner, float(self.beta))
