r"""Documents: blocks of text, tables and figures, written as one HTML file or as Markdown.

A page opens anywhere, offline: one file without scripts, in light or dark mode. Text is shown as it is given, whatever
characters are in it; only `Code` and `Strong` stand out, and `split_document_code` makes code of what is in backquotes.

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
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from sidelight.table import Table, html_text, markdown_text

_CODE = re.compile(r"`([^`]*)`")
_LINE_END = re.compile(r"[ \t]*[\r\n]+[ \t]*")
# What would begin a heading, a list or a line across the page.
_BEGINNING = re.compile(r"^(\d+(?=[.)])|(?=[#+=~-]))")
# Matplotlib describes its files in RDF, which is useless inside a page; HTML does not need namespaces either.
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_NAMESPACE = re.compile(r'\s+xmlns(:\w+)?="[^"]*"')
_ID = re.compile(r'(\sid=")([^"]+")')
_REFERENCE = re.compile(r'((?:\s(?:xlink:)?href="#)|(?:url\(#))')


class Code(NamedTuple):
    """Text to be typed, or the name of a file."""

    text: str


class Strong(NamedTuple):
    """Text in bold."""

    text: str


Text = str | Sequence[str | Code | Strong]


class Heading(NamedTuple):
    """A heading; those of level 2 are listed in the contents, deeper ones only if `entry` says how."""

    text: str
    level: int = 2
    anchor: str = ""
    """By default the text in small letters, at level 2."""
    entry: str = ""


class Paragraph(NamedTuple):
    """A paragraph, in a faint color if it is a side remark."""

    text: Text
    faint: bool = False


class Terms(NamedTuple):
    """Terms, each with a text about it."""

    items: Sequence[tuple[str, Text]]


class Bullets(NamedTuple):
    """A list."""

    items: Sequence[Text]


class Cards(NamedTuple):
    """Large numbers, each with a caption; Markdown leaves them out."""

    items: Sequence[tuple[str, str]]


class Figure(NamedTuple):
    """A figure: part of the page as SVG, in Markdown a file next to it."""

    title: str
    svg: str
    caption: str = ""
    file: str = ""


class Details(NamedTuple):
    """A text as a program wrote it, behind a title that opens it."""

    title: Text
    text: str
    opened: bool = True


class Contents(NamedTuple):
    """The place for a list of the headings, which only pages have."""


Block = Heading | Paragraph | Terms | Bullets | Cards | Figure | Details | Contents | Table


class Document(NamedTuple):
    """A title and what follows it."""

    title: str
    blocks: Sequence[Block]

    def to_html(self) -> str:
        """Write the whole page."""
        parts = [
            _contents_of_document(self.blocks) if isinstance(each, Contents) else _block_as_html(each)
            for each in self.blocks
        ]
        body = "\n".join([f"<h1>{html_text(self.title)}</h1>", *filter(None, parts)])
        head = (
            f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html_text(self.title)}</title><style>{_read_document_style()}</style>"
        )
        return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body><main>\n{body}\n</main></body></html>\n'

    def to_markdown(self) -> str:
        """Write it in Markdown."""
        parts = [f"# {markdown_text(self.title)}", *map(_block_as_markdown, self.blocks)]
        return "\n\n".join(filter(None, parts)) + "\n"


def split_document_code(text: str) -> list[str | Code | Strong]:
    """Split a text at backquotes; what is between them is code."""
    return [Code(part) if k % 2 else part for k, part in enumerate(_CODE.split(text))]


def first_items_and_rest(items: Sequence[Text], most: int) -> list[Text]:
    """Return the first items, and how many more there are."""
    more = len(items) - most
    return [*items[:most], *([f"and {more} more"] if more > 0 else [])]


def _block_as_html(block: Block) -> str:
    match block:
        case Heading(text, level, anchor):
            place = f' id="{html_text(_document_anchor(block))}"' if anchor or level == 2 else ""
            return f"<h{level}{place}>{html_text(text)}</h{level}>"
        case Paragraph(text, faint):
            return f"<p{' class=faint' * faint}>{_text_as_html(text)}</p>" if text else ""
        case Terms(items):
            pairs = (f"<dt>{html_text(term)}</dt><dd>{_text_as_html(text)}</dd>" for term, text in items)
            return f"<dl>{''.join(pairs)}</dl>"
        case Bullets(items):
            return f"<ul>{''.join(f'<li>{_text_as_html(item)}</li>' for item in items)}</ul>"
        case Cards(items):
            cards = "".join(f"<li><b>{html_text(value)}</b>{html_text(words)}</li>" for value, words in items)
            return f'<ul class="cards">{cards}</ul>' if cards else ""
        case Figure(title, svg, caption, file):
            inlined = _inline_svg_in_document(svg, title, _document_slug(file or title))
            drawing = f'<div class="sheet">{inlined}</div>'
            return f"<figure>{drawing}{f'<figcaption>{html_text(caption)}</figcaption>' if caption else ''}</figure>"
        case Details(title, text, opened):
            body = "\n".join(map(html_text, text.split("\n")))
            body = f"<pre>{body}</pre>" if body else ""
            return f"<details{' open' * opened}><summary>{_text_as_html(title)}</summary>{body}</details>"
        case Table():
            return block.to_html()
    return ""


def _block_as_markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {markdown_text(text)}"
        case Paragraph(text):
            return _BEGINNING.sub(r"\1\\", _text_as_markdown(text))
        case Terms(items):
            return "\n".join(f"- **{markdown_text(term)}**: {_text_as_markdown(text)}" for term, text in items)
        case Bullets(items):
            return "\n".join(f"- {_text_as_markdown(item)}" for item in items)
        case Figure(title, _, caption, file):
            image = f"![{markdown_text(title)}](<{file}>)" if file else ""
            return "\n\n".join(filter(None, (image, markdown_text(caption))))
        case Details(title, text):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            return _text_as_markdown(title) + (f"\n\n{fence}\n{text}\n{fence}" if text else "")
        case Table():
            return block.to_markdown()
    return ""


def _text_as_html(text: Text) -> str:
    found = []
    for piece in [text] if isinstance(text, str) else text:
        shown = html_text(_LINE_END.sub(" ", piece if isinstance(piece, str) else piece.text))
        match piece:
            case Code():
                shown = f"<code>{shown}</code>"
            case Strong():
                shown = f"<strong>{shown}</strong>"
        found.append(shown)
    return "".join(found)


def _text_as_markdown(text: Text) -> str:
    found = []
    for piece in [text] if isinstance(text, str) else text:
        shown = markdown_text(_LINE_END.sub(" ", piece if isinstance(piece, str) else piece.text)).replace("&", "&amp;")
        match piece:
            case Code(code):
                shown = f"`{code}`"
            case Strong():
                shown = f"**{shown}**"
        found.append(shown)
    return "".join(found)


def _contents_of_document(blocks: Sequence[Block]) -> str:
    """List the headings of level 2, each with the entries below it."""
    items: list[list[str]] = []
    for heading in (block for block in blocks if isinstance(block, Heading)):
        link = f'<a href="#{html_text(_document_anchor(heading))}">{html_text(heading.entry or heading.text)}</a>'
        if heading.level == 2:
            items.append([link])
        elif heading.entry and items:
            items[-1].append(link)
    lines = (f"<li>{first}{': ' if rest else ''}{', '.join(rest)}</li>" for first, *rest in items)
    return f'<nav aria-label="Contents"><ul>{"".join(lines)}</ul></nav>'


def _document_anchor(heading: Heading) -> str:
    return heading.anchor or _document_slug(heading.text)


def _document_slug(text: str) -> str:
    """Return a text in small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


def _inline_svg_in_document(drawing: str, label: str, prefix: str) -> str:
    """Return an SVG file as part of a page: without prologue, with a label, its ids begun with the prefix."""
    text = _NAMESPACE.sub("", _METADATA.sub("", drawing[drawing.index("<svg") :]))
    text = _REFERENCE.sub(rf"\g<1>{prefix}-", _ID.sub(rf"\g<1>{prefix}-\g<2>", text))
    return text.replace("<svg", f'<svg role="img" aria-label="{html_text(label)}"', 1).rstrip()


@functools.cache
def _read_document_style() -> str:
    return (files("sidelight.report") / "style.css").read_text(encoding="utf-8")
