"""Strategies: ways to play a game, all under the same contract.

`__init__.pyi` lists them; each is imported when it is first used.
"""

from __future__ import annotations

from typing import Any

from sidelight._lazy import homes_of_lazy_names, importer_of_lazy_names

_BASE = "sidelight.strategies.base"
_homes = homes_of_lazy_names("sidelight.strategies")
_own = importer_of_lazy_names("sidelight.strategies")

__all__ = [*_homes, "names"]


def names(*, published: bool = False, external: bool = False) -> tuple[str, ...]:
    """Return the names of all strategies.

    `published` adds those that exist only to reproduce printed numbers, `external` those of other installed packages.
    """
    own = [name for name, home in _homes.items() if home != _BASE and (published or not name.startswith("Published"))]
    if not external:
        return tuple(own)
    from sidelight.strategies import plugins

    return (*own, *plugins.usable_strategy_plugins())


def reserved_names() -> frozenset[str]:
    """Return the names that a strategy of another package cannot have."""
    return frozenset(_homes)


def __getattr__(name: str) -> Any:
    if name not in _homes and name[:1].isupper():  # what plug-ins have; all else is asked for by Python itself
        from sidelight.strategies import plugins

        # Look it up every time, because packages may be installed meanwhile.
        if (found := plugins.find_strategy_plugin(name)) is not None:
            return found.load()
    return _own(name)
