"""The report of a reproduction in Markdown, beside a folder with its figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.experiments import report_words as words
from sidelight.experiments.report_notes import again, glossary, limit_note, making, remarks
from sidelight.experiments.report_tables import agreement, comparison, differing, overview, usual
from sidelight.report.grid import plain
from sidelight.report.grid import to_markdown as to_table

if TYPE_CHECKING:
    from sidelight.experiments.account import Account, FigureAccount, TableAccount
    from sidelight.experiments.experiment import Protocol

_CODE = re.compile(r"(`[^`]*`)")


def to_markdown(account: Account) -> str:
    """Write the report; figures are `figures/<stem>.png`."""
    ways = words.protocols(account)
    parts = [f"# {words.TITLE}", _prose(words.INTRODUCTION)]
    parts += [f"**{words.PROTOCOL_TITLES[way]}.** {words.summary(account, way)}" for way in ways]
    if account.tables:
        parts += [to_table(overview(account)), "## What differs, and why", *_reasons(account)]
    seen: set[str] = set()
    for way in ways:
        parts += _protocol(account, way, seen)
    found = remarks(account)
    if found:
        parts += [f"## {words.STATISTICS}"]
        parts += [f"**{_prose(title)}.** {_prose(text)}" for title, text in found]
    parts += ["## What the words mean", *(f"**{_prose(term)}**: {_prose(text)}" for term, text in glossary(account))]
    made = "\n".join(f"- {key}: {plain(value)}" for key, value in making(account.facts))
    parts += ["## How this was made", made, _prose(again(account.facts))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _reasons(account: Account) -> list[str]:
    differences = words.differences(account)
    parts = [] if differences else [words.no_difference(account)]
    for key, index in words.numbered(account).items():
        reason = account.reasons[key]
        parts += [f"### [{index}] {plain(reason.title)}", _prose(reason.sentence), _prose(reason.evidence)]
        parts += [f"Shown by `{reason.test}`."] if reason.test else []
        here = [one for one in differences if one.cell.verdict.reason == key]
        parts += [to_table(differing(here))] if here else []
    unknown = [one for one in differences if one.cell.verdict.reason not in account.reasons]
    if unknown:
        parts += [f"### {words.UNKNOWN_TITLE}", words.UNKNOWN_TEXT, to_table(differing(unknown))]
    return parts


def _protocol(account: Account, way: Protocol, seen: set[str]) -> list[str]:
    parts = [f"## {words.PROTOCOL_TITLES[way]}", _prose(words.PROTOCOL_TEXTS[way])]
    for table in account.tables:
        if table.protocol == way:
            parts += _one_table(account, table, table.name not in seen)
            seen.add(table.name)
    for figure in account.figures:
        if figure.protocol == way:
            parts += _figure(figure, figure.name not in seen, account.facts.get("drawn", True))
            seen.add(figure.name)
    return parts


def _one_table(account: Account, table: TableAccount, first: bool) -> list[str]:
    return [
        f"### {words.name(table.name)}: {plain(table.title)}",
        _prose(table.text) if first else "Explained above.",
        f"{words.table_summary(table)} {words.caption(table, *usual(table))}".strip(),
        to_table(agreement(table, account)),
        f"#### {words.COMPARISON}",
        to_table(comparison(table)),
        _prose(limit_note(table)),
    ]


def _figure(figure: FigureAccount, first: bool, drawn: bool) -> list[str]:
    title = f"{words.name(figure.name)}: {figure.title}"
    image = f"![{plain(title)}](<figures/{figure.stem}.png>)" if drawn else _prose(words.NO_DRAWING)
    return [f"### {plain(title)}", _prose(figure.text) if first else "Explained above.", image, _prose(figure.caption)]


def _prose(text: str) -> str:
    """Return a text of sentences; what stands in backquotes is code."""
    parts = _CODE.split(" ".join(text.split(" ")))
    return "".join(part if part.startswith("`") and len(part) > 1 else plain(part) for part in parts)
