"""Tables of text with rows in groups and columns in groups, and how they are written in Markdown and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from sidelight.report.web_page import escaped

NONE = "–"
STYLE = """
table.grid { font-size: .83rem; } .grid th, .grid td { padding: .3rem .45rem; vertical-align: top; line-height: 1.4; }
.grid thead th { vertical-align: bottom; line-height: 1.3; border-bottom-color: var(--faint); }
.grid thead tr:first-child:not(:last-child) th { border-bottom-color: transparent; padding-bottom: .1rem; }
.grid thead tr:first-child:not(:last-child) th.over { text-align: center; border-bottom-color: var(--line); }
.grid th.start, .grid td.start { padding-left: 1.3rem; }
.grid th.left, .grid td.left { text-align: left; }
.grid td.label, .grid thead th:first-child { position: sticky; left: 0; z-index: 1; background: var(--page); }
.grid td.label { min-width: 6.2rem; overflow-wrap: break-word; }
.grid tr.group th { text-align: left; background: var(--band); color: var(--ink); }
.grid tr.group th span { position: sticky; left: .45rem; }
.grid tr.limit td { background: var(--soft); font-style: italic; }
.grid td.paper, .grid td.faint { color: var(--faint); }
.grid td.verdict.differs { white-space: normal; min-width: 7.5rem; } .grid td.verdict.long { min-width: 15rem; }
.grid .after { display: inline-block; min-width: 4.4em; padding-left: .35em; text-align: left; color: var(--faint); }
.grid .note { display: block; font-size: .92em; color: var(--faint); font-weight: 400; font-style: normal;
  white-space: normal; line-height: 1.3; }
"""
_LEFT = ("label", "text", "verdict")
_SPECIAL = re.compile(r"([\\`*_<>|\[\]])")


class Piece(NamedTuple):
    """One text of a grid."""

    text: str
    look: str = ""
    """"label", "text" or "verdict" (these are aligned to the left), and further classes after a space."""
    after: str = ""
    """What belongs to a number, such as "± 0.39"."""
    note: str = ""
    """A second, smaller line."""
    reason: int | None = None
    """The number of a reason that the text refers to."""
    link: str = ""
    """The id of a place in the page that the text names."""


class Head(NamedTuple):
    """The heading of a column, and of the columns beside that it belongs with."""

    title: str
    group: str = ""
    alone: str = ""
    """What it is called where no heading spans several columns, if not by its title."""


class Group(NamedTuple):
    """Rows with a heading of their own (none if it is empty)."""

    title: str
    rows: Sequence[Sequence[Piece]]
    limits: frozenset[int] = frozenset()
    """Which of the rows are limits, not contestants."""


class Grid(NamedTuple):
    """A table."""

    heads: Sequence[Head]
    groups: Sequence[Group]

    def useful(self) -> Grid:
        """Leave out columns that say nothing about any row."""
        rows = [row for group in self.groups for row in group.rows]
        kept = [k for k in range(len(self.heads)) if any(row[k].text != NONE for row in rows)]
        groups = [group._replace(rows=[[row[k] for k in kept] for row in group.rows]) for group in self.groups]
        return Grid([self.heads[k] for k in kept], groups)

    def left(self) -> list[bool]:
        """Say for each column whether it is aligned to the left."""
        first = next((row for group in self.groups for row in group.rows), None)
        return [k == 0 or (first is not None and first[k].look.startswith(_LEFT)) for k in range(len(self.heads))]

    def starts(self) -> set[int]:
        """Return the columns that begin a group of columns."""
        return {k for k in range(1, len(self.heads)) if self.heads[k].group != self.heads[k - 1].group}


def plain(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", re.sub(r"[\r\n\t]+", " ", text))


def to_markdown(grid: Grid) -> str:
    """Write a grid in Markdown, in one table."""
    lines = [[plain(head.alone or head.title) for head in grid.heads]]
    lines.append(["---" if one else "---:" for one in grid.left()])
    for group in grid.groups:
        if group.title:
            lines.append([f"**{plain(group.title)}**", *("" for _ in grid.heads[1:])])
        rows = [[_piece(piece) for piece in row] for row in group.rows]
        for index in group.limits:
            rows[index][0] = f"*{rows[index][0]}*"
        lines += rows
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _piece(piece: Piece) -> str:
    reference = "" if piece.reason is None else f" [{piece.reason}]"
    text = " ".join(part for part in (plain(piece.text) + reference, piece.after) if part)
    return f"{text} ({plain(piece.note)})" if piece.note else text


def to_html(grid: Grid) -> str:
    """Write a grid in HTML, in one table that scrolls by itself where it is too wide."""
    starts, left = grid.starts(), grid.left()
    heads = "".join(
        f"<th{_classes('left' * left[k], 'start' * (k in starts))}>{escaped(head.title)}</th>"
        for k, head in enumerate(grid.heads)
    )
    bodies = "".join(_body(group, starts, left) for group in grid.groups)
    head = f"<thead>{_over(grid.heads)}<tr>{heads}</tr></thead>"
    return f'<div class="scroll" tabindex="0"><table class="grid">{head}{bodies}</table></div>'


def _over(heads: Sequence[Head]) -> str:
    """Return the row of headings that span several columns, if there are any."""
    if not any(head.group for head in heads):
        return ""
    cells = [
        f"<th{_classes('over' * bool(title), 'start' * (k > 0))} colspan={len(list(members))}>{escaped(title)}</th>"
        for k, (title, members) in enumerate(groupby(heads, lambda head: head.group))
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _body(group: Group, starts: set[int], left: Sequence[bool]) -> str:
    rows = []
    if group.title:
        title = f"<span>{escaped(group.title)}</span>"
        rows.append(f'<tr class="group"><th colspan={len(left)} scope="rowgroup">{title}</th></tr>')
    for index, row in enumerate(group.rows):
        cells = [_cell(piece, ("left" * left[k], "start" * (k in starts), piece.look)) for k, piece in enumerate(row)]
        rows.append(f"<tr{_classes('limit' * (index in group.limits))}>{''.join(cells)}</tr>")
    return f"<tbody>{''.join(rows)}</tbody>"


def _cell(piece: Piece, looks: Iterable[str]) -> str:
    text = escaped(piece.text)
    if piece.link:
        text = f'<a href="#{escaped(piece.link)}">{text}</a>'
    if piece.reason is not None:
        text += f' <a href="#reason-{piece.reason}">[{piece.reason}]</a>'
    if piece.after:
        text += f'<span class="after">{escaped(piece.after)}</span>'
    if piece.note:
        text += f' <span class="note">{escaped(piece.note)}</span>'
    return f"<td{_classes(*looks)}>{text}</td>"


def _classes(*names: str) -> str:
    found = " ".join(one for one in names if one)
    return f' class="{found}"' if found else ""
