"""One page per command, from the help that the command line itself shows."""

from __future__ import annotations

import inspect
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
    return " ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split())


def _page(name: str, command: click.Command) -> str:
    usage = " ".join([name, *_usage(command)])
    text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    options = [_option(each) for each in command.params if isinstance(each, click.Option) and not each.hidden]
    listed = "\n".join(options)
    return f"# {name}\n\n```text\n{usage}\n```\n\n{text}\n" + (f"\n## Options\n\n{listed}\n" if options else "")


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
    default = f" (`{option.default}` by default)" if _tells(option) else ""
    help_text = (option.help or "").strip()
    return f"- `{', '.join(option.opts)}{'' if option.is_flag else ' ' + value}`{default}: {help_text}"


def _tells(option: click.Option) -> bool:
    """Say whether the default of an option is worth telling."""
    return not option.is_flag and type(option.default) in (int, float, str)
