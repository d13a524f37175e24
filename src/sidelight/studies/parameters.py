"""Parameters as a study keeps them: plain data that cannot be changed and can be a key."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

Parameters = tuple[tuple[str, Any], ...]


class Pairs(tuple[tuple[str, Any], ...]):
    """A table that cannot be changed."""


def frozen(value: Any) -> Any:
    """Return plain data that cannot be changed and can be a key: lists as tuples, tables as pairs."""
    if isinstance(value, Mapping):
        return Pairs((str(key), frozen(each)) for key, each in value.items())
    if isinstance(value, Pairs):
        return value
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    return frozen(value.tolist()) if hasattr(value, "tolist") else value


def thawed(value: Any) -> Any:
    """Return plain data as strategies and files take it: tuples as lists, pairs as tables."""
    if isinstance(value, Pairs):
        return {key: thawed(each) for key, each in value}
    return [thawed(each) for each in value] if isinstance(value, tuple) else value


def pairs(parameters: Mapping[str, Any] | Parameters) -> Parameters:
    """Return parameters by name, in the order of names, so that equal ones are equal."""
    found = dict(parameters)
    return tuple((name, frozen(found[name])) for name in sorted(found))


def grid(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every choice of one value for each parameter that is a list; a list as a value stands in another list.

    >>> grid({"bins": [5, 10], "sigma": 1.0})
    [{'bins': 5, 'sigma': 1.0}, {'bins': 10, 'sigma': 1.0}]
    """
    choices = [value if isinstance(value, list) else [value] for value in parameters.values()]
    return [dict(zip(parameters, values, strict=True)) for values in product(*choices)]
