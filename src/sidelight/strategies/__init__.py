"""Strategies: ways to play a game, all under the same contract. Each is imported when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidelight.strategies.bandits.bernoulli import KLUCB, BetaThompson
    from sidelight.strategies.bandits.linear import LinTS, LinUCB
    from sidelight.strategies.base import KernelStrategy, OrderError, Strategy
    from sidelight.strategies.baselines.feedexp3 import FeedExp3
    from sidelight.strategies.baselines.greedy import EpsilonGreedy, Greedy
    from sidelight.strategies.baselines.greedy_contexts import EpsilonGreedySide, GreedySide
    from sidelight.strategies.baselines.uniform import FixedAction, Uniform
    from sidelight.strategies.confidence_bounds.cbp import CBP, RandCBP
    from sidelight.strategies.confidence_bounds.cbpside import CBPSide, RandCBPSide
    from sidelight.strategies.confidence_bounds.cbpside_published import PublishedCBPSide, PublishedRandCBPSide
    from sidelight.strategies.dmed.hinge import PMDMEDHinge
    from sidelight.strategies.dmed.pmdmed import PMDMED
    from sidelight.strategies.information.ids import IDS
    from sidelight.strategies.information.ids_contexts import IDSContexts
    from sidelight.strategies.labels.cesa import CESA
    from sidelight.strategies.labels.pg import PGIDS, PGTS
    from sidelight.strategies.labels.stap import STAP
    from sidelight.strategies.posterior.bpm import BPMLeast
    from sidelight.strategies.posterior.tspm import TSPM, TSPMGaussian
    from sidelight.strategies.prospect.prospect import Prospect
    from sidelight.strategies.prospect.prospect_side import ProspectSide

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
    "Prospect": "prospect.prospect",
    "CBP": "confidence_bounds.cbp",
    "RandCBP": "confidence_bounds.cbp",
    "BPMLeast": "posterior.bpm",
    "TSPM": "posterior.tspm",
    "TSPMGaussian": "posterior.tspm",
    "PMDMED": "dmed.pmdmed",
    "PMDMEDHinge": "dmed.hinge",
    "FeedExp3": "baselines.feedexp3",
    "IDS": "information.ids",
    "KLUCB": "bandits.bernoulli",
    "BetaThompson": "bandits.bernoulli",
    "EpsilonGreedy": "baselines.greedy",
    "Greedy": "baselines.greedy",
    "IDSContexts": "information.ids_contexts",
    "CBPSide": "confidence_bounds.cbpside",
    "RandCBPSide": "confidence_bounds.cbpside",
    "ProspectSide": "prospect.prospect_side",
    "PGTS": "labels.pg",
    "PGIDS": "labels.pg",
    "STAP": "labels.stap",
    "CESA": "labels.cesa",
    "LinUCB": "bandits.linear",
    "LinTS": "bandits.linear",
    "EpsilonGreedySide": "baselines.greedy_contexts",
    "GreedySide": "baselines.greedy_contexts",
    "Uniform": "baselines.uniform",
    "FixedAction": "baselines.uniform",
}
# These only reproduce printed numbers and are not listed above.
_PUBLISHED = {
    "PublishedCBPSide": "confidence_bounds.cbpside_published",
    "PublishedRandCBPSide": "confidence_bounds.cbpside_published",
}
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
