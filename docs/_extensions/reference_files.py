"""File formats and errors: pages made of the docstrings of the modules and classes that they are about."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import sidelight
from sidelight.errors import SidelightError

FORMATS = {
    "Games": ("sidelight._game_file", "See [how to keep a game in a file](../../how-to/game-files.md)."),
    "Results": ("sidelight.results.files", "See [how to keep results](../../how-to/results.md)."),
    "Sealed files": ("sidelight.results.sealed", ""),
    "Strategies": ("sidelight.strategies.saved", "`strategy.save(path)` and `sl.strategies.Strategy.load(path)`."),
    "Monitors": (
        "sidelight.monitor.monitor_file",
        "See [how to monitor a classifier](../../how-to/monitor-a-classifier.md).",
    ),
}
_OPTIONAL = ("sidelight.gym", "sidelight.service", "sidelight.client", "sidelight.cli")


def pages() -> dict[str, str]:
    """Return the pages by path."""
    sections = [_format(title, *where) for title, where in FORMATS.items()]
    head = "# File formats\n\nWhat the library writes, for programs in other languages and for later versions.\n"
    return {"files/formats.md": "\n".join([head, *sections]), "files/errors.md": _errors()}


def _format(title: str, module: str, see: str) -> str:
    text = inspect.cleandoc(importlib.import_module(module).__doc__ or "")
    return f"## {title}\n\n{text}\n" + (f"\n{see}\n" if see else "")


def _errors() -> str:
    kinds = sorted(error_classes(), key=lambda kind: (kind.__module__, kind.__name__))
    rows = "\n".join(
        f"| `{kind.__module__}.{kind.__name__}` | {_bases(kind)} | {_first_line(kind)} |" for kind in kinds
    )
    return (
        "# Errors\n\nEvery mistake that a user can make ends in an error that derives from `SidelightError`, which is"
        " a `ValueError`. Its message says what is wrong and what to do, and nothing has changed.\n\n"
        f"| error | is also | when |\n|---|---|---|\n{rows}\n"
    )


def error_classes() -> set[type[SidelightError]]:
    """Return every error class of the package."""
    for found in pkgutil.walk_packages(sidelight.__path__, "sidelight."):
        if not found.name.startswith(_OPTIONAL) and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    waiting, kinds = [SidelightError], set()
    while waiting:
        kind = waiting.pop()
        if kind not in kinds and kind.__module__.startswith("sidelight."):
            kinds.add(kind)
            waiting += kind.__subclasses__()
    return kinds


def _bases(kind: type) -> str:
    return ", ".join(f"`{base.__name__}`" for base in kind.__bases__)


def _first_line(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split())
