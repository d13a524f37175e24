"""Write a reproduction's report in Markdown and HTML, its figures, all runs, and a manifest."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from sidelight._storage import write_file_text
from sidelight.report.figures.saving import save_figure_for_report
from sidelight.reproduction import figures
from sidelight.reproduction.exhibit import SLOW, Profile
from sidelight.reproduction.published import REASONS
from sidelight.reproduction.report.document import reproduction_report_document
from sidelight.reproduction.runs import Reproduction
from sidelight.reproduction.verdicts import ReproducedPart, ReproductionAccount
from sidelight.results import provenance
from sidelight.studies.plan.code import code_digests_of_case, combined_digest_of_case
from sidelight.studies.reporting.write import rows_of_study_runs_table, write_study_runs_table

Note = Callable[[str], None]
_PARQUET, _MANIFEST = "runs.parquet", "manifest.json"


def write_reproduction_output(
    reproduction: Reproduction, folder: Path, seconds: float | None, note: Note
) -> ReproductionAccount:
    """Write everything to a folder; return what the report says.

    `seconds` is how long this call computed, None if everything was already there.
    """
    tables = reproduction.tables()
    parts, drawings = _draw_reproduction_figures(reproduction, folder / "figures", note)
    used = {number.reason for table in tables for number in table.numbers}
    reasons = {key: reason for key, reason in REASONS.items() if key in used}
    account = ReproductionAccount(tables, parts, reasons, _reproduction_facts(reproduction, seconds))
    page = reproduction_report_document(account, drawings)
    write_file_text(folder / "report.md", page.to_markdown())
    write_file_text(folder / "report.html", page.to_html())
    played = [case for case in reproduction.cases() if case.horizon]
    watched = [case for case in reproduction.cases() if not case.horizon]
    rows = chain(
        rows_of_study_runs_table(reproduction.results_of(played), ("regret",)),
        rows_of_study_runs_table(reproduction.results_of(watched), ("f1", "verifications")),
    )
    write_study_runs_table(folder / _PARQUET, rows, note)
    _write_reproduction_manifest(reproduction, account.facts, folder)
    return account


def _reproduction_facts(reproduction: Reproduction, seconds: float | None) -> dict[str, Any]:
    profile: Profile = reproduction.profiles[0]
    cases = reproduction.cases()
    slow = [case for case in cases if case.player.name in SLOW]
    varied = {name: getattr(profile, name) for name in ("tolerances", "policies", "confidence")}
    return {
        "exhibits": [exhibit.name for exhibit in reproduction.exhibits],
        "protocols": [each.protocol for each in reproduction.profiles],
        **{name: value for name, value in varied.items() if value != Profile._field_defaults[name]},
        "runs": profile.runs,
        "slow": profile.slow,
        "slow_runs": sorted({case.runs for case in slow}, reverse=True),
        "slow_horizon": slow[0].horizon if slow else None,
        "seed": profile.seed,
        "seconds": None if seconds is None else round(seconds, 1),
        "code": combined_digest_of_case(map(code_digests_of_case, cases)),
        **provenance.collect_provenance(),
    }


def _draw_reproduction_figures(
    reproduction: Reproduction, folder: Path, note: Note
) -> tuple[list[ReproducedPart], dict[str, str]]:
    """Draw all figures, as SVG and PNG; return them, and the text of the former by stem."""
    parts, texts = [], {}
    possible = importlib.util.find_spec("matplotlib") is not None
    for profile in reproduction.profiles:
        for exhibit in [each for each in reproduction.exhibits if not each.is_table]:
            studies = exhibit.studies(profile)
            caption = figures.caption_of_reproduced_figure(exhibit, studies)
            parts.append(part := ReproducedPart(exhibit, profile.protocol, caption=caption))
            if possible:
                figure = figures.draw_reproduced_figure(exhibit, studies, profile.protocol, reproduction.results)
                texts[part.stem] = save_figure_for_report(figure, folder / part.stem)
    if parts and not possible:
        note("no figures without Matplotlib; try: pip install matplotlib")
    return parts, texts


def _write_reproduction_manifest(reproduction: Reproduction, facts: Mapping[str, Any], folder: Path) -> None:
    """Write what was run, with which versions, and the SHA-256 of the file with all runs."""
    table = folder / _PARQUET
    entries = [
        {
            "game": case.game.label,
            "world": case.world.label,
            "player": case.player.label,
            "strategy": case.player.name,
            "parameters": dict(case.player.parameters),
            "horizon": case.horizon,
            "runs": reproduction.runs(case),
        }
        for case in reproduction.cases()
    ]
    files = {table.name: hashlib.sha256(table.read_bytes()).hexdigest()} if table.exists() else {}
    manifest = {"format": "sidelight reproduction", "format_version": 1, **facts, "entries": entries, "files": files}
    write_file_text(folder / _MANIFEST, json.dumps(manifest, indent=1) + "\n")
