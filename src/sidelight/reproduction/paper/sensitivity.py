"""What the two figures on the parameters of the randomization share."""

from typing import Any

from sidelight.reproduction.experiment import Player

SIGMAS = {"1/2": 0.5, "1": 1.0, "2": 2.0, "10": 10.0}
BINS = (5, 10, 20)


def players(strategy: str, published: dict[str, Any], described: dict[str, Any]) -> tuple[Player, ...]:
    """Return the strategy with every standard deviation and number of bins that the paper tries."""
    return tuple(
        Player(
            strategy,
            label=f"σ={text}, K={bins}",
            published={**published, "bins": bins, "sigma": sigma},
            described={**described, "bins": bins, "sigma": sigma},
            family=f"σ={text}",
            member=f"K={bins}",
        )
        for text, sigma in SIGMAS.items()
        for bins in BINS
    )
