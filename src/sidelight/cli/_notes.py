"""What the library warns of, as notes on stderr rather than as lines of Python."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import click


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Write each warning in one line, within the block; which ones are shown remains Python's choice.

    Old names of parameters are always told of, unless -W or PYTHONWARNINGS says otherwise.
    """

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        click.echo(f"sidelight: note: {' '.join(str(message).split())}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        if not sys.warnoptions:
            warnings.filterwarnings("default", category=DeprecationWarning, module="sidelight")
        yield
