"""Files that are either the old one or the new one, never half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file beside `path`; it takes that name when the block ends well and vanishes when it does not.

    An interrupt (Ctrl-C included) in the middle of writing leaves the previous file as it was.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # The suffix is kept because writers (matplotlib, NumPy, Arrow) choose the format by it.
    handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        os.chmod(draft, 0o666 & ~_umask())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    """Return the permissions that new files of this process lack (mkstemp makes private files)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
