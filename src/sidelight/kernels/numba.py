"""Numba, if it is installed: imported when the first loop is called, never before."""

import functools
from typing import Any


@functools.cache
def numba_or_none() -> Any:
    """Import Numba, or return None: a broken installation (say, a NumPy too new for it) may raise any error."""
    try:
        import numba  # type: ignore[import-untyped, unused-ignore]
        import numba.extending  # type: ignore[import-untyped, unused-ignore]
    except Exception:
        return None
    return numba
