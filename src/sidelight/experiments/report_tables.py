"""Tables of a reproduction as grids of text, which any format can write."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidelight.experiments.report_words import (
    COMPARED,
    KIND_WORDS,
    MEASURES,
    PROTOCOL_NAMES,
    PROTOCOL_TITLES,
    SHORT_WORDS,
    Difference,
    name,
    numbered,
    protocols,
    z_text,
)
from sidelight.report.grid import NONE, Grid, Group, Head, Piece
from sidelight.text import grouped, number

if TYPE_CHECKING:
    from sidelight.experiments.account import Account, Block, Cell, TableAccount


class _Column(NamedTuple):
    over: str
    title: str
    piece: Callable[[Block, Cell], Piece]


def usual(table: TableAccount) -> tuple[int, int | None]:
    """Return the most frequent number of runs and the most frequent round of a table."""
    cells = [cell for block in table.blocks for cell in block.cells]
    runs = Counter(cell.runs for cell in cells).most_common(1)
    rounds = Counter(cell.round for cell in cells).most_common(1)
    return (runs[0][0], rounds[0][0]) if cells else (0, None)


def agreement(table: TableAccount, account: Account) -> Grid:
    """Return the numbers of a table beside the printed ones, with verdicts that refer to numbered reasons."""
    numbers = numbered(account)
    several = len({block.measure for block in table.blocks}) > 1

    def verdict(block: Block, cell: Cell) -> Piece:
        kind, reason = cell.verdict.kind, cell.verdict.reason or ""
        words = (SHORT_WORDS if several else KIND_WORDS)[kind]
        if kind == "differs" and not several:
            words += f": {account.reasons[reason].title}" if reason in numbers else ", for no known reason"
        long = " long" * (kind == "differs" and not several)
        return Piece(words, f"verdict {kind}{long}", note=_rerun(block, cell), reason=numbers.get(reason))

    columns = (
        _Column("here", "mean ± standard error", _mean),
        _Column("here", "std", lambda block, cell: Piece(_printed(cell.std, block.measure))),
        _Column("paper", "mean", lambda block, cell: Piece(_print(cell, "mean", block.measure))),
        _Column("paper", "std", lambda block, cell: Piece(_print(cell, "std", block.measure))),
        _Column("do they agree?", "z", lambda block, cell: Piece(z_text(cell.z))),
        _Column("do they agree?", "verdict", verdict),
    )
    return _grid(table, columns)


def comparison(table: TableAccount) -> Grid:
    """Return how the players of a table compare: quantiles, wins and tests. Columns that say nothing are left out."""
    columns = (
        _Column("over the runs", "mean", lambda block, cell: _value(cell.mean, block.measure)),
        _Column("over the runs", "median", lambda block, cell: _value(cell.median, block.measure)),
        _Column(
            "over the runs",
            "median in the paper",
            lambda block, cell: Piece(_print(cell, "median", block.measure), "paper"),
        ),
        # Where more is better these would be the best runs, and a score is nearly always 1 there.
        _Column(
            "over the runs",
            "99 %",
            lambda block, cell: _value(cell.q99 if block.better == "less" else None, block.measure),
        ),
        _Column(
            "over the runs",
            "max",
            lambda block, cell: _value(cell.max if block.better == "less" else None, block.measure),
        ),
        _Column("over the runs", "× limit", lambda block, cell: Piece(_fixed(cell.limit_ratio, 2))),
        _Column("wins", "alone\N{NO-BREAK SPACE}+ shared", _wins),
        _Column("wins", "paper", _printed_wins),
        _Column("p against the first row", "two-sided", lambda block, cell: Piece(_chance(cell.p_two_sided))),
        _Column("p against the first row", "paper", _printed_p),
        _Column("p against the first row", "one-sided", lambda block, cell: Piece(_chance(cell.p_one_sided))),
    )
    return _grid(table, columns).useful()


def overview(account: Account) -> Grid:
    """Return how many numbers of each table have which verdict."""
    ways = protocols(account)
    tables = {(table.name, table.protocol): table for table in account.tables}
    kinds = [kind for kind in COMPARED if kind != "open" or any(t.counts()["open"] for t in account.tables)]
    heads = [
        Head("table"),
        *(Head(KIND_WORDS[kind], PROTOCOL_TITLES[way], f"{way}: {KIND_WORDS[kind]}") for way in ways for kind in kinds),
    ]
    rows = []
    for experiment in dict.fromkeys(table.name for table in account.tables):
        found = [tables.get((experiment, way)) for way in ways]
        first = next(table for table in found if table is not None)
        row = [Piece(f"{name(experiment)}: {first.title}", "label", link=f"{first.protocol}-{experiment}")]
        for table in found:
            counts = None if table is None else table.counts()
            row += [_count(None if counts is None else counts[kind], kind) for kind in kinds]
        rows.append(row)
    return Grid(heads, [Group("", rows)])


def differing(found: Sequence[Difference]) -> Grid:
    """Return numbers that differ, in short; a second look comes before the first."""
    heads = [Head(title) for title in ("where", "which", "here ± standard error", "paper", "z", "runs", "protocol")]
    rows = []
    for table, setting, measure, cell in found:
        last = cell.rerun or cell
        printed = NONE if cell.published is None else _printed(cell.published.mean, measure)
        rows.append(
            [
                Piece(f"{name(table.name)}, {setting}", "label", link=f"{table.protocol}-{table.name}"),
                Piece(cell.label if measure == "regret" else f"{cell.label}, {MEASURES.get(measure, measure)}", "text"),
                Piece(_printed(last.mean, measure), "", _error(last.standard_error)),
                Piece(printed),
                Piece(z_text(last.z)),
                Piece(grouped(last.runs)),
                Piece(PROTOCOL_NAMES[table.protocol], "text"),
            ]
        )
    return Grid(heads, [Group("", rows)])


def _grid(table: TableAccount, columns: Sequence[_Column]) -> Grid:
    """Return a grid with one group of rows per setting, and the columns once per measure."""
    measures = list(dict.fromkeys(block.measure for block in table.blocks))
    first = "strategy" if measures == ["regret"] else "policy"
    heads = [Head(first)]
    for measure in measures:
        heads += [_head(column, measure if len(measures) > 1 else None) for column in columns]
    groups = []
    for setting in dict.fromkeys(block.setting for block in table.blocks):
        blocks = {block.measure: block for block in table.blocks if block.setting == setting}
        found = [{cell.label: cell for cell in blocks[m].cells} if m in blocks else {} for m in measures]
        labels = list(dict.fromkeys(label for cells in found for label in cells))
        rows, limits = [], set()
        for index, label in enumerate(labels):
            own = next(cells[label] for cells in found if label in cells)
            row = [Piece(label, "label", note=_exception(table, own))]
            for measure, cells in zip(measures, found, strict=True):
                row += [c.piece(blocks[measure], cells[label]) if label in cells else Piece(NONE) for c in columns]
            rows.append(row)
            if own.is_limit:
                limits.add(index)
        groups.append(Group(setting, rows, frozenset(limits)))
    return Grid(heads, groups)


def _head(column: _Column, measure: str | None) -> Head:
    """Return the heading of a column; beside columns of another measure it must say all by itself."""
    words = {"here": "here, ", "paper": "paper, ", "wins": "wins, ", "p against the first row": "p\N{NO-BREAK SPACE}"}
    alone = words.get(column.over, "") + column.title
    if measure is None:
        return Head(column.title, column.over, alone)
    title = MEASURES.get(measure, measure)
    return Head(alone, title, f"{title}: {alone}")


def _exception(table: TableAccount, cell: Cell) -> str:
    """Say how a row differs from the others: fewer runs, another round."""
    runs, end = usual(table)
    words = [f"{grouped(cell.runs)} run{'s' * (cell.runs > 1)}"] if cell.runs != runs else []
    words += ["the limit, not a contestant"] if cell.is_limit else []
    words += [f"after {grouped(cell.round)} rounds"] if cell.round is not None and cell.round != end else []
    return ", ".join(words)


def _mean(block: Block, cell: Cell) -> Piece:
    return Piece(_printed(cell.mean, block.measure), "", _error(cell.standard_error))


def _rerun(block: Block, cell: Cell) -> str:
    if cell.rerun is None:
        return ""
    mean = _printed(cell.rerun.mean, block.measure)
    text = f"{grouped(cell.rerun.runs)}_runs: {mean}, z_=_{z_text(cell.rerun.z)}"
    return text.replace("_", "\N{NO-BREAK SPACE}")


def _wins(block: Block, cell: Cell) -> Piece:
    if cell.strict_wins is None:
        return Piece(NONE)
    return Piece(f"{cell.strict_wins} + {cell.tied_wins or 0}")


def _printed_wins(block: Block, cell: Cell) -> Piece:
    wins = cell.published and cell.published.wins
    return Piece(NONE if wins is None else str(wins), "paper")


def _printed_p(block: Block, cell: Cell) -> Piece:
    return Piece(_fixed(cell.published and cell.published.p_value, 3), "paper")


def _print(cell: Cell, field: str, measure: str) -> str:
    return _printed(getattr(cell.published, field, None), measure)


def _printed(value: float | None, measure: str) -> str:
    """Write a value with as many decimals as the paper prints."""
    if value is None or not math.isfinite(value):
        return NONE
    return grouped(round(value)) if measure == "verifications" else f"{value:.3f}"


def _value(value: float | None, measure: str) -> Piece:
    """Write a value in the style of this library's tables."""
    if value is None or not math.isfinite(value):
        return Piece(NONE)
    return Piece(number(value) if measure == "regret" else _printed(value, measure))


def _error(value: float | None) -> str:
    """Write a standard error to two or three digits."""
    if value is None or not math.isfinite(value):
        return ""
    if value >= 1000:
        return f"± {grouped(round(value))}"
    decimals = 3 if value < 0.1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"± {value:.{decimals}f}" if value else "± 0"


def _fixed(value: float | None, decimals: int) -> str:
    return NONE if value is None or not math.isfinite(value) else f"{value:.{decimals}f}"


def _chance(p: float | None) -> str:
    return "<0.001" if p is not None and p < 0.0005 else _fixed(p, 3)


def _count(value: int | None, kind: str) -> Piece:
    return Piece(NONE if value is None else str(value), f"count {kind}" if value else "faint")
