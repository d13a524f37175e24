"""CBPside* and RandCBPside* as the paper prints them and as its table was made; only for reproducing numbers.

Instead of the bounds of `cbpside` there are

- "printed": w_a = sigma_a (Z + sigma_a) |x|_a with B^2 = (d - 4) log t, not a real number below d = 4;
- "published": what produced the published table. B^2 = (d - 4) log t; CBPside* starts its inverse Gram matrix at
  lambda I with the offset lambda sigma_a, RandCBPside* at I with sqrt(lambda) sigma_a.
"""

from __future__ import annotations

from typing import ClassVar

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.strategies.base import Seed, check_number, check_whole
from sidelight.strategies.confidence_bounds.cbpside import Constants, RandCBPSide
from sidelight.strategies.confidence_bounds.sampler import MOST_BINS


class PublishedRandCBPSide(RandCBPSide):
    """RandCBPside* with the bounds of the paper.

    Parameters
    ----------
    game, dimension, regularization, seed
        As for `RandCBPSide`.
    bounds
        The confidence bounds: "published" or "printed".
    bins, sigma, tail
        K, sigma and epsilon of the sampler of Z, as for `RandCBP`. A larger bound B with the same sigma means less
        exploration, because the points of the sampler move apart: the two belong together.
    """

    guarantee: ClassVar[str] = "none"
    _known_bounds: ClassVar[tuple[str, ...]] = ("published", "printed")
    # Of "published" bounds: the offset, and where the inverse Gram matrices start, as powers of lambda.
    _powers: ClassVar[tuple[float, float]] = (0.5, 0.0)

    def __init__(
        self,
        game: Game,
        dimension: int,
        regularization: float = 0.05,
        bounds: str = "published",
        bins: int = 5,
        sigma: float = 1.0,
        tail: float = 1e-7,
        seed: Seed = 0,
    ) -> None:
        self.bins = check_whole("bins", bins, least=1, most=MOST_BINS)
        self.tail = check_number("tail", tail, least=0, most=1)
        super().__init__(game, dimension, regularization, bounds, sigma=sigma, seed=seed)

    def _settle_options(self) -> None:
        super()._settle_options()
        if self._size < 4:
            raise SidelightError(
                f"bounds={self.bounds!r} have B^2 = (d - 4) log t, which is negative for d = {self._size}: use "
                "RandCBPSide with bounds='corrected', whose d + 4 is what the derivation gives"
            )

    def _constants(self) -> Constants:
        offset, start = (0.0, -1.0) if self.bounds == "printed" else self._powers
        return Constants(self._size - 4.0, float(self.regularization) ** offset, start)


class PublishedCBPSide(PublishedRandCBPSide):
    """CBPside* with the bounds of the paper: Z is always its bound.

    Parameters
    ----------
    game, dimension, regularization, bounds, seed
        As for `PublishedRandCBPSide`; the seed is not used, since nothing is drawn.
    """

    _draws_z: ClassVar[bool] = False
    _powers: ClassVar[tuple[float, float]] = (1.0, 1.0)

    def __init__(
        self, game: Game, dimension: int, regularization: float = 0.05, bounds: str = "published", seed: Seed = 0
    ) -> None:
        super().__init__(game, dimension, regularization, bounds, seed=seed)
