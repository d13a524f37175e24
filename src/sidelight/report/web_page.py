"""What all HTML reports share: one file, no scripts, nothing loaded from elsewhere, light or dark mode."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sidelight.table import escaped

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --faint: #5c5c5c; --line: #d9d9d9; --page: #ffffff; --soft: #f5f6f7;
  --above: #b01020; --below: #00664f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --faint: #a8a8a8; --line: #3d3d3d; --page: #161616;
  --soft: #202124; --above: #ff8d95; --below: #6fd3b8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 61rem; margin: 0 auto; padding: 2rem 1.2rem 4rem; }
h1 { font-size: 1.65rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .5rem; }
p { margin: .5rem 0; max-width: 46rem; }
.faint { color: var(--faint); }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.3rem 0; padding: 0; list-style: none; }
.cards li { flex: 1 1 11rem; background: var(--soft); border-radius: .5rem; padding: .8rem 1rem; }
.cards b { display: block; font-size: 1.55rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .38rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; color: var(--faint); vertical-align: bottom; white-space: normal; }
th:first-child, td:first-child { text-align: left; }
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 7rem; }
.sheet { background: #ffffff; border: 1px solid var(--line); border-radius: .5rem; padding: .4rem; margin-top: .6rem; }
.sheet svg { display: block; width: 100%; height: auto; }
"""
GRID_STYLE = """
:root { --band: #eef0f2; }
@media (prefers-color-scheme: dark) { :root { --band: #26282c; } }
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
dl { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 42rem); gap: .45rem 1.2rem; }
dt { font-weight: 600; max-width: 12rem; } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 38rem) { dl { grid-template-columns: 1fr; gap: .1rem; } dd { margin-bottom: .6rem; } }
"""
"""The look of wide tables, with groups of rows and columns, and of lists of terms."""
# Matplotlib describes its files in RDF, which is useless inside a page; HTML does not need namespaces either.
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_NAMESPACE = re.compile(r'\s+xmlns(:\w+)?="[^"]*"')
_ID = re.compile(r'(\sid=")([^"]+")')
_REFERENCE = re.compile(r'((?:\s(?:xlink:)?href="#)|(?:url\(#))')


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a whole page; empty parts are left out."""
    body = "\n".join(part for part in parts if part)
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{_STYLE}{style}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body><main>\n{body}\n</main></body></html>\n'


def cards(found: Iterable[tuple[str, str]]) -> str:
    """Return large numbers, each with a caption."""
    items = "".join(f"<li><b>{escaped(value)}</b>{escaped(words)}</li>" for value, words in found)
    return f'<ul class="cards">{items}</ul>'


def inlined(drawing: str, label: str, prefix: str = "") -> str:
    """Return an SVG file as part of a page: without prologue, with a label, its ids begun with the prefix."""
    text = _NAMESPACE.sub("", _METADATA.sub("", drawing[drawing.index("<svg") :]))
    if prefix:
        text = _REFERENCE.sub(rf"\g<1>{prefix}-", _ID.sub(rf"\g<1>{prefix}-\g<2>", text))
    return text.replace("<svg", f'<svg role="img" aria-label="{escaped(label)}"', 1).rstrip()
