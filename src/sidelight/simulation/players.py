"""Find strategies by name, including your own, and make them for a game."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sidelight import strategies
from sidelight.errors import ParameterError, SidelightError
from sidelight.strategies import plugins
from sidelight.strategies.importing import (
    complete_strategy_class,
    explain_strategy_import_errors,
    find_strategy_modules_in,
    is_strategy,
)
from sidelight.text import did_you_mean

if TYPE_CHECKING:
    from sidelight.game import Game
    from sidelight.strategies import Strategy

# A drive of Windows has a colon, too.
_HEAD = re.compile(r"((?:[A-Za-z]:[\\/])?[^:]*)(?::(.*))?", re.DOTALL)
_OWN = "package.module:Class names one of your own"


def split_player_name(text: str) -> tuple[str, str | None]:
    """Split a text at its first colon that does not belong to a drive; None if nothing follows."""
    match = _HEAD.fullmatch(text)
    return (match[1], match[2]) if match else (text, None)


def find_player_class(text: str) -> type[Strategy]:
    """Return the class that a name stands for: "CBP", that of a plug-in, "package.module:Class" or "file.py:Class"."""
    head, rest = split_player_name(text)
    if rest is None and is_known_player_name(head):
        plugin = None if head in strategies.names(published=True) else plugins.find_strategy_plugin(head)
        kind: type[Strategy] = getattr(strategies, head) if plugin is None else plugin.load()
        return kind
    if rest and ":" not in rest and "=" not in rest:
        return import_own_player(head, rest, text)
    raise SidelightError(no_such_player_error(head))


def is_known_player_name(name: str) -> bool:
    """Say whether this is the name of a strategy, one of ours or that of another package."""
    return name in strategies.names(published=True) or plugins.find_strategy_plugin(name) is not None


def no_such_player_error(name: str) -> str:
    """Return the error for an unknown strategy, with a list of the known ones."""
    return f"{unknown_player_message(name)}there are {', '.join(strategies.names(external=True))}, and {_OWN}"


def check_player_parameters(kind: type[Strategy], given: Iterable[str], seed: str = "the study's seed") -> None:
    """Refuse names of parameters that the strategy does not have."""
    known = signature_of_player(kind)
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    own = {name: each for name, each in known.items() if name not in ("game", "seed")}
    for name in given:
        if name == "seed":
            raise SidelightError(f"{kind.__name__}: leave out seed, because {seed} sets all seeds")
        if name not in own and not open_ended:
            has = f"it has {', '.join(map(_declared_player_parameter, own.values()))}" if own else "it has none"
            raise SidelightError(f"{kind.__name__} has no parameter {name!r}: {did_you_mean(name, tuple(own))}{has}")


def complete_player_parameters(
    kind: type[Strategy], given: Mapping[str, Any], horizon: int, dimension: int
) -> dict[str, Any]:
    """Return parameters with the horizon and the size of contexts, where the strategy must know them."""
    needed = required_parameters_of_player(kind)
    told = {"horizon": horizon, "dimension": dimension}
    values = {name: value for name, value in told.items() if name in needed and value} | dict(given)
    if "dimension" in needed and "dimension" not in values:
        remedy = "choose some, as in --contexts linear:d=10"
        raise SidelightError(f"{kind.__name__} decides by contexts, and there are none: {remedy}")
    if missing := [name for name in needed if name not in values]:
        raise SidelightError(f"{kind.__name__} needs {' and '.join(missing)}: give a value, as in {missing[0]}=...")
    return values


def make_player(kind: type[Strategy], game: Game, values: Mapping[str, Any]) -> Strategy:
    """Make a strategy, or say in one line why it cannot be made."""
    try:
        return kind(game, **values)
    except SidelightError as error:
        raise ParameterError(f"{kind.__name__}: {error}", getattr(error, "name", "")) from None
    except (TypeError, ValueError) as error:
        shown = ", ".join(f"{name}={value!r}" for name, value in values.items()) or "no parameters"
        raise SidelightError(f"{kind.__name__} cannot be made with {shown}: {error}") from None


def unknown_player_message(name: str) -> str:
    """Return a message about an unknown strategy, with a suggestion."""
    return f"there is no strategy {name!r}: {did_you_mean(name, strategies.names(published=True, external=True))}"


def import_own_player(module: str, name: str, text: str) -> type[Strategy]:
    """Import a user's own strategy."""
    loaded = import_player_module(module, text)
    kind: Any = getattr(loaded, name, None)
    if not is_strategy(kind):
        found = {key: each for key, each in vars(loaded).items() if is_strategy(each)}
        there = [key for key, each in found.items() if each.__module__ == loaded.__name__]
        listed = f"it has {', '.join(there)}" if there else "it has no subclass of sidelight.strategies.Strategy"
        what = "is not a strategy (a subclass of sidelight.strategies.Strategy)" if kind is not None else "is not there"
        raise SidelightError(f"{name!r} of {module!r} {what}: {listed}")
    return complete_strategy_class(kind, f"{name!r} of {module!r}")


def import_player_module(module: str, text: str) -> ModuleType:
    """Import a user's own module by name or from its file; errors quote `text`."""
    return _import_player_file(module) if module.endswith(".py") else _import_player_module_by_name(module, text)


def _import_player_module_by_name(name: str, text: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise SidelightError(f"cannot read the strategy {text!r}: write Name, Name:parameter=value, or {_OWN}")
    importlib.invalidate_caches()
    with find_strategy_modules_in(os.getcwd()), explain_strategy_import_errors(name):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            hint = did_you_mean(name, strategies.names())
            hint = hint and f"; {hint}Parameters follow a colon, as in CBP:alpha=1.1"
            raise SidelightError(
                f"there is no module {error.name!r}, neither in this folder nor installed (for {text!r}){hint}"
            ) from None


def _import_player_file(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise SidelightError(f"there is no file {path!r}")
    specification = importlib.util.spec_from_file_location(Path(path).stem, path)
    if specification is None or specification.loader is None:
        raise SidelightError(f"{path!r} is not a file that Python can import")
    module = importlib.util.module_from_spec(specification)
    before = sys.modules.get(specification.name)
    sys.modules[specification.name] = module
    with find_strategy_modules_in(str(Path(path).absolute().parent)), explain_strategy_import_errors(path):
        try:
            specification.loader.exec_module(module)
        finally:
            if before is not None:  # a module of that name is in use
                sys.modules[specification.name] = before
    return module


def signature_of_player(kind: type[Strategy]) -> dict[str, inspect.Parameter]:
    """Return the signature of a strategy's constructor, the game first."""
    return {name: each for name, each in inspect.signature(kind.__init__).parameters.items() if name != "self"}


def required_parameters_of_player(kind: type[Strategy]) -> list[str]:
    """Return the parameters without defaults, but for the game."""
    optional = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [
        name
        for name, each in signature_of_player(kind).items()
        if each.default is each.empty and name != "game" and each.kind not in optional
    ]


def _declared_player_parameter(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return parameter.name
    value = parameter.default
    return f"{parameter.name}={value if isinstance(value, str) else repr(value)}"
