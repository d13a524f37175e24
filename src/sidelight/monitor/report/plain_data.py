"""Records from plain data, as JSON holds it: what `dataclasses.asdict` does, the other way round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from sidelight.errors import SidelightError

T = TypeVar("T")


def record_from(kind: type[T], data: Mapping[str, Any]) -> T:
    """Return a record whose fields are in the data; unknown ones are left out, and lists become tuples and records."""
    try:
        hints = get_type_hints(kind)
        return kind(**{name: _value(hint, data[name]) for name, hint in hints.items() if name in data})
    except (KeyError, TypeError) as error:
        raise SidelightError(f"this does not describe a {kind.__name__} ({type(error).__name__}: {error})") from None


def _value(hint: Any, value: Any) -> Any:
    """Return a value as the type of its field demands."""
    if value is None:
        return None
    members = [one for one in get_args(hint) if one is not NoneType]
    if get_origin(hint) is tuple:
        return tuple(_value(members[0], one) if members[-1] is ... else one for one in value)
    if isinstance(hint, type) and is_dataclass(hint):
        return record_from(hint, value)
    if len(members) == 1:  # X or None
        return _value(members[0], value)
    return hint(*value) if hasattr(hint, "_fields") else value
