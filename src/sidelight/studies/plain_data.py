"""Convert parts of a study to JSON-ready data or to hashable values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from itertools import product
from typing import Any

from sidelight.studies.checks import Values, shown

Parameters = tuple[tuple[str, Any], ...]


class Pairs(tuple[tuple[str, Any], ...]):
    """An immutable table, as pairs of names and values."""


def frozen(value: Any) -> Any:
    """Make plain data immutable and hashable: lists become tuples, tables become pairs."""
    if isinstance(value, Mapping):
        return Pairs((str(key), frozen(each)) for key, each in value.items())
    if isinstance(value, Pairs):
        return value
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    return frozen(value.tolist()) if hasattr(value, "tolist") else value


def thawed(value: Any) -> Any:
    """Undo `frozen`: tuples become lists, pairs become tables."""
    if isinstance(value, Pairs):
        return {key: thawed(each) for key, each in value}
    return [thawed(each) for each in value] if isinstance(value, tuple) else value


def pairs(parameters: Mapping[str, Any] | Parameters) -> Parameters:
    """Return parameters as immutable pairs, sorted by name."""
    found = dict(parameters)
    return tuple((name, frozen(found[name])) for name in sorted(found))


def grid(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all combinations of parameters of which some are lists; a list as a value is written within a list.

    >>> grid({"bins": [5, 10], "sigma": 1.0})
    [{'bins': 5, 'sigma': 1.0}, {'bins': 10, 'sigma': 1.0}]
    """
    choices = [value if isinstance(value, list) else [value] for value in parameters.values()]
    return [dict(zip(parameters, values, strict=True)) for values in product(*choices)]


def plain(value: Any) -> Any:
    """Convert a part of a study to plain data, without fields at their defaults."""
    if hasattr(value, "__dataclass_fields__"):
        found = {}
        for each in fields(value):
            own = getattr(value, each.name)
            if each.name == "parameters":
                found.update({"parameters": {name: thawed(part) for name, part in own}} if own else {})
            elif own != each.default:
                found[each.name] = plain(own)
        return found
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def arguments(kind: type[Any], data: Any) -> dict[str, Any]:
    """Convert plain data to the arguments of a part of a study; raise an error if they do not describe one."""
    what = kind.__name__
    check = Values()
    if not isinstance(data, Mapping):
        check.problem((), f"{shown(data)} does not describe one: give a table of names and values")
        check.refuse(what)
    known = fields(kind)
    check.check_keys((), data, [each.name for each in known], f"a {what}")
    for each in known:
        if each.default is MISSING and each.name not in data:
            check.problem((each.name,), f"it has no {each.name!r}: give one")
    check.refuse(what)
    values = {name: tuple(each) if isinstance(each, list | tuple) else each for name, each in data.items()}
    if isinstance(values.get("parameters"), Mapping):
        values["parameters"] = pairs(values["parameters"])
    return values
