"""Examples of public names whose docstrings have none: one file of sessions per module, in `docs/_names/`.

A file begins with what all its sessions need; `## Name` stands above the session of a name. They are executed by
tests/docs/test_examples.py.
"""

from __future__ import annotations

import functools
import inspect
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "_names"


@functools.cache
def sessions(module: str) -> dict[str, str]:
    """Return the sessions of a module by name, and under "" what they begin with."""
    path = FOLDER / f"{module}.txt"
    if not path.exists():
        return {}
    first, *parts = re.split(r"^## (\w+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {"": first.strip()} | {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def beginning(module: str) -> str:
    """Return what the examples of a module begin with, for the top of its page."""
    first = sessions(module).get("", "")
    return f"Examples on this page begin with\n\n{block(first)}\n" if first else ""


def example(module: str, name: str) -> str:
    """Return the example of a name, for the end of its section; nothing if its docstring has one."""
    text = sessions(module).get(name, "")
    return f"\n**Example**\n\n{block(text)}\n" if text else ""


def own_example(value: Any) -> str:
    """Return the example in the docstring of a class itself, not of its parents."""
    _, _, found = inspect.cleandoc(value.__dict__.get("__doc__") or "").partition("Examples\n--------\n")
    return block(found.strip()) if found else ""


def block(session: str) -> str:
    """Return a session as Markdown."""
    return f"```pycon\n{session}\n```"
