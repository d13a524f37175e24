"""What a study leaves behind: a report in HTML and Markdown, figures, all runs as one table, and a manifest."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from sidelight._storage import replacing
from sidelight.results import ResultSet, provenance, sealed
from sidelight.results._checks import canonical
from sidelight.results.frames import long
from sidelight.studies import bookkeeping, report_figures
from sidelight.studies.bookkeeping import failures, history
from sidelight.studies.report_page import Report, document
from sidelight.studies.report_tables import plays, tables
from sidelight.studies.running import Progress
from sidelight.studies.skips import titled
from sidelight.studies.standings import collect, finished
from sidelight.studies.store import DamagedError
from sidelight.studies.work import code_of

Note = Callable[[str], None]
_MANIFEST, _PAGE = "manifest.json", "report.html"


def is_current(progress: Progress) -> bool:
    """Say whether the report in the folder is about exactly what is there."""
    progress.look_again()
    try:
        manifest = json.loads((progress.folder / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return (progress.folder / _PAGE).exists() and manifest.get("inputs") == _inputs(progress)


def write(progress: Progress, note: Note) -> Report:
    """Write report, figures, table and manifest into the folder of a study; return what the report says."""
    folder, store = progress.folder, progress.store
    progress.look_again()
    results, unfinished = finished(progress.study, store, list(progress.skipped))
    try:
        outcome = collect(progress.study, results, unfinished)
    except DamagedError as error:
        store.remove(error.task)
        progress.look_again()
        progress.damaged += 1
        note(f"{error.task.title}: the stored runs are damaged and were removed; run the study again to make them anew")
        return write(progress, note)
    notes = [*progress.notes, *bookkeeping.damage(folder)]
    for words in notes:
        if words not in progress.told:
            note(words)

    def told(words: str) -> None:
        notes.append(words)
        note(words)

    figures = report_figures.draw(progress.study, results, folder / "figures", told)
    report = Report(outcome, figures, progress.skipped, _failures(progress), history(folder), _facts(progress), notes)
    page = document(report)
    _write(folder / _PAGE, page.to_html())
    _write(folder / "report.md", page.to_markdown())
    _write(folder / "tables.json", json.dumps(records(report), indent=1) + "\n")
    write_runs(folder / "runs.parquet", run_rows(results, progress.study.measures), note)
    manifest = {"format": "sidelight study report", "inputs": _inputs(progress), **report.facts}
    _write(folder / _MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return report


def records(report: Report) -> dict[str, Any]:
    """Return the tables of a report as plain data."""
    every = [*tables(report.outcome), *plays(report.outcome)]
    return {
        "study": report.study.name,
        "tables": [{"title": title, "rows": _rows(table)} for title, table in every],
        "failures": [dict(each) for each in report.failures],
        "skipped": [{"cell": cell.title, "why": why} for cell, why in report.skipped.items()],
        "unfinished": [titled(cell, report.study.seeds) for cell in report.outcome.unfinished],
        "notes": list(report.notes),
        "facts": dict(report.facts),
    }


def _rows(table: Any) -> list[dict[str, Any]]:
    groups = [getattr(row, "group", "") for row in table.rows]
    return [{"setting": group, **row} if group else row for group, row in zip(groups, table.records(), strict=True)]


def _failures(progress: Progress) -> list[dict[str, Any]]:
    """Return what failed; of several seeds, each cell with its own."""
    several = len(progress.study.seeds) > 1
    return [
        {**each, "cell": f"{each['cell']}, seed {each.get('seed', 0)}" if several else each["cell"]}
        for each in failures(progress.folder)
    ]


def _facts(progress: Progress) -> dict[str, Any]:
    done = [cell for cell in progress.playable if progress.is_finished(cell)]
    unchecked = progress.store.unchecked
    checked = [cell for cell in progress.playable if cell not in unchecked] if unchecked else progress.playable
    return {
        "study": progress.study.to_dict(),
        "cells": len(progress.playable),
        "finished": len(done),
        "rounds": sum(cell.runs * cell.horizon for cell in done),
        "code": code_of(checked),
        **provenance.collected(),
    }


def _inputs(progress: Progress) -> str:
    """Return a digest of everything that a report is written from."""
    store = progress.store
    lines = [
        f"{cell.place} {cell.stem} {cell.runs} {store.key(cell)} {progress.is_finished(cell)}"
        for cell in progress.playable
    ]
    rest = [
        canonical(progress.study.to_dict()),
        canonical(failures(progress.folder)),
        provenance.collected()["sidelight"],
    ]
    lines += [f"{cell.title} {why}" for cell, why in progress.skipped.items()]
    calls = [str(call.get("state")) for call in history(progress.folder)]
    return hashlib.sha256("\n".join([*lines, *rest, *calls, *progress.notes]).encode()).hexdigest()


def write_runs(path: Path, rows: Iterator[dict[str, Any]], note: Note) -> None:
    """Write rows of runs to a Parquet file that any tool can read; nothing if there are none."""
    if importlib.util.find_spec("pyarrow") is None:
        path.unlink(missing_ok=True)  # of an earlier call
        note("no Parquet file of all runs without pyarrow; try: pip install sidelight[parquet]")
        return
    first = next(rows, None)
    if first is not None:
        sealed.write_table(path, chain([first], rows), categories=True)


def run_rows(results: ResultSet, measures: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield blocks of rows, one row per setting, player, measure, run and checkpoint."""
    for labels, one in zip(results.labels, results, strict=True):
        texts = {"game": labels.game, "world": labels.world, "player": labels.label}
        for measure in measures:
            if measure == "plays" or not one.has(measure):
                continue
            if measure == "regret":
                table = long(one.rounds, one.regret, "value")
            else:
                table = long(np.array([labels.horizon]), one.values(measure)[:, None], "value")
            numbers = {name: table[name].astype(np.int64) for name in ("run", "round")}
            horizon = np.full(table["value"].size, labels.horizon)
            yield texts | {"measure": measure, "horizon": horizon} | numbers | {"value": table["value"]}


def _write(path: Path, text: str) -> None:
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
