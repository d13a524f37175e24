"""What a study leaves behind: a report in HTML and Markdown, figures, all runs as one table, and a manifest."""

from __future__ import annotations

import importlib.util
import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from sidelight._storage import write_file_text
from sidelight.results import ResultSet, provenance, sealed
from sidelight.results.frames import long_columns_of_results
from sidelight.studies.plan.code import code_digests_of_case, combined_digest_of_case
from sidelight.studies.plan.skips import title_of_skipped_case
from sidelight.studies.plan.tasks import forget_files_of_case_tasks
from sidelight.studies.reporting import figures as report_figures
from sidelight.studies.reporting.page import StudyReport, write_study_report_document
from sidelight.studies.reporting.standings import compare_study_players, finished_study_results
from sidelight.studies.reporting.tables import plays_tables_of_study, tables_of_study_report
from sidelight.studies.running.study_run import StudyRun, opened, plan_study_run
from sidelight.table import Table

Note = Callable[[str], None]
_MANIFEST, _PAGE = "manifest.json", "report.html"


def report(of: StudyRun | str | os.PathLike[str]) -> StudyReport:
    """Write the report of a study into its folder (report.html, report.md, figures, runs.parquet); return what it says.

    Parameters
    ----------
    of
        What `run` returned, or the folder.
    """
    if not isinstance(of, StudyRun):
        forget_files_of_case_tasks()
        of = plan_study_run(opened(of), Path(of), stored=True)
    return write_study_report(of, lambda text: warnings.warn(text, stacklevel=4))


def is_study_report_current(progress: StudyRun) -> bool:
    """Return whether the report in the folder covers exactly the stored runs."""
    progress.look_again()
    try:
        manifest = json.loads((progress.folder / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    facts = {name: value for name, value in _facts_in_study_manifest(progress).items() if name != "created"}
    return (progress.folder / _PAGE).exists() and all(manifest.get(name) == value for name, value in facts.items())


def write_study_report(progress: StudyRun, note: Note) -> StudyReport:
    """Write report, figures, table and manifest into the folder of a study; return the content of the report."""
    folder = progress.folder
    progress.look_again()
    results, unfinished = finished_study_results(progress.study, progress.store, list(progress.skipped))
    outcome = compare_study_players(progress.study, results, unfinished)
    notes: list[str] = []

    def tell_study_report_note(words: str) -> None:
        notes.append(words)
        note(words)

    figures = report_figures.draw_study_figures(progress.study, results, folder / "figures", tell_study_report_note)
    failures, calls = progress.record.failures(), progress.record.calls()
    tables, plays = tables_of_study_report(outcome), plays_tables_of_study(outcome)
    facts = _facts_in_study_manifest(progress)
    report = StudyReport(outcome, tables, plays, figures, progress.skipped, failures, calls, facts, notes)
    page = write_study_report_document(report)
    write_file_text(folder / _PAGE, page.to_html())
    write_file_text(folder / "report.md", page.to_markdown())
    latex = [block.to_latex() for block in page.blocks if isinstance(block, Table)]
    write_file_text(folder / "tables.tex", "\n\n".join(latex) + "\n")
    write_file_text(folder / "tables.json", json.dumps(study_tables_as_records(report), indent=1) + "\n")
    write_study_runs_table(folder / "runs.parquet", rows_of_study_runs_table(results, progress.study.measures), note)
    manifest = {"format": "sidelight study report", **report.facts}
    write_file_text(folder / _MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return report


def study_tables_as_records(report: StudyReport) -> dict[str, Any]:
    """Return the tables of a report as plain data."""
    return {
        "study": report.study.name,
        "tables": [
            {"title": title, "rows": _study_table_rows(table)} for title, table in (*report.tables, *report.plays)
        ],
        "failures": [dict(each) for each in report.failures],
        "skipped": [{"case": case.title, "why": why} for case, why in report.skipped.items()],
        "unfinished": [title_of_skipped_case(case, report.study.seeds) for case in report.outcome.unfinished],
        "notes": list(report.notes),
        "facts": dict(report.facts),
    }


def _study_table_rows(table: Any) -> list[dict[str, Any]]:
    groups = [getattr(row, "group", "") for row in table.rows]
    return [{"setting": group, **row} if group else row for group, row in zip(groups, table.records(), strict=True)]


def _facts_in_study_manifest(progress: StudyRun) -> dict[str, Any]:
    done = [case for case in progress.playable if progress.is_finished(case)]
    return {
        "study": progress.study.to_dict(),
        "cases": len(progress.playable),
        "finished": len(done),
        "rounds": sum(case.runs * case.horizon for case in done),
        "skipped": len(progress.skipped),
        "failures": len(progress.record.failures()),
        "calls": len(progress.record.calls()),
        "code": combined_digest_of_case(map(code_digests_of_case, progress.playable)),
        **provenance.collect_provenance(),
    }


def write_study_runs_table(path: Path, rows: Iterator[dict[str, Any]], note: Note) -> None:
    """Write rows of runs to a Parquet file that any tool can read; nothing if there are none."""
    if importlib.util.find_spec("pyarrow") is None:
        path.unlink(missing_ok=True)  # of an earlier call
        note("no Parquet file of all runs without pyarrow; try: pip install pyarrow")
        return
    first = next(rows, None)
    if first is not None:
        sealed.write_sealed_table(path, chain([first], rows), categories=True)


def rows_of_study_runs_table(results: ResultSet, measures: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield blocks of rows, one row per setting, player, measure, run and checkpoint."""
    for labels, one in zip(results.labels, results, strict=True):
        texts = {"game": labels.game, "world": labels.world, "player": labels.label}
        for measure in measures:
            if measure == "plays" or not one.has(measure):
                continue
            if measure == "regret":
                table = long_columns_of_results(one.rounds, one.regret, "value")
            else:
                table = long_columns_of_results(np.array([labels.horizon]), one.values(measure)[:, None], "value")
            numbers = {name: table[name].astype(np.int64) for name in ("run", "round")}
            horizon = np.full(table["value"].size, labels.horizon)
            yield texts | {"measure": measure, "horizon": horizon} | numbers | {"value": table["value"]}
