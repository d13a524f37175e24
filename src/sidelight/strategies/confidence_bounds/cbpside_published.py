"""CBPside* and RandCBPside* as the paper prints them and as its table was made; only for reproducing numbers.

Beyond the bounds of `cbpside` there are

- "printed": w_a = sigma_a (Z + sigma_a) |x|_a with B^2 = (d - 4) log t, not a real number below d = 4;
- "published": what produced the published table. B^2 = (d - 4) log t; CBPside* starts its inverse Gram matrix at
  lambda I with the offset lambda sigma_a, RandCBPside* at I with sqrt(lambda) sigma_a.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.strategies.base import Seed, check_choice
from sidelight.strategies.confidence_bounds.cbpside import CBPSide, Constants, RandCBPSide

PRINTED = ("printed", "published")


class _Published(RandCBPSide):
    """What both have in common.

    Parameters
    ----------
    bounds
        The confidence bounds: "published", "printed", "corrected" or "tight".
    rule
        "exploring" (with pseudo-counts, for easy and hard games) or "alt2012", the original rule without R(x), for easy
        games only.
    """

    guarantee: ClassVar[str] = "none with printed or published bounds"
    _known_bounds: ClassVar[tuple[str, ...]] = (*PRINTED, "corrected", "tight")
    _offset_power: ClassVar[float] = 0.5
    _start_power: ClassVar[float] = 0.0

    def _check(self) -> None:
        super()._check()
        check_choice("draws", self.draws, ("action", "pair"))
        check_choice("rule", self.rule, ("exploring", "alt2012"))
        if self.bounds in PRINTED and self._logistic:
            raise SidelightError(f"bounds={self.bounds!r} are defined for the linear model; use 'tight' or 'corrected'")
        if self.bounds in PRINTED and self._size < 4:
            raise SidelightError(
                f"bounds={self.bounds!r} have B^2 = (d - 4) log t, which is negative for d = {self._size}: "
                "use bounds='corrected', whose d + 4 is what the derivation gives"
            )

    def _check_rule(self) -> None:
        if self.rule == "alt2012" and self.analysis.kind == "hard":
            raise SidelightError("rule='alt2012' is for easy games, and this game is hard: use rule='exploring'")

    def _constants(self) -> Constants:
        if self.bounds not in PRINTED:
            return super()._constants()
        degrees = self._size - 4.0
        if self.bounds == "printed":
            return Constants(degrees, offset=1.0)
        return Constants(degrees, offset=float(self.regularization) ** self._offset_power, start=self._start_power)


class PublishedRandCBPSide(_Published):
    """RandCBPside* with the bounds of the paper, and with every choice that its text leaves open.

    Parameters
    ----------
    game, dimension, regularization, model, alpha, sigma, intercept, observers, seed
        As for `RandCBPSide`.
    bounds
        The confidence bounds: "published", "printed", "corrected" or "tight".
    bins, tail, lower
        K, epsilon and A of the sampler of Z, as for `RandCBP`; not used with tight bounds. A larger bound B with the
        same sigma means less exploration, because the points of the sampler move apart: the two belong together.
    draws
        "action" or "pair": whether each action or each pair has its own Z.
    rule
        "exploring" (with pseudo-counts, for easy and hard games) or "alt2012", the original rule without R(x), for easy
        games only.
    """

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 0.05,
        bounds: str = "published",
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
        self.bins = bins
        self.tail = tail
        self.lower = lower
        self.draws = draws
        self.rule = rule
        super().__init__(
            game,
            dimension,
            regularization,
            bounds,
            model,
            alpha,
            sigma=sigma,
            intercept=intercept,
            standardize=False,
            hinge=False,
            observers=observers,
            seed=seed,
        )
        self._check_rule()


class PublishedCBPSide(_Published, CBPSide):
    """CBPside* with the bounds of the paper.

    Parameters
    ----------
    game, dimension, regularization, model, alpha, intercept, observers, seed
        As for `CBPSide`.
    bounds, rule
        As for `PublishedRandCBPSide`.
    """

    _offset_power: ClassVar[float] = 1.0
    _start_power: ClassVar[float] = 1.0

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 0.05,
        bounds: str = "published",
        model: str = "linear",
        alpha: float = 1.01,
        rule: str = "exploring",
        intercept: bool | None = None,
        observers: str | Mapping[Any, Any] = "minimum-norm",
        seed: Seed = 0,
    ) -> None:
        self.rule = rule
        CBPSide.__init__(
            self,
            game,
            dimension,
            regularization,
            bounds,
            model,
            alpha,
            intercept=intercept,
            standardize=False,
            hinge=False,
            observers=observers,
            seed=seed,
        )
        self._check_rule()
