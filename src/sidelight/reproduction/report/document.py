"""The report of a reproduction."""

from __future__ import annotations

from collections.abc import Mapping

from sidelight.report.document import (
    Block,
    Bullets,
    Cards,
    Code,
    Contents,
    Document,
    Figure,
    Heading,
    Paragraph,
    Strong,
    Terms,
    split_code,
)
from sidelight.reproduction.exhibit import Protocol
from sidelight.reproduction.report import wording as words
from sidelight.reproduction.report.account import Account
from sidelight.reproduction.report.notes import glossary, limit_note, provenance_rows, remarks
from sidelight.reproduction.report.tables import (
    agreement_table,
    comparison_table,
    difference_text,
    usual_runs_and_round,
)
from sidelight.reproduction.verdicts import Number, Part
from sidelight.text import count


def document(account: Account, drawings: Mapping[str, str]) -> Document:
    """Put the report together; `drawings` holds the SVG text of each figure by its stem."""
    ways = words.protocols(account)
    blocks: list[Block] = [Paragraph(split_code(words.INTRODUCTION))]
    blocks += [Paragraph([Strong(f"{words.PROTOCOL_TITLES[way]}."), f" {words.summary(account, way)}"]) for way in ways]
    blocks += [*_cards(account, ways[0]), Contents()] if account.tables else [Contents()]
    if account.tables:
        blocks += [Heading("What differs, and why"), *_reasons(account)]
    for way in ways:
        blocks += _protocol(account, way, drawings)
    found = remarks(account)
    if found:
        blocks.append(Heading(words.STATISTICS))
        blocks += [Paragraph([Strong(f"{title}."), " ", *split_code(text)]) for title, text in found]
    blocks += [Heading("What the words mean"), Terms([(term, split_code(text)) for term, text in glossary(account)])]
    blocks += [
        Heading("How this was made"),
        Terms(provenance_rows(account.facts)),
        Paragraph(split_code(words.MORE)),
    ]
    return Document(words.TITLE, blocks)


def _cards(account: Account, way: Protocol) -> list[Block]:
    counts = account.counts(way)
    total = sum(counts[kind] for kind in words.COMPARED)
    if not total:
        return []
    shown = [kind for kind in words.COMPARED if counts[kind] or kind != "open"]
    found = [(str(counts[k]), "differ" if k == "differs" and counts[k] != 1 else words.KIND_WORDS[k]) for k in shown]
    note = f"{words.PROTOCOL_TITLES[way]}: {count(total, 'printed pair')}."
    return [Cards(found), Paragraph(note, faint=True)]


def _reasons(account: Account) -> list[Block]:
    differences = account.differences()
    blocks: list[Block] = [] if differences else [Paragraph(words.NO_DIFFERENCE)]
    for key, index in words.numbered_reasons(account).items():
        reason = account.reasons[key]
        blocks.append(Heading(f"[{index}] {reason.title}", level=3, anchor=f"reason-{index}"))
        blocks += [Paragraph(split_code(text)) for text in (reason.sentence, reason.evidence)]
        blocks.append(Paragraph(["Shown by ", Code(", ".join(reason.tests)), "."], faint=True))
        blocks += _differing([one for one in differences if one[1].reason == key])
    unknown = _differing([one for one in differences if one[1].reason not in account.reasons])
    return blocks + (
        [Heading(words.UNKNOWN_TITLE, level=3), Paragraph(words.UNKNOWN_TEXT), *unknown] if unknown else []
    )


def _differing(found: list[tuple[Part, Number]]) -> list[Block]:
    return [Bullets([difference_text(table, number) for table, number in found])] if found else []


def _protocol(account: Account, way: Protocol, drawings: Mapping[str, str]) -> list[Block]:
    blocks: list[Block] = [
        Heading(words.PROTOCOL_TITLES[way], anchor=way),
        Paragraph(split_code(words.PROTOCOL_TEXTS[way])),
    ]
    for part in (*account.tables, *account.figures):
        if part.protocol == way:
            name = words.exhibit_title(part.name)
            blocks.append(Heading(f"{name}: {part.exhibit.title}", level=3, anchor=part.place, entry=name))
            blocks.append(Paragraph(split_code(part.exhibit.text)))
            blocks += _table(account, part) if part.exhibit.is_table else [_figure(part, drawings)]
    return blocks


def _table(account: Account, table: Part) -> list[Block]:
    note = f"{words.verdict_shares(table.counts())} {words.caption(table, *usual_runs_and_round(table))}".strip()
    return [
        Paragraph(note, faint=True),
        agreement_table(table, account),
        Heading(words.COMPARISON, level=4),
        comparison_table(table),
        Paragraph(limit_note(table), faint=True),
    ]


def _figure(figure: Part, drawings: Mapping[str, str]) -> Block:
    if figure.stem not in drawings:
        return Paragraph(split_code(words.NO_DRAWING), faint=True)
    label = f"{words.exhibit_title(figure.name)}: {figure.exhibit.title}"
    return Figure(label, drawings[figure.stem], figure.caption, f"figures/{figure.stem}.png")
