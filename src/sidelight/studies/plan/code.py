"""Which code and files decide the runs of a case: when one of them changes, the runs are made again.

These are the sources of the library, the versions of NumPy and SciPy, and the user's own files: the modules of a
strategy, an environment or a function that draws laws, everything of the user's own that they import, and recordings.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidelight.errors import SidelightError
from sidelight.studies.build import objects
from sidelight.studies.model import GameEntry, PlayerEntry, WorldEntry
from sidelight.studies.plan.cases import Case
from sidelight.tasks.versions import versions

_PACKAGE = __name__.partition(".")[0]


def code_digests(case: Case) -> dict[str, str]:
    """Return digests of the library and of the user's own files that a case depends on.

    Raises
    ------
    SidelightError
        A file is gone, or cannot be imported.
    """
    library = {name: version for name, version in versions().items() if name not in ("python", "numba")}
    return {"library": digest_of(repr(library)), "own": _own(case.player, case.world, case.game, case.folder)}


def refresh() -> None:
    """Look at the user's files again: in a process that goes on, they may have changed."""
    _own.cache_clear()


@functools.lru_cache(maxsize=4096)
def _own(player: PlayerEntry, world: WorldEntry, game: GameEntry, folder: str) -> str:
    """Return a digest of the user's own files; empty if there are none."""
    modules: set[str] = set()
    if not player.policy:
        modules |= objects.modules_of(objects.strategy_class(player, folder))
    if world.kind in ("laws", "environment"):
        modules |= objects.modules_of(objects.make_environment(world, game, folder))
    files = _files({name for name in modules if _top(name) != _PACKAGE})
    if world.kind == "replay":
        files.append(Path(folder, world.value))
    try:
        parts = [path.name.encode() + b"\0" + path.read_bytes() for path in sorted(set(files))]
    except OSError as error:
        raise SidelightError(f"there is no file {error.filename!r} that can be read") from None
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16] if parts else ""


def _files(modules: set[str]) -> list[Path]:
    """Return the files of some modules, and of the modules of the user's own that these import."""
    roots = {_top(name) for name in modules}
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = _path(name)
        if name in found or path is None or not (_top(name) in roots or _is_loose(path)):
            continue
        found[name] = path
        waiting += [each for each in _imports(name, path) if _top(each) not in sys.stdlib_module_names]
    return list(found.values())


def _is_loose(path: Path) -> bool:
    """Say whether a file belongs to no installed package."""
    return not {"site-packages", "dist-packages"} & set(path.parts)


def _path(name: str) -> Path | None:
    """Return the source of a module, or the file itself."""
    if name.endswith(".py"):
        return Path(name)
    if _top(name) == _PACKAGE:
        return None
    try:
        specification = importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None
    origin = None if specification is None else specification.origin
    return Path(origin) if origin is not None and origin.endswith(".py") else None


def _imports(name: str, path: Path) -> Iterator[str]:
    """Yield the modules that a source may import."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    try:
        tree = ast.parse(path.read_bytes())
    except FileNotFoundError:
        raise SidelightError(f"there is no file {str(path)!r}") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise SidelightError(f"{str(path)!r} cannot be read: {error}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            outer = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            base = ".".join([*outer, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _top(name: str) -> str:
    return name if name.endswith(".py") else name.partition(".")[0]


def digest_of(text: str) -> str:
    """Return a short digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def combined_digest(codes: Iterable[dict[str, str]]) -> str:
    """Combine several digests into one."""
    return digest_of(repr(sorted({tuple(each.values()) for each in codes})))
