"""Files that hold either the old or the new contents, never half of them."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sidelight.errors import FileError, NoFileError

_DRAFT = "-draft-"
_OLD = 24 * 3600.0  # seconds after which a draft is taken for one that a killed process left behind


@contextlib.contextmanager
def replacing_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file next to `path`; it gets that name if the block succeeds and is removed if it fails.

    An interrupt (Ctrl-C included) in the middle of writing leaves the previous file as it was. The hidden draft that a
    killed process leaves behind is removed by a write to the folder a day later. Links are followed, an existing file
    keeps its permissions, and anything but a regular file (a device, a pipe) is refused rather than replaced.
    """
    target = _real_file_behind_path(path)
    with naming_in_system_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned_drafts(target.parent)
        # The suffix is kept because writers (matplotlib, NumPy, Arrow) choose the format by it.
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}{_DRAFT}", suffix=target.suffix, dir=target.parent)
        os.close(handle)
        draft = Path(name)
        try:
            yield draft
            os.chmod(draft, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask_of_new_files())
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)


def write_file_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text to a file, completely or not at all."""
    with replacing_file(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def file_lock(path: str | os.PathLike[str], patience: float = 60.0) -> Iterator[None]:
    """Let one process at a time into the block, among all that use the same file, so that no change is lost.

    A hidden file next to it carries the lock, which the system releases when the process ends for any reason. After
    `patience` seconds an error says that the file is in use.
    """
    end = time.monotonic() + patience
    target = _real_file_behind_path(path)
    with naming_in_system_errors(target):
        while (handle := _open_locked_file(target)) is None:
            if time.monotonic() > end:
                raise FileError(
                    f"{str(target)!r} has been in use by another process for over {patience:g} s: try again later"
                )
            time.sleep(0.002)
        try:
            yield
        finally:
            _unlock_file(target, handle)


def _lock_file_of(target: Path) -> Path:
    return target.with_name(f".{target.name}.lock")


def _open_locked_file(target: Path) -> int | None:
    """Return an open file that carries the lock, or None if another process has it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(_lock_file_of(target), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        lock_open_file(handle)
        # The previous holder removes the file, so this may be one without a name by now.
        if os.path.samestat(os.fstat(handle), os.stat(_lock_file_of(target))):
            return handle
    except (BlockingIOError, PermissionError, FileNotFoundError):
        pass
    except OSError:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _unlock_file(target: Path, handle: int) -> None:
    with contextlib.suppress(OSError):  # Windows keeps what another process has open
        _lock_file_of(target).unlink()
    os.close(handle)


def lock_open_file(handle: int) -> None:
    """Lock an open file, or raise an error if another process has."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _real_file_behind_path(path: str | os.PathLike[str]) -> Path:
    """Return the file behind a path, which may not be there yet."""
    try:
        target = Path(os.path.realpath(path))
        odd = target.exists() and not target.is_file()
    except (OSError, ValueError) as error:  # a name that no file can have
        raise FileError(f"cannot write {os.fspath(path)!r}: {getattr(error, 'strerror', None) or error}") from error
    if odd:
        raise FileError(f"{str(target)!r} is not a regular file: give another name")
    return target


def read_file_contents(path: str | os.PathLike[str]) -> bytes:
    """Read the contents of a file."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise NoFileError(f"there is no file {os.fspath(path)!r}") from None
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)!r}: {error.strerror or error}") from error


@contextlib.contextmanager
def naming_in_system_errors(target: Path) -> Iterator[None]:
    """In system errors, name the file to be written instead of its hidden draft."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot write {str(target)!r}: {error.strerror or error}") from error


def make_writable_folder(folder: str | os.PathLike[str]) -> Path:
    """Make a folder if it does not exist, and fail now rather than after the first minute if it is not writable."""
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise FileError(f"{str(place)!r} is a file: name a folder")
    with naming_in_system_errors(place):
        place.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=place).close()
        _remove_abandoned_drafts(place)
    return place


def _remove_abandoned_drafts(folder: Path) -> None:
    """Remove old drafts."""
    for file in folder.glob(f".*{_DRAFT}*"):
        with contextlib.suppress(OSError):
            if time.time() - file.stat().st_mtime > _OLD:
                file.unlink()


def _umask_of_new_files() -> int:
    """Return the permissions that new files of this process lack (mkstemp makes private files)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
