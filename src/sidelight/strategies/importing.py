"""Import code that others wrote: anything that goes wrong becomes one line that says what and where.

Python imports a module once, so a process that goes on while its file is edited runs what it was before. Whether a file
is still as it was imported is told from its contents, if it was imported through here or asked about before; else from
the file in which Python keeps the compiled module, whose head has the size of the source and when it was written.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
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
    if not any(getattr(module, "__file__", None) == file for module in list(sys.modules.values())):
        return False
    if _was_compiled_from_another(file):
        return True
    remember(file)
    return False


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
