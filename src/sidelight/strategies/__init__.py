"""Strategies: ways to play a game, all under the same contract. Each is imported when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidelight.strategies.bandits import KLUCB, BetaThompson
    from sidelight.strategies.base import KernelStrategy, OrderError, Strategy
    from sidelight.strategies.bpm import BPMLeast
    from sidelight.strategies.cbp import CBP, RandCBP
    from sidelight.strategies.cbpside import CBPSide, RandCBPSide
    from sidelight.strategies.cbpside_published import PublishedCBPSide, PublishedRandCBPSide
    from sidelight.strategies.cesa import CESA
    from sidelight.strategies.dmed import PMDMED
    from sidelight.strategies.dmed_hinge import PMDMEDHinge
    from sidelight.strategies.feedexp3 import FeedExp3
    from sidelight.strategies.greedy import EpsilonGreedy, Greedy
    from sidelight.strategies.greedy_contexts import EpsilonGreedySide, GreedySide
    from sidelight.strategies.ids import IDS
    from sidelight.strategies.ids_contexts import IDSContexts
    from sidelight.strategies.linear_bandits import LinTS, LinUCB
    from sidelight.strategies.pg import PGIDS, PGTS
    from sidelight.strategies.prospect import Prospect
    from sidelight.strategies.prospect_side import ProspectSide
    from sidelight.strategies.stap import STAP
    from sidelight.strategies.tspm import TSPM, TSPMGaussian
    from sidelight.strategies.uniform import FixedAction, Uniform

__all__ = [
    "CBP",
    "CESA",
    "IDS",
    "KLUCB",
    "PGIDS",
    "PGTS",
    "PMDMED",
    "STAP",
    "TSPM",
    "BPMLeast",
    "BetaThompson",
    "CBPSide",
    "EpsilonGreedy",
    "EpsilonGreedySide",
    "FeedExp3",
    "FixedAction",
    "Greedy",
    "GreedySide",
    "IDSContexts",
    "KernelStrategy",
    "LinTS",
    "LinUCB",
    "OrderError",
    "PMDMEDHinge",
    "Prospect",
    "ProspectSide",
    "PublishedCBPSide",
    "PublishedRandCBPSide",
    "RandCBP",
    "RandCBPSide",
    "Strategy",
    "TSPMGaussian",
    "Uniform",
    "names",
]

# Where each strategy lives; the order is that of tables.
_HOMES = {
    "Prospect": "prospect",
    "CBP": "cbp",
    "RandCBP": "cbp",
    "BPMLeast": "bpm",
    "TSPM": "tspm",
    "TSPMGaussian": "tspm",
    "PMDMED": "dmed",
    "PMDMEDHinge": "dmed_hinge",
    "FeedExp3": "feedexp3",
    "IDS": "ids",
    "KLUCB": "bandits",
    "BetaThompson": "bandits",
    "EpsilonGreedy": "greedy",
    "Greedy": "greedy",
    "IDSContexts": "ids_contexts",
    "CBPSide": "cbpside",
    "RandCBPSide": "cbpside",
    "ProspectSide": "prospect_side",
    "PGTS": "pg",
    "PGIDS": "pg",
    "STAP": "stap",
    "CESA": "cesa",
    "LinUCB": "linear_bandits",
    "LinTS": "linear_bandits",
    "EpsilonGreedySide": "greedy_contexts",
    "GreedySide": "greedy_contexts",
    "Uniform": "uniform",
    "FixedAction": "uniform",
}
# These only reproduce printed numbers and are not listed above.
_PUBLISHED = {"PublishedCBPSide": "cbpside_published", "PublishedRandCBPSide": "cbpside_published"}
_CONTRACT = ("KernelStrategy", "OrderError", "Strategy")


def names(*, published: bool = False, external: bool = False) -> tuple[str, ...]:
    """Return the names of all strategies.

    `published` adds those that exist only to reproduce printed numbers, `external` those of other installed packages.
    """
    own = tuple(_HOMES | _PUBLISHED if published else _HOMES)
    if not external:
        return own
    from sidelight.strategies import plugins

    return (*own, *plugins.usable())


def __getattr__(name: str) -> Any:
    home = "base" if name in _CONTRACT else (_HOMES | _PUBLISHED).get(name)
    if home is None:
        return _external(name)
    value = getattr(importlib.import_module(f"sidelight.strategies.{home}"), name)
    globals()[name] = value
    return value


def _external(name: str) -> Any:
    """Return a strategy of another package; it is looked up every time, because packages may be installed meanwhile."""
    if name[:1].isupper():  # what plug-ins have; all else is asked for by Python itself
        from sidelight.strategies import plugins

        if (found := plugins.find(name)) is not None:
            return found.load()
    raise AttributeError(f"module 'sidelight.strategies' has no attribute {name!r}")
