"""Information directed sampling with finitely many known contexts.

Before each round one of the contexts c comes up, with known probability rho_c, and its features x_c are seen; the
outcome law is p(x) = Theta x. With theta = vec(Theta), a play of action a at x shows a symbol whose law is Phi theta,
Phi = x' (x) S_a, so that ridge regression gives

    V = I + sum Phi' Phi,   theta_hat = V^-1 sum Phi' e(y),   p_hat_c = Theta_hat x_c,
    P_c = (x_c (x) I)' V^-1 (x_c (x) I),

and P_c and p_hat_c take the place of V^-1 and p_hat in the bounds of `ids`: D(a, c) on the gaps, I(a, c) on what a play
would teach. A policy mu has the information ratio

    Psi(mu) = D(mu)^2 / I(mu),   D(mu) = sum_c rho_c sum_a mu(a | c) D(a, c),   I(mu) alike.

Frank and Wolfe's method finds the policy of least ratio (`information_ratio`). With one context, x = 1, all of this is
`IDS`.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.analysis import analyze
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix, signal_indices, symbol_counts
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import multiply, quadratic_form
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, check_whole, observe
from sidelight.strategies.ids import information
from sidelight.strategies.information_ratio import mix
from sidelight.strategies.playable import refuse_hopeless, settled_action
from sidelight.strategies.ridge import add_observation


class Parameters(NamedTuple):
    """What the strategy knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    width: float
    rivals: Integers  # the Pareto-optimal actions, one per class of duplicates
    loss: Floats
    most: Floats  # (actions, rivals): the largest possible gap
    signals: Integers  # (actions, outcomes): which of the action's symbols the outcome shows
    symbols: Integers  # how many symbols each action has
    features: Floats  # (contexts, d)
    weights: Floats  # rho


class State(NamedTuple):
    """What play changes. `stale` says that symbols came in since the bounds below it were worked out."""

    clock: Integers
    stale: Integers
    updates: Floats
    gram: Floats  # V, its rows numbered (feature, outcome)
    full_inverse: Floats  # V^-1
    response: Floats  # sum Phi' e(y)
    log_det: Floats
    theta: Floats
    mean: Floats  # (contexts, actions, rivals): estimated gaps
    reach: Floats  # (contexts, actions, rivals): their standard deviations
    gain: Floats  # (contexts, actions): I
    gap: Floats  # (contexts, actions): D
    policies: Integers  # (3, contexts): the two that are mixed, and room for another
    share: Floats  # the probability of the second
    law: Floats  # p_hat_c
    inverse: Floats  # P_c
    matrix: Floats
    row: Floats
    solved: Floats


@kernel
def project(parameters: Parameters, state: State, c: int) -> None:
    """Set p_hat_c and P_c."""
    outcomes, x = state.law.shape[0], parameters.features[c]
    for i in range(outcomes):
        total = 0.0
        for k in range(x.shape[0]):
            total += x[k] * state.theta[k * outcomes + i]
        state.law[i] = total
        for j in range(outcomes):
            total = 0.0
            for k in range(x.shape[0]):
                for m in range(x.shape[0]):
                    total += x[k] * x[m] * state.full_inverse[k * outcomes + i, m * outcomes + j]
            state.inverse[i, j] = total


@kernel
def estimate(parameters: Parameters, state: State) -> None:
    """Work out the estimated gaps, how far they reach, and what each play would teach, in every context."""
    outcomes = state.law.shape[0]
    loss = parameters.loss
    multiply(state.full_inverse, state.response, state.theta)
    for c in range(parameters.features.shape[0]):
        project(parameters, state, c)
        for a in range(loss.shape[0]):
            for r in range(parameters.rivals.shape[0]):
                b = parameters.rivals[r]
                mean = square = 0.0
                for i in range(outcomes):
                    difference = loss[a, i] - loss[b, i]
                    mean += difference * state.law[i]
                    for j in range(outcomes):
                        square += difference * (loss[a, j] - loss[b, j]) * state.inverse[i, j]
                state.mean[c, a, r] = mean
                state.reach[c, a, r] = math.sqrt(max(square, 0.0))
            state.gain[c, a] = information(parameters, state, a)  # type: ignore[arg-type]


@kernel
def bound_gaps(parameters: Parameters, state: State, count: float) -> None:
    """Set D, with delta = 1 / (count log count)."""
    doubt = math.log(count) + math.log(math.log(count))
    radius = parameters.width * (math.sqrt(0.5 * (state.log_det[0] + 2.0 * doubt)) + 1.0)
    for c in range(state.gap.shape[0]):
        for a in range(state.gap.shape[1]):
            gap = 0.0
            for r in range(parameters.rivals.shape[0]):
                if parameters.rivals[r] != a:
                    bound = state.mean[c, a, r] + radius * state.reach[c, a, r]
                    gap = max(gap, min(bound, parameters.most[a, r]))
            state.gap[c, a] = gap


@kernel
def nearest(features: Floats, context: Context) -> int:
    """Return the known context that is nearest to what is seen."""
    chosen, least = 0, math.inf
    for c in range(features.shape[0]):
        distance = 0.0
        for k in range(context.shape[0]):
            distance += (features[c, k] - context[k]) ** 2
        if distance < least:
            chosen, least = c, distance
    return chosen


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    state.clock[0] += 1
    if parameters.settled >= 0:
        return parameters.settled
    if state.stale[0] == 1:
        estimate(parameters, state)
        state.stale[0] = 0
    bound_gaps(parameters, state, max(2.0, state.clock[0]))
    first, second, third = state.policies[0], state.policies[1], state.policies[2]
    mix(parameters.weights, state.gap, state.gain, first, second, third, state.share)
    c = nearest(parameters.features, context)
    if state.share[0] > 0.0 and (state.share[0] >= 1.0 or rng.random() < state.share[0]):
        return second[c]
    return first[c]


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if parameters.symbols[action] == 1 or parameters.settled >= 0:
        return
    state.stale[0] = 1
    outcomes, x = state.law.shape[0], parameters.features[nearest(parameters.features, context)]
    for u in range(parameters.symbols[action]):
        for k in range(x.shape[0]):
            for j in range(outcomes):
                here = x[k] if parameters.signals[action, j] == u else 0.0
                state.row[k * outcomes + j] = here
                if u == symbol:
                    state.response[k * outcomes + j] += here
        state.log_det[0] += math.log(1.0 + quadratic_form(state.full_inverse, state.row, state.solved))
        add_observation(state.gram, state.full_inverse, state.row, state.solved, state.updates[0])
        state.updates[0] += 1.0


class IDSContexts(KernelStrategy):
    """Information directed sampling where one of finitely many known contexts is seen before each round.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    contexts
        The features of each context, (contexts, d); or how many there are, seen as indicators. What is seen in a round
        is taken for the nearest of them.
    weights
        The probability of each context; uniform by default.
    width
        Scales the confidence width sqrt(beta); 1 is the theory for |Theta| <= 1, less is bolder.
    seed
        Where the draws start.

    References
    ----------
    J. Kirschner, T. Lattimore, A. Krause, "Information directed sampling for linear partial monitoring", COLT 2020.

    Examples
    --------
    >>> import sidelight as sl
    >>> from sidelight.strategies.ids_contexts import IDSContexts
    >>> s = IDSContexts(sl.games.load("apple-tasting"), contexts=[[1, 0], [1, 1]], weights=[0.6, 0.4])
    >>> s.act([1, 1]), s.observe("good"), s.act([1, 0])
    (1, None, 1)
    """

    guarantee: ClassVar[str] = "easy and hard games whose outcome laws are linear in one of finitely many contexts"

    def __init__(self, game: Game, contexts: Any = 1, weights: Any = None, width: float = 1.0, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.contexts = contexts
        self.weights = weights
        self.width = width
        self._features = _features(contexts)
        self._rho = _probabilities(weights, len(self._features))
        self.dimension = self._features.shape[1]
        check_number("width", width, above=0)
        self.analysis = analyze(game)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        game, rivals = self.game, self.analysis.cells.pareto
        most = [
            [max(float(x - y) for x, y in zip(row, game.loss[b], strict=True)) for b in rivals] for row in game.loss
        ]
        return Parameters(
            settled=settled_action(self.analysis),
            width=float(self.width),
            rivals=np.array(rivals, np.int64),
            loss=loss_matrix(game),
            most=np.array(most),
            signals=signal_indices(game),
            symbols=symbol_counts(game),
            features=self._features,
            weights=self._rho,
        )

    def _start(self) -> State:
        actions, outcomes, rivals = self.game.n_actions, self.game.n_outcomes, len(self.analysis.cells.pareto)
        contexts, d = self._features.shape
        return State(
            clock=np.zeros(1, np.int64),
            stale=np.ones(1, np.int64),
            updates=np.zeros(1),
            gram=np.eye(d * outcomes),
            full_inverse=np.eye(d * outcomes),
            response=np.zeros(d * outcomes),
            log_det=np.zeros(1),
            theta=np.zeros(d * outcomes),
            mean=np.zeros((contexts, actions, rivals)),
            reach=np.zeros((contexts, actions, rivals)),
            gain=np.zeros((contexts, actions)),
            gap=np.zeros((contexts, actions)),
            policies=np.zeros((3, contexts), np.int64),
            share=np.zeros(1),
            law=np.zeros(outcomes),
            inverse=np.zeros((outcomes, outcomes)),
            matrix=np.zeros((outcomes, outcomes)),
            row=np.zeros(d * outcomes),
            solved=np.zeros(d * outcomes),
        )


def _features(contexts: Any) -> Floats:
    """Return the features of all contexts."""
    if isinstance(contexts, int | np.integer) and not isinstance(contexts, bool):
        check_whole("contexts", contexts, least=1, most=10_000)
        return np.eye(int(contexts))
    try:
        features = np.array(contexts, dtype=float)
    except (TypeError, ValueError):
        raise SidelightError(f"contexts are not numeric: {contexts!r}") from None
    if features.ndim != 2 or 0 in features.shape or not np.isfinite(features).all():
        raise SidelightError(f"contexts have shape {features.shape}: give finite numbers, (contexts, d), or how many")
    return features


def _probabilities(weights: Any, count: int) -> Floats:
    """Return the probability of each context."""
    if weights is None:
        return np.full(count, 1.0 / count)
    try:
        rho = np.array(weights, dtype=float)
    except (TypeError, ValueError):
        raise SidelightError(f"weights are not numeric: {weights!r}") from None
    if rho.shape != (count,) or not np.isfinite(rho).all() or (rho < 0).any() or abs(rho.sum() - 1.0) > 1e-9:
        raise SidelightError(f"weights are {weights!r}: give {count} probabilities that sum to 1, one per context")
    return rho
