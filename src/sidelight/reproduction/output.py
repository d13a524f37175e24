"""What a reproduction writes: a report in Markdown and HTML, figures, all runs, and a manifest."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sidelight._storage import replacing
from sidelight.reproduction import archive, drawing, plan
from sidelight.reproduction.account import Account, Part
from sidelight.reproduction.paper.table4 import variation
from sidelight.reproduction.plan import Profile
from sidelight.reproduction.reasons import REASONS
from sidelight.reproduction.reproduction import Choice, Reproduction
from sidelight.results import provenance
from sidelight.studies.work import code_of

Note = Callable[[str], None]


def write(reproduction: Reproduction, folder: Path, seconds: float | None, note: Note) -> Account:
    """Write everything to a folder; return what the report says.

    `seconds` is how long this call computed, None if everything was already there.
    """
    choice = reproduction.choice
    tables = reproduction.tables()
    used = {number.reason for table in tables for number in table.numbers}
    account = Account(
        tables=tables,
        figures=[
            Part(each, protocol, caption=drawing.caption(each, protocol, choice.profile))
            for protocol in choice.protocols
            for each in choice.experiments
            if not each.is_table
        ],
        reasons={key: reason for key, reason in REASONS.items() if key in used},
        facts=_facts(choice, seconds),
    )
    _tell_what_is_replaced(account.facts, folder, note)
    drawings = _drawn(reproduction, account.figures, folder / "figures", note)
    _write_reports(account, drawings, folder)
    _write_raw(reproduction, account, folder, note)
    return account


def _facts(choice: Choice, seconds: float | None) -> dict[str, Any]:
    profile: Profile = choice.profile
    everything = plan.conditions(choice.experiments, choice.protocols, profile)
    slow = {
        condition.protocol: (profile.runs_of(condition), condition.horizon)
        for condition in everything
        if condition.slow
    }
    return {
        "experiments": [experiment.name for experiment in choice.experiments],
        "protocols": list(choice.protocols),
        **variation(choice.experiments),
        "runs": profile.runs,
        "slow": profile.slow,
        "slow_runs": {protocol: runs for protocol, (runs, _) in slow.items()},
        "slow_horizon": next((horizon for _, horizon in slow.values()), None),
        "seed": profile.seed,
        "seconds": None if seconds is None else round(seconds, 1),
        "drawn": importlib.util.find_spec("matplotlib") is not None,
        "code": code_of(plan.cell(each, profile) for each in everything),
        **provenance.collected(),
    }


def _tell_what_is_replaced(facts: Mapping[str, Any], folder: Path, note: Note) -> None:
    """Say which parts of an existing report the new one lacks; the runs behind them stay."""
    try:
        former = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        gone = [
            name
            for key in ("experiments", "protocols")
            for name in former.get(key, ())
            if name not in facts.get(key, ())
        ]
    except (OSError, ValueError, AttributeError, TypeError):
        return
    if gone:
        note(
            f"the report in {folder} is replaced, and the new one is without {', '.join(map(str, gone))}; the runs "
            "stay there, so a call that names everything puts it together again"
        )


def _drawn(reproduction: Reproduction, figures: Sequence[Part], folder: Path, note: Note) -> dict[str, str]:
    """Draw all figures, as SVG and PNG; return the text of the former by stem."""
    if not figures:
        return {}
    if importlib.util.find_spec("matplotlib") is None:
        note("no figures without Matplotlib; try: pip install sidelight[plot]")
        return {}
    from sidelight.report.figures.saving import save_for_report

    texts = {}
    for part in figures:
        figure = drawing.draw(part.experiment, part.protocol, reproduction.choice.profile, reproduction.results)
        texts[part.stem] = save_for_report(figure, folder / part.stem)
    return texts


def _write_reports(account: Account, drawings: dict[str, str], folder: Path) -> None:
    from sidelight.reproduction.report import document

    page = document(account, drawings)
    for name, text in (("report.md", page.to_markdown()), ("report.html", page.to_html())):
        with replacing(folder / name) as draft:
            draft.write_text(text, encoding="utf-8")


def _write_raw(reproduction: Reproduction, account: Account, folder: Path, note: Note) -> None:
    choice = reproduction.choice
    conditions = plan.conditions(choice.experiments, choice.protocols, choice.profile)
    table = folder / "runs.parquet"
    if importlib.util.find_spec("pyarrow") is not None:
        archive.write_runs(table, conditions, reproduction.results)
    else:
        table.unlink(missing_ok=True)  # of an earlier call
        note("no Parquet file of all runs without pyarrow; try: pip install sidelight[parquet]")
    runs = {condition: reproduction.runs(condition) for condition in conditions}
    archive.write_manifest(folder / "manifest.json", account.facts, runs, [table])
