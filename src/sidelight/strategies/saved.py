"""Saved strategies: states as plain data, and the files that hold them.

A state is a dictionary or a named tuple of arrays and plain values, and a named tuple may hold further ones. What lies
under the name `scratch` is worked out anew in every round: it is not saved, and a loaded strategy starts with a fresh
one. A state of another kind says itself what is saved, by `to_plain()`, and continues from it with `from_plain(data)`.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sidelight._storage import replacing_file
from sidelight.errors import NoFileError, SidelightError

FORMAT = "sidelight-strategy-1"
KEYS = ("strategy", "parameters", "game", "seed", "random", "under_way", "context", "state")
SCRATCH = "scratch"


def strategy_state_to_plain(state: Any) -> Any:
    """Return a copy of a state, with named tuples as dictionaries and without scratch."""
    if hasattr(state, "to_plain"):
        return copy.deepcopy(state.to_plain())
    if hasattr(state, "_asdict"):
        return {name: strategy_state_to_plain(value) for name, value in state._asdict().items() if name != SCRATCH}
    return copy.deepcopy(state)


def restore_strategy_state(fresh: Any, values: Any) -> Any:
    """Return a state of the layout of `fresh` with the saved values, and with the scratch of `fresh`."""
    if hasattr(fresh, "from_plain"):
        return fresh.from_plain(values)
    nests = hasattr(fresh, "_asdict")
    fields = {name: value for name, value in fresh._asdict().items() if name != SCRATCH} if nests else fresh
    if not isinstance(values, Mapping) or set(fields) != set(values):
        raise SidelightError("the saved state does not fit this strategy: it was saved by another version")
    found = {name: _saved_strategy_value(old, values[name]) for name, old in fields.items()}
    return fresh._replace(**found) if nests else found


def _saved_strategy_value(fresh: Any, value: Any) -> Any:
    if hasattr(fresh, "_asdict"):
        return restore_strategy_state(fresh, value)
    return np.array(value, dtype=fresh.dtype) if isinstance(fresh, np.ndarray) else copy.deepcopy(value)


def plain_parameter(value: Any) -> Any:
    """Return a parameter as JSON can hold it; constructors take it back in that form."""
    if isinstance(value, Mapping):
        joined = {",".join(map(str, key)) if isinstance(key, tuple) else str(key): each for key, each in value.items()}
        return {key: plain_parameter(part) for key, part in joined.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain_parameter(part) for part in value]
    return str(value) if isinstance(value, Fraction) else value


def plain_seed(seed: Any) -> Any:
    """Return a seed as JSON can hold it."""
    if not isinstance(seed, np.random.SeedSequence):
        return plain_parameter(seed)
    return {"entropy": plain_parameter(seed.entropy), "spawn_key": list(seed.spawn_key), "pool_size": seed.pool_size}


def write(path: Path, data: dict[str, Any]) -> None:
    """Write what `Strategy.save` returned: arrays as they are, the rest and the arrays' places as JSON."""
    if path.suffix != ".npz":
        raise SidelightError(f"a strategy is saved to a .npz file, not to {str(path)!r}")
    arrays = dict(_arrays_of_saved_strategy(data["state"]))
    try:
        header = json.dumps(data | {"state": _saved_strategy_without_arrays(data["state"]), "arrays": list(arrays)})
    except TypeError as error:
        raise SidelightError(
            f"the state of {data['strategy']} cannot be saved ({error}): keep arrays, numbers and text in it, "
            "and lists and dictionaries of them"
        ) from None
    stored: dict[str, Any] = {_key_of_saved_strategy_array(place): array for place, array in arrays.items()}
    with replacing_file(path) as draft, open(draft, "wb") as file:
        np.savez_compressed(file, header=np.frombuffer(header.encode(), np.uint8), **stored)


def read(path: Path) -> dict[str, Any]:
    """Read what `write` wrote."""
    if not os.path.exists(path):
        raise NoFileError(f"there is no file {str(path)!r}")
    try:
        with np.load(path, allow_pickle=False) as file:
            data: dict[str, Any] = json.loads(bytes(file["header"]).decode())
            for place in data.pop("arrays", ()):
                inner = data["state"]
                for name in place[:-1]:
                    inner = inner[name]
                inner[place[-1]] = file[_key_of_saved_strategy_array(place)]
    except Exception as error:
        raise SidelightError(f"{str(path)!r} is not a saved strategy: {error}") from None
    return data


def _key_of_saved_strategy_array(place: Iterable[str | int]) -> str:
    return ".".join(("state", *map(str, place)))


def _arrays_of_saved_strategy(
    state: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the arrays of nested dictionaries and lists, each with its place."""
    entries = state.items() if isinstance(state, Mapping) else enumerate(state) if isinstance(state, list) else ()
    for name, value in entries:
        if isinstance(value, np.ndarray):
            yield (*path, name), value
        else:
            yield from _arrays_of_saved_strategy(value, (*path, name))


def _saved_strategy_without_arrays(state: Any) -> Any:
    """Return nested dictionaries and lists with None in the place of each array."""
    if isinstance(state, Mapping):
        return {name: _saved_strategy_without_arrays(value) for name, value in state.items()}
    if isinstance(state, list):
        return list(map(_saved_strategy_without_arrays, state))
    return None if isinstance(state, np.ndarray) else state
