"""CBPSide and RandCBPSide, the CBPside* and RandCBPside* of the paper: confidence bounds when laws depend on contexts.

Each informative action a has a ridge regression of its symbols on the context x,

    G_a = lambda I + sum x x',    pi_a(x) = (sum e(y) x') G_a^-1 x,    |x|_a^2 = x' G_a^-1 x,

and for each pair of neighbors delta_ij(x) = sum_a v_ija pi_a(x) and c_ij(x) = sum_a |v_ija| w_a(x) take the place of
the estimates and widths of `cbp`; the rest is the same, with pseudo-counts 1 / |x|_a^2 in the place of counts:

    R(x) = {a : 1 / |x|_a^2 < W_a^(2/3) f(t)},    play the largest W_a w_a(x) in P(t) u N+(t) u (V(t) n R(x)).

What `bounds` chooses (sigma_a: the number of symbols of a; d: the dimension; Z = B for CBPSide, drawn at random for
RandCBPSide):

- "tight": w_a = Z |x|_a, with |v| half the range of v (the most that the standard deviation of v e(y) can be) and
  Z = sigma |N(0, 1)| for RandCBPSide, sqrt(alpha log t) for CBPSide; the context gets an intercept. There is no proof
  for it; the documentation has a table of measurements.
- "corrected": w_a = sigma_a (Z + sqrt(lambda) sigma_a) |x|_a with B^2 = (d + 4) log t and Z drawn from [0, B] as in
  RandCBP. The paper prints d - 4, which its own derivation contradicts (d log t + 2 log(1 / delta) with
  delta = 1 / t^2), and an offset sigma_a; `cbpside_published` has what reproduces its numbers.

With `model="logistic"` the symbols follow a softmax of Theta_a x (see `softmax`), and each pair's width is
sum_a (Z + offset) times the local standard error of v_ija pi_a(x); pseudo-counts still come from the unweighted G_a.
The offset is sqrt(lambda) sigma_a with "corrected" bounds and 0 with "tight" ones. If the first few symbols are all the
same, the fit is overconfident and the local standard error nearly zero: of 1 500 runs a few then never looked again.
"Tight" bounds therefore compute it at the law (m pi + 1/2 u) / (m + 1/2), m = 1 / |x|_a^2 being the pseudo-count and u
uniform; with that, no run stopped looking.

With `standardize` and `hinge`, the default of tight bounds with the linear model, contexts are measured in running
standard deviations, and a symbol that the model already predicts with certainty is left out (see
`contextual_standardized`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.strategies.base import KernelStrategy, Seed, check_choice, check_flag, check_number, check_whole
from sidelight.strategies.confidence_bounds import contextual_logistic, contextual_standardized
from sidelight.strategies.confidence_bounds.contextual_round import Parameters, State
from sidelight.strategies.confidence_bounds.observers import (
    euclidean_norm_of_observer_vector,
    half_range_of_observer_vector,
    lay_out_cbp_observers,
)
from sidelight.strategies.confidence_bounds.plausible_sets import PlausibleSets, shared_plausible_sets
from sidelight.strategies.confidence_bounds.sampler import WidthSampler
from sidelight.strategies.shared.requirements import settled_action

MODELS = ("linear", "logistic")
_TEMPERING = 0.5


class Constants(NamedTuple):
    """The constants of the confidence widths."""

    degrees: float  # B^2 = degrees log t
    offset: float  # added to Z, times the number of symbols
    start: float = -1.0  # the inverse Gram matrices start at lambda to this power, times I


class RandCBPSide(KernelStrategy):
    """RandCBPside*, randomized confidence bounds with contexts, for any globally observable game.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally.
    dimension
        How many numbers a context has.
    regularization
        lambda of the regressions.
    bounds
        The confidence bounds: "tight", the best measured, or "corrected", those with a proof; see the module's text.
    model
        How symbols depend on the context: "linear" (ridge regression) or "logistic" (a multinomial fit, which is made
        anew when an action's observations have grown by 2 %; its cost and memory grow with the horizon).
    alpha
        Scales the exploration rate (and the logarithm in the widths of a tight CBPSide).
    sigma
        The standard deviation of Z; 1/2 with tight bounds, else 1.
    intercept
        Add a constant 1 to the context; by default only with tight bounds.
    standardize
        Measure contexts in running standard deviations from their running mean, for the linear model with an intercept;
        by default only with tight bounds.
    hinge
        Leave out symbols that the linear model predicts with a probability of 1 or more, so that a law that saturates
        does not distort the fit; by default with tight bounds and an intercept.
    observers
        How loss differences are estimated: "minimum-norm", "half-range", "max-norm", or your own mapping, as for
        `RandCBP`.
    seed
        Where the draws start.

    References
    ----------
    M. Heuillet, O. Ahmad, A. Durand, "Randomized confidence bounds for stochastic partial monitoring", ICML 2024.
    G. Bartók, Cs. Szepesvári, "Partial monitoring with side information", ALT 2012.
    """

    guarantee: ClassVar[str] = "easy and hard games whose symbol laws are linear in the context, with corrected bounds"
    _known_bounds: ClassVar[tuple[str, ...]] = ("tight", "corrected")
    _draws_z: ClassVar[bool] = True
    # What `cbpside_published` lets one change.
    bins: int = 5
    tail: float = 1e-7

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 0.05,
        bounds: str = "tight",
        model: str = "linear",
        alpha: float = 1.01,
        *,
        sigma: float | None = None,
        intercept: bool | None = None,
        standardize: bool | None = None,
        hinge: bool | None = None,
        observers: str | Mapping[Any, Any] = "minimum-norm",
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, seed=seed)
        self.dimension = check_whole("dimension", dimension, least=1)
        self.regularization = check_number("regularization", regularization, above=0)
        self.bounds = check_choice("bounds", bounds, self._known_bounds)
        self.model = check_choice("model", model, MODELS)
        self.alpha = check_number("alpha", alpha, above=0)
        self.sigma = None if sigma is None else check_number("sigma", sigma, above=0)
        self.intercept = None if intercept is None else check_flag("intercept", intercept)
        self.standardize = None if standardize is None else check_flag("standardize", standardize)
        self.hinge = None if hinge is None else check_flag("hinge", hinge)
        self.observers = observers
        self._settle_options()
        self._watch = lay_out_cbp_observers(
            self.analysis,
            observers,
            half_range_of_observer_vector if self._tight else euclidean_norm_of_observer_vector,
        )

    def _settle_options(self) -> None:
        """Work out what the options amount to, and refuse those that do not go together."""
        self._tight, self._logistic = self.bounds == "tight", self.model == "logistic"
        self._with_intercept = self._tight if self.intercept is None else bool(self.intercept)
        self._size = int(self.dimension) + self._with_intercept
        # Units and the hinge, which only the linear model has, are those of `contextual_standardized`.
        improved = self._tight and not self._logistic and self._with_intercept
        self._standardizes = improved if self.standardize is None else bool(self.standardize)
        self._with_hinge = improved if self.hinge is None else bool(self.hinge)
        self._with_units = self._standardizes or self._with_hinge
        self._wrapped = self._logistic or self._with_units  # parameters and state hold those of the linear round
        if self._logistic and (self.standardize or self.hinge):
            raise SidelightError("standardize and hinge are for the linear model: use model='linear', or not them")
        if self.standardize and not self._with_intercept:
            raise SidelightError("standardized contexts need an intercept: use intercept=True, or standardize=False")

    @property
    def plausible_sets(self) -> PlausibleSets:
        """The facts about plausible sets that all strategies playing this game share."""
        return shared_plausible_sets(self.analysis, self._watch.sets)

    def _constants(self) -> Constants:
        if self._tight:
            return Constants(degrees=float(self.alpha), offset=0.0)
        return Constants(degrees=self._size + 4.0, offset=float(self.regularization) ** 0.5)

    def _compile(self) -> Any:
        actions = range(self.game.n_actions)
        symbols = np.array([float(len(self.game.symbols(a))) for a in actions])
        constants = self._constants()
        sigma = (0.5 if self._tight else 1.0) if self.sigma is None else float(self.sigma)
        bins = int(self.bins) if self._draws_z and not self._tight else 1
        places = np.append(self._watch.arrays.place, int(symbols.sum()))
        linear = Parameters(
            alpha=float(self.alpha),
            sampler=WidthSampler(bins, 0.0, sigma, float(self.tail)),
            settled=settled_action(self.analysis),
            degrees=constants.degrees,
            half_normal=int(self._tight and self._draws_z),
            intercept=int(self._with_intercept),
            factor=np.ones_like(symbols) if self._tight else symbols,
            offset=constants.offset * symbols,
            weight=self._watch.weights,
            rate=self._watch.weights ** (2 / 3),
            informative=np.array([self.game.informative(a) for a in actions], np.uint8),
            watch=self._watch.arrays._replace(place=places),
            plausible=self.plausible_sets.snapshot(),
        )
        if self._logistic:
            tempering = _TEMPERING if self._tight else 0.0
            return contextual_logistic.Parameters(linear, float(self.regularization), tempering)
        if self._with_units:
            units, hinge = int(self._standardizes), int(self._with_hinge)
            return contextual_standardized.Parameters(linear, float(self.regularization), units, hinge)
        return linear

    def _start(self) -> Any:
        most_symbols = max(len(self.game.symbols(a)) for a in range(self.game.n_actions))
        facts = self.plausible_sets.snapshot()
        kind: Any = contextual_logistic.State if self._logistic else State
        state = self._zeros(
            contextual_standardized.State if self._with_units else kind,
            features=self._size,
            dimension=int(self.dimension),
            coefficients=most_symbols * self._size,
            most_symbols=most_symbols,
            pairs=len(self.analysis.neighbors),
            terms=len(self._watch.arrays.action),
            steps=max(1, int(self.bins) - 1),
            targets=facts.points.shape[0],
            words=facts.points.shape[2],
        )
        inverse = float(self.regularization) ** self._constants().start
        inner = state.round if self._wrapped else state
        inner.gram[:] = np.eye(self._size) / inverse
        inner.inverse[:] = np.eye(self._size) * inverse
        return state

    def _resume(self, parameters: Any, state: Any) -> tuple[Any, Any]:
        inner = state.round if self._wrapped else state
        if not inner.open[0]:  # no question, but a full array
            return parameters, contextual_logistic.double_room_of_logistic_cbpside(state)
        facts = self.plausible_sets.answer(inner.differences, inner.scratch.plausible, 0.0)
        if self._wrapped:
            return parameters._replace(round=parameters.round._replace(plausible=facts)), state
        return parameters._replace(plausible=facts), state


class CBPSide(RandCBPSide):
    """CBPside*, confidence bounds with contexts: RandCBPside* with Z at its bound.

    Parameters
    ----------
    game, dimension, regularization, bounds, model, alpha, intercept, standardize, hinge, observers, seed
        As for `RandCBPSide`; the seed is not used, since nothing is drawn.
    """

    _draws_z: ClassVar[bool] = False

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 0.05,
        bounds: str = "tight",
        model: str = "linear",
        alpha: float = 1.01,
        *,
        intercept: bool | None = None,
        standardize: bool | None = None,
        hinge: bool | None = None,
        observers: str | Mapping[Any, Any] = "minimum-norm",
        seed: Seed = 0,
    ) -> None:
        super().__init__(
            game,
            dimension,
            regularization=regularization,
            bounds=bounds,
            model=model,
            alpha=alpha,
            intercept=intercept,
            standardize=standardize,
            hinge=hinge,
            observers=observers,
            seed=seed,
        )
