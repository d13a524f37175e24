"""File formats and errors: pages made of the docstrings of the modules and classes that they are about."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

import reference_python

import sidelight
from sidelight.errors import SidelightError

FORMATS = {
    "Games": ("sidelight._game_file", "See [how to keep a game in a file](../../how-to/game-files.md)."),
    "Results": ("sidelight.results.files", "See [how to keep results](../../how-to/results.md)."),
    "Sealed files": ("sidelight.results.sealed", ""),
    "Strategies": ("sidelight.strategies.saved", "`strategy.save(path)` and `sl.strategies.Strategy.load(path)`."),
    "Monitors": (
        "sidelight.monitor.io.saved_monitor",
        "See [how to monitor a classifier](../../how-to/monitor-a-classifier.md).",
    ),
}
MISTAKES = (
    'sl.Game([[1, 0], [0]], [["a", "b"], ["c", "d"]])',
    'sl.Game([[1, 0]], [["a"]])',
    'sl.Game.load("no-such-file.toml")',
    'sl.games.load("aple-tasting")',
    'sl.games.load("dynamic-pricing", prices=1)',
    "sl.environments.IID([0.5, 0.6])",
    "sl.environments.IID([1.2, -0.2])",
    "sl.strategies.RandCBP(apples, bins=0)",
    'sl.strategies.RandCBP(sl.games.load("hopeless"))',
    'sl.strategies.FixedAction(apples, "sell").observe("nothing")',
    'player = sl.strategies.FixedAction(apples, "sell"); player.act(); player.observe("rotten")',
    "player = sl.strategies.ProspectSide(apples, dimension=2); player.act([0.5])",
    "sl.simulate(sl.strategies.Uniform(apples), sl.environments.IID([0.2, 0.3, 0.5]), horizon=10)",
    "sl.simulate(sl.strategies.Uniform(apples), sl.environments.IID([0.5, 0.5]), horizon=0)",
    "sl.ClassifierMonitor(tolerance=5)",
    'sl.ClassifierMonitor(tolerance=0.05).answer("req-1", correct=True)',
)
"""Mistakes that are easily made. They are made while the page is written, and it shows what Python answers."""
_OPTIONAL = ("sidelight.gym", "sidelight.service", "sidelight.client", "sidelight.cli")


def pages() -> dict[str, str]:
    """Return the pages by path."""
    sections = [_format(title, *where) for title, where in FORMATS.items()]
    head = "# File formats\n\nWhat the library writes, so that other programs and later versions can read it.\n"
    return {"files/formats.md": "\n".join([head, *sections]), "files/errors.md": _errors()}


def _format(title: str, module: str, see: str) -> str:
    text = inspect.cleandoc(importlib.import_module(module).__doc__ or "")
    return f"## {title}\n\n{text}\n" + (f"\n{see}\n" if see else "")


def _errors() -> str:
    kinds = sorted(error_classes(), key=lambda kind: (kind.__module__, kind.__name__))
    listed = "\n".join(f"- `{_name(kind)}`, also {_bases(kind)}: {_first_line(kind)}" for kind in kinds)
    messages = "\n".join(_message(code) for code in MISTAKES)
    return (
        "# Errors\n\nIf you ask for something that cannot be done, you get an error that derives from `SidelightError`,"
        " which is a `ValueError`. Its message says what is wrong and what to do, and nothing has changed.\n\n"
        "## Messages\n\nWhat some mistakes lead to. `sl` is `sidelight`, and `apples` is the game"
        f' `sl.games.load("apple-tasting")`.\n\n{messages}\n'
        f"## Classes\n\nEach with the classes that it derives from.\n\n{listed}\n"
    )


def _name(kind: type) -> str:
    """Return the name that users import: that of a public module, where one has it."""
    home = reference_python.home_of(kind.__name__, kind)
    if home is None and kind in vars(importlib.import_module("sidelight.client")).values():
        home = "sidelight.client"
    return f"{home or kind.__module__}.{kind.__name__}"


def _message(code: str) -> str:
    """Make a mistake, and return it with its error as a session of Python shows them."""
    shown = "\n".join(f">>> {line}" for line in code.split("; "))
    try:
        exec(code, {"sl": sidelight, "apples": sidelight.games.load("apple-tasting")})
    except SidelightError as error:
        title = re.split("[:;]", str(error))[0]  # search ranks what stands in titles first
        session = f"{shown}\n{_name(type(error))}: {error}"
        return f"### {title[0].upper()}{title[1:]}\n\n```{{code-block}} text\n:class: prose\n\n{session}\n```\n"
    raise AssertionError(f"{code} is no mistake any more: take it off the page of errors")


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
