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
    split_document_code,
)
from sidelight.reproduction.exhibit import Protocol
from sidelight.reproduction.report import wording as words
from sidelight.reproduction.report.tables import (
    reproduction_agreement_table,
    reproduction_comparison_table,
    reproduction_difference_text,
    usual_runs_and_round,
)
from sidelight.reproduction.verdicts import ReproducedNumber, ReproducedPart, ReproductionAccount
from sidelight.text import count


def reproduction_report_document(account: ReproductionAccount, drawings: Mapping[str, str]) -> Document:
    """Put the report together; `drawings` holds the SVG text of each figure by its stem."""
    ways = words.protocols_of_reproduction(account)
    blocks: list[Block] = [Paragraph(split_document_code(words.INTRODUCTION))]
    blocks += [
        Paragraph([Strong(f"{words.PROTOCOL_TITLES[way]}."), f" {words.word_reproduction_verdicts(account, way)}"])
        for way in ways
    ]
    blocks += [*_reproduction_cards(account, ways[0]), Contents()] if account.tables else [Contents()]
    if account.tables:
        blocks += [Heading("What differs, and why"), *_reproduction_reasons(account)]
    for way in ways:
        blocks += _reproduction_protocol(account, way, drawings)
    found = words.remarks_on_reproduction(account)
    if found:
        blocks.append(Heading(words.STATISTICS))
        blocks += [Paragraph([Strong(f"{title}."), " ", *split_document_code(text)]) for title, text in found]
    glossary = [(term, split_document_code(text)) for term, text in words.glossary_of_reproduction(account)]
    blocks += [Heading("What the words mean"), Terms(glossary)]
    blocks += [Heading("How this was made"), Terms(words.provenance_of_reproduction(account.facts))]
    blocks.append(Paragraph(split_document_code(words.MORE)))
    return Document(words.TITLE, blocks)


def _reproduction_cards(account: ReproductionAccount, way: Protocol) -> list[Block]:
    counts = account.counts(way)
    total = sum(counts[kind] for kind in words.COMPARED)
    if not total:
        return []
    shown = [kind for kind in words.COMPARED if counts[kind] or kind != "open"]
    found = [(str(counts[k]), "differ" if k == "differs" and counts[k] != 1 else words.KIND_WORDS[k]) for k in shown]
    note = f"{words.PROTOCOL_TITLES[way]}: {count(total, 'printed pair')}."
    return [Cards(found), Paragraph(note, faint=True)]


def _reproduction_reasons(account: ReproductionAccount) -> list[Block]:
    differences = account.differences()
    blocks: list[Block] = [] if differences else [Paragraph(words.NO_DIFFERENCE)]
    for key, index in words.number_reproduction_reasons(account).items():
        reason = account.reasons[key]
        blocks.append(Heading(f"[{index}] {reason.title}", level=3, anchor=f"reason-{index}"))
        blocks += [Paragraph(split_document_code(text)) for text in (reason.sentence, reason.evidence)]
        blocks.append(Paragraph(["Shown by ", Code(", ".join(reason.tests)), "."], faint=True))
        blocks += _list_reproduction_differences([one for one in differences if one[1].reason == key])
    unknown = _list_reproduction_differences([one for one in differences if one[1].reason not in account.reasons])
    return blocks + (
        [Heading(words.UNKNOWN_TITLE, level=3), Paragraph(words.UNKNOWN_TEXT), *unknown] if unknown else []
    )


def _list_reproduction_differences(found: list[tuple[ReproducedPart, ReproducedNumber]]) -> list[Block]:
    return [Bullets([reproduction_difference_text(table, number) for table, number in found])] if found else []


def _reproduction_protocol(account: ReproductionAccount, way: Protocol, drawings: Mapping[str, str]) -> list[Block]:
    blocks: list[Block] = [
        Heading(words.PROTOCOL_TITLES[way], anchor=way),
        Paragraph(split_document_code(words.PROTOCOL_TEXTS[way])),
    ]
    for part in (*account.tables, *account.figures):
        if part.protocol == way:
            name = words.exhibit_title(part.name)
            blocks.append(Heading(f"{name}: {part.exhibit.title}", level=3, anchor=part.place, entry=name))
            blocks.append(Paragraph(split_document_code(part.exhibit.text)))
            blocks += (
                _reproduction_table(account, part) if part.exhibit.is_table else [_reproduction_figure(part, drawings)]
            )
    return blocks


def _reproduction_table(account: ReproductionAccount, table: ReproducedPart) -> list[Block]:
    caption = words.reproduction_caption(table, *usual_runs_and_round(table))
    note = f"{words.reproduction_verdict_shares(table.counts())} {caption}".strip()
    return [
        Paragraph(note, faint=True),
        reproduction_agreement_table(table, account),
        Heading(words.COMPARISON, level=4),
        reproduction_comparison_table(table),
        Paragraph(words.limit_note_of_reproduction(table), faint=True),
    ]


def _reproduction_figure(figure: ReproducedPart, drawings: Mapping[str, str]) -> Block:
    if figure.stem not in drawings:
        return Paragraph(split_document_code(words.NO_DRAWING), faint=True)
    label = f"{words.exhibit_title(figure.name)}: {figure.exhibit.title}"
    return Figure(label, drawings[figure.stem], figure.caption, f"figures/{figure.stem}.png")
