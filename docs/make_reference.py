"""Write docs/reference.md from what the package says of itself: `python docs/make_reference.py`.

A test fails when the page and the package differ, so a new game, strategy or command cannot stay undocumented.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import sidelight as sl
from sidelight.cli import main
from sidelight.cli._docstrings import describe
from sidelight.cli._strategies import known, known_names, signature
from sidelight.games._parameters import written

PAGE = Path(__file__).with_name("reference.md")
HEAD = """# Reference

<!-- Written by docs/make_reference.py; change the docstrings and the help texts, then run it again. -->

Every name, game, strategy and command there is. What the words mean is in [theory](theory.md); how to begin is in the
[tutorial](tutorial.md).
"""


def reference() -> str:
    """Return the whole page."""
    sections = [HEAD, _names(), _games(), _strategies(), _commands()]
    return "\n".join(sections).rstrip() + "\n"


def _names() -> str:
    rows = [f"| `sl.{name}` | {_first_line(getattr(sl, name))} |" for name in sorted(sl.__all__, key=str.lower)]
    return _section("Public names", "After `import sidelight as sl`:", _table("name", "what it is", rows))


def _games() -> str:
    intro = "`sl.games.load(name, **parameters)`, or `NAME` and `--set parameter=value` on the command line."
    parts = []
    for name in sl.games.names():
        entry, game = sl.games.describe(name), sl.games.load(name)
        size = f"{game.n_actions} actions, {game.n_outcomes} outcomes, {entry.kind or 'class by analysis'}"
        takes = [
            f"- `{parameter}` ({_code(written(default))} by default): {entry.allowed[parameter]}"
            for parameter, default in entry.parameters.items()
        ]
        text = f"{entry.story}\n\nBy default {size}. Source: {entry.source}."
        parts.append(f"### {name}\n\n{entry.line}\n\n{text}\n" + ("\n" + "\n".join(takes) + "\n" if takes else ""))
    return _section("Games", intro, "\n".join(parts))


def _strategies() -> str:
    intro = (
        "`sl.strategies.NAME(game, ...)`, or `NAME:parameter=value,...` on the command line; `BayesOptimal` is in "
        "`sl.limits`. `sidelight strategies` lists them."
    )
    parts = []
    for name in known_names():
        kind = known(name)
        said = describe(kind)
        takes = [
            f"- `{parameter.name}`{_default(parameter)}: {said.parameters[parameter.name]}"
            for parameter in signature(kind).values()
            if parameter.name not in ("game", "seed")
        ]
        covered = f" Guarantee: {kind.guarantee}." if kind.guarantee else ""
        lines = [f"{said.line}{covered}", *said.papers, "\n".join(takes) if takes else "No parameters."]
        parts.append(f"### {name}\n\n" + "\n\n".join(lines) + "\n")
    return _section("Strategies", intro, "\n".join(parts))


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is parameter.empty else f" (`{parameter.default!r}` by default)"


def _commands() -> str:
    intro = "Errors go to stderr, and bad input ends with exit code 2. `-h` explains any command."
    parts = [_command(name, command) for name, command in commands(main, click.Context(main, info_name="sidelight"))]
    return _section("Command line", intro, "\n".join(parts))


def commands(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is not hidden with its full name, those of groups within groups included."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield inner.command_path, command
        if isinstance(command, click.Group):
            yield from commands(command, inner)


def _command(name: str, command: click.Command) -> str:
    usage = " ".join([name, *_usage(command)])
    text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    options = [_option(each) for each in command.params if isinstance(each, click.Option) and not each.hidden]
    listed = "\n".join(options)
    return f"### {name}\n\n```\n{usage}\n```\n\n{text}\n" + (f"\n{listed}\n" if options else "")


def _usage(command: click.Command) -> list[str]:
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    shown = []
    for each in arguments:
        text = each.metavar or each.human_readable_name.upper()
        text += "..." if each.nargs == -1 and not text.endswith("...") else ""
        shown.append(text if each.required else f"[{text}]")
    return [*shown, "COMMAND" if isinstance(command, click.Group) else "[OPTIONS]"]


def _option(option: click.Option) -> str:
    value = option.metavar or ("N" if "INTEGER" in option.type.name.upper() else option.type.name.upper())
    default = f"` (`{option.default}` by default)" if _tells(option) else "`"
    help_text = (option.help or "").strip()
    return f"- `{', '.join(option.opts)}{'' if option.is_flag else ' ' + value}{default}: {help_text}"


def _tells(option: click.Option) -> bool:
    """Say whether the default of an option is worth telling."""
    return not option.is_flag and type(option.default) in (int, float, str)


def _section(title: str, intro: str, body: str) -> str:
    return f"## {title}\n\n{intro}\n\n{body}"


def _table(first: str, second: str, rows: list[str]) -> str:
    return "\n".join([f"| {first} | {second} |", "|---|---|", *rows]) + "\n"


def _first_line(thing: Any) -> str:
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def _code(text: str) -> str:
    return f"`{text}`"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8", newline="\n")
