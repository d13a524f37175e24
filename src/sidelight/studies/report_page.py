"""The report of a study: one HTML file that opens anywhere, offline, and the same in Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sidelight.report.web_page import GRID_STYLE, cards, document, inlined
from sidelight.results.comparison import LARGER_IS_BETTER
from sidelight.studies import bookkeeping, skips
from sidelight.studies.plan import Cell
from sidelight.studies.report_figures import Drawn
from sidelight.studies.report_tables import MEASURES, plays, tables
from sidelight.studies.standings import Outcome
from sidelight.studies.study import Study
from sidelight.table import Column, Table, escaped, markdown
from sidelight.text import count, grouped, joined, one_line

_STYLE = """
main { max-width: 70rem; }
h2 { font-size: 1.3rem; margin-top: 2.6rem; padding-top: .6rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .3rem; }
td.best { font-weight: 650; color: var(--below); }
.grid td.label { max-width: 16rem; }
pre { background: var(--soft); padding: .7rem .9rem; border-radius: .4rem; overflow-x: auto; font-size: .82rem; }
details { margin: .5rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
.failed { color: var(--above); font-weight: 600; }
figure { margin: .8rem 0 0; } figcaption { color: var(--faint); font-size: .9rem; margin-top: .4rem; }
.sheet { overflow-x: auto; } .sheet svg { min-width: 34rem; }
nav ul { list-style: none; padding: 0; margin: .8rem 0; } nav li { margin: .2rem 0; }
a { color: inherit; text-decoration-color: var(--faint); text-underline-offset: .15em; }
@media (max-width: 38rem) { main { padding: 1.2rem .8rem 3rem; } h1 { font-size: 1.35rem; }
  .grid td.label { min-width: 7.8rem; max-width: 8.5rem; } .cards li { flex-basis: 8rem; } }
@media print { .scroll, .sheet { overflow: visible; } tr, figure { break-inside: avoid; } }
"""


class Report(NamedTuple):
    """Everything that a report says."""

    outcome: Outcome
    figures: Sequence[Drawn]
    skipped: Mapping[Cell, str]
    failures: Sequence[Mapping[str, Any]]
    history: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any]
    notes: Sequence[str] = ()
    """What could not be drawn, read or checked."""

    @property
    def study(self) -> Study:
        """What was studied."""
        return self.outcome.study

    @property
    def title(self) -> str:
        """Its title, or else its name."""
        return self.study.title or self.study.name


def to_html(report: Report) -> str:
    """Write the report as a page."""
    found = tables(report.outcome)
    sections = [(title, table.to_html()) for title, table in found]
    sections += [(drawn.title, _figure(drawn)) for drawn in report.figures]
    sections += [(title, table.to_html()) for title, table in plays(report.outcome)]
    sections += [(title, body) for title, body in _troubles(report) if body]
    sections += [("What was run", _list(_design(report))), ("How this was made", _making_html(report))]
    parts = [f"<h1>{escaped(report.title)}</h1>"]
    parts += [f"<p>{escaped(paragraph)}</p>" for paragraph in report.study.text.split("\n\n") if paragraph.strip()]
    parts += [f"<p>{escaped(_summary(report))}</p>", cards(_cards(report)), _contents([title for title, _ in sections])]
    for title, body in sections:
        parts.append(f'<h2 id="{_anchor(title)}">{escaped(title)}</h2>{body}')
    return document(report.title, parts, GRID_STYLE + _STYLE)


def to_markdown(report: Report) -> str:
    """Write the report as Markdown; figures are files beside it."""
    text = [_paragraph(each) for each in report.study.text.split("\n\n")]
    parts = [f"# {markdown(report.title)}", *text, markdown(_summary(report))]
    for title, table in tables(report.outcome):
        parts += [f"## {markdown(title)}", table.to_markdown()]
    for drawn in report.figures:
        parts += [f"## {markdown(drawn.title)}", f"![{markdown(drawn.title)}](figures/{drawn.stem}.svg)", drawn.caption]
    for title, table in plays(report.outcome):
        parts += [f"## {markdown(title)}", table.to_markdown()]
    parts += ["## What to know", *(_paragraph(_sentence(words)) for words in report.notes)] if report.notes else []
    for each in report.failures:
        parts += [f"## Failed: {markdown(each['cell'])}", _fenced(f"{each['reason']}\n{each['traceback']}")]
    if report.skipped:
        parts += ["## What cannot be played", _skips(report.skipped).to_markdown()]
    parts += ["## What was run", _items(_design(report)), "## How this was made", _items(_making(report))]
    parts += [_history(report.history).to_markdown()]
    return "\n\n".join(part for part in parts if part) + "\n"


def _fenced(text: str) -> str:
    """Return a text as a block of Markdown, whatever is in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def _paragraph(text: str) -> str:
    """Return a text as one paragraph of Markdown that shows it as it is."""
    shown = markdown(one_line(text))
    # What would begin a heading, a list or a line across the page, or be an entity.
    return re.sub(r"^([#+=~-]|\d+(?=[.)]))", _harmless, shown).replace("&", "&amp;")


def _harmless(start: re.Match[str]) -> str:
    return f"{start[0]}\\" if start[0].isdigit() else f"\\{start[0]}"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _items(found: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"- **{markdown(term)}**: {markdown(text)}" for term, text in found)


def _cards(report: Report) -> list[tuple[str, str]]:
    standings = report.outcome.standings
    finished = len({each.labels for each in standings})
    found = [
        (grouped(finished), "players in settings" if finished != 1 else "player in a setting"),
        (grouped(len({each.labels.setting for each in standings})), "settings"),
        (grouped(report.facts["rounds"]), "rounds played"),
    ]
    if report.outcome.unfinished:
        found.append((grouped(len(report.outcome.unfinished)), "cells not finished"))
    if report.failures:
        found.append((grouped(len(report.failures)), "failed"))
    return found


def _summary(report: Report) -> str:
    """Say who was best where, in a sentence or two."""
    standings = [each for each in report.outcome.standings if not each.labels.limit]
    if not standings:
        return "Nothing is finished yet."
    measure = standings[0].measure
    sign = -1 if measure in LARGER_IS_BETTER else 1
    winners: dict[str, int] = {}
    standings = [each for each in standings if each.measure == measure]
    settings = list(dict.fromkeys(each.labels.setting for each in standings))
    for setting in settings:
        here = [each for each in standings if each.labels.setting == setting]
        best = min(here, key=lambda each: sign * each.summary.mean)
        winners[best.labels.label] = winners.get(best.labels.label, 0) + 1
    order = sorted(winners, key=lambda label: -winners[label])
    words = joined([f"{label} in {winners[label]}" for label in order])
    which = "Lowest" if sign > 0 else "Highest"
    return f"{which} mean {MEASURES[measure]}: {words} of {count(len(settings), 'setting')}."


def _troubles(report: Report) -> list[tuple[str, str]]:
    shown: set[str] = set()  # what went wrong is opened once
    failed = ""
    for each in report.failures:
        failed += _failure(each, each["traceback"] not in shown)
        shown.add(each["traceback"])
    note = "<p>These cells have no result; the next run tries them again.</p>" if failed else ""
    unfinished = [skips.titled(cell, report.study.seeds) for cell in report.outcome.unfinished[:50]]
    names = "".join(f"<li>{escaped(title)}</li>" for title in unfinished)
    more = len(report.outcome.unfinished) - 50
    rest = f"<li>and {more} more</li>" if more > 0 else ""
    return [
        ("What to know", "".join(f"<p>{escaped(words)}</p>" for words in map(_sentence, report.notes))),
        ("What failed", note + failed),
        ("What is not finished", f"<ul>{names}{rest}</ul>" if names else ""),
        ("What cannot be played", _skips(report.skipped).to_html() if report.skipped else ""),
    ]


def _failure(failure: Mapping[str, Any], opened: bool) -> str:
    title = f'<span class="failed">{escaped(failure["cell"])}</span>: {escaped(failure["reason"])}'
    trace = "\n".join(map(escaped, failure["traceback"].split("\n")))
    body = f"<pre>{trace}</pre>" if trace else ""
    return f"<details{' open' if opened else ''}><summary>{title}</summary>{body}</details>"


def _skips(skipped: Mapping[Cell, str]) -> Table:
    columns = [
        Column("player"),
        Column("games", left=True),
        Column("worlds", left=True),
        Column("why", left=True, look="why"),
    ]
    rows = [
        (each.player, skips.listed(each.games), skips.listed(each.worlds), each.why) for each in skips.grouped(skipped)
    ]
    return Table(columns, rows)


def _design(report: Report) -> list[tuple[str, str]]:
    study = report.study
    tests = "; ".join(
        f"{each.test} test against {each.against or study.players[0].label}, {each.side}" for each in study.comparisons
    )
    found = [
        ("Games", joined([each.label for each in study.games]) if study.games else ""),
        ("Worlds", joined([each.label for each in study.worlds])),
        ("Players", joined([each.label for each in study.players])),
        ("Horizons", joined([grouped(each) for each in study.horizons]) if study.games else ""),
        ("Runs", f"{grouped(study.runs)} per cell and seed; seed {joined([*map(str, study.seeds)])}"),
        (
            "Tests",
            f"{tests}. p-values are those of single tests: with many rows, some are small by chance." if tests else "",
        ),
        ("Version of the study", study.version),
    ]
    return [(term, text) for term, text in found if text]


def _making(report: Report) -> list[tuple[str, str]]:
    facts = report.facts
    versions = ", ".join(
        f"{name} {facts[name]}" for name in ("sidelight", "python", "numpy", "numba") if facts.get(name)
    )
    return [
        ("Versions", versions),
        ("Platform", str(facts.get("platform", ""))),
        ("Written", str(facts.get("created", ""))),
        ("Digest of the deciding sources", str(facts["code"])),
        ("All runs", "runs.parquet, if pyarrow is there: setting, player, measure, run, round, value"),
    ]


def _making_html(report: Report) -> str:
    return _list(_making(report)) + "<h3>Calls</h3>" + _history(report.history).to_html()


def _history(calls: Sequence[Mapping[str, Any]]) -> Table:
    """Return what each call did: how much it ran, how much of that again, and why."""
    columns = [
        Column("when (UTC)"),
        Column("pieces of work"),
        Column("done"),
        Column("of these again"),
        Column("failed cells"),
        Column("seconds", "{:,.0f}".format),
        Column("ended", left=True, look="why"),
        Column("what had changed", left=True, look="why"),
    ]
    rows = []
    for call in calls:
        again = f"run again: {', '.join(call['again_cells'][:6])}" if call.get("again_cells") else ""
        words = "; ".join([*call.get("changes", ()), *([again] if again else [])])
        share = f" (share {call['share']})" if call.get("share") else ""
        created = str(call.get("created", "")).partition("+")[0].replace("T", " ")
        rows.append(
            (
                created + share,
                *(call.get(name) for name in ("pieces", "ran", "again", "failed", "seconds")),
                _ending(call),
                words or None,
            )
        )
    return Table(columns, rows, none="–").useful() if rows else Table(columns, rows)


def _ending(call: Mapping[str, Any]) -> str | None:
    """Say how a call ended that did not do all that it could."""
    states = {
        bookkeeping.BEGUN: "still at work",
        bookkeeping.INTERRUPTED: "interrupted",
        bookkeeping.KILLED: "killed, or the machine went down",
        bookkeeping.ERROR: f"by an error: {call.get('why', '')}",
    }
    return states.get(str(call.get("state")))


def _figure(drawn: Drawn) -> str:
    picture = inlined(drawn.drawing, drawn.title, drawn.stem)
    return f'<figure><div class="sheet">{picture}</div><figcaption>{escaped(drawn.caption)}</figcaption></figure>'


def _contents(titles: Sequence[str]) -> str:
    items = "".join(f'<li><a href="#{_anchor(title)}">{escaped(title)}</a></li>' for title in titles)
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "part"


def _list(found: Sequence[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{escaped(term)}</dt><dd>{escaped(text)}</dd>' for term, text in found)}</dl>"
