"""A group of commands that imports a command only when it is used, and reports errors in one line."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from sidelight.errors import SidelightError

_MISTAKE = 2
_UNREAD = 1
_INTERRUPTED = 130  # what shells expect from a program stopped by Ctrl-C
_PROGRAM = "sidelight"


@click.pass_context
def _show_help_of_command_group(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


class CommandsInOrder(click.Group):
    """A group that lists its commands in the order you use them, and shows its help if none is named."""

    def __init__(self, *args: Any, **options: Any) -> None:
        given: dict[str, Any] = {"callback": _show_help_of_command_group, "invoke_without_command": True}
        super().__init__(*args, **given | options)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)


class CommandLine(click.Group):
    """A click group whose commands are each defined in their own module.

    Parameters
    ----------
    sections
        For each section of `--help`, its commands: the module that defines each (as `NAME_command`), and its line.
    """

    def __init__(self, *args: Any, sections: Mapping[str, Mapping[str, tuple[str, str]]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.sections = sections
        self.commands_in = {name: where for some in sections.values() for name, where in some.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order in which they are explained."""
        return list(self.commands_in)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.commands_in:
            return None
        command: click.Command = getattr(importlib.import_module(self.commands_in[cmd_name][0]), f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by name, or suggest a similar one."""
        name = args[0]
        if name not in self.commands_in and not name.startswith("-"):
            from sidelight.text import did_you_mean

            hint = did_you_mean(name, tuple(self.commands_in)) or f"the commands are {', '.join(self.commands_in)}"
            ctx.fail(f"there is no command {name!r}: {hint.rstrip()}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])

    def main(
        self,
        args: Any = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; in stand-alone mode errors become one line on stderr and an exit code."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, ValueError):
                # A character that the terminal cannot show should not stop the program.
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        sys.exit(self._exit_code(args, complete_var, extra))

    def _exit_code(self, args: Any, complete_var: str | None, extra: dict[str, Any]) -> int:
        try:
            code = super().main(args, _PROGRAM, complete_var, standalone_mode=False, **extra)
            return code if isinstance(code, int) else 0
        except click.Abort:
            return _INTERRUPTED
        except click.UsageError as error:
            message = " ".join(error.format_message().split()).rstrip(".")
            path = error.ctx.command_path if error.ctx else _PROGRAM
            _print_command_line_error(f"{message[:1].lower()}{message[1:]} (see '{path} --help')")
        except click.ClickException as error:
            _print_command_line_error(error.format_message())
        except SidelightError as error:
            _print_command_line_error(str(error))
        except BrokenPipeError:  # the reader of the output has closed it
            _forget_unwritable_command_output()
            return _UNREAD
        except OSError as error:
            _print_command_line_error(_explain_system_error_of_command(error))
            _forget_unwritable_command_output()
        return _MISTAKE


def _print_command_line_error(message: str) -> None:
    click.echo(f"{_PROGRAM}: error: {message}", err=True)


def _explain_system_error_of_command(error: OSError) -> str:
    """Describe an error of the operating system, with the path."""
    if error.strerror is None:
        return str(error)
    where = f"{os.fspath(error.filename)!r}: " if isinstance(error.filename, str | os.PathLike) else ""
    return f"{where}{error.strerror[:1].lower()}{error.strerror[1:]}"


def _forget_unwritable_command_output() -> None:
    """Drop output that could not be written (on a full disk, say); otherwise Python complains again when it exits."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
