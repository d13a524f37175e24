"""One page per command, from the help that the command line itself shows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from sidelight.cli import main


def pages() -> dict[str, str]:
    """Return the pages by path."""
    found = list(commands(main, click.Context(main, info_name="sidelight", **main.context_settings)))
    pages = {f"commands/{_file(name)}.md": _page(name, command) for name, command in found}
    rows = "\n".join(f"| [`{name}`]({_file(name)}.md) | {_first_line(command)} |" for name, command in found)
    listed = "\n".join(_file(name) for name, _ in found)
    pages["commands/index.md"] = (
        "# Commands\n\nErrors go to stderr, and bad input ends with exit code 2. `-h` explains any command.\n\n"
        f"| command | what it does |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return pages


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


def _file(name: str) -> str:
    return name.removeprefix("sidelight ").replace(" ", "-")


def _first_line(command: click.Command) -> str:
    return _marked(" ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split()))


def _marked(text: str) -> str:
    """Write options and quoted commands as code, and nothing as HTML."""
    text = text.replace("<", "&lt;")
    text = re.sub(r"'((?:sidelight|service) [^'\n]*)'", r"`\1`", text)
    return re.sub(r"(?<![`\w-])(--[a-z][a-z-]*)", r"`\1`", text)


def _page(name: str, command: click.Command) -> str:
    usage = " ".join([name, *_usage(command)])
    text = _marked(inspect.cleandoc(command.help or "").replace("\b\n", ""))
    parts = [f"# {name}", f"```{{code-block}} text\n:class: prose\n\n{usage}\n```", text]
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        inner = [(each, command.get_command(context, each)) for each in command.list_commands(context)]
        rows = [
            f"| [`{each}`]({_file(f'{name} {each}')}.md) | {_first_line(one)} |"
            for each, one in inner
            if one and not one.hidden
        ]
        parts.append("## Commands\n\n| command | what it does |\n|---|---|\n" + "\n".join(rows))
    options = [_option(each) for each in command.params if isinstance(each, click.Option) and not each.hidden]
    if options:
        parts.append("## Options\n\n" + "\n".join(options))
    return "\n\n".join([*parts, *_examples(command)]) + "\n"


def _examples(command: click.Command) -> list[str]:
    """Return the examples below the help, block by block, with the words above each."""
    shown = []
    for block in inspect.cleandoc(command.epilog or "").split("\b\n")[1:]:
        title, _, lines = block.partition("\n")
        head = "## Examples" if title == "Examples:" else f"## {title.rstrip(':')}"
        shown.append(f"{head}\n\n```sh\n{inspect.cleandoc(lines)}\n```")
    return shown


def _usage(command: click.Command) -> list[str]:
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    shown = []
    for each in arguments:
        text = each.metavar or each.human_readable_name.upper()
        text += "..." if each.nargs == -1 and not text.endswith("...") else ""
        shown.append(text if each.required or text.startswith("[") else f"[{text}]")
    return [*shown, "COMMAND" if isinstance(command, click.Group) else "[OPTIONS]"]


def _option(option: click.Option) -> str:
    names = " / ".join([", ".join(option.opts), *option.secondary_opts])
    default = f" (`{option.default}` by default)" if _tells(option) else ""
    return (
        f"- `{names}{'' if option.is_flag else ' ' + _value(option)}`{default}: {_marked((option.help or '').strip())}"
    )


def _value(option: click.Option) -> str:
    """Return what stands for the value of an option: the choices, where there are some."""
    if isinstance(option.type, click.Choice) and not option.metavar:
        return "|".join(map(str, option.type.choices))
    return option.metavar or ("N" if "INTEGER" in option.type.name.upper() else option.type.name.upper())


def _tells(option: click.Option) -> bool:
    """Say whether the default of an option is worth telling."""
    return not option.is_flag and type(option.default) in (int, float, str)
