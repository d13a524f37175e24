"""The settings of a monitor as options of commands."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from sidelight.cli.numbers import Whole, whole_number
from sidelight.errors import SidelightError
from sidelight.monitor.io.rows import read_by_class
from sidelight.monitor.setting import Setting
from sidelight.monitor.settings import SETTINGS

if TYPE_CHECKING:
    Values = click.ParamType[Any]
else:
    Values = click.ParamType  # generic in new versions of Click only
_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")


class _Patience(Values):
    """A number of decisions, a time, or "never"."""

    name = "patience"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a value, or fail and say what is expected."""
        number, found = whole_number(str(value)), _TIME.fullmatch(str(value).lower())
        if number is not None and number > 0:
            return number
        if str(value).lower() == "never":
            return math.inf
        if found and found[2] in _UNITS and 0 < float(found[1]) * _UNITS[found[2]] < 1e10:
            return timedelta(seconds=float(found[1]) * _UNITS[found[2]])
        self.fail(f"{value!r}: give a number of decisions, a time such as 90min, 12h or 3d, or never")


_COLUMNS = {"tolerance": "tolerance", "weights": "weight"}
"""What the column of numbers in a file is called."""
_OFFERED = [one for one in SETTINGS.values() if one.commanded]


def type_of(one: Setting) -> Any:
    """Return how Click reads the value of a setting."""
    if one.kind.name == "choice":
        return click.Choice(one.kind.schema["enum"])
    if one.kind.name == "count":
        return Whole(one.kind.schema["minimum"]) if "minimum" in one.kind.schema else int
    return _Patience() if one.kind.name == "patience" else click.FLOAT


def option_of(one: Setting) -> str:
    """Return the option of a setting."""
    return f"--{one.name.replace('_', '-')}"


def _options(one: Setting) -> Iterator[Callable[[Any], Any]]:
    """Yield the options for one setting."""
    name = option_of(one)
    if one.kind.name == "flag":
        both = f"{name}/--no-{name[2:]}" if one.optional else name
        yield click.option(both, is_flag=True, default=None, help=one.meaning)
        return
    each = one.kind.name == "by class"
    if not each or one.default is MISSING:
        default = None if one.default is MISSING else one.default
        chosen = None if one.kind.name == "choice" else one.metavar
        yield click.option(
            name, type=type_of(one), default=default, show_default=True, metavar=chosen, help=one.meaning
        )
    if each:
        columns = f"From a CSV file with the columns class and {_COLUMNS[one.name]}, or a JSON object."
        general = f" {name} then applies to all other classes." if one.default is MISSING else ""
        words = f"{one.meaning} {columns}" if not general else f"The same for individual classes. {columns}{general}"
        yield click.option(f"{name}-from", metavar="FILE", help=words)


def monitor_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a monitor."""
    for option in reversed([option for one in _OFFERED for option in _options(one)]):
        command = option(command)
    return command


def arguments_of(options: dict[str, Any], classes: Iterable[Any] = ()) -> dict[str, Any]:
    """Return the arguments of a monitor; a number given for a class name goes to the known class written like it."""
    known = {str(one): one for one in set(classes)}
    found = {one.name: options[one.name] for one in _OFFERED if options.get(one.name) is not None}
    for name, what in _COLUMNS.items():
        path = options[f"{name}_from"]
        if path:
            numbers: dict[Any, float] = {known.get(one, one): value for one, value in read_by_class(path, what).items()}
            found[name] = numbers | ({None: found[name]} if name in found else {})
    if "tolerance" not in found:
        raise SidelightError("say with --tolerance which error rate is tolerated, as in --tolerance 0.05")
    return found
