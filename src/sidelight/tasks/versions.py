"""Which versions compute: workers with others than ours could return other numbers, and are refused."""

from __future__ import annotations

import functools
import hashlib
import platform
from collections.abc import Mapping
from pathlib import Path

from sidelight._version import __version__
from sidelight.results.provenance import installed_version

PACKAGES = ("numpy", "scipy", "numba")
# What a simulation can reach; tables, figures and commands may differ without changing a number.
_SOURCES = (
    *("kernels", "game.py", "game_arrays.py", "games", "analysis", "optimization"),
    *("strategies", "environments", "limits", "simulation", "monitor/policies", "monitor/stats", "studies/classifiers"),
)
_NONE = "none"


@functools.cache
def versions_on_worker() -> dict[str, str]:
    """Return the versions in use, and a digest of the sources that decide numbers."""
    found = {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "sidelight": __version__,
        "sources": _digest_of_sources_on_worker(),
    }
    return found | {package: installed_version(package) or _NONE for package in PACKAGES}


def differences_of_worker_versions(here: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """Describe how a worker's installation differs from ours; empty if it does not."""
    found = []
    for name, wanted in here.items():
        have = there.get(name, _NONE)
        if have == wanted:
            continue
        if name != "sources":
            found.append(f"{name} {have} instead of {wanted}")
        elif here["sidelight"] == there.get("sidelight"):
            found.append(f"a sidelight {here['sidelight']} whose source files differ")
    return found


def _digest_of_sources_on_worker() -> str:
    root = Path(__file__).parent.parent
    found = hashlib.sha256()
    for name in _SOURCES:
        path = root / name
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            found.update(f"\0{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes())
    return found.hexdigest()[:16]
