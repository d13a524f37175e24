"""Partial monitoring: decide well when the world never tells you the loss, only a symbol that says something about it.

>>> import sidelight as sl
>>> sl.analyze(sl.games.load("apple-tasting")).kind
'easy'

The public names are imported when they are first used, so that `import sidelight` costs almost nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sidelight._version import __version__ as __version__

if TYPE_CHECKING:
    from sidelight import environments, games, limits, monitor, results, strategies, studies
    from sidelight.analysis import Analysis, analyze
    from sidelight.checks import check_environment, check_game, check_strategy
    from sidelight.errors import GameError, SidelightError
    from sidelight.game import Game
    from sidelight.monitor import ClassifierMonitor
    from sidelight.recommendation import recommend
    from sidelight.results import Results
    from sidelight.simulation import simulate

__all__ = [
    "Analysis",
    "ClassifierMonitor",
    "Game",
    "GameError",
    "Results",
    "SidelightError",
    "analyze",
    "check_environment",
    "check_game",
    "check_strategy",
    "environments",
    "games",
    "limits",
    "monitor",
    "recommend",
    "results",
    "simulate",
    "strategies",
    "studies",
]

_HOMES = {
    "Analysis": "sidelight.analysis",
    "ClassifierMonitor": "sidelight.monitor",
    "Game": "sidelight.game",
    "GameError": "sidelight.errors",
    "Results": "sidelight.results",
    "SidelightError": "sidelight.errors",
    "analyze": "sidelight.analysis",
    "check_environment": "sidelight.checks",
    "check_game": "sidelight.checks",
    "check_strategy": "sidelight.checks",
    "recommend": "sidelight.recommendation",
    "simulate": "sidelight.simulation",
}
_MODULES = ("environments", "games", "limits", "monitor", "results", "strategies", "studies")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(f"sidelight.{name}")
    else:
        raise AttributeError(f"module 'sidelight' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
