"""PG-TS and PG-IDS: logistic regression with Pólya-Gamma Gibbs sampling, for games with one revealing action.

With y = 1 for the first outcome and P(y = 1 | x) = 1 / (1 + exp(-x theta)), prior theta ~ N(b, B), and one label per
play of the revealing action, a Gibbs transition draws

    omega_s ~ PG(1, x_s theta) for every label s,    theta ~ N(m, A^-1),
    A = B^-1 + sum_s omega_s x_s x_s',    A m = sum_s (y_s - 1/2) x_s + B^-1 b.

Each round makes some transitions from where the last round ended. PG-TS plays the best action under the last theta.
PG-IDS weighs the expected regrets D_a over all of them against the information, which only the revealing action r
gives: with D the least regret of the others, it plays r with probability 1 if D_r <= D, else min(1, D / (D_r - D)).

A transition costs n d^2 operations for n labels: the diagonal matrix of the omegas is never formed. (The paper calls
the method cubic in the number of contexts; forming that matrix would make it quadratic, and it is linear.) With
`refresh` below one, only that share of the omegas is drawn anew in a transition, in turn: still a valid Gibbs sampler
with the same posterior, that mixes more slowly.
"""

from __future__ import annotations

import math
import warnings
from typing import ClassVar, NamedTuple

import numpy as np

from sidelight.analysis import analyze
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_outer, cholesky, dot, solve_lower, solve_upper
from sidelight.strategies.base import (
    UNANSWERED,
    Context,
    KernelStrategy,
    Seed,
    act,
    check_flag,
    check_number,
    check_parameter,
    check_whole,
    observe,
)
from sidelight.strategies.polya_gamma import polya_gamma
from sidelight.strategies.renamed import renamed_variance

_ROOM = 256


class Parameters(NamedTuple):
    """What the strategies know before the first round."""

    loss: Floats
    revealing: int
    directed: int  # 1 for PG-IDS
    transitions: int
    refresh: float
    precision: float  # of the prior: B = I / precision
    intercept: int


class State(NamedTuple):
    """What play changes; `features` and `omega` have room for more labels than there are."""

    plays: Integers
    labels: Integers
    turn: Integers  # which omega is drawn anew next
    features: Floats  # (room, d)
    omega: Floats  # (room,)
    pull: Floats  # sum (y - 1/2) x + B^-1 b
    theta: Floats
    precision: Floats  # (d, d): A, lower half
    factor: Floats  # (d, d): its Cholesky factor
    x: Floats
    regrets: Floats


@kernel
def draw_theta(state: State, rng: np.random.Generator) -> None:
    """Draw theta ~ N(m, A^-1): with A = R R', theta = R^-T (R^-1 pull + z)."""
    factor, theta = state.factor, state.theta
    cholesky(state.precision, factor, theta.shape[0], 0.0, 0.0)
    solve_lower(factor, state.pull, theta)
    for i in range(theta.shape[0]):
        theta[i] += rng.normal()
    solve_upper(factor, theta, theta)


@kernel
def transition(parameters: Parameters, state: State, rng: np.random.Generator) -> None:
    """Make one Gibbs transition."""
    n = state.labels[0]
    count = n
    if parameters.refresh < 1.0:
        count = min(n, 1 + int(parameters.refresh * n))
    else:
        for i in range(state.theta.shape[0]):
            for j in range(i + 1):
                state.precision[i, j] = parameters.precision if i == j else 0.0
        state.turn[0] = 0
    s = state.turn[0]
    for _ in range(count):
        if s >= n:
            s = 0
        x = state.features[s]
        fresh = polya_gamma(dot(x, state.theta), rng)
        add_outer(state.precision, fresh - state.omega[s] if parameters.refresh < 1.0 else fresh, x)
        state.omega[s] = fresh
        s += 1
    state.turn[0] = s
    draw_theta(state, rng)


@kernel
def add_regrets(parameters: Parameters, state: State) -> int:
    """Add each action's regret at the context under the current theta; return the best action."""
    p = 1.0 / (1.0 + math.exp(min(700.0, -dot(state.x, state.theta))))
    loss = parameters.loss
    best, least = 0, math.inf
    for a in range(loss.shape[0]):
        expected = loss[a, 0] * p + loss[a, 1] * (1.0 - p)
        if expected < least:
            best, least = a, expected
    for a in range(loss.shape[0]):
        state.regrets[a] += loss[a, 0] * p + loss[a, 1] * (1.0 - p) - least
    return best


@kernel
def directed(parameters: Parameters, state: State, rng: np.random.Generator) -> int:
    """Choose between the revealing action and the best of the others by the information ratio."""
    r = parameters.revealing
    other, least = -1, math.inf
    for a in range(state.regrets.shape[0]):
        if a != r and state.regrets[a] < least:
            other, least = a, state.regrets[a]
    price = state.regrets[r] - least
    if price <= 0.0 or least >= price:
        return r
    return r if rng.random() * price < least else other


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if state.plays[parameters.revealing] >= state.omega.shape[0]:
        return UNANSWERED  # no room for another label
    for k in range(context.shape[0]):
        state.x[k] = context[k]
    if parameters.intercept == 1:
        state.x[context.shape[0]] = 1.0
    for a in range(state.regrets.shape[0]):
        state.regrets[a] = 0.0
    if state.labels[0] == 0 and state.plays[parameters.revealing] == 0:
        chosen = parameters.revealing
    else:
        chosen = add_regrets(parameters, state)
        for _ in range(parameters.transitions):
            transition(parameters, state, rng)
            chosen = add_regrets(parameters, state)
        if parameters.directed == 1:
            chosen = directed(parameters, state, rng)
    state.plays[chosen] += 1
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if action == parameters.revealing:
        n = state.labels[0]
        x = state.features[n]
        for k in range(context.shape[0]):
            x[k] = context[k]
        if parameters.intercept == 1:
            x[context.shape[0]] = 1.0
        for k in range(x.shape[0]):
            state.pull[k] += 0.5 * x[k] if symbol == 0 else -0.5 * x[k]
        # With partial refreshes the new label's omega starts at the mean of PG(1, 0) and is drawn in its turn.
        state.omega[n] = 0.25
        add_outer(state.precision, 0.25, x)
        state.labels[0] = n + 1


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

    @renamed_variance("prior_variance")
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
        self.dimension = dimension
        self.prior_mean = prior_mean
        self.regularization = regularization
        self.transitions = transitions
        self.intercept = intercept
        self.refresh = refresh
        check_whole("dimension", dimension, least=1)
        check_number("prior_mean", prior_mean)
        check_number("regularization", regularization, above=0)
        check_whole("transitions", transitions, least=1)
        check_flag("intercept", intercept)
        check_number("refresh", refresh, above=0)
        check_parameter("refresh", refresh, refresh <= 1, "a share of at most 1")
        self._revealing = revealing_action(game, self.name)
        if not self._directed and analyze(game).kind == "hard":
            warnings.warn(f"{self.name} has no guarantee on a hard game: it never pays for information", stacklevel=2)

    @property
    def _size(self) -> int:
        return int(self.dimension) + bool(self.intercept)

    def _compile(self) -> Parameters:
        # The symbol that the first outcome shows comes first, so symbol 0 is y = 1.
        return Parameters(
            loss=loss_matrix(self.game),
            revealing=self._revealing,
            directed=self._directed,
            transitions=int(self.transitions),
            refresh=float(self.refresh),
            precision=float(self.regularization),
            intercept=int(self.intercept),
        )

    def _start(self) -> State:
        d, precision = self._size, float(self.regularization)
        return State(
            plays=np.zeros(self.game.n_actions, np.int64),
            labels=np.zeros(1, np.int64),
            turn=np.zeros(1, np.int64),
            features=np.zeros((_ROOM, d)),
            omega=np.zeros(_ROOM),
            pull=np.full(d, float(self.prior_mean) * precision),
            theta=np.full(d, float(self.prior_mean)),
            precision=np.eye(d) * precision,
            factor=np.zeros((d, d)),
            x=np.zeros(d),
            regrets=np.zeros(self.game.n_actions),
        )

    def _resume(self, parameters: Parameters, state: State) -> tuple[Parameters, State]:
        features = np.concatenate([state.features, np.zeros_like(state.features)])
        omega = np.concatenate([state.omega, np.zeros_like(state.omega)])
        return parameters, state._replace(features=features, omega=omega)


class PGIDS(PGTS):
    """Information directed sampling by Pólya-Gamma Gibbs sampling; parameters as for `PGTS`.

    The ratio is of expected regret squared to information, of which only the revealing action has any.
    """

    guarantee: ClassVar[str] = "none is proved here"
    _directed: ClassVar[int] = 1


def revealing_action(game: Game, name: str) -> int:
    """Return the one informative action of a game of two outcomes, or say why there is none."""
    informative = [a for a in range(game.n_actions) if game.informative(a)]
    if game.n_outcomes != 2 or len(informative) != 1 or game.n_actions < 2:
        raise SidelightError(
            f"{name} plays games of two outcomes in which exactly one action reveals them; "
            f"this one has {game.n_outcomes} outcomes and {len(informative)} informative actions"
        )
    return informative[0]
