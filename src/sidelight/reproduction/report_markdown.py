"""The report of a reproduction in Markdown, next to a folder with its figures."""

from __future__ import annotations

import re

from sidelight.reproduction import report_words as words
from sidelight.reproduction.account import Account, Part
from sidelight.reproduction.experiment import Protocol
from sidelight.reproduction.report_notes import again, glossary, limit_note, making, remarks
from sidelight.reproduction.report_tables import agreement, comparison, differing, overview, usual
from sidelight.table import markdown

_CODE = re.compile(r"(`[^`]*`)")


def to_markdown(account: Account) -> str:
    """Write the report; figures are `figures/<stem>.png`."""
    ways = words.protocols(account)
    parts = [f"# {words.TITLE}", _prose(words.INTRODUCTION)]
    parts += [f"**{words.PROTOCOL_TITLES[way]}.** {words.summary(account, way)}" for way in ways]
    if account.tables:
        parts += [overview(account).to_markdown(), "## What differs, and why", *_reasons(account)]
    seen: set[str] = set()
    for way in ways:
        parts += _protocol(account, way, seen)
    found = remarks(account)
    if found:
        parts += [f"## {words.STATISTICS}"]
        parts += [f"**{_prose(title)}.** {_prose(text)}" for title, text in found]
    parts += ["## What the words mean", *(f"**{_prose(term)}**: {_prose(text)}" for term, text in glossary(account))]
    made = "\n".join(f"- {key}: {markdown(value)}" for key, value in making(account.facts))
    parts += ["## How this was made", made, _prose(again(account.facts))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _reasons(account: Account) -> list[str]:
    differences = account.differences()
    parts = [] if differences else [words.no_difference(account)]
    for key, index in words.numbered(account).items():
        reason = account.reasons[key]
        parts += [f"### [{index}] {markdown(reason.title)}", _prose(reason.sentence), _prose(reason.evidence)]
        parts += [f"Shown by `{reason.test}`."] if reason.test else []
        here = [one for one in differences if one[1].reason == key]
        parts += [differing(here).to_markdown()] if here else []
    unknown = [one for one in differences if one[1].reason not in account.reasons]
    if unknown:
        parts += [f"### {words.UNKNOWN_TITLE}", words.UNKNOWN_TEXT, differing(unknown).to_markdown()]
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


def _one_table(account: Account, table: Part, first: bool) -> list[str]:
    return [
        f"### {words.name(table.name)}: {markdown(table.experiment.title)}",
        _prose(table.experiment.text) if first else "Explained above.",
        f"{words.table_summary(table)} {words.caption(table, *usual(table))}".strip(),
        agreement(table, account).to_markdown(),
        f"#### {words.COMPARISON}",
        comparison(table).to_markdown(),
        _prose(limit_note(table)),
    ]


def _figure(figure: Part, first: bool, drawn: bool) -> list[str]:
    title = f"{words.name(figure.name)}: {figure.experiment.title}"
    image = f"![{markdown(title)}](<figures/{figure.stem}.png>)" if drawn else _prose(words.NO_DRAWING)
    return [
        f"### {markdown(title)}",
        _prose(figure.experiment.text) if first else "Explained above.",
        image,
        _prose(figure.caption),
    ]


def _prose(text: str) -> str:
    """Return a paragraph; text in backquotes is code."""
    parts = _CODE.split(" ".join(text.split(" ")))
    return "".join(part if part.startswith("`") and len(part) > 1 else markdown(part) for part in parts)
