"""The title above every figure of a game, and the legend below it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from sidelight.analysis import Analysis
from sidelight.report.figures.canvas import Box, Canvas, measure
from sidelight.report.figures.colors import BORDERS, FAINT, INK, Border, border_style
from sidelight.report.figures.labels import drawable_line, shortened_label
from sidelight.text import count

_REGRET = {
    "trivial": "no regret at all",
    "easy": r"minimax regret $\sqrt{T}$",
    "hard": r"minimax regret $T^{2/3}$",
    "hopeless": "regret linear in $T$",
}
_ROW = 0.23
_SAMPLE = 0.42


def draw_title(canvas: Canvas, analysis: Analysis) -> None:
    """Write the name, class and size of the game above the drawing."""
    box = canvas.bounds or Box(0, 0, 4, 1)
    game = analysis.game
    sizes = f"{count(game.n_actions, 'action')}, {count(game.n_outcomes, 'outcome')}"
    below = canvas.text(
        (box.left, box.top + 0.22),
        f"{analysis.kind}: {_REGRET[analysis.kind]}  ({sizes})",
        ha="left",
        va="bottom",
        color=FAINT,
        math=True,
    )
    name = shortened_label(drawable_line(game.name or "A game"), 110)
    room = max(box.right, below.right) - box.left
    while measure(lines := textwrap.fill(name, 60), 13, bold=True)[0] > room and room < 4:
        room += 0.5
    if measure(lines, 13, bold=True)[0] > room:
        width = max(16, int(60 * room / measure(lines, 13, bold=True)[0]))
        lines = textwrap.fill(name, width)
    canvas.text((box.left, below.top + 0.06), lines, size=13, bold=True, ha="left", va="bottom")


def draw_legend(canvas: Canvas, analysis: Analysis, extra: Iterable[tuple[str, str]] = (), note: str = "") -> None:
    """Explain the borders that occur, then `extra` marks (a kind of mark and its meaning), then a note."""
    used = {border_style(analysis, i, j).meaning for i, j in analysis.neighbors}
    entries: list[tuple[Border | str, str]] = [
        (style, f"border {style.meaning}") for style in BORDERS.values() if style.meaning in used
    ]
    entries.extend(extra)
    box = canvas.bounds or Box(0, 0, 4, 1)
    x, y, room = box.left, box.bottom - 0.28, max(box.right - box.left, 4.6)
    for mark, meaning in entries:
        width = _SAMPLE + measure(meaning, 8.5)[0]
        if x > box.left and x + width > box.left + room:
            x, y = box.left, y - _ROW
        _draw_sample(canvas, mark, x, y)
        canvas.text((x + _SAMPLE, y), meaning, size=8.5, ha="left", va="center_baseline")
        x += width + 0.25
    if note:
        top = y - 0.16 if entries else y + 0.1
        width = int(room / measure("n" * 50, 8.5)[0] * 54)
        canvas.text((box.left, top), textwrap.fill(note, width), size=8.5, ha="left", va="top", color=FAINT)


def _draw_sample(canvas: Canvas, mark: Border | str, x: float, y: float) -> None:
    """Draw the mark that an entry of the legend explains."""
    middle = x + (_SAMPLE - 0.1) / 2
    if isinstance(mark, Border):
        canvas.line([(x, y), (x + _SAMPLE - 0.1, y)], color=mark.color, ls=mark.dashes, lw=2.0, zorder=5)
        if mark.crossed:
            canvas.cross((middle, y))
    elif mark == "thick":
        canvas.line([(x, y), (x + _SAMPLE - 0.1, y)], color=FAINT, lw=3.6)
    elif mark == "band":
        canvas.line([(x, y), (x + _SAMPLE - 0.1, y)], color=INK, lw=6.5)
        canvas.line([(x, y), (x + _SAMPLE - 0.1, y)], color="white", lw=4.5)
    else:
        shapes = {"small": (5.5, FAINT, FAINT), "hollow": (8, "white", FAINT), "full": (10, "#9fc9e4", INK)}
        size, face, edge = shapes.get(mark, (6.5, "white", INK))
        canvas.line([(middle, y)], marker="o", ms=size, mfc=face, mec=edge, mew=1.2, ls="none")
