"""The settings of a monitor as options of commands, and `sidelight monitor change`, which changes some of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from sidelight.cli import terminal
from sidelight.cli.monitor.shared_file import changing_monitor_file
from sidelight.cli.numbers import WholeNumberOption, whole_number_option
from sidelight.errors import SidelightError
from sidelight.monitor.io.rows import read_csv_by_class
from sidelight.monitor.setting import Setting
from sidelight.monitor.settings import LIMITS, SETTINGS
from sidelight.text import and_list

if TYPE_CHECKING:
    Values = click.ParamType[Any]
else:
    Values = click.ParamType  # generic in new versions of Click only


_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")


class _PatienceOption(Values):
    """A number of decisions, a time, or "never"."""

    name = "patience"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a value, or fail and say what is expected."""
        number, found = whole_number_option(str(value)), _TIME.fullmatch(str(value).lower())
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


def click_type_of_monitor_option(one: Setting) -> Any:
    """Return how Click reads the value of a setting."""
    if one.kind.name == "choice":
        return click.Choice(one.kind.schema["enum"])
    if one.kind.name == "count":
        return WholeNumberOption(one.kind.schema["minimum"]) if "minimum" in one.kind.schema else int
    return _PatienceOption() if one.kind.name == "patience" else click.FLOAT


def click_option_of_monitor_setting(one: Setting) -> str:
    """Return the option of a setting."""
    return f"--{one.name.replace('_', '-')}"


def _click_options_of_monitor_setting(one: Setting) -> Iterator[Callable[[Any], Any]]:
    """Yield the options for one setting."""
    name = click_option_of_monitor_setting(one)
    if one.kind.name == "flag":
        both = f"{name}/--no-{name[2:]}" if one.optional else name
        yield click.option(both, is_flag=True, default=None, help=one.meaning)
        return
    each = one.kind.name == "by class"
    if not each or one.default is MISSING:
        default = None if one.default is MISSING else one.default
        chosen = None if one.kind.name == "choice" else one.metavar
        yield click.option(
            name,
            type=click_type_of_monitor_option(one),
            default=default,
            show_default=True,
            metavar=chosen,
            help=one.meaning,
        )
    if each:
        columns = f"From a CSV file with the columns class and {_COLUMNS[one.name]}."
        general = f" {name} then applies to all other classes." if one.default is MISSING else ""
        words = f"{one.meaning} {columns}" if not general else f"The same for individual classes. {columns}{general}"
        yield click.option(f"{name}-from", metavar="FILE", help=words)


def add_monitor_options_to_command(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a monitor."""
    for option in reversed([option for one in _OFFERED for option in _click_options_of_monitor_setting(one)]):
        command = option(command)
    return command


def monitor_arguments_of_options(options: dict[str, Any], classes: Iterable[Any] = ()) -> dict[str, Any]:
    """Return the arguments of a monitor; a number given for a class name goes to the known class written like it."""
    known = {str(one): one for one in set(classes)}
    found = {one.name: options[one.name] for one in _OFFERED if options.get(one.name) is not None}
    for name, what in _COLUMNS.items():
        path = options[f"{name}_from"]
        if path:
            numbers: dict[Any, float] = {
                known.get(one, one): value for one, value in read_csv_by_class(path, what).items()
            }
            found[name] = numbers | ({None: found[name]} if name in found else {})
    if "tolerance" not in found:
        raise SidelightError("say with --tolerance which error rate is tolerated, as in --tolerance 0.05")
    return found


class _MonitorOptionOrWord(Values):
    """A value of another kind, or a word for None."""

    def __init__(self, kind: Any, word: str) -> None:
        self.kind, self.word, self.name = kind, word, kind.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a value; the word stands for itself until the command runs, because None means "not given"."""
        return self.word if str(value).lower() == self.word else self.kind.convert(value, param, ctx)


_WORDS = {name: "default" if name == "patience" else "none" for name in LIMITS}


def _changeable_monitor_options(command: Any) -> Any:
    for name in reversed(LIMITS):
        one = SETTINGS[name]
        kind, metavar = (
            _MonitorOptionOrWord(click_type_of_monitor_option(one), _WORDS[name]),
            f"{one.metavar}|{_WORDS[name]}",
        )
        command = click.option(click_option_of_monitor_setting(one), type=kind, metavar=metavar, help=one.meaning)(
            command
        )
    return command


@click.command(
    "change",
    short_help="Change limits, patience, and what to notice.",
    epilog="""\b
Examples:
  sidelight monitor change pets.json --patience 2000
  sidelight monitor change pets.json --daily-cap none
""",
)
@click.argument("file", metavar="FILE")
@_changeable_monitor_options
def change_monitor_command(file: str, **options: Any) -> None:
    """Change limits, patience, or what is to be noticed, of the monitor in FILE from now on."""
    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        raise SidelightError("say what to change, as in --patience 2000")
    with changing_monitor_file(file) as monitor:
        monitor.change(**{name: None if value == _WORDS[name] else value for name, value in given.items()})
    terminal.write_to_terminal(terminal.wrap_to_terminal(f"{file}: changed {and_list(list(given))}"))
