"""Lay the arrays of nested named tuples side by side, so that a loop can restore all of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

_MOST_WORDS = 1 << 13  # to restore more than that for each run would take longer than to make new arrays


def packed_state(values: Any) -> tuple[Any, Words] | None:
    """Return a copy of nested tuples whose arrays lie in one block of memory, and the block.

    Return None if they are too large for this to pay, share memory, or are not laid out as Numba expects of new arrays.
    """
    found = arrays(values)
    ends = np.cumsum([0, *(-(-array.nbytes // 8) for array in found)])
    if ends[-1] > _MOST_WORDS or _packed_arrays_overlap(found) or not all(map(_is_packable_array, found)):
        return None
    memory = np.zeros(ends[-1], np.uint64)
    views = [
        memory[start:end].view(np.uint8)[: array.nbytes].view(array.dtype).reshape(array.shape)
        for array, (start, end) in zip(found, pairwise(ends), strict=True)
    ]
    for view, array in zip(views, found, strict=True):
        view[...] = array
    return _simulation_state_with_arrays(values, iter(views)), memory


def arrays(values: Any) -> list[npt.NDArray[Any]]:
    """Return the arrays of nested tuples in order."""
    if isinstance(values, tuple):
        return [array for part in values for array in arrays(part)]
    return [values] if isinstance(values, np.ndarray) else []


def layout(values: Any) -> Any:
    """Return the structure of nested tuples: their types, plain values, and each array's dtype and shape."""
    if isinstance(values, tuple):
        return type(values), tuple(map(layout, values))
    return (values.dtype, values.shape) if isinstance(values, np.ndarray) else values


def _simulation_state_with_arrays(values: Any, views: Iterator[npt.NDArray[Any]]) -> Any:
    if isinstance(values, tuple):
        parts = [_simulation_state_with_arrays(part, views) for part in values]
        return type(values)(*parts) if hasattr(values, "_fields") else tuple(parts)
    return next(views) if isinstance(values, np.ndarray) else values


def _is_packable_array(array: npt.NDArray[Any]) -> bool:
    return array.flags.c_contiguous and array.flags.writeable and not array.dtype.hasobject


def _packed_arrays_overlap(found: list[npt.NDArray[Any]]) -> bool:
    places = sorted((array.__array_interface__["data"][0], array.nbytes) for array in found if array.nbytes)
    return any(start + size > following for (start, size), (following, _) in pairwise(places))
