"""Make games, environments, strategies and policies from the entries of a study."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sidelight import games
from sidelight.environments import IID, Environment, contexts_by_name, laws
from sidelight.environments.base import checked_law
from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game
from sidelight.monitor.policies import Policy, make_policy
from sidelight.simulation import players
from sidelight.strategies import Strategy, plugins
from sidelight.studies import model as studies
from sidelight.studies.build.recordings import recording
from sidelight.studies.fields import short_value
from sidelight.studies.plain_data import Parameters, thawed
from sidelight.text import one_line


def make_game(entry: studies.GameEntry, folder: str = "") -> Game:
    """Return the game of an entry."""
    if entry.file and not entry.data:  # the file may change
        return Game.load(Path(folder, entry.file))
    return _game(entry)


@functools.lru_cache(maxsize=512)
def _game(entry: studies.GameEntry) -> Game:
    if entry.data:
        return Game.from_dict(json.loads(entry.data))
    return games.load(entry.name, **_values(entry.parameters))


@functools.lru_cache(maxsize=512)
def make_environment(world: studies.WorldEntry, entry: studies.GameEntry, folder: str = "") -> Environment:
    """Return the environment of a world for a game."""
    played = make_game(entry, folder)
    given = _values(world.parameters)
    if world.kind == "law":
        return IID(law(world.value))
    if world.kind == "laws":
        return IID(_laws(world.value, played, given))
    if world.kind == "contexts":
        return contexts(world, played)
    if world.kind == "replay":
        return make_recording(world, folder)
    if world.kind == "environment":
        return make_own_environment(world, folder)
    raise SidelightError(f"{world.label!r} are classifiers, which policies watch: they are no world for a game")


def contexts(world: studies.WorldEntry, played: Game) -> Environment:
    """Return the contexts of a world for a game."""
    with errors_in_words(f"{world.label!r} cannot be made"):  # numbers may be beyond all floats
        return contexts_by_name.load(world.value, played, **_values(world.parameters))


def strategy_class(player: studies.PlayerEntry, folder: str = "") -> type[Strategy]:
    """Return the class of a player; a file's path begins at the folder of the study."""
    return _found(_in_folder(player.name, folder))


def _in_folder(name: str, folder: str) -> str:
    """Return the name of a class; if it is in a file, with the whole path."""
    head, rest = players.split(name)
    return f"{Path(folder, head)}:{rest}" if head.endswith(".py") and rest else name


@functools.lru_cache(maxsize=256)
def _found(name: str) -> type[Strategy]:
    return players.find(name)


def make_strategy(
    player: studies.PlayerEntry, entry: studies.GameEntry, horizon: int, dimension: int, folder: str = ""
) -> Strategy:
    """Return a player's strategy for a game; one that must know the horizon or the contexts' size is told it."""
    kind = strategy_class(player, folder)
    needed = players.required_parameters(kind)
    return _strategy(
        player, entry, horizon if "horizon" in needed else 0, dimension if "dimension" in needed else 0, folder
    )


@functools.lru_cache(maxsize=64)
def _strategy(
    player: studies.PlayerEntry, entry: studies.GameEntry, horizon: int, dimension: int, folder: str
) -> Strategy:
    """Return a strategy; simulations do not change it, and the Bayes-optimal one takes half a second to make."""
    kind = strategy_class(player, folder)
    given = _values(player.parameters)
    players.check_parameters(kind, given)
    values = players.completed_parameters(kind, given, horizon, dimension)
    with errors_in_words(f"{kind.__name__} cannot be made"):
        return players.make(kind, make_game(entry, folder), values)


@functools.lru_cache(maxsize=256)
def make_policy_of(player: studies.PlayerEntry) -> Policy:
    """Return the policy of a player."""
    with errors_in_words(f"the policy {player.name!r} cannot be made"):
        return make_policy(player.name, _values(player.parameters))


def forget_objects() -> None:
    """Forget everything that was made: files of games, strategies and recordings may have changed."""
    for cached in (_game, make_environment, _found, _strategy):
        cached.cache_clear()


def modules_of(thing: Any) -> set[str]:
    """Return the modules (or files) of an object's class and its bases."""
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
    """Return the generator of outcome laws: a built-in one by name, or the result of the user's function."""
    if ":" not in name:
        if given:
            raise SidelightError(f"{name!r} laws have no parameters, but {', '.join(map(repr, given))} was given")
        return laws.load(name, played)
    function = import_attribute(name, "function")
    with errors_in_words(f"{name!r} did not return laws"):
        return function(played, **given)


def import_attribute(name: str, what: str) -> Any:
    """Import the class or function that a text of the form package.module:name stands for."""
    module, colon, own = name.rpartition(":")
    loose = module.endswith(".py")
    if not colon or not own or not (loose or all(part.isidentifier() for part in module.split("."))):
        raise SidelightError(
            f"{name!r} does not name a {what}: write package.module:{what.capitalize() if what == 'class' else what}"
        )
    loaded = players.module_of(module, name)
    if not hasattr(loaded, own):
        raise SidelightError(f"{module!r} has no {own!r}: name a {what} that is there")
    found = getattr(loaded, own)
    if not callable(found):
        raise SidelightError(f"{name!r} is {short_value(found)}: name a {what}")
    return found


def make_own_environment(world: studies.WorldEntry, folder: str = "") -> Environment:
    """Make an environment from a class of the user; a file's path begins at the folder of the study."""
    kind = import_attribute(_in_folder(world.value, folder), "class")
    with errors_in_words(f"{world.value!r} cannot be made"):
        made = kind(**_values(world.parameters))
    if not isinstance(made, Environment):
        raise SidelightError(f"{world.value!r} is not a subclass of sidelight.environments.Environment")
    return made


def make_recording(world: studies.WorldEntry, folder: str = "") -> Environment:
    """Return the recording that a world plays back."""
    given = dict(world.parameters).get("law")
    if given not in (None, "outcome"):
        law(given)  # refuses what is none
    return recording(Path(folder, world.value), given)


def law(value: Any) -> Any:
    """Return a law, or one row per run, as an array; raise an error if it is not made of probabilities."""
    try:
        rows = np.array(thawed(value), dtype=float)
    except (TypeError, ValueError, OverflowError):
        rows = np.empty(0)
    if not rows.size:
        raise ParameterError(f"the law is {short_value(value)}: give probabilities, as in law = [0.3, 0.7]", "law")
    for number, row in enumerate(np.atleast_2d(rows), start=1):
        checked_law(row, where="the law" if rows.ndim < 2 else f"row {number} of the law")
    return rows


@contextlib.contextmanager
def errors_in_words(what: str) -> Iterator[None]:
    """Turn any error of the user's code into one line that says what failed, why and where."""
    try:
        yield
    except SidelightError:
        raise
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f" ({Path(last.filename).name}, line {last.lineno})" if last.filename != __file__ else ""
        raise SidelightError(f"{what}: {type(error).__name__}: {one_line(str(error))}{where}") from error


def plugin_origin(player: studies.PlayerEntry) -> str:
    """Return the package and version that an external strategy comes from; empty for ours and loose files."""
    if player.policy:
        return ""
    try:
        found = plugins.origin(strategy_class(player))
    except SidelightError:  # a report is also written where a player cannot be imported
        return ""
    return found.origin if found is not None else ""
