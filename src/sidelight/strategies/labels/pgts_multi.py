"""PG-TS with a model for every informative action, each by Pólya-Gamma Gibbs sampling.

For each action a that shows two symbols, P(first symbol | x, a) = 1 / (1 + exp(-x theta_a)), learned from its own plays
(see `logistic_posterior`). A round makes some Gibbs transitions of every model, which gives drawn probabilities s of
all symbols. The law q that fits them best by least squares, S q = s with the signal matrices of all these actions
stacked, is clipped at 0 and normalized, and the best action under it is played. The first rounds play each of these
actions once.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot, multiply
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
from sidelight.strategies.shared.candidates import BestActions, best_action_candidates, best_candidate_action
from sidelight.strategies.shared.linear_law_regression import make_law_of_linear_estimate
from sidelight.strategies.shared.requirements import check_game_playable, settled_action
from sidelight.strategies.shared.ridge import set_context_features


class Parameters(NamedTuple):
    """The constants, fixed before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    choice: BestActions
    actions: Integers  # the action of each model
    model: Integers  # the model of each action, or -1
    fit: Floats  # (outcomes, symbols): the pseudo-inverse of the stacked signal matrices
    transitions: int
    regularization: float
    intercept: int


class Scratch(NamedTuple):
    """What every round works out anew."""

    x: Floats
    symbols: Floats
    law: Floats


class State(NamedTuple):
    """What play changes."""

    plays: Integers
    models: Posterior  # each array has a first axis of models
    scratch: Scratch


@kernel
def label_model_at(models: Posterior, m: int) -> Posterior:
    """Return the m-th model."""
    return Posterior(
        models.labels[m], models.turn[m], models.features[m], models.omega[m],
        models.pull[m], models.theta[m], models.precision[m], models.scratch[m],
    )  # fmt: skip


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    chosen = parameters.settled
    for m in range(parameters.actions.shape[0]):
        a = parameters.actions[m]
        if state.plays[a] >= state.models.omega.shape[1]:
            return UNANSWERED  # no room for another label
        if chosen < 0 and state.plays[a] == 0:
            chosen = a
    if chosen < 0:
        set_context_features(state.scratch.x, context, parameters.intercept)
        for m in range(parameters.actions.shape[0]):
            posterior = label_model_at(state.models, m)
            for _ in range(parameters.transitions):
                gibbs_transition_of_label_posterior(posterior, parameters.regularization, 1.0, rng)
            p = 1.0 / (1.0 + math.exp(min(700.0, -dot(state.scratch.x, posterior.theta))))
            state.scratch.symbols[2 * m] = p
            state.scratch.symbols[2 * m + 1] = 1.0 - p
        multiply(parameters.fit, state.scratch.symbols, state.scratch.law)
        make_law_of_linear_estimate(state.scratch.law)
        chosen = best_candidate_action(parameters.choice, state.scratch.law, state.plays)
    state.plays[chosen] += 1
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    m = parameters.model[action]
    if m >= 0 and parameters.settled < 0:
        posterior = label_model_at(state.models, m)
        set_context_features(posterior.features[posterior.labels[0]], context, parameters.intercept)
        add_label_to_posterior(posterior, 1 - symbol)


class PGTSMulti(KernelStrategy):
    """Thompson sampling with a logistic model for every informative action, for games whose actions show two symbols.

    Parameters
    ----------
    game
        A game in which no action shows more than two symbols. A hopeless one is refused, a trivial one is played
        optimally; a hard one gives a warning, for Thompson sampling never pays for information.
    dimension
        How many numbers a context has.
    regularization
        The precision of the prior of each coefficient, which has mean 0.
    transitions
        Gibbs transitions of each model per round.
    intercept
        Add a constant 1 to the context.
    seed
        Where the draws start.

    References
    ----------
    J. Grant, D. Leslie, "Apple tasting revisited: Bayesian approaches to partially monitored online binary
    classification", 2021, for one informative action.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.PGTSMulti(sl.games.load("bartok"), dimension=2)
    >>> s.act([0.5, 1.0])
    0
    """

    guarantee: ClassVar[str] = "none is proved here; on a hard game Thompson sampling never pays for information"
    bounded_memory: ClassVar[bool] = False  # one row for each label

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 1.0,
        *,
        transitions: int = 5,
        intercept: bool = True,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, seed=seed)
        self.dimension = check_whole("dimension", dimension, least=1)
        self.regularization = check_number("regularization", regularization, above=0)
        self.transitions = check_whole("transitions", transitions, least=1)
        self.intercept = check_flag("intercept", intercept)
        if any(len(game.symbols(a)) > 2 for a in range(game.n_actions)):
            raise SidelightError("PGTSMulti plays games whose actions show at most two symbols each")
        check_game_playable(self.analysis, self.name, only_optimal=True)
        self._informative = [a for a in range(game.n_actions) if game.informative(a)]

    def _compile(self) -> Parameters:
        stacked = np.array([row for a in self._informative for row in self.game.signal(a)], float)
        fit = np.linalg.pinv(stacked) if self._informative else np.zeros((self.game.n_outcomes, 0))
        models = [self._informative.index(a) if a in self._informative else -1 for a in range(self.game.n_actions)]
        return Parameters(
            settled=settled_action(self.analysis),
            choice=best_action_candidates(self.analysis, relative=True, pareto=True),
            actions=np.array(self._informative, np.int64),
            model=np.array(models, np.int64),
            fit=np.ascontiguousarray(fit),
            transitions=int(self.transitions),
            regularization=float(self.regularization),
            intercept=int(self.intercept),
        )

    def _start(self) -> State:
        size, count = int(self.dimension) + int(self.intercept), len(self._informative)
        alone = new_label_posterior(size, 0.0, float(self.regularization))
        models: list[Any] = [np.repeat(part[None], count, axis=0) for part in alone]
        scratch = Scratch(np.zeros(size), np.zeros(2 * count), np.zeros(self.game.n_outcomes))
        return State(np.zeros(self.game.n_actions, np.int64), Posterior(*models), scratch)

    def _resume(self, parameters: Parameters, state: State) -> tuple[Parameters, State]:
        return parameters, state._replace(models=double_room_of_label_posterior(state.models, axis=1))
