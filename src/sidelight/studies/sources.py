"""Which sources can decide a result, and a digest of them: what was computed stays good until one of them changes.

From the module of a strategy, an environment or a policy one follows the imports. Modules of this library and of the
user are read; those of other packages count with their version, those of Python not at all. Docstrings and lines of
comments change nothing, and modules that only show, store or distribute results are left out.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sidelight.errors import SidelightError
from sidelight.strategies.importing import is_outdated

_HERE = Path(__file__).parent.parent
_PACKAGE = __name__.partition(".")[0]
# What shows, stores and distributes results, or finds strategies, but does not decide them.
_IRRELEVANT = tuple(
    f"{_PACKAGE}.{name}"
    for name in (
        *("_version", "_storage", "errors", "text", "table", "results", "report", "tasks", "checks", "cli"),
        *("kernels.cache", "kernels.digest", "simulation.progress", "simulation.players", "simulation.blocks"),
        *("strategies.plugins", "strategies.importing", "strategies.saved"),
    )
)
_INDICES = (_PACKAGE, f"{_PACKAGE}.strategies")  # these only say where things are
_HARMLESS = ("numba",)  # compiled or not, whatever the version: the numbers are the same


def digest(roots: Iterable[str]) -> str:
    """Return a digest of all sources that can be reached from some modules (or files that end in .py)."""
    return _digest(tuple(sorted(set(roots))))


def refresh() -> None:
    """Look at all sources again when they are next asked for, as a new process would."""
    for cached in (_digest, _source, _path, _is_local):
        cached.cache_clear()


def reached(roots: Iterable[str]) -> list[str]:
    """Return the names of all modules that are read, and of other packages with their versions."""
    found: dict[str, None] = {}
    waiting = list(roots)
    own = {_top(root) for root in waiting}
    while waiting:
        name = waiting.pop()
        if name in found or _is(name, _IRRELEVANT):
            continue
        if not _is_read(name, own):
            if _top(name) not in sys.stdlib_module_names:
                found[_with_version(_top(name))] = None
            continue
        found[name] = None
        waiting += [each for each in _source(name).imports if each not in _INDICES]
    return sorted(found)


@functools.cache
def _digest(roots: tuple[str, ...]) -> str:
    found = hashlib.sha256()
    for name in reached(roots):
        text = "" if "==" in name else _source(name).text
        # A file may be moved; its name is what is imported.
        shown = Path(name).name if name.endswith(".py") else name
        found.update(f"{shown}\0{text}\0".encode())
    return found.hexdigest()[:16]


def _is_read(name: str, own: set[str]) -> bool:
    """Say whether a module's source is read; of other packages, only their version counts."""
    if name.endswith(".py"):
        return True
    top = _top(name)
    return (top == _PACKAGE or top in own or _is_local(top)) and _path(name) is not None


@functools.cache
def _is_local(top: str) -> bool:
    """Say whether a package or module is the user's own and not an installed one; nothing is imported for that."""
    if top in sys.stdlib_module_names:
        return False
    path = _path(top)
    return path is not None and not any(part in ("site-packages", "dist-packages") for part in path.parts)


@functools.cache
def _with_version(package: str) -> str:
    try:
        version = importlib.metadata.version(package) if package not in _HARMLESS else ""
    except importlib.metadata.PackageNotFoundError:
        version = ""
    return f"{package}=={version}"


@functools.cache
def _path(name: str) -> Path | None:
    """Return the file of a module, without importing it (but the packages that it is in)."""
    if name.endswith(".py"):
        return Path(name)
    first, *rest = name.split(".")
    if first == _PACKAGE:
        base = _HERE.joinpath(*rest)
        found = [path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()]
        return found[0] if found else None
    try:
        specification = importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None
    origin = None if specification is None else specification.origin
    return Path(origin) if origin is not None and origin.endswith(".py") else None


class _Source(NamedTuple):
    """What a module says, but for docstrings, lines of comments and empty lines, and the modules that it may import."""

    text: str
    imports: list[str]


@functools.cache
def _source(name: str) -> _Source:
    path = _path(name)
    assert path is not None
    if _top(name) != _PACKAGE and is_outdated(str(path)):
        raise SidelightError(
            f"{str(path)!r} was edited after this process had imported it, so that it would run what was there before: "
            "start Python (on a cluster, the workers) again"
        )
    status = path.stat()
    return _parsed(name, path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=4096)
def _parsed(name: str, path: Path, written: int, size: int) -> _Source:
    """Read a source; when it was written and how long it is only say whether it is still the same."""
    lines = path.read_text(encoding="utf-8").splitlines()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    imports: list[str] = []
    tree = ast.parse("\n".join(lines))
    for node in _statements(tree, lines):
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += _named(node, package)
    text = "\n".join(line for line in lines if line.strip())
    if not any(quotes in text for quotes in ('"""', "'''")):  # else a line of a text may look like a comment
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return _Source(text, imports)


def _statements(tree: ast.Module, lines: list[str]) -> Iterator[ast.stmt]:
    """Yield all statements but those that only type checkers see; empty the lines of docstrings."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.stmt):
            yield node
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and body and _is_text(body[0]):
            for number in range(body[0].lineno - 1, body[0].end_lineno):
                lines[number] = ""
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, None)
            waiting += inner if isinstance(inner, list) else []


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _named(node: ast.ImportFrom, package: str) -> list[str]:
    """Return the modules that `from ... import ...` may mean."""
    base = node.module or ""
    if node.level:
        parents = package.split(".")
        parents = parents[: len(parents) - node.level + 1]
        base = ".".join([*parents, *([node.module] if node.module else [])])
    if _top(base) in sys.stdlib_module_names:
        return []
    found = []
    for alias in node.names:
        inner = f"{base}.{alias.name}"
        found += [inner] if (_top(base) == _PACKAGE or _is_local(_top(base))) and _path(inner) is not None else [base]
    return found


def _top(name: str) -> str:
    return name if name.endswith(".py") else name.partition(".")[0]


def _is(name: str, prefixes: Iterable[str]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)
