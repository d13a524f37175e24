"""What a setting is: its name, the values it may have, its default and its meaning, declared once as a field.

A record of settings is a dataclass whose fields are made by `declare_setting`. Constructors check values by
`Setting.checked`, files and services convert them by `SettingKind.from_json` and `SettingKind.to_json`, and the options
of commands, the description of the HTTP interface and the reference follow from `settings_declared_by`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import timedelta
from typing import Any

from sidelight.errors import ParameterError, SidelightError
from sidelight.monitor.inputs import plain_input_number, plain_label


def _same_setting_value(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class SettingKind:
    """Which values a setting may have."""

    name: str
    """"count", "number", "flag", "choice", "by class", "patience", ...: what decides how a command reads it."""
    wanted: str
    """What to give, in words."""
    schema: Mapping[str, Any]
    """The JSON schema of a value."""
    plain: Callable[[Any], Any]
    """Return a value as settings hold it, or raise a ValueError, which is a SidelightError if it says what is wrong."""
    from_json: Callable[[Any], Any] = _same_setting_value
    to_json: Callable[[Any], Any] = _same_setting_value


def count_setting(least: int | None = None) -> SettingKind:
    """Return the kind of whole numbers, of at least `least`."""

    def plain_count_setting(value: Any) -> int:
        number = plain_input_number(value)
        if isinstance(number, bool) or not isinstance(number, int) or (least is not None and number < least):
            raise ValueError
        return number

    wanted = "a whole number" if least is None else f"a whole number of at least {least}"
    return SettingKind(
        "count", wanted, {"type": "integer"} | ({} if least is None else {"minimum": least}), plain_count_setting
    )


def number_setting(wanted: str, **bounds: float) -> SettingKind:
    """Return the kind of numbers within bounds, which are called as in JSON schemas."""
    low, high = bounds.get("minimum", -math.inf), bounds.get("maximum", math.inf)
    above, below = bounds.get("exclusiveMinimum", -math.inf), bounds.get("exclusiveMaximum", math.inf)

    def plain_number_setting(value: Any) -> float:
        found = finite_setting_number(value)
        if not (low <= found <= high and above < found < below):
            raise ValueError
        return found

    return SettingKind("number", wanted, {"type": "number", **bounds}, plain_number_setting)


def flag_setting() -> SettingKind:
    """Return the kind of True and False."""

    def plain_flag_setting(value: Any) -> bool:
        found = plain_input_number(value)
        if not isinstance(found, bool):
            raise ValueError
        return found

    return SettingKind("flag", "True or False", {"type": "boolean"}, plain_flag_setting)


def choice_setting(*values: Any) -> SettingKind:
    """Return the kind of these values."""

    def plain_choice_setting(value: Any) -> Any:
        if isinstance(value, bool) or value not in values:
            raise ValueError
        return value

    return SettingKind("choice", " or ".join(map(repr, values)), {"enum": list(values)}, plain_choice_setting)


def by_class_setting(one: SettingKind, alone: bool = False) -> SettingKind:
    """Return the kind of mappings from classes, None for all others, to numbers; or one number for all, if `alone`."""
    wanted = f"a mapping from classes to numbers, under None for all others; each is {one.wanted}"

    def plain_by_class_setting(value: Any) -> float | dict[Any, float]:
        if alone and not isinstance(value, Mapping):
            return one.plain(value)
        if not isinstance(value, Mapping) or not value:
            raise ValueError
        return {
            None if name is None else plain_label(name): number_of_by_class_setting(name, each)
            for name, each in value.items()
        }

    def number_of_by_class_setting(name: Any, value: Any) -> Any:
        try:
            return one.plain(value)
        except ValueError:
            raise SidelightError(f"for {name!r} it is {value!r}: give {one.wanted}") from None

    def by_class_setting_from_json(value: Any) -> Any:
        try:
            return dict(value) if isinstance(value, list) else value
        except (TypeError, ValueError):
            return value  # which is refused

    def by_class_setting_to_json(value: Any) -> Any:
        return [list(pair) for pair in value.items()] if isinstance(value, dict) else value

    pair = {"type": "array", "prefixItems": [{}, one.schema], "minItems": 2, "maxItems": 2}
    several = [{"type": "object", "additionalProperties": one.schema}, {"type": "array", "items": pair}]
    schema = {"anyOf": [one.schema, *several] if alone else several}
    return SettingKind(
        "by class",
        one.wanted if alone else wanted,
        schema,
        plain_by_class_setting,
        by_class_setting_from_json,
        by_class_setting_to_json,
    )


def patience_setting() -> SettingKind:
    """Return the kind of times to wait: a number of decisions, a timedelta, or `math.inf`."""

    def plain_patience_setting(value: Any) -> int | float | timedelta:
        found = plain_input_number(value)
        if isinstance(found, timedelta):
            good = found > timedelta(0)
        else:
            whole = isinstance(found, int) and not isinstance(found, bool)
            good = (whole and found >= 1) or (isinstance(found, float) and found == math.inf)
        if not good:
            raise ValueError
        return found

    def patience_setting_from_json(value: Any) -> Any:
        if value == "never":
            return math.inf
        try:
            given = isinstance(value, Mapping) and set(value) == {"seconds"}
            return timedelta(seconds=finite_setting_number(value["seconds"])) if given else value
        except OverflowError:
            return math.inf if value["seconds"] > 0 else value
        except ValueError:
            return value  # which is refused

    def patience_setting_to_json(value: Any) -> Any:
        if isinstance(value, timedelta):
            return {"seconds": value.total_seconds()}
        return "never" if value == math.inf else value

    seconds = {"seconds": {"type": "number", "exclusiveMinimum": 0}}
    time = {"type": "object", "properties": seconds, "required": ["seconds"], "additionalProperties": False}
    wanted = "a whole number of decisions, a timedelta, math.inf to wait forever"
    schema = {"anyOf": [{"type": "integer", "minimum": 1}, time, {"const": "never"}]}
    return SettingKind(
        "patience", wanted, schema, plain_patience_setting, patience_setting_from_json, patience_setting_to_json
    )


@dataclass(frozen=True)
class Setting:
    """One setting."""

    name: str
    kind: SettingKind
    default: Any
    """`MISSING` if there is none."""
    meaning: str
    """A sentence or two, for all surfaces."""
    more: str = ""
    """What the reference says besides."""
    optional: bool = False
    """Whether None is allowed."""
    changeable: bool = False
    """Whether it can be changed on a running monitor."""
    served: bool = True
    """Whether a service offers it."""
    commanded: bool = True
    """Whether commands have an option for it."""
    metavar: str = "N"
    """What stands for a value in the help of a command."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema, with the meaning as its description."""
        values = {"anyOf": [self.kind.schema, {"type": "null"}]} if self.optional else dict(self.kind.schema)
        return values | {"description": self.meaning}

    def checked(self, value: Any) -> Any:
        """Return a value as settings hold it, or raise an error that carries the name of the setting."""
        if value is None and self.optional:
            return None
        try:
            return self.kind.plain(value)
        except SidelightError as error:
            raise ParameterError(f"{self.name} cannot be used: {error}", self.name) from None
        except ValueError:
            none = ", or None" if self.optional else ""
            raise ParameterError(f"{self.name} is {value!r}: give {self.kind.wanted}{none}", self.name) from None


def declare_setting(kind: SettingKind, default: Any, meaning: str, more: str = "", **others: Any) -> Any:
    """Declare a setting as a field of a dataclass; `others` are fields of `Setting`."""
    told = {"kind": kind, "default": default, "meaning": meaning, "more": more, "optional": default is None, **others}
    return field(metadata=told) if default is MISSING else field(default=default, metadata=told)


def settings_declared_by(record: type[Any]) -> dict[str, Setting]:
    """Return the settings that a dataclass declares, by name."""
    return {one.name: Setting(one.name, **one.metadata) for one in fields(record)}


def finite_setting_number(value: Any) -> float:
    """Return a finite number, or raise a ValueError."""
    try:
        plain = plain_input_number(value)
        found = math.nan if isinstance(plain, bool | str) else float(plain)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise ValueError
    return found
