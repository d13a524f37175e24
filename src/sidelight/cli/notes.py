"""Show the library's warnings as notes on stderr rather than in Python's format."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import click

from sidelight.text import one_line


@contextlib.contextmanager
def warnings_as_command_notes() -> Iterator[None]:
    """Within the block, write each warning once, as one line; Python still chooses which warnings to show.

    Warnings about old parameter names are always shown, unless -W or PYTHONWARNINGS says otherwise.
    """
    said: set[str] = set()

    def write_command_note(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        text = one_line(str(message))
        if text not in said:
            said.add(text)
            click.echo(f"sidelight: note: {text}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = write_command_note
        if not sys.warnoptions:
            warnings.filterwarnings("default", category=DeprecationWarning, module="sidelight")
        yield
