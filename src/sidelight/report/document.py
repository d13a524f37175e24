r"""Documents: blocks of text, tables and figures, written as one HTML file or as Markdown.

A page opens anywhere, offline: one file without scripts, in light or dark mode. Text is shown as it is given, whatever
characters are in it; only `Code`, `Strong` and `Link` stand out, and `marked` makes code of what is in backquotes.

>>> print(Document("Apples", [Paragraph("Sell or taste?"), Terms([("taste", "shows the *outcome*")])]).to_markdown())
# Apples
<BLANKLINE>
Sell or taste?
<BLANKLINE>
- **taste**: shows the \*outcome\*
<BLANKLINE>
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Protocol

from sidelight.table import escaped, markdown

_CODE = re.compile(r"`([^`]*)`")
_LINE_END = re.compile(r"[ \t]*[\r\n]+[ \t]*")
# What would begin a heading, a list or a line across the page.
_BEGINNING = re.compile(r"^(\d+(?=[.)])|(?=[#+=~-]))")
# Matplotlib describes its files in RDF, which is useless inside a page; HTML does not need namespaces either.
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_NAMESPACE = re.compile(r'\s+xmlns(:\w+)?="[^"]*"')
_ID = re.compile(r'(\sid=")([^"]+")')
_REFERENCE = re.compile(r'((?:\s(?:xlink:)?href="#)|(?:url\(#))')


@dataclass(frozen=True)
class Code:
    """Text to be typed, or the name of a file."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Text in bold."""

    text: str


@dataclass(frozen=True)
class Link:
    """Text that leads to another place in a page; plain text in Markdown."""

    text: str
    anchor: str


Text = str | Sequence["str | Code | Strong | Link"]


class Block(Protocol):
    """A part of a document; a `Table` is one, too. A format that has no use for it leaves it out."""

    def to_html(self) -> str:
        """Write it in HTML."""
        return ""

    def to_markdown(self) -> str:
        """Write it in Markdown."""
        return ""


@dataclass(frozen=True)
class Heading(Block):
    """A heading; those of level 2 are listed in the contents, deeper ones only if `entry` says how."""

    text: str
    level: int = 2
    anchor: str = ""
    entry: str = ""

    @property
    def place(self) -> str:
        """Its anchor in a page: the given one, or its text in small letters."""
        return self.anchor or slug(self.text)

    def to_html(self) -> str:
        """Write it in HTML."""
        place = f' id="{escaped(self.place)}"' if self.anchor or self.level == 2 else ""
        return f"<h{self.level}{place}>{escaped(self.text)}</h{self.level}>"

    def to_markdown(self) -> str:
        """Write it in Markdown."""
        return f"{'#' * self.level} {markdown(self.text)}"


@dataclass(frozen=True)
class Paragraph(Block):
    """A paragraph, in a faint color if it is a side remark."""

    text: Text
    faint: bool = False

    def to_html(self) -> str:
        """Write it in HTML."""
        return f"<p{' class=faint' * self.faint}>{_html(self.text)}</p>" if self.text else ""

    def to_markdown(self) -> str:
        """Write it in Markdown."""
        return _BEGINNING.sub(r"\1\\", _markdown(self.text))


@dataclass(frozen=True)
class Terms(Block):
    """Terms, each with a text about it."""

    items: Sequence[tuple[str, Text]]

    def to_html(self) -> str:
        """Write them in HTML."""
        return f"<dl>{''.join(f'<dt>{escaped(term)}</dt><dd>{_html(text)}</dd>' for term, text in self.items)}</dl>"

    def to_markdown(self) -> str:
        """Write them in Markdown."""
        return "\n".join(f"- **{markdown(term)}**: {_markdown(text)}" for term, text in self.items)


@dataclass(frozen=True)
class Bullets(Block):
    """A list; if `most` is given, items beyond it are only counted."""

    items: Sequence[Text]
    most: int | None = None

    def to_html(self) -> str:
        """Write it in HTML."""
        return f"<ul>{''.join(f'<li>{_html(item)}</li>' for item in self._shown())}</ul>"

    def to_markdown(self) -> str:
        """Write it in Markdown."""
        return "\n".join(f"- {_markdown(item)}" for item in self._shown())

    def _shown(self) -> list[Text]:
        more = len(self.items) - (len(self.items) if self.most is None else self.most)
        return [*self.items[: self.most], *([f"and {more} more"] if more > 0 else [])]


@dataclass(frozen=True)
class Cards(Block):
    """Large numbers, each with a caption; Markdown leaves them out."""

    items: Sequence[tuple[str, str]]

    def to_html(self) -> str:
        """Write them in HTML."""
        items = "".join(f"<li><b>{escaped(value)}</b>{escaped(words)}</li>" for value, words in self.items)
        return f'<ul class="cards">{items}</ul>' if items else ""


@dataclass(frozen=True)
class Figure(Block):
    """A figure: part of the page as SVG, in Markdown a file next to it."""

    title: str
    svg: str
    caption: str = ""
    file: str = ""

    def to_html(self) -> str:
        """Write it in HTML."""
        caption = f"<figcaption>{escaped(self.caption)}</figcaption>" if self.caption else ""
        drawing = _inlined(self.svg, self.title, slug(self.file or self.title))
        return f'<figure><div class="sheet">{drawing}</div>{caption}</figure>'

    def to_markdown(self) -> str:
        """Write it in Markdown."""
        image = f"![{markdown(self.title)}](<{self.file}>)" if self.file else ""
        return "\n\n".join(filter(None, (image, markdown(self.caption))))


@dataclass(frozen=True)
class Details(Block):
    """A text as a program wrote it, behind a title that opens it."""

    title: Text
    text: str
    opened: bool = True

    def to_html(self) -> str:
        """Write it in HTML."""
        body = "\n".join(map(escaped, self.text.split("\n")))
        body = f"<pre>{body}</pre>" if body else ""
        return f"<details{' open' * self.opened}><summary>{_html(self.title)}</summary>{body}</details>"

    def to_markdown(self) -> str:
        """Write it in Markdown, between fences longer than any in the text."""
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", self.text)), default=0))
        body = f"\n\n{fence}\n{self.text}\n{fence}" if self.text else ""
        return _markdown(self.title) + body


class Contents(Block):
    """The place for a list of the headings, which only pages have."""


@dataclass(frozen=True)
class Document:
    """A title and what follows it."""

    title: str
    blocks: Sequence[Block]

    def to_html(self) -> str:
        """Write the whole page."""
        parts = [self._contents() if isinstance(block, Contents) else block.to_html() for block in self.blocks]
        body = "\n".join([f"<h1>{escaped(self.title)}</h1>", *filter(None, parts)])
        head = (
            f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escaped(self.title)}</title><style>{_style()}</style>"
        )
        return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body><main>\n{body}\n</main></body></html>\n'

    def to_markdown(self) -> str:
        """Write it in Markdown."""
        parts = [f"# {markdown(self.title)}", *(block.to_markdown() for block in self.blocks)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _contents(self) -> str:
        items: list[tuple[Heading, list[Heading]]] = []
        for heading in (block for block in self.blocks if isinstance(block, Heading)):
            if heading.level == 2:
                items.append((heading, []))
            elif heading.entry and items:
                items[-1][1].append(heading)
        lines = [_entry(first) + (": " if rest else "") + ", ".join(map(_entry, rest)) for first, rest in items]
        return f'<nav aria-label="Contents"><ul>{"".join(f"<li>{line}</li>" for line in lines)}</ul></nav>'


def marked(text: str) -> list[str | Code | Strong | Link]:
    """Split a text at backquotes; what is between them is code."""
    return [Code(part) if k % 2 else part for k, part in enumerate(_CODE.split(text))]


def slug(text: str) -> str:
    """Return a text in small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


def _entry(heading: Heading) -> str:
    return f'<a href="#{escaped(heading.place)}">{escaped(heading.entry or heading.text)}</a>'


def _html(text: Text) -> str:
    return _written(text, escaped, "<code>{}</code>", "<strong>{}</strong>", '<a href="#{1}">{0}</a>')


def _markdown(text: Text) -> str:
    return _written(text, lambda each: markdown(each).replace("&", "&amp;"), "`{}`", "**{}**", "{0}")


def _written(text: Text, write: Callable[[str], str], code: str, strong: str, link: str) -> str:
    found = []
    for piece in [text] if isinstance(text, str) else text:
        plain = write(_LINE_END.sub(" ", piece if isinstance(piece, str) else piece.text))
        if isinstance(piece, Code):
            plain = code.format(plain if code.startswith("<") else piece.text)
        elif isinstance(piece, Strong):
            plain = strong.format(plain)
        elif isinstance(piece, Link):
            plain = link.format(plain, escaped(piece.anchor))
        found.append(plain)
    return "".join(found)


def _inlined(drawing: str, label: str, prefix: str) -> str:
    """Return an SVG file as part of a page: without prologue, with a label, its ids begun with the prefix."""
    text = _NAMESPACE.sub("", _METADATA.sub("", drawing[drawing.index("<svg") :]))
    text = _REFERENCE.sub(rf"\g<1>{prefix}-", _ID.sub(rf"\g<1>{prefix}-\g<2>", text))
    return text.replace("<svg", f'<svg role="img" aria-label="{escaped(label)}"', 1).rstrip()


@functools.cache
def _style() -> str:
    return (files("sidelight.report") / "style.css").read_text(encoding="utf-8")
