"""The report of a reproduction as one HTML file that opens anywhere, offline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sidelight.report.web_page import GRID_STYLE, cards, document, inlined
from sidelight.reproduction import report_words as words
from sidelight.reproduction.account import Account, Part
from sidelight.reproduction.experiment import Protocol
from sidelight.reproduction.report_notes import again, glossary, limit_note, making, remarks
from sidelight.reproduction.report_tables import agreement, comparison, differing, overview, usual
from sidelight.table import escaped
from sidelight.text import count

_CODE = re.compile(r"`([^`]*)`")
_STYLE = """
:root { --digit: #00664f; --chance: #1f5a96; --open: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --digit: #6fd3b8; --chance: #8fc1f5; --open: #e8bd6a; } }
main { max-width: 70rem; }
h2 { font-size: 1.3rem; margin-top: 3rem; padding-top: .6rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 2.2rem 0 .3rem; } h4 { font-size: .95rem; margin: 1.3rem 0 .3rem; }
a { color: inherit; text-decoration-color: var(--faint); text-underline-offset: .15em; }
code { font-size: .92em; overflow-wrap: anywhere; background: var(--soft); padding: .08em .3em; border-radius: .25em; }
nav ul { list-style: none; padding: 0; margin: .8rem 0; } nav li { margin: .2rem 0; }
.digit { color: var(--digit); } .chance { color: var(--chance); } .open { color: var(--open); font-weight: 600; }
.differs { color: var(--above); font-weight: 600; } .ours { color: var(--faint); }
figure { margin: .8rem 0 0; } figcaption { color: var(--faint); font-size: .9rem; margin-top: .4rem; max-width: 46rem; }
.sheet { overflow-x: auto; } .sheet svg { min-width: 38rem; }
@media print { .scroll, .sheet { overflow: visible; } tr, figure { break-inside: avoid; } }
"""


def to_html(account: Account, drawings: Mapping[str, str]) -> str:
    """Write the report; `drawings` holds the SVG text of each figure by its stem."""
    ways = words.protocols(account)
    parts = [f"<h1>{escaped(words.TITLE)}</h1>", _prose(words.INTRODUCTION)]
    parts += [
        f"<p><strong>{escaped(words.PROTOCOL_TITLES[way])}.</strong> {escaped(words.summary(account, way))}</p>"
        for way in ways
    ]
    if account.tables:
        parts += [_cards(account, ways[0]), overview(account).to_html()]
    parts.append(_contents(account, ways))
    if account.tables:
        parts += ['<h2 id="differences">What differs, and why</h2>', *_reasons(account)]
    explained: dict[str, str] = {}
    for way in ways:
        parts += _protocol(account, way, drawings, explained)
    found = remarks(account)
    if found:
        parts.append(f'<h2 id="statistics">{escaped(words.STATISTICS)}</h2>')
        parts += [f"<h4>{escaped(title)}</h4>{_prose(text)}" for title, text in found]
    parts += ['<h2 id="words">What the words mean</h2>', _list(glossary(account))]
    parts += ['<h2 id="making">How this was made</h2>', _list(making(account.facts)), _prose(again(account.facts))]
    return document("Reproduction: randomized confidence bounds for partial monitoring", parts, GRID_STYLE + _STYLE)


def _cards(account: Account, way: Protocol) -> str:
    counts = account.counts(way)
    total = sum(counts[kind] for kind in words.COMPARED)
    if not total:
        return ""
    shown = [kind for kind in words.COMPARED if counts[kind] or kind != "open"]
    found = [(str(counts[k]), "differ" if k == "differs" and counts[k] != 1 else words.KIND_WORDS[k]) for k in shown]
    note = f"{words.PROTOCOL_TITLES[way]}: {count(total, 'printed pair')}. Table by table:"
    return cards(found) + _prose(note, "faint")


def _contents(account: Account, ways: list[Protocol]) -> str:
    items = [("differences", "What differs, and why", "")] if account.tables else []
    for way in ways:
        parts = [part for part in (*account.tables, *account.figures) if part.protocol == way]
        inner = ", ".join(f'<a href="#{escaped(p.place)}">{escaped(words.name(p.name))}</a>' for p in parts)
        items.append((way, words.PROTOCOL_TITLES[way], f": {inner}"))
    if remarks(account):
        items.append(("statistics", words.STATISTICS, ""))
    items += [("words", "What the words mean", ""), ("making", "How this was made", "")]
    lines = "".join(f'<li><a href="#{place}">{escaped(title)}</a>{inner}</li>' for place, title, inner in items)
    return f'<nav aria-label="Contents"><ul>{lines}</ul></nav>'


def _reasons(account: Account) -> list[str]:
    differences = account.differences()
    parts = [] if differences else [_prose(words.no_difference(account))]
    for key, index in words.numbered(account).items():
        reason = account.reasons[key]
        parts.append(f'<h3 id="reason-{index}">[{index}] {escaped(reason.title)}</h3>{_prose(reason.sentence)}')
        parts.append(_prose(reason.evidence))
        if reason.test:
            parts.append(f'<p class="faint">Shown by <code>{escaped(reason.test)}</code>.</p>')
        here = [one for one in differences if one[1].reason == key]
        parts.append(differing(here).to_html() if here else "")
    unknown = [one for one in differences if one[1].reason not in account.reasons]
    if unknown:
        parts += [f"<h3>{words.UNKNOWN_TITLE}</h3>", _prose(words.UNKNOWN_TEXT), differing(unknown).to_html()]
    return parts


def _protocol(account: Account, way: Protocol, drawings: Mapping[str, str], explained: dict[str, str]) -> list[str]:
    parts = [f'<h2 id="{way}">{escaped(words.PROTOCOL_TITLES[way])}</h2>', _prose(words.PROTOCOL_TEXTS[way])]
    for table in account.tables:
        if table.protocol == way:
            parts += [_title(table), _explained(table, explained), *_one_table(account, table)]
    for figure in account.figures:
        if figure.protocol == way:
            parts += [_title(figure), _explained(figure, explained), _figure(figure, drawings.get(figure.stem))]
    return parts


def _one_table(account: Account, table: Part) -> list[str]:
    note = f"{words.table_summary(table)} {words.caption(table, *usual(table))}".strip()
    return [
        _prose(note, "faint"),
        agreement(table, account).to_html(),
        f"<h4>{escaped(words.COMPARISON)}</h4>",
        comparison(table).to_html(),
        _prose(limit_note(table), "faint"),
    ]


def _figure(figure: Part, drawing: str | None) -> str:
    if drawing is None:
        return _prose(words.NO_DRAWING, "faint")
    label = f"{words.name(figure.name)}: {figure.experiment.title}"
    picture = inlined(drawing, label, re.sub(r"[^A-Za-z0-9-]", "-", figure.stem))
    return f'<figure><div class="sheet">{picture}</div><figcaption>{escaped(figure.caption)}</figcaption></figure>'


def _explained(part: Part, explained: dict[str, str]) -> str:
    """Return what a table or figure is about, or a link to where that was explained."""
    place = explained.get(part.name)
    if place is not None:
        return f'<p class="faint">Explained <a href="#{escaped(place)}">above</a>.</p>'
    explained[part.name] = part.place
    return _prose(part.experiment.text)


def _title(part: Part) -> str:
    return f'<h3 id="{escaped(part.place)}">{escaped(words.name(part.name))}: {escaped(part.experiment.title)}</h3>'


def _list(found: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{_code(term)}</dt><dd>{_code(text)}</dd>' for term, text in found)}</dl>"


def _prose(text: str, look: str = "") -> str:
    """Return a paragraph; text in backquotes is code."""
    return f"<p{f' class={look}' if look else ''}>{_code(text)}</p>" if text else ""


def _code(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escaped(text))
