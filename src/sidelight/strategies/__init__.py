"""Ways to play. One file per strategy, all under the same contract (`base`), imported when they are first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidelight.strategies.base import KernelStrategy, OrderError, Strategy
    from sidelight.strategies.cbp import CBP, RandCBP
    from sidelight.strategies.cbpside import CBPSide, RandCBPSide
    from sidelight.strategies.cesa import CESA
    from sidelight.strategies.pg import PGIDS, PGTS
    from sidelight.strategies.stap import STAP

__all__ = [
    "CBP",
    "CESA",
    "PGIDS",
    "PGTS",
    "STAP",
    "CBPSide",
    "KernelStrategy",
    "OrderError",
    "RandCBP",
    "RandCBPSide",
    "Strategy",
    "names",
]

# Where each strategy lives; the order is that of tables.
_HOMES = {
    "CBP": "cbp",
    "RandCBP": "cbp",
    "CBPSide": "cbpside",
    "RandCBPSide": "cbpside",
    "PGTS": "pg",
    "PGIDS": "pg",
    "STAP": "stap",
    "CESA": "cesa",
}
_CONTRACT = ("KernelStrategy", "OrderError", "Strategy")


def names() -> tuple[str, ...]:
    """Return the names of all strategies."""
    return tuple(_HOMES)


def __getattr__(name: str) -> Any:
    home = "base" if name in _CONTRACT else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sidelight.strategies' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"sidelight.strategies.{home}"), name)
    globals()[name] = value
    return value
