"""Which code and files decide the runs of a case: when one of them changes, the runs are made again.

These are the sources of the library, the versions of NumPy and SciPy, and the user's own files: the modules of a
strategy, an environment or a function that draws laws, everything of the user's own that they import, and recordings.
Of an installed package, the version counts.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from modulefinder import ModuleFinder
from pathlib import Path

from sidelight.errors import SidelightError
from sidelight.strategies import plugins
from sidelight.studies.build import objects
from sidelight.studies.model import GameEntry, PlayerEntry, WorldEntry
from sidelight.studies.plan.cases import Case
from sidelight.tasks.versions import versions_on_worker

_PACKAGE = __name__.partition(".")[0]
_STANDARD = sysconfig.get_path("stdlib")


def code_digests_of_case(case: Case) -> dict[str, str]:
    """Return digests of the library and of the user's own files that a case depends on.

    Raises
    ------
    SidelightError
        A file is gone, or cannot be imported.
    """
    library = {name: version for name, version in versions_on_worker().items() if name not in ("python", "numba")}
    return {
        "library": digest_of_case_text(repr(library)),
        "own": _digest_of_own_code(case.player, case.world, case.game, case.folder),
    }


def refresh_code_digests() -> None:
    """Look at the user's files again: in a process that goes on, they may have changed."""
    _digest_of_own_code.cache_clear()


@functools.lru_cache(maxsize=4096)
def _digest_of_own_code(player: PlayerEntry, world: WorldEntry, game: GameEntry, folder: str) -> str:
    """Return a digest of the user's own files; empty if there are none."""
    modules, plugin = set(), None
    if not player.policy:
        kind = objects.find_strategy_class_of_player(player, folder)
        modules, plugin = objects.modules_of_built_object(kind), plugins.plugin_of_strategy_class(kind)
    if world.kind in ("laws", "environment"):
        modules |= objects.modules_of_built_object(objects.build_study_environment(world, game, folder))
    files = _own_code_files_of_modules({name for name in modules if name.partition(".")[0] != _PACKAGE})
    if world.kind == "replay":
        files.add(Path(folder, world.value))
    try:
        parts = [path.name.encode() + b"\0" + path.read_bytes() for path in sorted(files)]
    except OSError as error:
        raise SidelightError(f"there is no file {error.filename!r} that can be read") from None
    parts += [] if plugin is None else [plugin.origin.encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16] if parts else ""


def _own_code_files_of_modules(modules: set[str]) -> set[Path]:
    """Return the files of some modules and of the user's own modules that they import."""
    files = {name: _source_file_of_case_module(name) for name in modules}
    places = [str(path.parent) for path in files.values()] + [
        each or "." for each in sys.path if _is_loose_code_file(each)
    ]
    finder = ModuleFinder(places, excludes=[_PACKAGE])
    for name, path in files.items():
        try:
            if name.endswith(".py") or not _is_loose_code_file(str(path)):
                finder.run_script(str(path))
            else:
                finder.import_hook(name)
        except FileNotFoundError:
            raise SidelightError(f"there is no file {str(path)!r}") from None
        except (OSError, SyntaxError, ValueError, ImportError) as error:
            raise SidelightError(f"{str(path)!r} cannot be read: {error}") from None
    # Of several scripts, all of them "__main__", the finder remembers the last one only.
    imported = {Path(file) for each in finder.modules.values() if (file := getattr(each, "__file__", None))}
    return imported | set(files.values())


def _source_file_of_case_module(name: str) -> Path:
    """Return the file of a module, which may be given as a file."""
    specification = None if name.endswith(".py") else importlib.util.find_spec(name)
    return Path((specification and specification.origin) or name)


def _is_loose_code_file(place: str) -> bool:
    """Say whether a folder or file belongs to no installed package, nor to the standard library."""
    path = Path(place).absolute()
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    return not installed and not path.is_relative_to(_STANDARD)


def digest_of_case_text(text: str) -> str:
    """Return a short digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def combined_digest_of_case(codes: Iterable[Mapping[str, str]]) -> str:
    """Combine several digests into one."""
    return digest_of_case_text(repr(sorted({tuple(each.values()) for each in codes})))
