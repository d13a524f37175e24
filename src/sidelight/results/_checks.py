"""Check the shapes and values of results; every error says what to do."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight._game_file import plain_fraction_in_game_file
from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats, Integers

Numbers = npt.NDArray[Any]
REGRET_KINDS = ("pseudo-regret", "hindsight")


def check_rounds_of_results(values: Any) -> Integers:
    """Return the checkpoints: one round number or more, from 1 on, strictly increasing."""
    array = _check_results_array(values, "rounds", 1, "iu", "whole numbers")
    if not array.size or array[0] < 1 or (array[1:] <= array[:-1]).any():
        raise SidelightError(f"rounds is {array.tolist()}: give one checkpoint or more, from 1 on, in increasing order")
    return _freeze_results_array(array.astype(np.int64))


def check_regret_of_results(values: Any, checkpoints: int) -> Floats:
    """Return the regrets: finite numbers, one row per run and one column per checkpoint."""
    array = _check_results_array(values, "regret", 2, "fiu", "numbers").astype(np.float64)
    if not array.shape[0] or array.shape[1] != checkpoints:
        wanted = f"give a row per run, at least one, and a column for each of {checkpoints} checkpoints"
        raise SidelightError(f"regret has shape {array.shape}: {wanted}")
    if not np.isfinite(array).all():
        run, column = np.argwhere(~np.isfinite(array))[0]
        raise SidelightError(f"regret of run {run} at checkpoint {column} is {array[run, column]}: it must be finite")
    return _freeze_results_array(array)


def check_plays_of_results(values: Any, runs: int, actions: int) -> Integers:
    """Return how often each action was played: no negative counts, one row per run, one column per action."""
    array = _check_results_array(values, "plays", 2, "iu", "whole numbers")
    if array.shape != (runs, actions) or (array < 0).any():
        wanted = f"give a row for each of {runs} runs, a column for each of {actions} actions, and no negative count"
        raise SidelightError(f"plays has shape {array.shape} and least entry {array.min(initial=0)}: {wanted}")
    return _freeze_results_array(array.astype(np.int64))


def check_measures_of_results(given: Any) -> Mapping[str, Numbers]:
    """Return further measures: numbers with one row per run, under names that no other array has."""
    found = {}
    for name, values in given.items():
        array = np.asarray(values)
        if (
            name in ("rounds", "regret", "plays", "manifest", "sha256", "")
            or not array.ndim
            or array.dtype.kind not in "fiub"
        ):
            raise SidelightError(
                f"the measure {name!r} is {values!r}: give numbers, one row per run, and a name of its own"
            )
        found[str(name)] = _freeze_results_array(array)
    return MappingProxyType(found)


def count_runs_of_measures(found: Mapping[str, Numbers], runs: int | None = None) -> int:
    """Return the number of runs that all measures have, which may be known already."""
    sizes = {len(values) for values in found.values()} | ({runs} if runs is not None else set())
    if len(sizes) != 1 or 0 in sizes:
        raise SidelightError(
            f"measures and regret have {sorted(sizes)} rows: give all of them one row per run, at least one"
        )
    return sizes.pop()


def check_regret_kind(value: Any) -> str:
    """Return a valid kind of regret; raise an error for any other value."""
    if value not in REGRET_KINDS:
        raise SidelightError(f"regret_kind is {value!r}: it is one of {', '.join(map(repr, REGRET_KINDS))}")
    return str(value)


def check_seconds_of_results(value: Any) -> float | None:
    """Return how long the runs took, if known."""
    if value is not None and not (isinstance(value, Real) and 0 <= float(value) < math.inf):
        raise SidelightError(f"seconds is {value!r}: give a finite number of at least 0, or None")
    return None if value is None else float(value)


def check_description_in_results(value: Any, what: str) -> dict[str, Any]:
    """Return the description of a strategy or an environment: a JSON-ready dictionary with a name."""
    described = json_dictionary_of_results(value, what)
    name = described.get("name")
    if not isinstance(name, str) or not name.strip():
        raise SidelightError(f"{what} has the name {name!r}: give it a key 'name' with text")
    for key in ("parameters", "defaults"):
        if not isinstance(described.get(key, {}), dict):
            raise SidelightError(f"{what}[{key!r}] is {described[key]!r}: give a dictionary from names to values")
    return described


def json_dictionary_of_results(value: Any, what: str) -> dict[str, Any]:
    """Return a JSON-ready copy of a dictionary."""
    if not isinstance(value, Mapping):
        raise SidelightError(f"{what} is {value!r}: give a dictionary")
    copy: dict[str, Any] = json_copy_for_results(dict(value), what)
    return copy


def json_copy_for_results(value: Any, what: str) -> Any:
    """Return a deep copy holding only what JSON can: tuples become lists, NumPy's and exact numbers plain ones."""
    try:
        return json.loads(json.dumps(value, default=_simpler_value_for_results_json))
    except (TypeError, ValueError, RecursionError) as error:
        raise SidelightError(
            f"{what} cannot be written as JSON ({error}): use text, numbers, booleans, None, lists and dictionaries"
        ) from None


def canonical_json_of_results(value: Any) -> str:
    """Return one text per JSON value, independent of the order of keys (NaN, which does not equal itself, included)."""
    return json.dumps(value, sort_keys=True)


def _simpler_value_for_results_json(value: Any) -> Any:
    """Return a simpler value for one that the JSON writer does not know."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Fraction):
        return plain_fraction_in_game_file(value)
    raise TypeError(f"it holds {value!r} of type {type(value).__name__}")


def _check_results_array(values: Any, what: str, axes: int, kinds: str, wanted: str) -> Numbers:
    """Return the values as an array with this many axes, if they have the wanted type."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise SidelightError(f"{what} has rows of different lengths: give {wanted} with {axes} axes") from None
    if array.ndim != axes or (array.size and array.dtype.kind not in kinds):
        raise SidelightError(f"{what} has shape {array.shape} and type {array.dtype}: give {wanted} with {axes} axes")
    return array


def _freeze_results_array(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a read-only copy."""
    copy = np.array(array, order="C")
    copy.setflags(write=False)
    return copy
