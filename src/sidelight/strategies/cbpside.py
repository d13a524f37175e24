"""CBPside* and RandCBPside*: confidence bounds when the outcome law depends on a context.

Each informative action a has a ridge regression of its symbols on the context x,

    G_a = lambda I + sum x x',    pi_a(x) = (sum e(y) x') G_a^-1 x,    |x|_a^2 = x' G_a^-1 x,

and for each pair of neighbors delta_ij(x) = sum_a v_ija pi_a(x) and c_ij(x) = sum_a |v_ija| w_a(x) take the place of
the estimates and widths of `cbp`; the rest is the same, with pseudo-counts 1 / |x|_a^2 in the place of counts:

    R(x) = {a : 1 / |x|_a^2 < W_a^(2/3) f(t)},    play the largest W_a w_a(x) in P(t) u N+(t) u (V(t) n R(x)).

What `width` chooses (sigma_a: the number of symbols of a; d: the dimension; Z = B for CBPside*, drawn from [lower, B]
as in RandCBP for RandCBPside*):

- "corrected": w_a = sigma_a (Z + sqrt(lambda) sigma_a) |x|_a with B^2 = (d + 4) log t. The paper prints d - 4, which
  its own derivation contradicts (d log t + 2 log(1 / delta) with delta = 1 / t^2), and an offset sigma_a.
- "printed": w_a = sigma_a (Z + sigma_a) |x|_a with B^2 = (d - 4) log t, not a real number below d = 4.
- "published": what produced the published table. B^2 = (d - 4) log t; CBPside* starts its inverse Gram matrix at
  lambda I with the offset lambda sigma_a, RandCBPside* at I with sqrt(lambda) sigma_a.
- "tight": w_a = Z |x|_a, with |v| half the range of v (the most that the standard deviation of v e(y) can be) and
  Z = sigma |N(0, 1)| for RandCBPside*, sqrt(alpha log t) for CBPside*; the context gets an intercept.

With model="logistic" the symbols follow a softmax of Theta_a x (see `softmax`), and each pair's width is
sum_a (Z + offset) times the local standard error of v_ija pi_a(x); pseudo-counts still come from the unweighted G_a.
The offset is sqrt(lambda) sigma_a with "corrected" widths and 0 with "tight" ones; the other two know no such model.
Where the first few symbols are all the same, the fit is sure of itself and the local standard error next to nothing: of
1 500 runs a few then never looked again. "Tight" widths therefore take it at the law (m pi + 1/2 u) / (m + 1/2),
m = 1 / |x|_a^2 being the pseudo-count and u uniform, after which no run did.

"Tight" has no proof behind it; see the measured table in the documentation for what it is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sidelight.analysis import analyze
from sidelight.analysis.plausible_sets import PlausibleSets
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.strategies.base import KernelStrategy, Seed, check_number, check_parameter, check_whole
from sidelight.strategies.cbp import check_sampler
from sidelight.strategies.observers import euclidean, half_range, observation
from sidelight.strategies.playable import settled_action
from sidelight.strategies.side import Parameters, State
from sidelight.strategies.side_logistic import LogisticParameters, more_room, with_history

WIDTHS = ("corrected", "printed", "published", "tight")
MODELS = ("linear", "logistic")
_TEMPERING = 0.5


class RandCBPSide(KernelStrategy):
    """RandCBPside*: randomized confidence bounds with contexts, for any globally observable game.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally.
    dimension
        How many numbers a context has.
    regularization
        lambda of the ridge regressions.
    width
        The constants of the confidence widths: "tight", "corrected", "printed" or "published"; see the module's text.
    model
        How symbols depend on the context: "linear" (ridge regression) or "logistic" (a multinomial fit, which is made
        anew when an action's observations have grown by 2 %; its cost and memory grow with the horizon).
    alpha
        Scales the exploration rate (and the logarithm in the widths of a tight CBPside*).
    bins, tail, lower
        K, epsilon and A of the sampler of Z, as for `RandCBP`; not used with tight widths.
    sigma
        Its standard deviation; 1/2 with tight widths, else 1. A larger bound B with the same sigma means less
        exploration, because the points of the sampler move apart: the two belong together.
    draws
        "action" or "pair": what has a Z of its own.
    rule
        "exploring" (with pseudo-counts, for easy and hard games) or "alt2012", the original rule without R(x), for easy
        games only.
    intercept
        Add a constant 1 to the context; by default only with tight widths.
    observers, seed
        As for `RandCBP`.

    References
    ----------
    M. Heuillet, O. Ahmad, A. Durand, "Randomized confidence bounds for stochastic partial monitoring", ICML 2024.
    G. Bartók, Cs. Szepesvári, "Partial monitoring with side information", ALT 2012.
    """

    guarantee: ClassVar[str] = "easy and hard games whose symbol laws are linear in the context, with corrected widths"
    _start_at: ClassVar[dict[str, float]] = {"published": 0.0}  # powers of lambda: the inverse Gram matrix starts there
    _offset_power: ClassVar[float] = 0.5
    _draws_z: ClassVar[bool] = True

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 0.05,
        width: str = "tight",
        model: str = "linear",
        alpha: float = 1.01,
        bins: int = 5,
        sigma: float | None = None,
        tail: float = 1e-7,
        lower: float = 0.0,
        draws: str = "action",
        rule: str = "exploring",
        intercept: bool | None = None,
        observers: str | Mapping[Any, Any] = "minimum-norm",
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, seed=seed)
        self.dimension = dimension
        self.regularization = regularization
        self.width = width
        self.model = model
        self.alpha = alpha
        self.bins = bins
        self.sigma = sigma
        self.tail = tail
        self.lower = lower
        self.draws = draws
        self.rule = rule
        self.intercept = intercept
        self.observers = observers
        self._check()
        self.analysis = analyze(game)
        if rule == "alt2012" and self.analysis.kind == "hard":
            raise SidelightError("rule='alt2012' is for easy games, and this game is hard: use rule='exploring'")
        self._watch = observation(self.analysis, observers, half_range if width == "tight" else euclidean)

    def _check(self) -> None:
        check_whole("dimension", self.dimension, least=1)
        check_number("regularization", self.regularization, above=0)
        check_parameter("width", self.width, self.width in WIDTHS, f"one of {', '.join(WIDTHS)}")
        check_number("alpha", self.alpha, above=0)
        check_whole("bins", self.bins, least=1)
        check_sampler(1.0 if self.sigma is None else self.sigma, self.tail, self.lower)
        check_parameter("draws", self.draws, self.draws in ("action", "pair"), "'action' or 'pair'")
        check_parameter("rule", self.rule, self.rule in ("exploring", "alt2012"), "'exploring' or 'alt2012'")
        check_parameter("model", self.model, self.model in MODELS, f"one of {', '.join(MODELS)}")
        if self._logistic and self.width in ("printed", "published"):
            raise SidelightError(f"width={self.width!r} is defined for the linear model; use 'tight' or 'corrected'")
        if self.width in ("printed", "published") and self._size < 4:
            raise SidelightError(
                f"width={self.width!r} has B^2 = (d - 4) log t, which is negative for d = {self._size}: "
                "use width='corrected', whose d + 4 is what the derivation gives"
            )

    @property
    def _tight(self) -> bool:
        return self.width == "tight"

    @property
    def _logistic(self) -> bool:
        return self.model == "logistic"

    @property
    def _with_intercept(self) -> bool:
        return self._tight if self.intercept is None else bool(self.intercept)

    @property
    def _size(self) -> int:
        return int(self.dimension) + self._with_intercept

    @property
    def plausible_sets(self) -> PlausibleSets:
        """What all strategies that play this game have learnt about its plausible sets."""
        return self.analysis.plausible_sets(self._watch.sets)

    def _compile(self) -> Any:
        actions = range(self.game.n_actions)
        symbols = np.array([float(len(self.game.symbols(a))) for a in actions])
        penalty = float(self.regularization)
        offset = {"corrected": penalty**0.5, "printed": 1.0, "published": penalty**self._offset_power, "tight": 0.0}
        degrees = {"corrected": self._size + 4.0, "tight": float(self.alpha)}.get(self.width, self._size - 4.0)
        sigma = (0.5 if self._tight else 1.0) if self.sigma is None else float(self.sigma)
        places = np.append(self._watch.arrays.place, int(symbols.sum()))
        linear = Parameters(
            alpha=float(self.alpha),
            bins=int(self.bins) if self._draws_z else 1,
            lower=float(self.lower),
            sigma=sigma,
            tail=float(self.tail),
            settled=settled_action(self.analysis),
            degrees=degrees,
            half_normal=int(self._tight and self._draws_z),
            per_pair=int(self.draws == "pair"),
            explore=int(self.rule == "exploring"),
            intercept=int(self._with_intercept),
            factor=np.ones_like(symbols) if self._tight else symbols,
            offset=offset[self.width] * symbols,
            weight=self._watch.weights,
            rate=self._watch.weights ** (2 / 3),
            informative=np.array([self.game.informative(a) for a in actions], np.uint8),
            watch=self._watch.arrays._replace(place=places),
            plausible=self.plausible_sets.snapshot(),
        )
        tempering = _TEMPERING if self._tight else 0.0
        return LogisticParameters(*linear, penalty, tempering) if self._logistic else linear

    def _start(self) -> Any:
        words, targets, actions = self.plausible_sets.sizes
        pairs, d = len(self.analysis.neighbors), self._size
        symbols = sum(len(self.game.symbols(a)) for a in range(actions))
        inverse = self.regularization ** self._start_at.get(self.width, -1.0)
        linear = State(
            clock=np.zeros(1, np.int64),
            open=np.zeros(1, np.int64),
            plays=np.zeros(actions),
            seen=np.zeros(actions),
            gram=np.tile(np.eye(d) / inverse, (actions, 1, 1)),
            inverse=np.tile(np.eye(d) * inverse, (actions, 1, 1)),
            totals=np.zeros((symbols, d)),
            x=np.zeros(d),
            solved=np.zeros((actions, d)),
            norm=np.zeros(actions),
            size=np.zeros(len(self._watch.arrays.action)),
            z=np.zeros(actions),
            law=np.zeros(symbols),
            delta=np.zeros(pairs),
            reach=np.zeros(pairs),
            width=np.zeros(pairs),
            signs=np.zeros(pairs, np.int64),
            steps=np.zeros(max(1, self.bins - 1)),
            wanted=np.zeros(words, np.uint64),
            hints=np.zeros((targets, 2), np.int64),
            alive=np.zeros(targets, np.uint8),
            allowed=np.zeros(actions, np.uint8),
            observing=np.zeros(actions, np.uint8),
        )
        most = max(len(self.game.symbols(a)) for a in range(actions))
        return with_history(linear, actions, symbols, most, d) if self._logistic else linear

    def _resume(self, parameters: Any, state: Any) -> tuple[Any, Any]:
        if not state.open[0]:  # no question, but a full array
            return parameters, more_room(state)
        return parameters._replace(plausible=self.plausible_sets.learn(state.signs, state.delta)), state


class CBPSide(RandCBPSide):
    """CBPside*: confidence bounds with contexts, Z being its bound.

    Parameters
    ----------
    game, dimension, regularization, width, model, alpha, rule, intercept, observers, seed
        As for `RandCBPSide`; the seed is not used, since nothing is drawn.
    """

    _start_at: ClassVar[dict[str, float]] = {"published": 1.0}
    _offset_power: ClassVar[float] = 1.0
    _draws_z: ClassVar[bool] = False

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 0.05,
        width: str = "tight",
        model: str = "linear",
        alpha: float = 1.01,
        rule: str = "exploring",
        intercept: bool | None = None,
        observers: str | Mapping[Any, Any] = "minimum-norm",
        seed: Seed = 0,
    ) -> None:
        super().__init__(
            game,
            dimension,
            regularization=regularization,
            width=width,
            model=model,
            alpha=alpha,
            rule=rule,
            intercept=intercept,
            observers=observers,
            seed=seed,
        )
