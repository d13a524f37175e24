"""Types of arrays, and named tuples whose fields say which shapes their arrays have.

A field such as `gradient: Annotated[Floats, "outcomes"]` holds an array with an entry per outcome, and
`clock: Annotated[Integers, 1]` a single number that loops can change. `new_arrays(Kind, outcomes=3)` makes them all.
"""

from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.uint8]
Bits = npt.NDArray[np.uint64]
_TYPES: dict[Any, Any] = {Floats: np.float64, Integers: np.int64, Flags: np.uint8, Bits: np.uint64}


def new_arrays(kind: type[T], **sizes: int) -> T:
    """Return a named tuple of zeros, in the shapes that its fields declare; fields that are named tuples likewise."""
    parts = [
        np.zeros([size if isinstance(size, int) else sizes[size] for size in shape], _TYPES[array])
        if shape
        else new_arrays(array, **sizes)
        for array, *shape in _layout(cast(Hashable, kind))
    ]
    return kind(*parts)


@cache
def _layout(kind: Hashable) -> list[tuple[Any, ...]]:
    """Return the type of each field, with the shape that its annotation declares."""
    hints = get_type_hints(kind, include_extras=True).values()
    return [get_args(hint) if hasattr(hint, "__metadata__") else (hint,) for hint in hints]
