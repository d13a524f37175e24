"""Convert parts of a study to plain data and to hashable values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import product
from typing import Any

Parameters = tuple[tuple[str, Any], ...]


class Pairs(tuple[tuple[str, Any], ...]):
    """An immutable table, as pairs of names and values."""


def freeze_plain_data(value: Any) -> Any:
    """Make plain data immutable and hashable: lists become tuples, tables become pairs."""
    if isinstance(value, Mapping):
        return Pairs((str(key), freeze_plain_data(each)) for key, each in value.items())
    if isinstance(value, Pairs):
        return value
    if isinstance(value, list | tuple):
        return tuple(map(freeze_plain_data, value))
    return freeze_plain_data(value.tolist()) if hasattr(value, "tolist") else value


def thaw_plain_data(value: Any) -> Any:
    """Undo `freeze_plain_data`: tuples become lists, pairs become tables."""
    if isinstance(value, Pairs):
        return {key: thaw_plain_data(each) for key, each in value}
    return [thaw_plain_data(each) for each in value] if isinstance(value, tuple) else value


def freeze_parameter_pairs(parameters: Mapping[str, Any] | Parameters) -> Parameters:
    """Return parameters as immutable pairs, sorted by name."""
    found = dict(parameters)
    return tuple((name, freeze_plain_data(found[name])) for name in sorted(found))


def grid(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all combinations of parameters of which some are lists; a list as a value is written within a list.

    >>> grid({"bins": [5, 10], "sigma": 1.0})
    [{'bins': 5, 'sigma': 1.0}, {'bins': 10, 'sigma': 1.0}]
    """
    choices = [value if isinstance(value, list) else [value] for value in parameters.values()]
    return [dict(zip(parameters, values, strict=True)) for values in product(*choices)]


def study_part_as_plain_data(value: Any) -> Any:
    """Convert a part of a study to plain data, without fields at their defaults."""
    if not hasattr(value, "__dataclass_fields__"):
        return [study_part_as_plain_data(each) for each in value] if isinstance(value, tuple) else value
    found = {each.name: getattr(value, each.name) for each in fields(value)}
    return {
        name: {key: thaw_plain_data(each) for key, each in own}
        if name == "parameters"
        else study_part_as_plain_data(own)
        for name, own in found.items()
        if own != value.__dataclass_fields__[name].default
    }
