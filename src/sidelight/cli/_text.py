"""Text that fits the terminal: wrapped paragraphs and matrices in blocks of columns."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Sequence

import click

from sidelight.game import Game, printable

_LARGEST_MATRIX = 1600
_STAY = "\N{NO-BREAK SPACE}"


def width() -> int:
    """Return how many columns there are to write in; 80 where the output is no terminal."""
    return max(30, min(shutil.get_terminal_size((80, 24)).columns, 100))


def write(text: str) -> None:
    """Write text to standard output; control characters (a game's names may hold any) are shown, not sent."""
    click.echo("".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text))


def wrapped(text: str, together: Sequence[str] = ()) -> str:
    """Wrap each line of a text; what follows an indented line that was broken is indented under it.

    Lines are not broken within short parentheses or brackets, nor within the phrases that belong `together`.
    """
    for phrase in together:
        text = text.replace(phrase, phrase.replace(" ", _STAY))
    for pattern in (r"(\w = )?\([^()\n]{,50}\)", r"([-/\d]+ (x )?)?p?\[[^][\n]{,40}\]"):
        text = re.sub(pattern, lambda found: found[0].replace(" ", _STAY), text)
    lines: list[str] = []
    for line in text.split("\n"):
        margin = len(line) - len(line.lstrip())
        further = margin + (4 if margin else 0)
        lines += _fill(line.strip(), margin, further) or [""]
    return "\n".join(lines).replace(_STAY, " ")


def entry(term: str, explanation: str, column: int) -> str:
    """Return a term and its explanation, which starts at the given column and is wrapped there."""
    lines = _fill(explanation, column, column)
    return "\n".join([term.ljust(column) + lines[0].lstrip(), *lines[1:]])


def matrices(game: Game) -> str:
    """Return the loss and feedback matrices, in blocks of as many columns as fit."""
    if game.n_actions * game.n_outcomes > _LARGEST_MATRIX:
        return f"(matrices of {game.n_actions} x {game.n_outcomes} entries are left out here; --json has them)"
    loss = [[str(value) for value in row] for row in game.loss]
    blocks = [_blocks(game, "loss", loss), _blocks(game, "feedback", printable(game.feedback))]
    return "\n\n".join(blocks)


def _blocks(game: Game, title: str, rows: Sequence[Sequence[str]]) -> str:
    longest = width() // 2
    labels = [f"  {label if len(label) <= longest else label[: longest - 1] + '…'}" for label in game.actions]
    margin = max(map(len, [*labels, title])) + 2
    table = [game.outcomes, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    blocks, start = [], 0
    while start < game.n_outcomes:
        stop, used = start + 1, margin + widths[start]
        while stop < game.n_outcomes and used + 2 + widths[stop] <= width():
            used += 2 + widths[stop]
            stop += 1
        lines = [
            label.ljust(margin) + "  ".join(row[c].ljust(widths[c]) for c in range(start, stop))
            for label, row in zip([title, *labels], table, strict=True)
        ]
        blocks.append("\n".join(line.rstrip() for line in lines))
        start = stop
    return "\n".join(blocks)


def _fill(text: str, first: int, further: int) -> list[str]:
    return textwrap.wrap(
        text,
        width(),
        initial_indent=" " * first,
        subsequent_indent=" " * further,
        break_on_hyphens=False,
    )
