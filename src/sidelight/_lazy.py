"""Import public names when they are first used, as the stub beside a package's `__init__.py` lists them.

A stub is what type checkers read. Since the package reads it, too, a public name is written down once: as a line of
the stub, `from package.module import Name as Name`.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def homes_of_lazy_names(package: str) -> dict[str, str]:
    """Return the public names in a package's stub, in its order, each with the module that it is imported from."""
    stub = Path(str(sys.modules[package].__file__)).with_suffix(".pyi")
    imports = (each for each in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(each, ast.ImportFrom))
    return {name.name: str(line.module) for line in imports for name in line.names}


def importer_of_lazy_names(package: str) -> Callable[[str], Any]:
    """Return a module's `__getattr__`, which imports a name of the stub when it is first asked for."""
    known = homes_of_lazy_names(package)

    def find_lazy_name(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if known[name] == package:
            value: Any = importlib.import_module(f"{package}.{name}")
        else:
            value = getattr(importlib.import_module(known[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find_lazy_name
