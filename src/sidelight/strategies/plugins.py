"""Strategies of other installed packages: entry points of the group `sidelight.strategies`.

A package with these lines in its `pyproject.toml`,

    [project.entry-points."sidelight.strategies"]
    Mine = "my_package.module:Mine"

provides the strategy `Mine`: `sidelight strategies` lists it, and it is used by its name. Nothing is imported until it
is used, and a broken package does not affect others.
"""

from __future__ import annotations

import functools
import re
import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sidelight.errors import SidelightError
from sidelight.strategies.importing import complete_strategy_class, explain_strategy_import_errors, is_strategy

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from sidelight.strategies.base import Strategy

GROUP = "sidelight.strategies"
# Names in lower case are modules and functions of `sidelight.strategies`.
_NAME = re.compile(r"[A-Z]\w*")


class PluginError(SidelightError, AttributeError):
    """A strategy of another package cannot be used; the message says why and whom to ask."""


@dataclass(frozen=True)
class StrategyPlugin:
    """A strategy that an installed package provides."""

    point: EntryPoint
    package: str
    version: str
    problem: str = ""
    """Why its name does not name it, if so."""

    @property
    def name(self) -> str:
        """The name of the strategy."""
        return self.point.name

    @property
    def origin(self) -> str:
        """The package and its version."""
        return f"{self.package} {self.version}"

    def load(self) -> type[Strategy]:
        """Import it, or say what is wrong with it."""
        if self.problem:
            raise PluginError(self.problem)
        what = f"the strategy {self.name!r} of {self.origin}"
        try:
            with explain_strategy_import_errors(self.point.module):
                found: Any = self.point.load()
            if not is_strategy(found):
                raise SidelightError(f"{self.point.value!r} is not a subclass of sidelight.strategies.Strategy")
            return complete_strategy_class(found, what)
        except SidelightError as error:
            raise PluginError(f"{what} cannot be used: {error}; tell its authors, or uninstall it") from error.__cause__


def find_strategy_plugins() -> tuple[StrategyPlugin, ...]:
    """Return the strategies that installed packages provide, by name; those that cannot be used say why."""
    return _find_strategy_plugins_on_path(tuple(sys.path))


def usable_strategy_plugins() -> tuple[str, ...]:
    """Return the names of plug-ins that can be used."""
    return tuple(each.name for each in find_strategy_plugins() if not each.problem)


def find_strategy_plugin(name: str) -> StrategyPlugin | None:
    """Return the plug-in of that name, or else one whose name is a problem."""
    found = [each for each in find_strategy_plugins() if each.name == name]
    return next((each for each in found if not each.problem), found[0] if found else None)


def strategy_plugin_named(name: str) -> StrategyPlugin | None:
    """Return the plug-in of this name; None for our own strategies and unknown names."""
    found = find_strategy_plugin(name)
    return None if found is None or found.problem else found


def plugin_of_strategy_class(kind: type[Any]) -> StrategyPlugin | None:
    """Return a plug-in of the package that a class comes from; None for our own, and for a user's loose files.

    Two packages may provide one class. Where a name was used, `strategy_plugin_named` knows which of them is meant.
    """
    top = kind.__module__.partition(".")[0]
    if top in ("sidelight", "__main__", "builtins"):
        return None
    same = [each for each in find_strategy_plugins() if each.point.module.partition(".")[0] == top]
    exact = [each for each in same if each.point.attr == kind.__qualname__]
    return next(iter(exact or same), None)


@functools.lru_cache(maxsize=8)
def _find_strategy_plugins_on_path(path: tuple[str, ...]) -> tuple[StrategyPlugin, ...]:
    from importlib.metadata import entry_points

    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    packages = [(point.dist.name, point.dist.version) if point.dist else ("?", "") for point in points]
    names: Counter[str] = Counter(point.name for point in points)
    return tuple(
        StrategyPlugin(point, *package, _problem_of_strategy_plugin(point, " ".join(package), names[point.name] > 1))
        for point, package in zip(points, packages, strict=True)
    )


def _problem_of_strategy_plugin(point: EntryPoint, origin: str, twice: bool) -> str:
    """Say why a plug-in cannot be used by its name; empty if it can."""
    from sidelight import strategies

    use = f"write {point.value} to use it, and ask its authors for another name"
    if not _NAME.fullmatch(point.name):
        wanted = "letters, digits and underscores, the first a capital letter"
        return f"{origin} has a strategy named {point.name!r}, but names need {wanted}: {use}"
    if point.name in strategies.reserved_names():
        return f"{origin} has a strategy {point.name!r}, a name that sidelight itself uses: {use}"
    if twice:
        return f"{origin} and another package have a strategy {point.name!r}: uninstall one, or write {point.value}"
    return ""
