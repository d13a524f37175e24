"""Strategies as they are written on a command line: `RandCBP:bins=10,sigma=2`, or `package.module:Class`."""

from __future__ import annotations

import ast
import contextlib
import difflib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sidelight.cli._numbers import whole_number
from sidelight.errors import SidelightError
from sidelight.strategies import plugins
from sidelight.strategies.importing import complete, explained, is_strategy

if TYPE_CHECKING:
    from sidelight.game import Game
    from sidelight.strategies import Strategy

# A drive of Windows has a colon, too.
_HEAD = re.compile(r"((?:[A-Za-z]:[\\/])?[^:]*)(?::(.*))?", re.DOTALL)
_NEXT = re.compile(r",(?=\s*[A-Za-z_]\w*\s*=)")
_WORDS = {"true": True, "false": False, "none": None}
_OWN = "package.module:Class names one of your own"


def build(text: str, game: Game, horizon: int, dimension: int = 0) -> Strategy:
    """Make the strategy that `text` describes; one that must know the horizon or the contexts' size is told it."""
    kind, given = _parsed(text)
    values = _checked(kind, given)
    for name, value in (("horizon", horizon), ("dimension", dimension)):
        if name in _required(kind) and value:
            values.setdefault(name, value)
    missing = [name for name in _required(kind) if name not in values]
    if "dimension" in missing:
        raise SidelightError(
            f"{kind.__name__} decides by contexts: let 'sidelight simulate' make them, as with --contexts linear:d=10"
        )
    if missing:
        example = ",".join(f"{name}=..." for name in missing)
        raise SidelightError(f"{kind.__name__} needs {' and '.join(missing)}: write {text.split(':')[0]}:{example}")
    try:
        return kind(game, **values)
    except SidelightError as error:
        raise SidelightError(f"{kind.__name__}: {error}") from None
    except (TypeError, ValueError) as error:
        shown = ", ".join(f"{name}={value!r}" for name, value in values.items()) or "no parameters"
        raise SidelightError(f"{kind.__name__} cannot be made with {shown}: {error}") from None


def known_names(*, published: bool = False, external: bool = False) -> tuple[str, ...]:
    """Return the names of the strategies, Bayes-optimal play among them; see `strategies.names` for the others."""
    from sidelight import strategies

    own = (*strategies.names(published=published), "BayesOptimal")
    return (*own, *plugins.usable()) if external else own


def known(name: str) -> type[Strategy]:
    """Return the strategy of that name, one of ours or that of another package."""
    from sidelight import limits, strategies

    if name not in known_names(published=True) and (found := plugins.find(name)) is not None:
        return found.load()
    kind: type[Strategy] = getattr(limits if name == "BayesOptimal" else strategies, name)
    return kind


def unknown(name: str) -> str:
    """Say that there is no such strategy, and which one may have been meant."""
    near = _nearest(name, known_names(published=True, external=True))
    return f"there is no strategy {name!r}: " + (f"did you mean {near!r}? " if near else "")


def _parsed(text: str) -> tuple[type[Strategy], dict[str, str]]:
    """Split a text into the class it names and its parameters, which are still text."""
    from sidelight import strategies

    match = _HEAD.fullmatch(text)
    head, rest = (match[1], match[2]) if match else (text, None)
    if head in known_names(published=True) or plugins.find(head) is not None:
        return known(head), _pairs(rest, text)
    name, _, parameters = (rest or "").partition(":")
    if name and "=" not in name:
        return _own(head, name, text), _pairs(parameters or None, text)
    raise SidelightError(f"{unknown(head)}there are {', '.join(strategies.names(external=True))}, and {_OWN}")


def _pairs(text: str | None, whole: str) -> dict[str, str]:
    """Split 'a=1,b=2'."""
    found: dict[str, str] = {}
    for part in [] if text is None else _NEXT.split(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and name and value):
            raise SidelightError(f"in {whole!r}, {part.strip()!r} is not a parameter: write name=value, as in bins=10")
        if name in found:
            raise SidelightError(f"in {whole!r}, the parameter {name!r} is given twice")
        found[name] = value
    return found


def _checked(kind: type[Strategy], given: dict[str, str]) -> dict[str, Any]:
    """Read the parameters' values, and refuse names that the strategy does not have."""
    known = signature(kind)
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    former = getattr(kind.__init__, "renamed", {})
    own = {name: each for name, each in known.items() if name not in ("game", "seed")}
    for name in given:
        if name == "seed":
            raise SidelightError(f"{kind.__name__}: the seed of everything is given by --seed")
        if name not in own and name not in former and not open_ended:
            near = _nearest(name, tuple(own))
            hint = f"did you mean {near!r}? " if near else ""
            has = f"it has {', '.join(map(_declared, own.values()))}" if own else "it has none"
            raise SidelightError(f"{kind.__name__} has no parameter {name!r}: {hint}{has}")
    return {name: _value(text, own.get(name)) for name, text in given.items()}


def _value(text: str, parameter: inspect.Parameter | None) -> Any:
    """Read a value, 2e4 as a whole number where one is wanted."""
    wanted = "" if parameter is None else str(parameter.annotation)
    number = whole_number(text) if "int" in wanted and "float" not in wanted else None
    return value_of(text) if number is None else number


def value_of(text: str) -> Any:
    """Read a value: a number (1/3 is one), true, false or none, something in brackets or quotes, or else the text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for read in (int, float, lambda each: float(Fraction(each))):
        with contextlib.suppress(ValueError, ZeroDivisionError):
            return read(text)
    if text[:1] in tuple("([{'\""):
        with contextlib.suppress(ValueError, SyntaxError):
            return ast.literal_eval(text)
    return text


def _own(module: str, name: str, text: str) -> type[Strategy]:
    """Import a strategy of the user's own."""
    loaded = _file(module) if module.endswith(".py") else _module(module, text)
    kind: Any = getattr(loaded, name, None)
    if not is_strategy(kind):
        there = [key for key, each in vars(loaded).items() if _is_strategy(each, loaded)]
        listed = f"it has {', '.join(there)}" if there else "it has no subclass of sidelight.strategies.Strategy"
        what = "is not a strategy (a subclass of sidelight.strategies.Strategy)" if kind is not None else "is not there"
        raise SidelightError(f"{name!r} of {module!r} {what}: {listed}")
    return complete(kind, f"{name!r} of {module!r}")


def _module(name: str, text: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise SidelightError(f"cannot read the strategy {text!r}: write Name, Name:parameter=value, or {_OWN}")
    importlib.invalidate_caches()
    with _current_folder_first(), explained(name):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            from sidelight import strategies

            near = _nearest(name, strategies.names())
            hint = f"; if you mean {near!r}, its parameters are written as {near}:name=value" if near else ""
            raise SidelightError(
                f"there is no module {error.name!r}, neither in this folder nor installed (for {text!r}){hint}"
            ) from None


def _file(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise SidelightError(f"there is no file {path!r}")
    specification = importlib.util.spec_from_file_location(Path(path).stem, path)
    if specification is None or specification.loader is None:
        raise SidelightError(f"{path!r} is not a file that Python can import")
    module = importlib.util.module_from_spec(specification)
    before = sys.modules.get(specification.name)
    sys.modules[specification.name] = module
    with explained(path):
        try:
            specification.loader.exec_module(module)
        finally:
            if before is not None:  # a module of that name is in use
                sys.modules[specification.name] = before
    return module


@contextlib.contextmanager
def _current_folder_first() -> Iterator[None]:
    """Let modules of the current folder be found, first now and last later, when they might hide what we import."""
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
        if here not in sys.path and "" not in sys.path:
            sys.path.append(here)


def _is_strategy(thing: Any, module: ModuleType) -> bool:
    return is_strategy(thing) and thing.__module__ == module.__name__


def signature(kind: type[Strategy]) -> dict[str, inspect.Parameter]:
    """Return what a strategy is made of, the game first."""
    return {name: each for name, each in inspect.signature(kind.__init__).parameters.items() if name != "self"}


def _required(kind: type[Strategy]) -> list[str]:
    optional = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [
        name
        for name, each in signature(kind).items()
        if each.default is each.empty and name != "game" and each.kind not in optional
    ]


def _declared(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return parameter.name
    value = parameter.default
    return f"{parameter.name}={value if isinstance(value, str) else repr(value)}"


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that is most like what was typed."""
    plain = {each.lower(): each for each in known}
    typed = re.sub(r"[-_\s]", "", name.lower())[:80]
    near = difflib.get_close_matches(typed, plain, n=1, cutoff=0.6) or [p for p in plain if p.startswith(typed)][:1]
    return plain[near[0]] if near and typed else None
