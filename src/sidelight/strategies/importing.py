"""Import code that others wrote: anything that goes wrong becomes one line that says what and where.

Python imports a module once, so a process that goes on while its file is edited runs what it was before. Whether a file
is still as it was imported is told from its contents, if it was imported through here or asked about before. Else it is
told from its functions, compiled again, and from the file in which Python keeps the compiled module, whose head has the
size of the source and when it was written.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.strategies.base import Strategy

_imported: dict[str, str] = {}  # digests of the files that were imported through here
_PYC = 16  # bytes of the head of a compiled module: kind, flags, time and size of its source


@contextlib.contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn anything that goes wrong while a module is imported into one line that says what and where."""
    try:
        yield
    except (SidelightError, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit included: a script that was not meant to be imported
        frames = traceback.extract_tb(error.__traceback__)
        where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        if isinstance(error, SyntaxError) and error.filename:
            where = f" ({Path(error.filename).name}, line {error.lineno})"
        message = error.msg if isinstance(error, SyntaxError) else error
        raise SidelightError(f"importing {name!r} failed: {type(error).__name__}: {message}{where}") from error


@contextlib.contextmanager
def found_in(folder: str) -> Iterator[None]:
    """Let modules in a folder be found, first within the block, last afterwards, so that they hide no others.

    What is imported within the block is remembered as it was.
    """
    before = set(sys.modules)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in map(os.path.abspath, sys.path):
            sys.path.append(folder)
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and file.endswith(".py"):
                remember(file)


def remember(file: str) -> None:
    """Remember a file as it is: it is being imported."""
    with contextlib.suppress(OSError):
        _imported[file] = _digest(file)


def is_outdated(file: str) -> bool:
    """Say whether a file was edited after this process had imported it."""
    if file in _imported:
        return _digest(file) != _imported[file]
    loaded = [module for module in list(sys.modules.values()) if getattr(module, "__file__", None) == file]
    if any(_has_other_functions(module, file) for module in loaded) or (loaded and _was_compiled_from_another(file)):
        return True
    if loaded:
        remember(file)
    return False


def _has_other_functions(module: ModuleType, file: str) -> bool:
    """Say whether a function of a module is another one than its source has now."""
    try:
        written = {
            code.co_qualname: _essence(code) for code in _codes_in(compile(Path(file).read_bytes(), file, "exec"))
        }
    except (OSError, SyntaxError, ValueError):
        return True
    found = _codes_of(vars(module), module.__name__)
    return any(written.get(code.co_qualname, _essence(code)) != _essence(code) for code in found)


def _codes_of(namespace: Mapping[str, Any], module: str) -> Iterator[CodeType]:
    """Yield what the functions and methods of a module or class run."""
    for value in namespace.values():
        function = inspect.unwrap(getattr(value, "__func__", None) or getattr(value, "fget", None) or value)
        if isinstance(function, FunctionType) and function.__module__ == module:
            yield function.__code__
        elif isinstance(value, type) and value.__module__ == module:
            yield from _codes_of(vars(value), module)


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_in(constant)


def _essence(code: CodeType) -> Any:
    """Return all that a function does, wherever in its file it stands."""
    constants = [_essence(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, constants


def _was_compiled_from_another(file: str) -> bool:
    """Say whether Python keeps a compiled module of another version of a source."""
    try:
        head = Path(importlib.util.cache_from_source(file)).read_bytes()[:_PYC]
        source = Path(file).stat()
    except (OSError, NotImplementedError):  # Python was told to keep no compiled modules
        return False
    if len(head) < _PYC or int.from_bytes(head[4:8], "little"):  # checked by contents, if at all
        return False
    written, size = (int.from_bytes(head[k : k + 4], "little") for k in (8, 12))
    return (written, size) != (int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF)


def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def complete(kind: type[Strategy], what: str) -> type[Strategy]:
    """Return the class, unless methods are missing that its author has to write."""
    if inspect.isabstract(kind):
        lacking = ", ".join(sorted(kind.__abstractmethods__))
        raise SidelightError(f"{what} is not complete: write its {lacking}")
    return kind


def is_strategy(thing: Any) -> bool:
    """Say whether something is a class of strategies."""
    from sidelight.strategies.base import Strategy

    return isinstance(thing, type) and issubclass(thing, Strategy)
