"""Text that fits the terminal: wrapped paragraphs and matrices in blocks of columns."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from typing import Any

import click

from sidelight.game import Game
from sidelight.game import format_game_matrices as matrices_of
from sidelight.table import plain_table_value
from sidelight.text import printable_line, wrapped_with_indents
from sidelight.text import wrapped_lines as wrapped_to

_LARGEST_MATRIX = 1600


def terminal_width() -> int:
    """Return the width of the terminal in columns; 80 if the output is not a terminal."""
    return max(30, min(shutil.get_terminal_size((80, 24)).columns, 100))


def write_to_terminal(text: str) -> None:
    """Write text to standard output; control characters, which a game's names may contain, are escaped."""
    click.echo("\n".join(map(printable_line, text.split("\n"))))


def write_terminal_json(data: Any) -> None:
    """Write plain data to standard output; numbers that are not finite become null."""
    click.echo(json.dumps(plain_table_value(data), indent=2, allow_nan=False))


def wrap_to_terminal(text: str, together: Sequence[str] = ()) -> str:
    """Wrap each line of a text to the terminal; no line breaks inside the phrases in `together`."""
    return wrapped_to(text, terminal_width(), together)


def write_wrapped(text: str, together: Sequence[str] = ()) -> None:
    """Write a text to standard output, wrapped to the terminal."""
    write_to_terminal(wrap_to_terminal(text, together))


def terminal_entry(term: str, explanation: str, column: int) -> str:
    """Return a term and its explanation, which starts at the given column and is wrapped there."""
    lines = wrapped_with_indents(explanation, terminal_width(), column, column)
    return "\n".join([term.ljust(column) + lines[0].lstrip(), *lines[1:]])


def write_matrices_for_terminal(game: Game) -> str:
    """Return the loss and feedback matrices, in blocks of columns that fit the terminal."""
    if game.n_actions * game.n_outcomes > _LARGEST_MATRIX:
        return f"(matrices of {game.n_actions} x {game.n_outcomes} entries are left out here; --json has them)"
    return "\n\n".join(table.to_text(terminal_width()) for table in matrices_of(game))
