"""Import code that others wrote: anything that goes wrong becomes one line that says what and where."""

from __future__ import annotations

import contextlib
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


@contextlib.contextmanager
def explain_strategy_import_errors(name: str) -> Iterator[None]:
    """Turn any error while a module is imported into one line with its place."""
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
def find_strategy_modules_in(folder: str) -> Iterator[None]:
    """Let modules in a folder be found, first within the block, last afterwards, so that they hide no others."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in map(os.path.abspath, sys.path):
            sys.path.append(folder)


def complete_strategy_class(kind: type[Strategy], what: str) -> type[Strategy]:
    """Return the class, unless methods are missing that its author has to write."""
    if inspect.isabstract(kind):
        lacking = ", ".join(sorted(kind.__abstractmethods__))
        raise SidelightError(f"{what} is not complete: write its {lacking}")
    return kind


def is_strategy(thing: Any) -> bool:
    """Say whether something is a class of strategies."""
    from sidelight.strategies.base import Strategy

    return isinstance(thing, type) and issubclass(thing, Strategy)
