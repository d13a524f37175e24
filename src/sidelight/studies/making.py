"""From the words of a study to the things themselves: games, environments, strategies and policies."""

from __future__ import annotations

import csv
import functools
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sidelight import games
from sidelight._storage import contents
from sidelight.environments import IID, Environment, Replay, kinds, laws
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.monitor.policies import Policy, make_policy
from sidelight.results.sealed import refusing
from sidelight.simulation import players
from sidelight.strategies import Strategy, plugins
from sidelight.strategies.importing import explained
from sidelight.studies import study as studies
from sidelight.studies.parameters import Parameters, thawed


@functools.lru_cache(maxsize=512)
def game(entry: studies.Game, folder: str = "") -> Game:
    """Return the game of an entry."""
    if entry.data:
        return Game.from_dict(json.loads(entry.data))
    if entry.file:
        return Game.load(Path(folder, entry.file))
    return games.load(entry.name, **_values(entry.parameters))


@functools.lru_cache(maxsize=512)
def environment(world: studies.World, entry: studies.Game, folder: str = "") -> Environment:
    """Return the environment of a world for a game."""
    played = game(entry, folder)
    given = _values(world.parameters)
    if world.kind == "law":
        return IID(np.array(thawed(world.value), dtype=float))
    if world.kind == "laws":
        return IID(_laws(world.value, played, given))
    if world.kind == "contexts":
        return kinds.load(world.value, played, **given)
    if world.kind == "replay":
        return _recording(Path(folder, world.value), **given)
    if world.kind == "environment":
        return _own_environment(world.value, given)
    raise SidelightError(f"{world.label!r} are classifiers, which policies watch: they are no world for a game")


def strategy_class(player: studies.Player, folder: str = "") -> type[Strategy]:
    """Return the class of a player; a file's path begins at the folder of the study."""
    head, rest = players.split(player.name)
    name = f"{Path(folder, head)}:{rest}" if head.endswith(".py") and rest else player.name
    return _found(name)


@functools.lru_cache(maxsize=256)
def _found(name: str) -> type[Strategy]:
    return players.find(name)


def strategy(player: studies.Player, entry: studies.Game, horizon: int, dimension: int, folder: str = "") -> Strategy:
    """Return a player's strategy for a game; one that must know the horizon or the contexts' size is told it."""
    kind = strategy_class(player, folder)
    needed = players.required(kind)
    return _strategy(
        player, entry, horizon if "horizon" in needed else 0, dimension if "dimension" in needed else 0, folder
    )


@functools.lru_cache(maxsize=64)
def _strategy(player: studies.Player, entry: studies.Game, horizon: int, dimension: int, folder: str) -> Strategy:
    """Return a strategy; simulations do not change it, and the Bayes-optimal one takes half a second to make."""
    kind = strategy_class(player, folder)
    given = _values(player.parameters)
    players.check_parameters(kind, given)
    values = players.completed(kind, given, horizon, dimension)
    missing = [name for name in players.required(kind) if name not in values]
    if "dimension" in missing:
        raise SidelightError(f"{kind.__name__} decides by contexts, and this world has none")
    if missing:
        raise SidelightError(f"{kind.__name__} needs {' and '.join(missing)}: give a value")
    return players.make(kind, game(entry, folder), values)


@functools.lru_cache(maxsize=256)
def policy(player: studies.Player) -> Policy:
    """Return the policy of a player."""
    return make_policy(player.name, _values(player.parameters))


def refresh() -> None:
    """Make everything anew when it is next asked for: files of games, strategies and recordings may have changed."""
    for cached in (game, environment, _found, _strategy):
        cached.cache_clear()


def modules(thing: Any) -> set[str]:
    """Return the modules (or files) that an object's class and its bases are written in."""
    kinds_of = inspect.getmro(thing if isinstance(thing, type) else type(thing))
    found = {_module(kind) for kind in kinds_of} - {"builtins", "abc", "typing"}
    sampler = getattr(thing, "law", None)
    if callable(sampler):  # an environment that draws its laws
        found.add(_module(sampler if inspect.isfunction(sampler) else type(sampler)))
    return found


def _module(thing: Any) -> str:
    """Return the name of the module of a class or function, or its file where no import finds it."""
    if thing.__module__ == "__main__":
        return _script(thing.__qualname__)
    if "." in thing.__module__ or thing.__module__ in ("builtins", "abc", "typing", "sidelight"):
        return str(thing.__module__)
    # By what was compiled: the module of that name may be another one by now.
    functions = [thing] if inspect.isfunction(thing) else list(filter(inspect.isfunction, vars(thing).values()))
    files = [each.__code__.co_filename for each in functions if each.__code__.co_filename.endswith(".py")]
    loose = [file for file in files if Path(file).stem == thing.__module__]
    return loose[0] if loose else str(thing.__module__)


def _script(name: str) -> str:
    """Return the file of the script that defines something; what is typed at a prompt has none."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    if file is None or not Path(file).is_file():
        raise SidelightError(
            f"{name} was typed at a prompt, so nobody can tell later which code its runs were made by: "
            "put it into a file, and write module:Class or file.py:Class"
        )
    return str(Path(file).absolute())


def _values(parameters: Parameters) -> dict[str, Any]:
    return {name: thawed(value) for name, value in parameters}


def _laws(name: str, played: Game, given: Mapping[str, Any]) -> Any:
    """Return what draws laws: a kind that is known by name, or what a function of the user's own returns."""
    if ":" not in name:
        if given:
            raise SidelightError(f"{name!r} laws have no parameters, but {', '.join(map(repr, given))} was given")
        return laws.load(name, played)
    return _attribute(name)(played, **given)


def _attribute(name: str) -> Any:
    module, _, attribute = name.rpartition(":")
    loaded = players.module_of(module, name)
    if not hasattr(loaded, attribute):
        raise SidelightError(f"{module!r} has no {attribute!r}: name a function or class that is there")
    return getattr(loaded, attribute)


def _own_environment(name: str, given: Mapping[str, Any]) -> Environment:
    kind = _attribute(name)
    with explained(name):
        made = kind(**given)
    if not isinstance(made, Environment):
        raise SidelightError(f"{name!r} is not a subclass of sidelight.environments.Environment")
    return made


def _recording(path: Path, law: Any = None) -> Replay:
    """Read recorded outcomes, with contexts and laws if there are some, from .npz, .npy or .csv."""
    suffix = path.suffix.lower()
    if suffix not in (".npz", ".npy", ".csv"):
        raise SidelightError(f"cannot tell the format of {str(path)!r}: name a recording .npz, .npy or .csv")
    contents(path)  # for a clear error if there is none
    with refusing(path):
        if suffix == ".csv":
            return Replay(*_columns(path), law=law)
        loaded = np.load(path, allow_pickle=False)
        if suffix == ".npy":
            return Replay(loaded, law=law)
        with loaded as arrays:
            parts = {name: arrays[name] for name in ("outcomes", "contexts", "law") if name in arrays.files}
        if "outcomes" not in parts:
            raise SidelightError("has no array 'outcomes'")
        return Replay(parts["outcomes"], parts.get("contexts"), parts.get("law") if law is None else law)


def _columns(path: Path) -> tuple[Any, Any]:
    """Return the column `outcome` of a CSV file, and all others as contexts; None if there are no others."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    if not rows or "outcome" not in rows[0]:
        raise SidelightError("has no column 'outcome'")
    names = [name for name in rows[0] if name != "outcome"]
    outcomes = np.array([int(row["outcome"]) for row in rows])
    return outcomes, np.array([[float(row[name]) for name in names] for row in rows]) if names else None


def origin(player: studies.Player) -> str:
    """Return the package and version that an external strategy comes from; empty for ours and loose files."""
    if player.policy:
        return ""
    try:
        found = plugins.origin(strategy_class(player))
    except SidelightError:  # a report is also written where a player cannot be imported
        return ""
    return found.origin if found is not None else ""
