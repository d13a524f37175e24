"""One page per public module: every public name from its docstring."""

from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import name_examples
from sphinx.pycode import ModuleAnalyzer

import sidelight as sl

MODULES = {
    "sidelight": "the names that most programs need",
    "sidelight.games": "the catalogue of games",
    "sidelight.analysis": "the exact geometry of a game",
    "sidelight.strategies": "the contract of strategies; each strategy has [a page of its own](../strategies/index.md)",
    "sidelight.environments": "where outcomes and contexts come from",
    "sidelight.environments.laws": "samplers of outcome laws",
    "sidelight.limits": "how good a strategy can be",
    "sidelight.simulation": "playing a game many times",
    "sidelight.results": "what a simulation leaves behind",
    "sidelight.studies": "whole experiments as one value or file",
    "sidelight.recommendation": "which strategy to use, from the stored benchmark",
    "sidelight.monitor": "watching a classifier",
    "sidelight.checks": "what every game, environment and strategy must pass",
    "sidelight.kernels": "compiled strategies of your own",
    "sidelight.tasks": "work on threads, on a cluster, or share by share",
    "sidelight.errors": "every error that a user can cause",
    "sidelight.gym": "the games as Gymnasium environments",
    "sidelight.client": "talking to the service",
}


_REFUSALS = (
    "What cannot be done is refused with a [`SidelightError`](../files/errors.md) or one of its kinds, which says what"
    " is wrong and what to do."
)


def pages() -> dict[str, str]:
    """Return the pages by path."""
    found = {f"python/{_file(name)}.md": _page(name) for name in MODULES}
    rows = "\n".join(f"| [`{name}`]({_file(name)}.md) | {what} |" for name, what in MODULES.items())
    listed = "\n".join(_file(name) for name in MODULES)
    found["python/index.md"] = (
        "# Python\n\nEvery public name, module by module. Most programs begin with `import sidelight as sl`.\n\n"
        f"| module | what it is for |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return found


def public_names(module: ModuleType) -> list[str]:
    """Return what a module offers, in the order of the alphabet; without `__all__`, what it defines itself."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        own = vars(module).items()
        listed = [name for name, value in own if getattr(value, "__module__", "") == module.__name__ and name[0] != "_"]
    return sorted(listed, key=str.lower)


def _file(name: str) -> str:
    return name.replace("sidelight.", "") if name != "sidelight" else "sidelight"


def _page(name: str) -> str:
    module = importlib.import_module(name)
    strategies = set(sl.strategies.names(published=True)) if name == "sidelight.strategies" else set()
    names = [each for each in public_names(module) if each not in strategies]
    body = "\n".join(_entry(name, each, getattr(module, each)) for each in names)
    intro = (inspect.getdoc(module) or "").split("\n\n")[0]
    first = name_examples.beginning(name)
    return f"# {name}\n\n{' '.join(intro.split())} {_REFUSALS}\n\n{first}\n{body}"


def _entry(module: str, name: str, value: Any) -> str:
    """Return the section of one name; what another public module documents is only pointed to."""
    home = home_of(name, value)
    if home is not None and home != module:
        return f"## {name}\n\n{_first_line(value)} See [`{home}`]({_file(home)}.md).\n"
    shown = name_examples.example(module, name)
    if get_origin(value) is Literal:
        listed = ", ".join(f"`{each!r}`" for each in get_args(value))
        return f"## {name}\n\n{_said_of(name, value)}\n\n`{module}.{name}` is one of {listed}.\n{shown}"
    if not callable(value):
        return f"## {name}\n\n{_said_of(name, value)}\n\n`{module}.{name}` is `{value!r}`.\n{shown}"
    kind = "autofunction"
    options = ""
    if inspect.isclass(value):
        name += _arguments(value)
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
        options = "   :members:\n" if kind == "autoclass" else "   :show-inheritance:\n"
    title = name.removesuffix("()")
    return f"## {title}\n\n```{{eval-rst}}\n.. {kind}:: {module}.{name}\n{options}```\n{shown}"


def _arguments(kind: type) -> str:
    """Return brackets in the place of arguments that are nobody's business: those of what the library makes itself."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except ValueError:
        return ""
    private = any(each.name.startswith("_") or "<factory>" in str(each) for each in parameters)
    return "()" if private or getattr(kind, "_is_protocol", False) else ""


def _said_of(name: str, value: Any) -> str:
    """Return the text below a constant, in the module that defines it."""
    homes = [each for each in list(sys.modules) if each.startswith("sidelight.")]
    for home in homes:
        if vars(sys.modules[home]).get(name) is value:
            said = ModuleAnalyzer.for_module(home).find_attr_docs().get(("", name))
            if said:
                return " ".join(" ".join(said).split())
    return ""


def home_of(name: str, value: Any) -> str | None:
    """Return the public module that documents a name, if there is one."""
    if inspect.ismodule(value):
        return value.__name__
    defined = f"{getattr(value, '__module__', '')}."
    homes = [each for each in MODULES if each != "sidelight" and defined.startswith(f"{each}.")]
    return next((each for each in homes if name in public_names(importlib.import_module(each))), None)


def _first_line(value: Any) -> str:
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
