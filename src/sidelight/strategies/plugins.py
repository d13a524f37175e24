"""Strategies of other installed packages: entry points of the group `sidelight.strategies`.

A package with these lines in its `pyproject.toml`,

    [project.entry-points."sidelight.strategies"]
    Mine = "my_package.module:Mine"

provides the strategy `Mine`: `sidelight strategies` lists it, and it is used by its name. Nothing is imported until it
is used, and a broken package does not affect others.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sidelight.errors import SidelightError
from sidelight.strategies.importing import complete, explained, is_strategy

if TYPE_CHECKING:
    from importlib.metadata import Distribution

    from sidelight.strategies.base import Strategy

GROUP = "sidelight.strategies"
# Names in lower case are modules and functions of `sidelight.strategies`.
_NAME = re.compile(r"[A-Z]\w*")
_NAMELESS = "a package without a name"


class PluginError(SidelightError, AttributeError):
    """A strategy of another package cannot be used; the message says why and whom to ask."""


@dataclass(frozen=True)
class Plugin:
    """A strategy that an installed package provides."""

    name: str
    package: str
    version: str
    value: str
    """Where it is: "module:Class"."""
    problem: str = ""
    """Why its name does not name it, if so."""

    @property
    def origin(self) -> str:
        """The package and its version."""
        return f"{self.package} {self.version}".strip()

    def load(self) -> type[Strategy]:
        """Import it, or say what is wrong with it."""
        if self.problem:
            raise PluginError(self.problem)
        what = f"the strategy {self.name!r} of {self.origin}"
        try:
            kind = self._imported(what)
        except SidelightError as error:
            raise PluginError(f"{what} cannot be used: {error}; tell its authors, or uninstall it") from error.__cause__
        return kind

    def _imported(self, what: str) -> type[Strategy]:
        module, _, attribute = self.value.partition(":")
        found: Any
        with explained(module.strip()):
            found = importlib.import_module(module.strip())
            for name in filter(None, attribute.split("[")[0].strip().split(".")):
                found = getattr(found, name)
        if not is_strategy(found):
            raise SidelightError(f"{self.value!r} is not a subclass of sidelight.strategies.Strategy")
        return complete(found, what)


def plugins() -> tuple[Plugin, ...]:
    """Return the strategies that installed packages provide, by name; those that cannot be used say why."""
    return _plugins(tuple(sys.path))


def usable() -> tuple[str, ...]:
    """Return the names of plug-ins that can be used."""
    return tuple(each.name for each in plugins() if not each.problem)


def find(name: str) -> Plugin | None:
    """Return the plug-in of that name, or else one whose name is a problem."""
    found = [each for each in plugins() if each.name == name]
    return next((each for each in found if not each.problem), found[0] if found else None)


def named(name: str) -> Plugin | None:
    """Return the plug-in that a name stands for; None if it is the name of one of ours, or of nobody."""
    found = find(name)
    return None if found is None or found.problem else found


def origin(kind: type[Any]) -> Plugin | None:
    """Return a plug-in of the package that a class comes from; None for our own, and for a user's loose files.

    Two packages may provide one class. Where a name was used, `named` knows which of them is meant.
    """
    top = kind.__module__.partition(".")[0]
    if top in ("sidelight", "__main__", "builtins"):
        return None
    same = [each for each in plugins() if each.value.partition(":")[0].strip().partition(".")[0] == top]
    exact = [each for each in same if each.value.partition(":")[2] == kind.__qualname__]
    return next(iter(exact or same), None)


@functools.lru_cache(maxsize=8)
def _plugins(path: tuple[str, ...]) -> tuple[Plugin, ...]:
    found = sorted(_all(), key=lambda each: (each.name, each.package))
    counts = Counter(each.name for each in found)
    return tuple(replace(each, problem=_problem(each, counts, found)) for each in found)


def _all() -> Iterator[Plugin]:
    """Yield what every installed package provides; of two copies of a package, the first on the path counts."""
    from importlib.metadata import distributions

    seen: set[str] = set()
    for distribution in distributions():
        try:
            text = distribution.read_text("entry_points.txt") or ""
        except (OSError, ValueError):
            continue
        if GROUP not in text:  # nearly all, most of them quickly
            continue
        package, version = _name_and_version(distribution)
        key = re.sub(r"[-_.]+", "-", package).lower()
        if key in seen:
            continue
        seen.add(key)
        try:
            points = [point for point in distribution.entry_points if point.group == GROUP]
        except Exception as error:  # text that no tool should have written: each version of Python has its own words
            problem = f"the entry points of {package} {version} cannot be read ({error}): install it again"
            yield Plugin("", package, version, "", problem)
            continue
        for point in points:
            yield Plugin(point.name, package, version, point.value)


def _name_and_version(distribution: Distribution) -> tuple[str, str]:
    """Return the name and version in a package's metadata, as far as they can be read."""
    try:
        facts: Any = distribution.metadata
        return facts["Name"] or _NAMELESS, facts["Version"] or ""
    except Exception:  # a file that is missing or not text
        return _NAMELESS, ""


def _problem(plugin: Plugin, counts: Counter[str], found: list[Plugin]) -> str:
    """Say why a plug-in cannot be used by its name; empty if it can."""
    from sidelight import strategies

    if plugin.problem:
        return plugin.problem
    use = f"write {plugin.value} to use it, and ask its authors for another name"
    if not _NAME.fullmatch(plugin.name):
        wanted = "letters, digits and underscores, the first a capital letter"
        return f"{plugin.origin} has a strategy named {plugin.name!r}, but names need {wanted}: {use}"
    if plugin.name in strategies.reserved():
        return f"{plugin.origin} has a strategy {plugin.name!r}, a name that sidelight itself uses: {use}"
    if counts[plugin.name] > 1:
        packages = " and ".join(each.origin for each in found if each.name == plugin.name)
        return f"{packages} both have a strategy {plugin.name!r}: uninstall one of them, or write {plugin.value}"
    return ""
