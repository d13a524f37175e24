"""The report of a study: what came out, what went wrong, and how it was made."""

from __future__ import annotations

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
from sidelight.studies.reporting.standings import Outcome
from sidelight.studies.reporting.tables import MEASURES, plays_tables_of_study, tables_of_study_report
from sidelight.studies.store import record
from sidelight.table import Column, Table
from sidelight.text import and_list, count, thousands

_LISTED = 50  # unfinished cases


class StudyReport(NamedTuple):
    """Everything that a report says."""

    outcome: Outcome
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
        Paragraph(_summary_of_study_report(report)),
        Contents(),
    ]
    for title, table in tables_of_study_report(report.outcome):
        blocks += [Heading(title), table]
    for figure in report.figures:
        blocks += [Heading(figure.title), figure]
    for title, table in plays_tables_of_study(report.outcome):
        blocks += [Heading(title), table]
    blocks += _troubles_in_study_report(report)
    blocks += [
        Heading("What was run"),
        Terms(_design_in_study_report(report)),
        Heading("How this was made"),
        Terms(_making_in_study_report(report)),
    ]
    blocks += [Heading("Calls", level=3), _history_of_calls_in_study_report(report.history)] if report.history else []
    return Document(report.title, blocks)


def _sentence_of_study_report(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _summary_of_study_report(report: StudyReport) -> str:
    """Summarize which player was best in how many settings."""
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
    words = and_list([f"{label} in {winners[label]}" for label in order])
    which = "Lowest" if sign > 0 else "Highest"
    return f"{which} mean {MEASURES[measure]}: {words} of {count(len(settings), 'setting')}."


def _troubles_in_study_report(report: StudyReport) -> list[Block]:
    """Return the sections about notes, failures, unfinished cases and skipped cases."""
    found: list[Block] = []
    if report.notes:
        found += [Heading("What to know"), *(Paragraph(_sentence_of_study_report(words)) for words in report.notes)]
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
        found += [Heading("What cannot be played"), _skipped_cases_table_of_study_report(report.skipped)]
    return found


def _skipped_cases_table_of_study_report(skipped: Mapping[Case, str]) -> Table:
    columns = [
        Column("player"),
        Column("games", left=True),
        Column("worlds", left=True),
        Column("why", left=True, look="why"),
    ]
    rows = [
        (
            each.player,
            skips.list_labels_of_skipped_cases(each.games),
            skips.list_labels_of_skipped_cases(each.worlds),
            each.why,
        )
        for each in skips.group_skipped_cases(skipped)
    ]
    return Table(columns, rows)


def _design_in_study_report(report: StudyReport) -> list[tuple[str, str]]:
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


def _making_in_study_report(report: StudyReport) -> list[tuple[str, str]]:
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


def _history_of_calls_in_study_report(calls: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of all calls: how many tasks each ran, how many of them again, and why."""
    columns = [
        Column("when (UTC)"),
        Column("pieces of work"),
        Column("done"),
        Column("of these again"),
        Column("failed cases"),
        Column("seconds", "{:,.0f}".format),
        Column("ended", left=True, look="why"),
        Column("what had changed", left=True, look="why"),
    ]
    rows = []
    for call in calls:
        again = f"run again: {', '.join(call['again_cases'][:6])}" if call.get("again_cases") else ""
        words = "; ".join([*call.get("changes", ()), *([again] if again else [])])
        share = f" (share {call['share']})" if call.get("share") else ""
        created = str(call.get("created", "")).partition("+")[0].replace("T", " ")
        rows.append(
            (
                created + share,
                *(call.get(name) for name in ("pieces", "ran", "again", "failed", "seconds")),
                _ending_of_call_in_study_report(call),
                words or None,
            )
        )
    return Table(columns, rows, none="–").useful()


def _ending_of_call_in_study_report(call: Mapping[str, Any]) -> str | None:
    """Return why a call did not finish; None if it did."""
    states = {
        record.BEGUN: "still at work, or killed",
        record.INTERRUPTED: "interrupted",
        record.ERROR: f"by an error: {call.get('why', '')}",
    }
    return states.get(str(call.get("state")))
