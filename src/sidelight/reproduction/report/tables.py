"""The tables of a reproduction's report: our numbers next to the printed ones, and how players compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sidelight.reproduction.report.account import Account
from sidelight.reproduction.report.wording import (
    COMPARED,
    KIND_WORDS,
    MEASURES,
    PROTOCOL_NAMES,
    PROTOCOL_TITLES,
    SHORT_WORDS,
    name,
    numbered,
    protocols,
    z_text,
)
from sidelight.reproduction.verdicts import Number, Part
from sidelight.results.comparison import LARGER_IS_BETTER
from sidelight.studies.report_tables import error_text
from sidelight.table import Cell, Column, Row, Table
from sidelight.text import STAY, grouped, number

_NONE = "–"


class _Shown(NamedTuple):
    """A column: its headings, what it shows of a number, and how, if not as the paper writes the measure."""

    over: str
    title: str
    value: Callable[[Number], Any]
    write: Callable[[Any], str] | None = None
    look: str = ""
    left: bool | None = None


def usual(table: Part) -> tuple[int, int | None]:
    """Return the most frequent number of runs and the most frequent round of a table."""
    runs = Counter(one.ours.runs for one in table.numbers).most_common(1)
    rounds = Counter(one.ours.round for one in table.numbers).most_common(1)
    return (runs[0][0], rounds[0][0]) if runs else (0, None)


def agreement(table: Part, account: Account) -> Table:
    """Return our numbers of a table next to the printed ones, with verdicts that refer to numbered reasons."""
    reasons = numbered(account)
    several = len({one.measure for one in table.numbers}) > 1

    def verdict(one: Number) -> Cell:
        kind, reason = one.verdict, one.reason or ""
        words = (SHORT_WORDS if several else KIND_WORDS)[kind]
        if kind == "differs" and not several:
            words += f": {account.reasons[reason].title}" if reason in reasons else ", for no known reason"
        long = " long" * (kind == "differs" and not several)
        return Cell(words, note=_again(one), reference=reasons.get(reason), look=f"verdict {kind}{long}")

    return _table(
        table,
        [
            _Shown(
                "here", "mean ± standard error", lambda one: Cell(one.ours.mean, error_text(one.ours.standard_error))
            ),
            _Shown("here", "std", lambda one: one.ours.std),
            _Shown("paper", "mean", lambda one: one.printed and one.printed.mean),
            _Shown("paper", "std", lambda one: one.printed and one.printed.std),
            _Shown("do they agree?", "z", lambda one: one.z, z_text),
            _Shown("do they agree?", "verdict", verdict, str, left=True),
        ],
    )


def comparison(table: Part) -> Table:
    """Return how the players of a table compare: quantiles, wins and tests. Columns that say nothing are left out."""
    runs, chances = "over the runs", "p against the first row"
    columns = [
        _Shown(runs, "mean", lambda one: one.ours.mean, number),
        _Shown(runs, "median", lambda one: one.ours.median, number),
        _Shown(runs, "median in the paper", lambda one: one.printed and one.printed.median, look="paper"),
        # If more is better these would be the best runs, where a score is nearly always 1.
        _Shown(runs, "99 %", lambda one: one.ours.q99 if one.measure not in LARGER_IS_BETTER else None, number),
        _Shown(runs, "max", lambda one: one.ours.max if one.measure not in LARGER_IS_BETTER else None, number),
        _Shown(runs, "× limit", lambda one: one.ours.limit_ratio, "{:.2f}".format),
        _Shown("wins", f"alone{STAY}+ shared", _wins, str),
        _Shown("wins", "paper", lambda one: one.printed and one.printed.wins, str, "paper"),
        _Shown(chances, "two-sided", lambda one: one.ours.p_value, _three_decimals),
        _Shown(chances, "paper", lambda one: one.printed and one.printed.p_value, "{:.3f}".format, "paper"),
        _Shown(chances, "one-sided", lambda one: one.p_one_sided, _three_decimals),
    ]
    return _table(table, columns).useful()


def overview(account: Account) -> Table:
    """Return how many numbers of each table have each verdict."""
    ways = protocols(account)
    kinds = [kind for kind in COMPARED if kind != "open" or any(t.counts()["open"] for t in account.tables)]
    columns = [
        Column("table"),
        *(
            Column(KIND_WORDS[kind], group=PROTOCOL_TITLES[way], alone=f"{way}: {KIND_WORDS[kind]}")
            for way in ways
            for kind in kinds
        ),
    ]
    rows = []
    for experiment in dict.fromkeys(table.name for table in account.tables):
        found = {table.protocol: table for table in account.tables if table.name == experiment}
        first = next(iter(found.values()))
        row = [Cell(f"{name(experiment)}: {first.exhibit.title}", link=first.place)]
        for way in ways:
            counts = found[way].counts() if way in found else None
            row += [
                Cell(counts and counts[kind], look=f"count {kind}" if counts and counts[kind] else "faint")
                for kind in kinds
            ]
        rows.append(row)
    return Table(columns, rows, none=_NONE)


def differing(found: Sequence[tuple[Part, Number]]) -> Table:
    """Return numbers that differ, in short; a second look comes before the first."""
    titles = ("where", "which", "here ± standard error", "paper", "z", "runs", "protocol")
    rows = []
    for table, one in found:
        write = _writer(one.measure)
        last, z = (one.ours, one.z) if one.again is None else (one.again, one.z_again)
        measure = "" if one.measure == "regret" else f", {MEASURES.get(one.measure, one.measure)}"
        rows.append(
            [
                Cell(f"{name(table.name)}, {one.setting}", link=table.place),
                one.label + measure,
                Cell(write(last.mean), error_text(last.standard_error)),
                one.printed and write(one.printed.mean),
                None if z is None else z_text(z),
                grouped(last.runs),
                PROTOCOL_NAMES[table.protocol],
            ]
        )
    columns = [Column(title, left=title in ("where", "which", "protocol")) for title in titles]
    return Table(columns, rows, none=_NONE)


def _table(table: Part, shown: Sequence[_Shown]) -> Table:
    """Return a table with one group of rows per setting, and the columns once per measure."""
    measures = list(dict.fromkeys(one.measure for one in table.numbers))
    columns = [Column("strategy" if measures == ["regret"] else "policy")]
    for measure in measures:
        columns += [_column(one, measure, several=len(measures) > 1) for one in shown]
    rows = []
    for setting in dict.fromkeys(one.setting for one in table.numbers):
        here = [one for one in table.numbers if one.setting == setting]
        for label in dict.fromkeys(one.label for one in here):
            own = {one.measure: one for one in here if one.label == label}
            first = next(iter(own.values()))
            cells: list[Any] = [Cell(label, note=_exception(table, first))]
            for measure in measures:
                cells += [each.value(own[measure]) if measure in own else None for each in shown]
            rows.append(Row(cells, setting, "limit" * first.is_limit))
    return Table(columns, rows, none=_NONE)


def _column(one: _Shown, measure: str, several: bool) -> Column:
    """Return a column; next to columns of another measure its heading must be complete."""
    words = {"here": "here, ", "paper": "paper, ", "wins": "wins, ", "p against the first row": f"p{STAY}"}
    alone = words.get(one.over, "") + one.title
    # Only regrets are written in the style of this library's tables; others as the paper prints them.
    write = one.write if one.write and (one.write is not number or measure == "regret") else _writer(measure)
    if not several:
        return Column(one.title, write, one.left, one.over, alone, look=one.look)
    title = MEASURES.get(measure, measure)
    return Column(alone, write, one.left, title, f"{title}: {alone}", look=one.look)


def _writer(measure: str) -> Callable[[float], str]:
    """Return how the paper writes a measure."""
    return (lambda value: grouped(round(value))) if measure == "verifications" else "{:.3f}".format


def _exception(table: Part, one: Number) -> str:
    """Say how a row differs from the others: fewer runs, another round."""
    runs, end = usual(table)
    words = [f"{grouped(one.ours.runs)} run{'s' * (one.ours.runs > 1)}"] if one.ours.runs != runs else []
    words += ["the limit, not a contestant"] if one.is_limit else []
    words += [f"after {grouped(one.ours.round)} rounds"] if one.ours.round not in (None, end) else []
    return ", ".join(words)


def _again(one: Number) -> str:
    """Say what a second look gave."""
    if one.again is None or one.z_again is None:
        return ""
    mean = _writer(one.measure)(one.again.mean)
    return f"{grouped(one.again.runs)}_runs: {mean}, z_=_{z_text(one.z_again)}".replace("_", STAY)


def _wins(one: Number) -> str | None:
    return None if one.ours.strict_wins is None else f"{one.ours.strict_wins} + {one.ours.tied_wins or 0}"


def _three_decimals(p: float) -> str:
    return "<0.001" if p < 0.0005 else f"{p:.3f}"
