"""`sidelight monitor change`: other limits and another patience for a monitor in a file."""

from __future__ import annotations

from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.monitor.options import PATIENCE, Values
from sidelight.cli.monitor.shared_file import changing
from sidelight.cli.numbers import COUNT, WHOLE
from sidelight.errors import SidelightError
from sidelight.monitor.settings import LIMITS
from sidelight.text import joined


class _OrWord(Values):
    """A value of another kind, or a word for None."""

    def __init__(self, kind: Any, word: str) -> None:
        self.kind, self.word, self.name = kind, word, kind.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a value; the word stands for itself until the command runs, because None means "not given"."""
        return self.word if str(value).lower() == self.word else self.kind.convert(value, param, ctx)


_WORDS = {name: "default" if name == "patience" else "none" for name in LIMITS}
_KINDS = {"class_cap": COUNT, "patience": PATIENCE}
_HELP = {
    "cap": "Maximum number of verifications.",
    "daily_cap": "Maximum number of verifications per day.",
    "class_cap": "Maximum number of verifications per class.",
    "max_pending": "Maximum number of verifications that may be pending at any one time.",
    "patience": "How long to wait for an answer, also to requests under way; overdue requests stay overdue.",
}


def _options(command: Any) -> Any:
    for name in reversed(LIMITS):
        kind = _OrWord(_KINDS.get(name, WHOLE), _WORDS[name])
        metavar = "N|TIME|never|default" if name == "patience" else "N|none"
        command = click.option(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=_HELP[name])(command)
    return command


@click.command(
    "change",
    short_help="Change limits and patience.",
    epilog="""\b
Examples:
  sidelight monitor change pets.json --patience 2000
  sidelight monitor change pets.json --daily-cap none
""",
)
@click.argument("file", metavar="FILE")
@_options
def change_command(file: str, **options: Any) -> None:
    """Change the limits or the patience of the monitor in FILE from now on."""
    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        raise SidelightError("say what to change, as in --patience 2000")
    with changing(file) as monitor:
        monitor.change(**{name: None if value == _WORDS[name] else value for name, value in given.items()})
    terminal.write(terminal.wrapped(f"{file}: changed {joined(list(given))}"))
