"""LinUCB and LinTS: linear bandits with contexts, for games that are bandits (see `losses`).

Each action a that can be best has a ridge regression of its losses, scaled to [-1/2, 1/2], on x, the context with a
constant 1,

    G_a = lambda I + sum x x',    mean_a = x' G_a^-1 sum loss x,    width_a = sqrt(x' G_a^-1 x).

LinUCB plays the least mean_a - alpha width_a, LinTS the least draw from N(mean_a, (sigma width_a)^2): drawing the
coefficients themselves gives the same law of what is played. The loss of an action with a single symbol is known.
Contexts are taken as they are: features of very different sizes are penalized very differently.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import add_multiple, dot, quadratic_form
from sidelight.strategies.bandits.losses import Arms, bandit_arms
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, check_whole, observe
from sidelight.strategies.shared.ridge import add_ridge_observation, begin_ridge_regression, set_context_features


class Parameters(NamedTuple):
    """The constants of the strategies, fixed before the first round."""

    width: float  # alpha, or sigma
    draws: int  # 1 for LinTS
    arms: Arms


class Scratch(NamedTuple):
    """The features of a context, and G^-1 times them."""

    x: Annotated[Floats, "features"]
    solved: Annotated[Floats, "features"]


class State(NamedTuple):
    """The state of play: a regression per action."""

    seen: Annotated[Floats, "actions"]
    gram: Annotated[Floats, "actions", "features", "features"]
    inverse: Annotated[Floats, "actions", "features", "features"]
    response: Annotated[Floats, "actions", "features"]  # sum loss x
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    options, scratch = parameters.arms, state.scratch
    set_context_features(scratch.x, context, 1)
    chosen, least = options.actions[0], math.inf
    for i in range(options.actions.shape[0]):
        a = options.actions[i]
        if options.sure[a] == 1:
            index = options.loss[options.place[a]] - 0.5
        else:
            width = math.sqrt(max(0.0, quadratic_form(state.inverse[a], scratch.x, scratch.solved)))
            step = rng.normal() if parameters.draws == 1 else -1.0
            index = dot(state.response[a], scratch.solved) + parameters.width * width * step
        if index < least:
            chosen, least = a, index
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    options, scratch = parameters.arms, state.scratch
    if options.sure[action] == 0:
        set_context_features(scratch.x, context, 1)
        loss = options.loss[options.place[action] + symbol] - 0.5
        add_multiple(state.response[action], loss, scratch.x)
        add_ridge_observation(state.gram[action], state.inverse[action], scratch.x, scratch.solved, state.seen[action])
    state.seen[action] += 1.0


class _LinearBandit(KernelStrategy):
    """Common parts of LinUCB and LinTS."""

    def __init__(self, game: Game, dimension: int, regularization: float, seed: Seed) -> None:
        super().__init__(game, seed=seed)
        self.dimension = check_whole("dimension", dimension, least=1)
        self.regularization = check_number("regularization", regularization, above=0)
        self._arms = bandit_arms(self.analysis, self.name)

    def _start(self) -> State:
        state = self._zeros(State, features=int(self.dimension) + 1)
        begin_ridge_regression(state.gram, state.inverse, float(self.regularization))
        return state


class LinUCB(_LinearBandit):
    """LinUCB: play the action with the smallest lower bound on its loss, by ridge regression; for bandits.

    Parameters
    ----------
    game
        A game in which every action that can be optimal shows its loss, up to an amount that is the same for all
        actions, for instance apple tasting. Other games are refused.
    dimension
        How many numbers a context has; a constant 1 is added to them.
    regularization
        lambda of the ridge regressions.
    alpha
        How many standard errors wide the bounds are, for losses between 0 and 1.
    seed
        Not used, since nothing is drawn.

    References
    ----------
    L. Li, W. Chu, J. Langford, R. Schapire, "A contextual-bandit approach to personalized news article recommendation",
    WWW 2010.
    """

    guarantee: ClassVar[str] = "bandits whose losses are linear in the context, with a large alpha"

    def __init__(
        self, game: Game, dimension: int, regularization: float = 0.05, alpha: float = 1.0, seed: Seed = 0
    ) -> None:
        super().__init__(game, dimension, regularization, seed)
        self.alpha = check_number("alpha", alpha, least=0)

    def _compile(self) -> Parameters:
        return Parameters(float(self.alpha), 0, self._arms)


class LinTS(_LinearBandit):
    """LinTS: Thompson sampling with a linear model of the losses, for bandits.

    Parameters
    ----------
    game
        A game in which every action that can be optimal shows its loss, up to an amount that is the same for all
        actions, for instance apple tasting. Other games are refused.
    dimension
        How many numbers a context has; a constant 1 is added to them.
    regularization
        lambda of the ridge regressions.
    sigma
        Scales the draws; 1/2 is the largest standard deviation of a loss between 0 and 1.
    seed
        Where the draws start.

    References
    ----------
    S. Agrawal, N. Goyal, "Thompson sampling for contextual bandits with linear payoffs", ICML 2013.
    """

    guarantee: ClassVar[str] = "bandits whose losses are linear in the context, with a large sigma"

    def __init__(
        self, game: Game, dimension: int, regularization: float = 0.05, sigma: float = 0.5, seed: Seed = 0
    ) -> None:
        super().__init__(game, dimension, regularization, seed)
        self.sigma = check_number("sigma", sigma, above=0)

    def _compile(self) -> Parameters:
        return Parameters(float(self.sigma), 1, self._arms)
