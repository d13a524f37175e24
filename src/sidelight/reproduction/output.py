"""Write a reproduction's report in Markdown and HTML, its figures, all runs, and a manifest."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from sidelight._storage import replacing_file
from sidelight.reproduction import figures
from sidelight.reproduction.exhibit import SLOW, Profile
from sidelight.reproduction.reasons import REASONS
from sidelight.reproduction.report.account import ReproductionAccount
from sidelight.reproduction.report.document import reproduction_report_document
from sidelight.reproduction.runs import Reproduction
from sidelight.reproduction.verdicts import ReproducedPart
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
    used = {number.reason for table in tables for number in table.numbers}
    account = ReproductionAccount(
        tables=tables,
        figures=[
            ReproducedPart(
                each, profile.protocol, caption=figures.caption_of_reproduced_figure(each, each.studies(profile))
            )
            for profile in reproduction.profiles
            for each in reproduction.exhibits
            if not each.is_table
        ],
        reasons={key: reason for key, reason in REASONS.items() if key in used},
        facts=_facts_of_reproduction(reproduction, seconds),
    )
    page = reproduction_report_document(
        account, _draw_reproduction_figures(reproduction, account.figures, folder / "figures", note)
    )
    _write_reproduction_file(folder / "report.md", page.to_markdown())
    _write_reproduction_file(folder / "report.html", page.to_html())
    played = [case for case in reproduction.cases() if case.horizon]
    watched = [case for case in reproduction.cases() if not case.horizon]
    rows = chain(
        rows_of_study_runs_table(reproduction.results_of(played), ("regret",)),
        rows_of_study_runs_table(reproduction.results_of(watched), ("f1", "verifications")),
    )
    write_study_runs_table(folder / _PARQUET, rows, note)
    _write_reproduction_manifest(reproduction, account.facts, folder)
    return account


def _facts_of_reproduction(reproduction: Reproduction, seconds: float | None) -> dict[str, Any]:
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
    reproduction: Reproduction, parts: Sequence[ReproducedPart], folder: Path, note: Note
) -> dict[str, str]:
    """Draw all figures, as SVG and PNG; return the text of the former by stem."""
    if not parts:
        return {}
    if importlib.util.find_spec("matplotlib") is None:
        note("no figures without Matplotlib; try: pip install matplotlib")
        return {}
    from sidelight.report.figures.saving import save_figure_for_report

    profiles = {profile.protocol: profile for profile in reproduction.profiles}
    texts = {}
    for part in parts:
        studies = part.exhibit.studies(profiles[part.protocol])
        figure = figures.draw_reproduced_figure(part.exhibit, studies, part.protocol, reproduction.results)
        texts[part.stem] = save_figure_for_report(figure, folder / part.stem)
    return texts


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
    _write_reproduction_file(folder / _MANIFEST, json.dumps(manifest, indent=1) + "\n")


def _write_reproduction_file(path: Path, text: str) -> None:
    with replacing_file(path) as draft:
        draft.write_text(text, encoding="utf-8")
