"""The report of a study: what came out, what went wrong, and how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sidelight.report.document import (
    Block,
    Bullets,
    Contents,
    Details,
    Document,
    Figure,
    Heading,
    Paragraph,
    Strong,
    Terms,
    first_items_and_rest,
)
from sidelight.results.comparison import LARGER_IS_BETTER
from sidelight.studies.model import Study
from sidelight.studies.plan import skips
from sidelight.studies.plan.cases import Case
from sidelight.studies.reporting.standings import Outcome, StudyStanding
from sidelight.studies.reporting.tables import MEASURES
from sidelight.studies.store import record
from sidelight.table import Column, Table
from sidelight.text import and_list, capitalized, count, list_some, thousands

_LISTED = 50  # unfinished cases


class StudyReport(NamedTuple):
    """Everything that a report says."""

    outcome: Outcome
    tables: Sequence[tuple[str, Table]]
    """With their titles."""
    plays: Sequence[tuple[str, Table]]
    """How often each action was played."""
    figures: Sequence[Figure]
    skipped: Mapping[Case, str]
    failures: Sequence[Mapping[str, Any]]
    history: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any]
    notes: Sequence[str] = ()
    """What could not be drawn, read or checked."""

    @property
    def study(self) -> Study:
        """The study of the report."""
        return self.outcome.study

    @property
    def title(self) -> str:
        """Its title, or else its name."""
        return self.study.title or self.study.name


def write_study_report_document(report: StudyReport) -> Document:
    """Assemble the document of the report."""
    blocks: list[Block] = [
        *(Paragraph(text) for text in report.study.text.split("\n\n") if text.strip()),
        Paragraph(_study_summary(report)),
        Contents(),
    ]
    for title, table in report.tables:
        blocks += [Heading(title), table]
    for figure in report.figures:
        blocks += [Heading(figure.title), figure]
    for title, table in report.plays:
        blocks += [Heading(title), table]
    blocks += _study_troubles(report)
    blocks += [Heading("What was run"), Terms(_study_design(report))]
    blocks += [Heading("How this was made"), Terms(_study_making(report))]
    blocks += [Heading("Calls", level=3), _calls_table(report.history)] if report.history else []
    return Document(report.title, blocks)


def _study_summary(report: StudyReport) -> str:
    """Summarize which player was best in how many settings."""
    standings = [each for each in report.outcome.standings if not each.labels.limit]
    if not standings:
        return "Nothing is finished yet."
    measure = standings[0].measure
    sign = -1 if measure in LARGER_IS_BETTER else 1
    settings: dict[tuple[str, str, int], list[StudyStanding]] = {}
    for each in standings:
        if each.measure == measure:
            settings.setdefault(each.labels.setting, []).append(each)
    best = (min(here, key=lambda each: sign * each.summary.mean) for here in settings.values())
    winners = Counter(each.labels.label for each in best)
    words = and_list([f"{label} in {number}" for label, number in winners.most_common()])
    which = "Lowest" if sign > 0 else "Highest"
    return f"{which} mean {MEASURES[measure]}: {words} of {count(len(settings), 'setting')}."


def _study_troubles(report: StudyReport) -> list[Block]:
    """Return the sections about notes, failures, unfinished cases and skipped cases."""
    found: list[Block] = []
    if report.notes:
        found += [Heading("What to know"), *(Paragraph(f"{capitalized(words).rstrip('.')}.") for words in report.notes)]
    if report.failures:
        found += [Heading("What failed"), Paragraph("These cases have no result; the next run tries them again.")]
    shown: set[str] = set()  # what went wrong is opened once
    for each in report.failures:
        opened = each["traceback"] not in shown
        found.append(Details([Strong(each["case"]), f": {each['reason']}"], each["traceback"], opened))
        shown.add(each["traceback"])
    if report.outcome.unfinished:
        titles = [skips.title_of_skipped_case(case, report.study.seeds) for case in report.outcome.unfinished]
        found += [Heading("What is not finished"), Bullets(first_items_and_rest(titles, _LISTED))]
    if report.skipped:
        found += [Heading("What cannot be played"), _skipped_cases_table(report.skipped)]
    return found


def _skipped_cases_table(skipped: Mapping[Case, str]) -> Table:
    columns = [Column("player"), *(Column(name, left=True) for name in ("games", "worlds"))]
    rows = [
        (each.player, list_some(each.games), list_some(each.worlds), each.why)
        for each in skips.group_skipped_cases(skipped)
    ]
    return Table([*columns, Column("why", left=True, look="why")], rows)


def _study_design(report: StudyReport) -> list[tuple[str, str]]:
    study = report.study
    tests = "; ".join(
        f"{each.test} test against {each.against or study.players[0].label}, {each.side}" for each in study.comparisons
    )
    found = [
        ("Games", and_list([each.label for each in study.games]) if study.games else ""),
        ("Worlds", and_list([each.label for each in study.worlds])),
        ("Players", and_list([each.label for each in study.players])),
        ("Horizons", and_list([thousands(each) for each in study.horizons]) if study.games else ""),
        ("Runs", f"{thousands(study.runs)} per case and seed; seed {and_list([*map(str, study.seeds)])}"),
        (
            "Tests",
            f"{tests}. p-values are those of single tests: with many rows, some are small by chance." if tests else "",
        ),
        ("Version of the study", study.version),
    ]
    return [(term, text) for term, text in found if text]


def _study_making(report: StudyReport) -> list[tuple[str, str]]:
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


def _calls_table(calls: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of all calls: how many tasks each ran, how many of them again, and why."""
    numbers = ("pieces of work", "done", "of these again", "failed cases")
    columns = [Column("when (UTC)"), *map(Column, numbers), Column("seconds", "{:,.0f}".format)]
    columns += [Column(title, left=True, look="why") for title in ("ended", "what had changed")]
    rows = []
    for call in calls:
        again = f"run again: {', '.join(call['again_cases'][:6])}" if call.get("again_cases") else ""
        words = "; ".join([*call.get("changes", ()), *([again] if again else [])])
        share = f" (share {call['share']})" if call.get("share") else ""
        created = str(call.get("created", "")).partition("+")[0].replace("T", " ")
        done = (call.get(name) for name in ("pieces", "ran", "again", "failed", "seconds"))
        rows.append((created + share, *done, _word_end_of_call(call), words or None))
    return Table(columns, rows, none="–").useful()


def _word_end_of_call(call: Mapping[str, Any]) -> str | None:
    """Return why a call did not finish; None if it did."""
    states = {
        record.BEGUN: "still at work, or killed",
        record.INTERRUPTED: "interrupted",
        record.ERROR: f"by an error: {call.get('why', '')}",
    }
    return states.get(str(call.get("state")))
