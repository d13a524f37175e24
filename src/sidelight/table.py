"""One table, written for a terminal, in Markdown, HTML and LaTeX and as records: every table of the library goes here.

>>> table = Table([Column("strategy"), Column("mean", write="{:.2f}".format)], [("CBP", 4.689), ("RandCBP", None)])
>>> print(table.to_text())
strategy  mean
CBP       4.69
RandCBP      -
>>> table.records()
[{'strategy': 'CBP', 'mean': 4.689}, {'strategy': 'RandCBP', 'mean': None}]
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from sidelight.text import STAY, break_line, padded_to_width, printable_line, terminal_width_of_text, wrapped_lines

_GAP = "  "
_NARROWEST = 8  # what a column gets at least, however little room there is
_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
}
_SPECIAL = re.compile(r"([\\`*_<>|\[\]])")


class Cell(NamedTuple):
    """A value with additions that its column does not have for all values."""

    value: Any
    after: str = ""
    """What belongs to a number, such as "± 0.39"."""
    note: str = ""
    """A second, smaller line; in the first column of a text, several with line breaks between them."""
    reference: int | None = None
    """The number of a reason that the text refers to: the place "reason-1" of a page."""
    link: str = ""
    """The place in a page that the text names."""
    look: str = ""
    """Classes of HTML."""


class Column(NamedTuple):
    """A column: how all its values are written and named."""

    title: str
    write: Callable[[Any], str] = str
    """How a value is written; not called for None and NaN."""
    left: bool | None = None
    """Whether it is aligned to the left; unless said, only the first column is, which names the rows."""
    group: str = ""
    """The heading of the columns it belongs with; a line that is too long is broken between groups first."""
    alone: str = ""
    """Its title where no heading can span several columns, if not the same."""
    key: str = ""
    """Its name in records, if not the title."""
    look: str = ""
    """Classes of HTML."""


class Row(NamedTuple):
    """The values of a row, one per column, each a plain value or a `Cell`."""

    cells: Sequence[Any]
    group: str = ""
    """The heading of the rows it belongs with."""
    look: str = ""
    """A class of HTML; in Markdown the row's name is in italics."""


@dataclass(frozen=True)
class Table:
    """A table: columns, rows (of type `Row`, or just sequences of cells), a title above and notes below."""

    columns: Sequence[Column]
    rows: Sequence[Row | Sequence[Any]]
    title: str = ""
    notes: Sequence[str] = ()
    none: str = "-"
    """What stands for None and NaN."""

    def useful(self) -> Table:
        """Leave out columns without any value."""
        rows = self._rows()
        kept = [
            k
            for k in range(len(self.columns))
            if any(not _is_empty_value(_table_cell(row.cells[k]).value) for row in rows)
        ]
        shorter = [row._replace(cells=[row.cells[k] for k in kept]) for row in rows]
        return replace(self, columns=[self.columns[k] for k in kept], rows=shorter)

    def records(self) -> list[dict[str, Any]]:
        """Return one dictionary per row, ready for JSON: plain values, None for what is not a finite number."""
        keys = [column.key or column.title for column in self.columns]
        return [
            dict(zip(keys, (plain_table_value(_table_cell(c).value) for c in row.cells), strict=True))
            for row in self._rows()
        ]

    def to_text(self, width: int | None = 80) -> str:
        """Write it for a terminal, in blocks of columns that fit; long cells are broken into lines."""
        texts = [[self._line(cell, column) for cell, column in self._pairs(row)] for row in self._rows()]
        limit = math.inf if width is None else width
        title = break_line(printable_line(self.title), limit) if self.title else []
        blocks = "\n\n".join(self._blocks(texts, limit))
        notes = [note if width is None else wrapped_lines(note, width) for note in self.notes]
        return "\n\n".join(["\n".join([*title, blocks]), *notes])

    def to_markdown(self) -> str:
        """Write it in Markdown."""
        lines = [[markdown_text(column.alone or column.title) for column in self.columns]]
        lines.append(["---" if left else "---:" for left in self._left()])
        for group, rows in groupby(self._rows(), lambda row: row.group):
            if group:
                lines.append([f"**{markdown_text(group)}**", *("" for _ in self.columns[1:])])
            for row in rows:
                cells = [self._markdown_cell(cell, column) for cell, column in self._pairs(row)]
                lines.append([f"*{cells[0]}*" if row.look else cells[0], *cells[1:]])
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        title = [f"**{markdown_text(self.title)}**"] if self.title else []
        return "\n\n".join([*title, table, *map(markdown_text, self.notes)])

    def to_html(self) -> str:
        """Write it in HTML, so that it scrolls on its own where it is too wide."""
        starts, left = self._starts(), self._left()
        heads = "".join(
            f"<th{_table_classes('left' * left[k], 'start' * (k in starts))}>{html_text(column.title)}</th>"
            for k, column in enumerate(self.columns)
        )
        bodies = "".join(
            self._body(group, list(rows), starts, left) for group, rows in groupby(self._rows(), lambda row: row.group)
        )
        title = f"<caption>{html_text(self.title)}</caption>" if self.title else ""
        head = f"<thead>{self._spanning()}<tr>{heads}</tr></thead>"
        notes = "".join(f'<p class="faint">{html_text(note)}</p>' for note in self.notes)
        return f'<div class="scroll" tabindex="0"><table class="grid">{title}{head}{bodies}</table></div>{notes}'

    def to_latex(self) -> str:
        """Write it in LaTeX, with the rules of the package booktabs; title and notes are its caption."""
        left = self._left()
        lines = [" & ".join(latex_text(column.alone or column.title) for column in self.columns), r"\midrule"]
        for group, rows in groupby(self._rows(), lambda row: row.group):
            if group:
                lines.append(rf"\multicolumn{{{len(left)}}}{{l}}{{\textit{{{latex_text(group)}}}}}")
            for row in rows:
                lines.append(" & ".join(self._latex_cell(cell, column) for cell, column in self._pairs(row)))
        body = "\n".join(line if line == r"\midrule" else rf"{line} \\" for line in lines)
        columns = "".join("l" if each else "r" for each in left)
        caption = " ".join(filter(None, [self.title and f"{self.title}.", *self.notes]))
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                *([rf"\caption{{{latex_text(caption)}}}"] if caption else []),
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
        )

    def _rows(self) -> list[Row]:
        return [row if isinstance(row, Row) else Row(row) for row in self.rows]

    def _pairs(self, row: Row) -> list[tuple[Cell, Column]]:
        return [(_table_cell(cell), column) for cell, column in zip(row.cells, self.columns, strict=True)]

    def _text(self, cell: Cell, column: Column) -> str:
        return self.none if _is_empty_value(cell.value) else column.write(cell.value)

    def _left(self) -> list[bool]:
        return [k == 0 if column.left is None else column.left for k, column in enumerate(self.columns)]

    def _starts(self) -> set[int]:
        """Return the columns that begin a group of columns."""
        return {k for k in range(1, len(self.columns)) if self.columns[k].group != self.columns[k - 1].group}

    # A terminal.

    def _line(self, cell: Cell, column: Column) -> str:
        """Return a cell on one line; the note of the first column gets lines of its own."""
        reference = "" if cell.reference is None else f"[{cell.reference}]"
        note = f"({cell.note})" if cell.note and column is not self.columns[0] else ""
        return " ".join(
            filter(None, (printable_line(self._text(cell, column)), reference, cell.after, printable_line(note)))
        )

    def _blocks(self, texts: list[list[str]], width: float) -> list[str]:
        titles = [printable_line(column.alone or column.title) for column in self.columns]
        sizes = [max(map(terminal_width_of_text, column)) for column in zip(titles, *texts, strict=True)]
        every = range(1, len(sizes))
        rest = sum(len(_GAP) + sizes[k] for k in every)
        least = max(18, 2 * width // 5)
        # Names are broken into lines before the table is split, but never to less than two fifths of the width.
        sizes[0] = int(min(sizes[0], width - rest if width - rest >= least else least))
        for k in every:
            sizes[k] = int(min(sizes[k], max(_NARROWEST, width - sizes[0] - len(_GAP))))
        groups = [list(members) for _, members in groupby(every, lambda k: self.columns[k].group)]
        parts = [list(every)] if sizes[0] + rest <= width else groups
        blocks = [block for part in parts for block in _fit_columns_into_blocks(part, sizes, width - sizes[0])] or [[]]
        return [self._block([0, *block], titles, texts, sizes, width, first=block is blocks[0]) for block in blocks]

    def _block(
        self, chosen: list[int], titles: list[str], texts: list[list[str]], sizes: list[int], width: float, first: bool
    ) -> str:
        left = self._left()

        def lines_of_text_table(cells: Sequence[str]) -> list[str]:
            split = [break_line(cells[k], sizes[k], _GAP if k == 0 else "") for k in chosen]
            rows = zip_longest(*split, fillvalue="")
            return [
                _GAP.join(padded_to_width(text, sizes[k], left[k]) for text, k in zip(row, chosen, strict=True))
                for row in rows
            ]

        found, group = lines_of_text_table(titles), ""
        for row, cells in zip(self._rows(), texts, strict=True):
            if row.group != group:
                group = row.group
                found += break_line(printable_line(group), width, _GAP)
            found += lines_of_text_table(cells)
            note = _table_cell(row.cells[0]).note
            if note and first:
                found += [line for part in note.split("\n") for line in break_line(_GAP + printable_line(part), width)]
        return "\n".join(line.rstrip() for line in found).replace(STAY, " ")

    # Markdown.

    def _markdown_cell(self, cell: Cell, column: Column) -> str:
        reference = "" if cell.reference is None else f" [{cell.reference}]"
        text = " ".join(filter(None, (markdown_text(self._text(cell, column).strip()) + reference, cell.after)))
        return f"{text} ({markdown_text(cell.note)})" if cell.note else text

    # LaTeX.

    def _latex_cell(self, cell: Cell, column: Column) -> str:
        note = f"({cell.note})" if cell.note else ""
        return latex_text(" ".join(filter(None, (self._text(cell, column).strip(), cell.after, note))))

    # HTML.

    def _spanning(self) -> str:
        """Return the row of headings that span several columns, if there is one."""
        if not any(column.group for column in self.columns):
            return ""
        cells = [
            f"<th{_table_classes('over' * bool(title), 'start' * (k > 0))} colspan={len([*members])}>"
            f"{html_text(title)}</th>"
            for k, (title, members) in enumerate(groupby(self.columns, lambda column: column.group))
        ]
        return f"<tr>{''.join(cells)}</tr>"

    def _body(self, group: str, rows: Sequence[Row], starts: set[int], left: Sequence[bool]) -> str:
        found = []
        if group:
            title = f"<span>{html_text(group)}</span>"
            found.append(f'<tr class="group"><th colspan={len(left)} scope="rowgroup">{title}</th></tr>')
        for row in rows:
            cells = []
            for k, (cell, column) in enumerate(self._pairs(row)):
                look = cell.look or column.look or "label" * (k == 0)
                classes = _table_classes("left" * left[k], "start" * (k in starts), look)
                cells.append(f"<td{classes}>{self._html_cell(cell, column)}</td>")
            found.append(f"<tr{_table_classes(row.look)}>{''.join(cells)}</tr>")
        return f"<tbody>{''.join(found)}</tbody>"

    def _html_cell(self, cell: Cell, column: Column) -> str:
        text = html_text(self._text(cell, column))
        if cell.link:
            text = f'<a href="#{html_text(cell.link)}">{text}</a>'
        if cell.reference is not None:
            text += f' <a href="#reason-{cell.reference}">[{cell.reference}]</a>'
        if cell.after:
            text += f'<span class="after">{html_text(cell.after)}</span>'
        return f'{text} <span class="note">{html_text(cell.note)}</span>' if cell.note else text


def markdown_text(text: str) -> str:
    """Escape a text for Markdown."""
    return _SPECIAL.sub(r"\\\1", printable_line(text))


def latex_text(text: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(_LATEX.get(character, character) for character in printable_line(text))


def html_text(text: str) -> str:
    """Escape a text for HTML."""
    return html.escape(printable_line(text))


def plain_table_value(value: Any) -> Any:
    """Return a value as JSON can hold it: None instead of numbers that are not finite, lists instead of tuples."""
    if isinstance(value, dict):
        return {str(key): plain_table_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_table_value(each) for each in value]
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return plain_table_value(value.tolist())
    return None if _is_empty_value(value) or value in (math.inf, -math.inf) else value


def _fit_columns_into_blocks(columns: Sequence[int], sizes: Sequence[int], room: float) -> list[list[int]]:
    """Split columns into blocks of as many as fit."""
    blocks: list[list[int]] = []
    for k in columns:
        if blocks and sum(len(_GAP) + sizes[j] for j in (*blocks[-1], k)) <= room:
            blocks[-1].append(k)
        else:
            blocks.append([k])
    return blocks


def _table_cell(cell: Any) -> Cell:
    return cell if isinstance(cell, Cell) else Cell(cell)


def _is_empty_value(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _table_classes(*names: str) -> str:
    found = " ".join(one for one in names if one)
    return f' class="{found}"' if found else ""
