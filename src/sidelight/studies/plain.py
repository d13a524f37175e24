"""The parts of a study as plain data, which JSON can hold, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from sidelight.studies.parameters import pairs, thawed
from sidelight.studies.values import Values, shown


def plain(value: Any) -> Any:
    """Return a part of a study as plain data; what is at its default is left out."""
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
    """Return the arguments of a part of a study from plain data; refuse data that do not describe one."""
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
