"""Information directed sampling with finitely many known contexts.

Before each round one of the contexts c comes up, with known probability rho_c, and its features x_c are seen; the
outcome law is p(x) = Theta x, estimated by ridge regression (see `linear_law_regression`). The estimates p_hat_c and
their covariances P_c take the place of p_hat and V^-1 in `gap_bounds`: D(a, c) bounds the gaps, I(a, c) is what a play
would teach. A policy mu has the information ratio

    Psi(mu) = D(mu)^2 / I(mu),   D(mu) = sum_c rho_c sum_a mu(a | c) D(a, c),   I(mu) alike.

Frank and Wolfe's method finds the policy of least ratio (see `information_ratio`). With one context, x = 1, all of this
is `IDS`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from sidelight.environments.base import checked_numbers
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.base import Context, Seed, act, check_whole, observe
from sidelight.strategies.information.ids import IDS
from sidelight.strategies.shared.gap_bounds import (
    Bounds,
    Rivals,
    bound_gaps,
    confidence_radius_of_gap,
    rivals_for_gap_bounds,
)
from sidelight.strategies.shared.information_ratio import draws_second_of_mixture, mix_policies_by_information_ratio
from sidelight.strategies.shared.linear_law_regression import (
    Regression,
    add_symbol_to_linear_law_regression,
    estimate_linear_law_gaps,
)
from sidelight.strategies.shared.requirements import settled_action
from sidelight.strategies.shared.ridge import begin_ridge_regression


class Parameters(NamedTuple):
    """The constants of the strategy, fixed before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    width: float
    compared: Rivals
    features: Floats  # (contexts, d)
    weights: Floats  # rho


class State(NamedTuple):
    """The state of play. `stale` says that symbols came in since gaps and information were last worked out."""

    clock: Annotated[Integers, 1]
    stale: Annotated[Integers, 1]
    regression: Regression
    bounds: Bounds  # with a first axis of contexts
    policies: Annotated[Integers, 3, "contexts"]  # the two that are mixed, and room for another
    share: Annotated[Floats, 1]  # the probability of the second


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    compared, regression, bounds = parameters.compared, state.regression, state.bounds
    state.clock[0] += 1
    if parameters.settled >= 0:
        return parameters.settled
    if state.stale[0] == 1:
        estimate_linear_law_gaps(compared, parameters.features, regression, bounds)
        state.stale[0] = 0
    radius = confidence_radius_of_gap(parameters.width, regression.log_det[0], max(2.0, state.clock[0]))
    for c in range(parameters.features.shape[0]):
        bound_gaps(compared, radius, bounds.mean[c], bounds.reach[c], bounds.gap[c])
    first, second, third = state.policies[0], state.policies[1], state.policies[2]
    mix_policies_by_information_ratio(parameters.weights, bounds.gap, bounds.gain, first, second, third, state.share)
    c = nearest_context_of_ids(parameters.features, context)
    return second[c] if draws_second_of_mixture(state.share[0], rng) else first[c]


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if parameters.compared.symbols[action] > 1 and parameters.settled < 0:
        x = parameters.features[nearest_context_of_ids(parameters.features, context)]
        add_symbol_to_linear_law_regression(parameters.compared, state.regression, x, action, symbol)
        state.stale[0] = 1


@kernel
def nearest_context_of_ids(features: Floats, context: Context) -> int:
    """Return the known context that is nearest to the present one."""
    chosen, least = 0, math.inf
    for c in range(features.shape[0]):
        distance = 0.0
        for k in range(context.shape[0]):
            difference = features[c, k] - context[k]
            distance += difference * difference
        if distance < least:
            chosen, least = c, distance
    return chosen


class IDSContexts(IDS):
    """Information directed sampling where one of finitely many known contexts is seen before each round.

    Parameters
    ----------
    game, seed
        As for `IDS`.
    contexts
        The features of each context, (contexts, d); or the number of contexts, which are then seen as indicators. A
        context seen in a round counts as the nearest of them.
    weights
        The probability of each context; uniform by default.
    width
        Scales the confidence width sqrt(beta); 1 is the theory for |Theta| <= 1, less is bolder.

    References
    ----------
    J. Kirschner, T. Lattimore, A. Krause, "Information directed sampling for linear partial monitoring", COLT 2020.

    Examples
    --------
    >>> import sidelight as sl
    >>> from sidelight.strategies.information.ids_contexts import IDSContexts
    >>> s = IDSContexts(sl.games.load("apple-tasting"), contexts=[[1, 0], [1, 1]], weights=[0.6, 0.4])
    >>> s.act([1, 1]), s.observe("good"), s.act([1, 0])
    (1, None, 1)
    """

    guarantee: ClassVar[str] = "easy and hard games whose outcome laws are linear in one of finitely many contexts"

    def __init__(self, game: Game, contexts: Any = 1, weights: Any = None, width: float = 1.0, seed: Seed = 0) -> None:
        super().__init__(game, width=width, seed=seed)
        self.contexts = contexts
        self.weights = weights
        self._features = _context_features_of_ids(contexts)
        self._rho = _context_probabilities_of_ids(weights, len(self._features))
        self.dimension = self._features.shape[1]

    def _compile(self) -> Any:
        compared = rivals_for_gap_bounds(self.analysis)
        return Parameters(settled_action(self.analysis), float(self.width), compared, self._features, self._rho)

    def _start(self) -> Any:
        contexts, d = self._features.shape
        rivals = len(self.analysis.cells.pareto)
        state = self._zeros(State, contexts=contexts, coefficients=d * self.game.n_outcomes, rivals=rivals)
        begin_ridge_regression(state.regression.gram, state.regression.inverse, 1.0)
        state.stale[0] = 1
        return state._replace(bounds=Bounds(*(np.zeros((contexts, *part.shape)) for part in state.bounds)))


def _context_features_of_ids(contexts: Any) -> Floats:
    """Return the features of all contexts."""
    if isinstance(contexts, int | np.integer) and not isinstance(contexts, bool):
        check_whole("contexts", contexts, least=1, most=10_000)
        return np.eye(int(contexts))
    features = checked_numbers("contexts", contexts)
    if features.ndim != 2 or 0 in features.shape or not np.isfinite(features).all():
        raise SidelightError(f"contexts have shape {features.shape}: give finite numbers, (contexts, d), or how many")
    return features


def _context_probabilities_of_ids(weights: Any, count: int) -> Floats:
    """Return the probability of each context."""
    if weights is None:
        return np.full(count, 1.0 / count)
    rho = checked_numbers("weights", weights)
    if rho.shape != (count,) or not np.isfinite(rho).all() or (rho < 0).any() or abs(rho.sum() - 1.0) > 1e-9:
        raise SidelightError(f"weights are {weights!r}: give {count} probabilities that sum to 1, one per context")
    return rho
