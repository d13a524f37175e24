"""Asymptotically optimal information directed sampling: buy the information that tells the best action from its rivals.

The law is estimated by ridge regression, p_hat with precision V and radius sqrt(beta), as for IDS. With b the action
that is best under p_hat and y another one that can be best, the nearest law (in the norm of V) at which y is as good is

    nu_y = p_hat - V^-1 d (d p_hat) / (d'V^-1 d),   d = L_y - L_b,   |nu_y - p_hat|_V^2 = (d p_hat)^2 / (d'V^-1 d).

If all of these distances squared are at least beta, b is played. Else the mixture of two actions is played that has the
least ratio D(mu)^2 / I(mu) of

    D_a = (L_a - L_b) p_hat + max_y [(L_b - L_y) p_hat + sqrt(beta) |L_b - L_y|_{V^-1}],
    I_a = sum_y w_y sum_u (|<nu_y - p_hat, m_u>| + sqrt(beta) |m_u|_{V^-1})^2,

m_u the rows of the signal matrix S_a, and w_y proportional to exp(-eta |nu_y - p_hat|_V^2), with eta never growing and
at most 1 / min_y |nu_y - p_hat|_V: the rivals that are nearest count most. An action that shows nothing has I = 0.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot, normalize, quadratic_form
from sidelight.strategies.base import Context, act, observe
from sidelight.strategies.information import ids
from sidelight.strategies.information.law_regression import Regression, refresh_ids_regression
from sidelight.strategies.shared.gap_bounds import Bounds, Rivals, confidence_radius_of_gap
from sidelight.strategies.shared.information_ratio import draws_second_of_mixture, mix_actions_by_information_ratio

_TINY = 1e-12


class Parameters(ids.Parameters):
    """What AsymptoticIDS knows before the first round: the same, but a class of its own."""

    __slots__ = ()


class Scratch(NamedTuple):
    """What every round works out anew, by rivals."""

    difference: Annotated[Floats, "outcomes"]  # d
    moves: Annotated[Floats, "rivals", "outcomes"]  # nu_y - p_hat
    distance: Annotated[Floats, "rivals"]  # its square in the norm of V
    weight: Annotated[Floats, "rivals"]  # w
    mixed: Annotated[Integers, 2]
    share: Annotated[Floats, 1]


class State(NamedTuple):
    """What play changes. `stale` says that symbols came in since the estimates were last worked out."""

    clock: Annotated[Integers, 1]
    stale: Annotated[Integers, 1]
    eta: Annotated[Floats, 1]
    regression: Regression
    bounds: Bounds
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    compared, regression, bounds, room = parameters.compared, state.regression, state.bounds, state.scratch
    state.clock[0] += 1
    if parameters.settled >= 0:
        return parameters.settled
    if state.stale[0] == 1:
        refresh_ids_regression(compared, regression, bounds)
        state.stale[0] = 0
    radius = confidence_radius_of_gap(parameters.width, regression.log_det[0], max(2.0, state.clock[0]))
    best = leading_rival_for_ids(compared, regression.law)
    nearest = find_alternatives_for_ids(compared, regression, best, room)
    if nearest >= radius * radius:
        return compared.rivals[best]
    state.eta[0] = min(state.eta[0], 1.0 / math.sqrt(max(nearest, _TINY)))
    weigh_alternatives_for_ids(best, nearest, state.eta[0], room)
    doubt = 0.0
    for r in range(compared.rivals.shape[0]):
        if r != best:
            b = compared.rivals[best]
            doubt = max(doubt, bounds.mean[b, r] + radius * bounds.reach[b, r])
    for a in range(bounds.gap.shape[0]):
        bounds.gap[a] = bounds.mean[a, best] + doubt
        bounds.gain[a] = information_of_symbols_for_ids(compared, regression.inverse, room, best, radius, a)
    mix_actions_by_information_ratio(bounds.gap, bounds.gain, room.mixed, room.share)
    return room.mixed[1] if draws_second_of_mixture(room.share[0], rng) else room.mixed[0]


@kernel
def leading_rival_for_ids(compared: Rivals, law: Floats) -> int:
    """Return the place among the rivals of the action that is best under a law."""
    best, least = 0, math.inf
    for r in range(compared.rivals.shape[0]):
        expected = dot(compared.loss[compared.rivals[r]], law)
        if expected < least:
            best, least = r, expected
    return best


@kernel
def find_alternatives_for_ids(compared: Rivals, regression: Regression, best: int, room: Scratch) -> float:
    """Set nu_y - p_hat and its length for all y but the best; return the least squared length."""
    own = compared.loss[compared.rivals[best]]
    nearest = math.inf
    for r in range(compared.rivals.shape[0]):
        if r != best:
            other = compared.loss[compared.rivals[r]]
            for j in range(own.shape[0]):
                room.difference[j] = other[j] - own[j]
            spread = max(_TINY, quadratic_form(regression.inverse, room.difference, room.moves[r]))
            ahead = dot(room.difference, regression.law)
            for j in range(own.shape[0]):
                room.moves[r, j] *= -ahead / spread
            room.distance[r] = ahead * ahead / spread
            nearest = min(nearest, room.distance[r])
    return nearest


@kernel
def weigh_alternatives_for_ids(best: int, nearest: float, eta: float, room: Scratch) -> None:
    """Set the weights w of the alternatives."""
    for r in range(room.weight.shape[0]):
        room.weight[r] = math.exp(max(-600.0, eta * (nearest - room.distance[r]))) if r != best else 0.0
    normalize(room.weight)


@kernel
def information_of_symbols_for_ids(
    compared: Rivals, inverse: Floats, room: Scratch, best: int, radius: float, action: int
) -> float:
    """Return the information gain I of an action's symbols."""
    if compared.symbols[action] == 1:
        return 0.0
    shown, total = compared.signals[action], 0.0
    for u in range(compared.symbols[action]):
        square = 0.0  # |m_u|^2 in the norm of V^-1
        for j in range(shown.shape[0]):
            for k in range(shown.shape[0]):
                if shown[j] == u and shown[k] == u:
                    square += inverse[j, k]
        reach = radius * math.sqrt(max(square, 0.0))
        for r in range(room.weight.shape[0]):
            if r != best:
                change = 0.0
                for j in range(shown.shape[0]):
                    if shown[j] == u:
                        change += room.moves[r, j]
                total += room.weight[r] * (abs(change) + reach) * (abs(change) + reach)
    return total


implements(observe, Parameters)(ids.observe_ids_symbol)


class AsymptoticIDS(ids.IDS):
    """Information directed sampling that weighs the rivals of the best action, and stops exploring when all are beaten.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    width
        Scales the confidence width sqrt(beta); 1 is the theory, less is bolder.
    seed
        Where the draws start.

    References
    ----------
    J. Kirschner, T. Lattimore, C. Vernade, Cs. Szepesvári, "Asymptotically optimal information-directed sampling", COLT
    2021, for linear bandits with Gaussian noise; here symbols take the place of rewards.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.AsymptoticIDS(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("good"), s.act()
    (1, None, 1)
    """

    guarantee: ClassVar[str] = "none in partial monitoring; asymptotically optimal in linear bandits"
    _parameters: ClassVar[type[ids.Parameters]] = Parameters
    _state_type: ClassVar[Any] = State

    def _start(self) -> Any:
        state = super()._start()
        state.eta[0] = 1.0
        return state
