"""The tables of a reproduction's report: our numbers next to the printed ones, and how players compare."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sidelight.reproduction.report.wording import (
    KIND_WORDS,
    PROTOCOL_NAMES,
    exhibit_title,
    number_reproduction_reasons,
    reproduction_z_text,
)
from sidelight.reproduction.verdicts import ReproducedNumber, ReproducedPart, ReproductionAccount
from sidelight.results.comparison import LARGER_IS_BETTER
from sidelight.studies.reporting.tables import MEASURES, study_error_text, study_p_text
from sidelight.table import Cell, Column, Row, Table
from sidelight.text import STAY, thousands
from sidelight.text import number_text as regret_text

_NONE = "–"


def usual_runs_and_round(table: ReproducedPart) -> tuple[int, int | None]:
    """Return the most frequent number of runs and the most frequent round of a table."""
    found = Counter((one.ours.runs, one.ours.round) for one in table.numbers).most_common(1)
    return found[0][0] if found else (0, None)


def reproduction_agreement_table(table: ReproducedPart, account: ReproductionAccount) -> Table:
    """Return our numbers of a table next to the printed ones, with verdicts that refer to numbered reasons."""
    here, paper, agree = "here", "paper", "do they agree?"
    columns = [
        Column(_reproduction_player_title(table)),
        Column("mean ± standard error", group=here, alone="here, mean ± standard error"),
        Column("std", group=here, alone="here, std"),
        Column("mean", group=paper, alone="paper, mean"),
        Column("std", group=paper, alone="paper, std"),
        Column("z", reproduction_z_text, group=agree),
        Column("verdict", left=True, group=agree),
    ]
    rows = []
    for one in table.numbers:
        mean = Cell(_printed_text(one, one.ours.mean), study_error_text(one.ours.standard_error))
        printed = [_printed_text(one, getattr(one.printed, field, None)) for field in ("mean", "std")]
        cells = [mean, _printed_text(one, one.ours.std), *printed, one.z, _reproduction_verdict(one, account)]
        rows.append(_reproduction_row(table, one, cells))
    return Table(columns, rows, none=_NONE)


def reproduction_comparison_table(table: ReproducedPart) -> Table:
    """Return how the players of a table compare: quantiles, wins and tests. Columns that say nothing are left out."""
    runs, wins, chances = "over the runs", "wins", "p against the first row"
    columns = [
        Column(_reproduction_player_title(table)),
        Column("mean", group=runs),
        Column("median", group=runs),
        Column("median in the paper", group=runs, look="paper"),
        Column("99 %", group=runs),
        Column("max", group=runs),
        Column("× limit", "{:.2f}".format, group=runs),
        Column(f"alone{STAY}+ shared", group=wins, alone=f"wins, alone{STAY}+ shared"),
        Column("paper", group=wins, alone="wins, paper", look="paper"),
        Column("two-sided", study_p_text, group=chances, alone=f"p{STAY}two-sided"),
        Column("paper", "{:.3f}".format, group=chances, alone=f"p{STAY}paper", look="paper"),
        Column("one-sided", study_p_text, group=chances, alone=f"p{STAY}one-sided"),
    ]
    rows = []
    for one in table.numbers:
        s, shown = one.ours, functools.partial(_reproduced_text, one)
        median, wins_in_paper, p = (getattr(one.printed, field, None) for field in ("median", "wins", "p_value"))
        # If more is better, the tails would be the best runs, where a score is nearly always 1.
        tails = (None, None) if one.measure in LARGER_IS_BETTER else (shown(s.q99), shown(s.max))
        alone = None if s.strict_wins is None else f"{s.strict_wins} + {s.tied_wins or 0}"
        values = [shown(s.mean), shown(s.median), _printed_text(one, median), *tails, s.limit_ratio]
        tests = [alone, wins_in_paper, s.p_value, p, one.p_one_sided]
        rows.append(_reproduction_row(table, one, [*values, *tests]))
    return Table(columns, rows, none=_NONE).useful()


def reproduction_difference_text(table: ReproducedPart, one: ReproducedNumber) -> str:
    """Say where a number differs from the paper, and by how much; a repeated run replaces the first result."""
    last, z = (one.ours, one.z) if one.again is None else (one.again, one.z_again)
    measure = "" if one.measure == "regret" else f", {MEASURES[one.measure]}"
    printed = one.printed and _printed_text(one, one.printed.mean)
    ours = f"{_printed_text(one, last.mean)} {study_error_text(last.standard_error)}"
    return (
        f"{exhibit_title(table.name)}, {one.setting}, {PROTOCOL_NAMES[table.protocol]}: {one.label}{measure}: "
        f"{ours} in {thousands(last.runs)} runs, and {printed} in the paper (z = {reproduction_z_text(z or 0.0)})."
    )


def _reproduction_row(table: ReproducedPart, one: ReproducedNumber, cells: Sequence[Any]) -> Row:
    """Return a row in the group of its setting and measure; its note says how it differs from other rows."""
    runs, end = usual_runs_and_round(table)
    words = [f"{thousands(one.ours.runs)} run{'s' * (one.ours.runs > 1)}"] if one.ours.runs != runs else []
    words += ["the limit, not a contestant"] if one.is_limit else []
    words += [f"after {thousands(one.ours.round)} rounds"] if one.ours.round not in (None, end) else []
    group = one.setting if one.measure == "regret" else f"{one.setting}, {MEASURES[one.measure]}"
    return Row([Cell(one.label, note=", ".join(words)), *cells], group, "limit" * one.is_limit)


def _reproduction_player_title(table: ReproducedPart) -> str:
    return "strategy" if all(one.measure == "regret" for one in table.numbers) else "policy"


def _printed_text(one: ReproducedNumber, value: float | None) -> str | None:
    """Format a value as the paper prints numbers of that measure."""
    if value is None or math.isnan(value):
        return None
    return thousands(round(value)) if one.measure == "verifications" else f"{value:.3f}"


def _reproduced_text(one: ReproducedNumber, value: float) -> str | None:
    """Format a regret as in the other tables of this library, and any other measure as the paper prints it."""
    return regret_text(value) if one.measure == "regret" else _printed_text(one, value)


def _reproduction_verdict(one: ReproducedNumber, account: ReproductionAccount) -> Cell:
    """Return the verdict, the reason if there is one, and what a second look gave."""
    reasons, reason = number_reproduction_reasons(account), one.reason or ""
    words = KIND_WORDS[one.verdict]
    if one.verdict == "differs":
        words += f": {account.reasons[reason].title}" if reason in reasons else ", for no known reason"
    again = ""
    if one.again is not None and one.z_again is not None:
        mean = _printed_text(one, one.again.mean)
        again = f"{thousands(one.again.runs)}_runs: {mean}, z_=_{reproduction_z_text(one.z_again)}".replace("_", STAY)
    look = f"verdict {one.verdict}{' long' * (one.verdict == 'differs')}"
    return Cell(words, note=again, reference=reasons.get(reason), look=look)
