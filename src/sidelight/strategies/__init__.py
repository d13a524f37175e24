"""Ways to play. One file per strategy, all under the same contract (`base`)."""

from sidelight.strategies.base import KernelStrategy, OrderError, Strategy
from sidelight.strategies.cbp import CBP, RandCBP

__all__ = ["CBP", "KernelStrategy", "OrderError", "RandCBP", "Strategy"]
