"""PG-TS and PG-IDS: logistic regression with Pólya-Gamma Gibbs sampling, for games with one revealing action.

With y = 1 for the first outcome, P(y = 1 | x) = 1 / (1 + exp(-x theta)) and one label per play of the revealing action,
each round makes some Gibbs transitions (see `logistic_posterior`) from where the last round ended. PG-TS plays the best
action under the last theta. PG-IDS weighs the expected regrets D_a over all of them against the information, which only
the revealing action r gives: with D the least regret of the others, it plays r with probability 1 if D_r <= D, else
min(1, D / (D_r - D)).
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot, fill
from sidelight.strategies.base import (
    UNANSWERED,
    Context,
    KernelStrategy,
    Seed,
    act,
    check_flag,
    check_number,
    check_whole,
    observe,
)
from sidelight.strategies.labels.logistic_posterior import (
    Posterior,
    add_label_to_posterior,
    double_room_of_label_posterior,
    gibbs_transition_of_label_posterior,
    new_label_posterior,
)
from sidelight.strategies.shared.requirements import check_game_playable, only_revealing_action
from sidelight.strategies.shared.ridge import set_context_features


class Parameters(NamedTuple):
    """The constants of the strategies, fixed before the first round."""

    loss: Floats
    revealing: int
    directed: int  # 1 for PG-IDS
    transitions: int
    refresh: float
    regularization: float
    intercept: int


class Scratch(NamedTuple):
    """The features of the round's context and the actions' regrets there, summed over the draws of theta."""

    x: Floats
    regrets: Floats


class State(NamedTuple):
    """The state of play."""

    plays: Integers
    posterior: Posterior
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    posterior, regrets = state.posterior, state.scratch.regrets
    if state.plays[parameters.revealing] >= posterior.omega.shape[0]:
        return UNANSWERED  # no room for another label
    set_context_features(state.scratch.x, context, parameters.intercept)
    fill(regrets, 0.0)
    if posterior.labels[0] == 0 and state.plays[parameters.revealing] == 0:
        chosen = parameters.revealing
    else:
        chosen = add_regrets_of_label_actions(parameters.loss, posterior.theta, state.scratch)
        for _ in range(parameters.transitions):
            gibbs_transition_of_label_posterior(posterior, parameters.regularization, parameters.refresh, rng)
            chosen = add_regrets_of_label_actions(parameters.loss, posterior.theta, state.scratch)
        if parameters.directed == 1:
            chosen = choose_label_by_information_ratio(parameters.revealing, regrets, rng)
    state.plays[chosen] += 1
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    posterior = state.posterior
    if action == parameters.revealing:
        set_context_features(posterior.features[posterior.labels[0]], context, parameters.intercept)
        # The symbol that the first outcome shows comes first.
        add_label_to_posterior(posterior, 1 - symbol)


@kernel
def add_regrets_of_label_actions(loss: Floats, theta: Floats, scratch: Scratch) -> int:
    """Add each action's regret at the context under the current theta; return the best action."""
    p = 1.0 / (1.0 + math.exp(min(700.0, -dot(scratch.x, theta))))
    best, least = 0, math.inf
    for a in range(loss.shape[0]):
        expected = loss[a, 0] * p + loss[a, 1] * (1.0 - p)
        if expected < least:
            best, least = a, expected
    for a in range(loss.shape[0]):
        scratch.regrets[a] += loss[a, 0] * p + loss[a, 1] * (1.0 - p) - least
    return best


@kernel
def choose_label_by_information_ratio(revealing: int, regrets: Floats, rng: np.random.Generator) -> int:
    """Choose between the revealing action and the best of the others by the information ratio."""
    other, least = -1, math.inf
    for a in range(regrets.shape[0]):
        if a != revealing and regrets[a] < least:
            other, least = a, regrets[a]
    price = regrets[revealing] - least
    if price <= 0.0 or least >= price:
        return revealing
    return revealing if rng.random() * price < least else other


class PGTS(KernelStrategy):
    """Thompson sampling by Pólya-Gamma Gibbs sampling, for two outcomes and one revealing action.

    Parameters
    ----------
    game
        A game of two outcomes in which exactly one action shows more than one symbol.
    dimension
        How many numbers a context has.
    prior_mean, regularization
        The prior of each coefficient, N(prior_mean, 1 / regularization).
    transitions
        Gibbs transitions per round.
    intercept
        Add a constant 1 to the context.
    refresh
        The share of the latent variables that a transition draws anew.
    seed
        Where the draws start.

    References
    ----------
    J. Grant, D. Leslie, "Apple tasting revisited: Bayesian approaches to partially monitored online binary
    classification", 2021.
    """

    guarantee: ClassVar[str] = "none is proved here; on a hard game Thompson sampling never pays for information"
    bounded_memory: ClassVar[bool] = False  # one row for each label
    _directed: ClassVar[int] = 0

    def __init__(
        self,
        game: Game,
        dimension: int,
        prior_mean: float = 0.5,
        *,
        regularization: float = 1.0,
        transitions: int = 9,
        intercept: bool = False,
        refresh: float = 1.0,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, seed=seed)
        self.dimension = check_whole("dimension", dimension, least=1)
        self.prior_mean = check_number("prior_mean", prior_mean)
        self.regularization = check_number("regularization", regularization, above=0)
        self.transitions = check_whole("transitions", transitions, least=1)
        self.intercept = check_flag("intercept", intercept)
        self.refresh = check_number("refresh", refresh, above=0, most=1)
        self._revealing = only_revealing_action(game, self.name)
        if not self._directed:
            check_game_playable(self.analysis, self.name, only_optimal=True)

    def _compile(self) -> Parameters:
        return Parameters(
            loss=loss_matrix(self.game),
            revealing=self._revealing,
            directed=self._directed,
            transitions=int(self.transitions),
            refresh=float(self.refresh),
            regularization=float(self.regularization),
            intercept=int(self.intercept),
        )

    def _start(self) -> State:
        size, actions = int(self.dimension) + int(self.intercept), self.game.n_actions
        posterior = new_label_posterior(size, float(self.prior_mean), float(self.regularization))
        return State(np.zeros(actions, np.int64), posterior, Scratch(np.zeros(size), np.zeros(actions)))

    def _resume(self, parameters: Parameters, state: State) -> tuple[Parameters, State]:
        return parameters, state._replace(posterior=double_room_of_label_posterior(state.posterior))


class PGIDS(PGTS):
    """Information directed sampling by Pólya-Gamma Gibbs sampling; parameters as for `PGTS`.

    It minimizes the squared expected regret divided by the information gain; only the revealing action gives any.
    """

    guarantee: ClassVar[str] = "none is proved here"
    _directed: ClassVar[int] = 1
