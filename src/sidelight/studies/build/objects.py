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
from sidelight.studies.build.recordings import load_recording_of_world
from sidelight.studies.fields import short_field_value
from sidelight.studies.plain_data import Parameters, thaw_plain_data
from sidelight.text import one_line


def build_study_game(entry: studies.GameEntry, folder: str = "") -> Game:
    """Return the game of an entry."""
    if entry.file and not entry.data:  # the file may change
        return Game.load(Path(folder, entry.file))
    return _build_catalogue_game(entry)


@functools.lru_cache(maxsize=512)
def _build_catalogue_game(entry: studies.GameEntry) -> Game:
    if entry.data:
        return Game.from_dict(json.loads(entry.data))
    return games.load(entry.name, **_thaw(entry.parameters))


@functools.lru_cache(maxsize=512)
def build_study_environment(world: studies.WorldEntry, entry: studies.GameEntry, folder: str = "") -> Environment:
    """Return the environment of a world for a game."""
    played = build_study_game(entry, folder)
    given = _thaw(world.parameters)
    if world.kind == "law":
        return IID(build_world_law(world.value))
    if world.kind == "laws":
        return IID(_build_world_laws(world.value, played, given))
    if world.kind == "contexts":
        return build_study_contexts(world, played)
    if world.kind == "replay":
        return build_world_recording(world, folder)
    if world.kind == "environment":
        return build_own_environment(world, folder)
    raise SidelightError(f"{world.label!r} are classifiers, which policies watch: they are no world for a game")


def build_study_contexts(world: studies.WorldEntry, played: Game) -> Environment:
    """Return the contexts of a world for a game."""
    with word_errors_of_user_code(f"{world.label!r} cannot be made"):  # numbers may be beyond all floats
        return contexts_by_name.load_context_environment(world.value, played, **_thaw(world.parameters))


@functools.lru_cache(maxsize=256)
def find_strategy_class_of_player(player: studies.PlayerEntry, folder: str = "") -> type[Strategy]:
    """Return the class of a player; a file's path begins at the folder of the study."""
    return players.find_player_class(_class_name_in_study_folder(player.name, folder))


def _class_name_in_study_folder(name: str, folder: str) -> str:
    """Return the name of a class; if it is in a file, with the whole path."""
    head, rest = players.split_player_name(name)
    return f"{Path(folder, head)}:{rest}" if head.endswith(".py") and rest else name


def build_player_strategy(
    player: studies.PlayerEntry, entry: studies.GameEntry, horizon: int, dimension: int, folder: str = ""
) -> Strategy:
    """Return a player's strategy for a game; one that must know the horizon or the contexts' size is told it."""
    kind = find_strategy_class_of_player(player, folder)
    needed = players.required_parameters_of_player(kind)
    return _build_cached_strategy(
        player, entry, horizon if "horizon" in needed else 0, dimension if "dimension" in needed else 0, folder
    )


@functools.lru_cache(maxsize=64)
def _build_cached_strategy(
    player: studies.PlayerEntry, entry: studies.GameEntry, horizon: int, dimension: int, folder: str
) -> Strategy:
    """Return a strategy; simulations do not change it, and the Bayes-optimal one takes half a second to make."""
    kind = find_strategy_class_of_player(player, folder)
    given = _thaw(player.parameters)
    players.check_player_parameters(kind, given)
    values = players.complete_player_parameters(kind, given, horizon, dimension)
    with word_errors_of_user_code(f"{kind.__name__} cannot be made"):
        return players.make_player(kind, build_study_game(entry, folder), values)


@functools.lru_cache(maxsize=256)
def build_player_policy(player: studies.PlayerEntry) -> Policy:
    """Return the policy of a player."""
    with word_errors_of_user_code(f"the policy {player.name!r} cannot be made"):
        return make_policy(player.name, _thaw(player.parameters))


def forget_built_objects() -> None:
    """Forget everything that was made: files of games, strategies and recordings may have changed."""
    for cached in (
        _build_catalogue_game,
        build_study_environment,
        find_strategy_class_of_player,
        _build_cached_strategy,
    ):
        cached.cache_clear()


def modules_of_built_object(thing: Any) -> set[str]:
    """Return the modules (or files) of an object's class and its bases."""
    kinds_of = inspect.getmro(thing if isinstance(thing, type) else type(thing))
    found = {_module_of_built_class(kind) for kind in kinds_of} - {"builtins", "abc", "typing"}
    sampler = getattr(thing, "law", None)
    if callable(sampler):  # an environment that draws its laws
        found.add(_module_of_built_class(sampler if inspect.isfunction(sampler) else type(sampler)))
    return found


def _module_of_built_class(thing: Any) -> str:
    """Return the name of the module of a class or function, or its file where no import finds it."""
    if thing.__module__ == "__main__":
        return _script_of_built_class(thing.__qualname__)
    if "." in thing.__module__ or thing.__module__ in ("builtins", "abc", "typing", "sidelight"):
        return str(thing.__module__)
    # By what was compiled: the module of that name may be another one by now.
    functions = [thing] if inspect.isfunction(thing) else list(filter(inspect.isfunction, vars(thing).values()))
    files = [each.__code__.co_filename for each in functions if each.__code__.co_filename.endswith(".py")]
    loose = [file for file in files if Path(file).stem == thing.__module__]
    return loose[0] if loose else str(thing.__module__)


def _script_of_built_class(name: str) -> str:
    """Return the file of the script that defines an object; objects typed at a prompt have none."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    if file is None or not Path(file).is_file():
        raise SidelightError(
            f"{name} was typed at a prompt, so nobody can tell later which code its runs were made by: "
            "put it into a file, and write module:Class or file.py:Class"
        )
    return str(Path(file).absolute())


def _thaw(parameters: Parameters) -> dict[str, Any]:
    return {name: thaw_plain_data(value) for name, value in parameters}


def _build_world_laws(name: str, played: Game, given: Mapping[str, Any]) -> Any:
    """Return the generator of outcome laws: a built-in one by name, or the result of the user's function."""
    if ":" not in name:
        if given:
            raise SidelightError(f"{name!r} laws have no parameters, but {', '.join(map(repr, given))} was given")
        return laws.load(name, played)
    function = import_attribute_to_build(name, "function")
    with word_errors_of_user_code(f"{name!r} did not return laws"):
        return function(played, **given)


def import_attribute_to_build(name: str, what: str) -> Any:
    """Import the class or function that a text of the form package.module:name stands for."""
    module, colon, own = name.rpartition(":")
    loose = module.endswith(".py")
    if not colon or not own or not (loose or all(part.isidentifier() for part in module.split("."))):
        word = "Class" if what == "class" else what
        raise SidelightError(f"{name!r} does not name a {what}: write package.module:{word}")
    loaded = players.import_player_module(module, name)
    if not hasattr(loaded, own):
        raise SidelightError(f"{module!r} has no {own!r}: name a {what} that is there")
    found = getattr(loaded, own)
    if not callable(found):
        raise SidelightError(f"{name!r} is {short_field_value(found)}: name a {what}")
    return found


def build_own_environment(world: studies.WorldEntry, folder: str = "") -> Environment:
    """Make an environment from a class of the user; a file's path begins at the folder of the study."""
    kind = import_attribute_to_build(_class_name_in_study_folder(world.value, folder), "class")
    with word_errors_of_user_code(f"{world.value!r} cannot be made"):
        made = kind(**_thaw(world.parameters))
    if not isinstance(made, Environment):
        raise SidelightError(f"{world.value!r} is not a subclass of sidelight.environments.Environment")
    return made


def build_world_recording(world: studies.WorldEntry, folder: str = "") -> Environment:
    """Return the recording that a world plays back."""
    given = dict(world.parameters).get("law")
    if given not in (None, "outcome"):
        build_world_law(given)  # refuses what is none
    return load_recording_of_world(Path(folder, world.value), given)


def build_world_law(value: Any) -> Any:
    """Return a law, or one row per run, as an array; raise an error if it is not made of probabilities."""
    try:
        rows = np.array(thaw_plain_data(value), dtype=float)
    except (TypeError, ValueError, OverflowError):
        rows = np.empty(0)
    if not rows.size:
        raise ParameterError(
            f"the law is {short_field_value(value)}: give probabilities, as in law = [0.3, 0.7]", "law"
        )
    for number, row in enumerate(np.atleast_2d(rows), start=1):
        checked_law(row, where="the law" if rows.ndim < 2 else f"row {number} of the law")
    return rows


@contextlib.contextmanager
def word_errors_of_user_code(what: str) -> Iterator[None]:
    """Turn any error of the user's code into one line with the failed call, reason and place."""
    try:
        yield
    except SidelightError:
        raise
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f" ({Path(last.filename).name}, line {last.lineno})" if last.filename != __file__ else ""
        raise SidelightError(f"{what}: {type(error).__name__}: {one_line(str(error))}{where}") from error


def plugin_origin_of_player(player: studies.PlayerEntry) -> str:
    """Return the package and version that an external strategy comes from; empty for ours and loose files."""
    if player.policy:
        return ""
    try:
        named = plugins.strategy_plugin_named(player.name)
        found = named or plugins.plugin_of_strategy_class(find_strategy_class_of_player(player))
    except SidelightError:  # a report is also written where a player cannot be imported
        return ""
    return found.origin if found is not None else ""
