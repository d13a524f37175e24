"""Compiled loops, stored on disk for later processes.

There is one folder for each loop and the code it can reach (`digest`); its name also covers Python, NumPy, Numba and
those of Numba's settings that change machine code.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.kernels.numba import numba_or_none

_PACKAGE = __name__.partition(".")[0]
_UNUSED_SECONDS = 30 * 86_400.0
# Nothing else is ever removed: the folder may hold other things if the user chose it.
_FOLDER_NAME = re.compile("[0-9a-f]{16}(-[0-9a-f]{32})?")
# Numba's cache ignores these settings although they change the code it generates.
_CODE_SETTINGS = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")


def cache_directory() -> Path | None:
    """Name the folder that holds all compiled loops, whether it exists or not; None if loops cannot be cached."""
    root = _user_cache()
    return None if root is None or numba_or_none() is None else root / _PACKAGE


def enable(dispatcher: Any, code: tuple[str, ...]) -> None:
    """Let a dispatcher read and store machine code in the folder of its code, if there can be one."""
    home, numba = cache_directory(), numba_or_none()
    if home is None:
        return
    settings = tuple(str(getattr(numba.config, name, None)) for name in _CODE_SETTINGS)
    versions = (sys.version, np.__version__, numba.__version__)
    stamp = hashlib.sha256("\0".join((*code, *versions, *settings)).encode()).hexdigest()
    folder = _usable(home / stamp[:16])
    if folder is not None:
        _keep_in(dispatcher, folder, stamp)


def _keep_in(dispatcher: Any, folder: Path, stamp: str) -> None:
    """Cache in our folder and nowhere else, without changing the settings for the user's own functions."""
    from numba.core import caching  # type: ignore[import-untyped, unused-ignore]

    class Locator(caching._CacheLocator):  # type: ignore[misc, unused-ignore]
        """Where a loop is kept, which does not depend on the file it stands in."""

        def get_cache_path(self) -> str:
            return str(folder)

        def get_source_stamp(self) -> str:
            return stamp

        def get_disambiguator(self) -> str:
            return "code"

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return cls()

    class Files(caching.CompileResultCacheImpl):  # type: ignore[misc, unused-ignore]
        _locator_classes = [Locator]  # noqa: RUF012 - as Numba declares it

    class Cache(caching.FunctionCache):  # type: ignore[misc, unused-ignore]
        _impl_class = Files

    config = numba_or_none().config
    before = getattr(config, "CACHE_LOCATOR_CLASSES", "")
    try:
        config.CACHE_LOCATOR_CLASSES = ""
        dispatcher._cache = Cache(dispatcher.py_func)
    finally:
        config.CACHE_LOCATOR_CLASSES = before


def _user_cache() -> Path | None:
    chosen = os.environ.get("SIDELIGHT_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen).absolute()
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"])
    try:
        home = Path.home()
    except RuntimeError:  # no home directory, as in some containers
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def _usable(folder: Path) -> Path | None:
    """Make the folder, readable by its owner only since it holds code; None if it cannot be written."""
    try:
        if not folder.is_dir():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _remove_unused(folder)
        os.utime(folder)  # marks the folder as in use
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder


def _remove_unused(folder: Path) -> None:
    """Remove folders next to a new one that have not been used for a month.

    Other processes may do the same, so a folder is renamed before it is removed: only the process that succeeds in
    renaming removes it.
    """
    for path in folder.parent.iterdir():
        with suppress(OSError):
            if _FOLDER_NAME.fullmatch(path.name) and path.stat().st_mtime < time.time() - _UNUSED_SECONDS:
                doomed = path.rename(path.with_name(f"{folder.name}-{uuid.uuid4().hex}"))
                shutil.rmtree(doomed, ignore_errors=True)
