"""`sidelight monitor change`: other limits and another patience for a monitor in a file."""

from __future__ import annotations

from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.monitor.options import Values, option_of, type_of
from sidelight.cli.monitor.shared_file import changing_monitor_file
from sidelight.errors import SidelightError
from sidelight.monitor.settings import LIMITS, SETTINGS
from sidelight.text import and_list


class _OrWord(Values):
    """A value of another kind, or a word for None."""

    def __init__(self, kind: Any, word: str) -> None:
        self.kind, self.word, self.name = kind, word, kind.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a value; the word stands for itself until the command runs, because None means "not given"."""
        return self.word if str(value).lower() == self.word else self.kind.convert(value, param, ctx)


_WORDS = {name: "default" if name == "patience" else "none" for name in LIMITS}


def _options(command: Any) -> Any:
    for name in reversed(LIMITS):
        one = SETTINGS[name]
        kind, metavar = _OrWord(type_of(one), _WORDS[name]), f"{one.metavar}|{_WORDS[name]}"
        command = click.option(option_of(one), type=kind, metavar=metavar, help=one.meaning)(command)
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
@_options
def change_command(file: str, **options: Any) -> None:
    """Change limits, patience, or what is to be noticed, of the monitor in FILE from now on."""
    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        raise SidelightError("say what to change, as in --patience 2000")
    with changing_monitor_file(file) as monitor:
        monitor.change(**{name: None if value == _WORDS[name] else value for name, value in given.items()})
    terminal.write(terminal.wrap_to_terminal(f"{file}: changed {and_list(list(given))}"))
