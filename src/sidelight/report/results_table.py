"""Tables of simulation results: one row per strategy, with a caption that says what the numbers are."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.results import Results, Side, compare, paired

SIDE: Side = "two-sided"
_GAP = "  "


class Row(NamedTuple):
    """One strategy: its regret at the last checkpoint over all runs. None where there is nothing to say."""

    label: str
    runs: int
    mean: float
    standard_error: float | None
    """std / sqrt(runs)."""
    std: float | None
    """With divisor runs - 1."""
    median: float
    q99: float
    """The 99 % quantile."""
    max: float
    strict_wins: int | None
    """Runs in which this strategy alone has the lowest regret."""
    tied_wins: int | None
    """Runs in which it shares the lowest regret."""
    p_welch: float | None
    """Two-sided, against the first row, taking runs as independent."""
    p_paired: float | None
    """Two-sided, against the first row, run by run."""
    seconds: float | None
    ratio: float | None
    """The mean over the limit, if one was given."""


class _Column(NamedTuple):
    title: str
    field: str
    style: str


# Where a line is too short for all columns, it is broken between these groups first.
_GROUPS = (
    (
        _Column("mean", "mean", "number"),
        _Column("+-", "standard_error", "number"),
        _Column("std", "std", "number"),
        _Column("median", "median", "number"),
        _Column("99 %", "q99", "number"),
        _Column("max", "max", "number"),
        _Column("/ limit", "ratio", "ratio"),
    ),
    (
        _Column("wins", "strict_wins", "count"),
        _Column("tied", "tied_wins", "count"),
        _Column("p Welch", "p_welch", "chance"),
        _Column("p paired", "p_paired", "chance"),
        _Column("time", "seconds", "time"),
    ),
)


def rows(results: Sequence[Results], labels: Sequence[str] | None = None, limit: float | None = None) -> list[Row]:
    """Return one row per result; tests compare with the first one.

    `limit` is the regret that nobody can beat, at the same round: each mean is then also given as a multiple of it.
    """
    names = distinct([r.label for r in results]) if labels is None else labels
    found = []
    for name, one, row in zip(names, results, compare(results, side=SIDE), strict=True):
        found.append(
            Row(
                label=name,
                runs=row.runs,
                mean=row.mean,
                standard_error=_known(row.standard_error),
                std=_known(row.std),
                median=one.summary().quantiles[50],
                q99=row.q99,
                max=row.max,
                strict_wins=row.strict_wins,
                tied_wins=row.tied_wins,
                p_welch=row.p_value,
                p_paired=None if row.p_value is None else _paired(one, results[0]),
                seconds=one.seconds,
                ratio=row.mean / limit if limit else None,
            )
        )
    return found


def caption(results: Sequence[Results]) -> str:
    """Say what the numbers of the table are: of how many runs, how long, under which protocol, tested how."""
    first = results[0]
    sentences = [
        f"{_sentence(regret_words(first))} after {first.rounds[-1]} rounds of {game_words(first)}, "
        f"{_count(first.n_runs, 'run')}, seed {first.seed}; {protocol(first)}.",
        "+- is the standard error.",
    ]
    if first.n_runs == 1:
        sentences[1] = "A single run says nothing about chance."
    if len(results) > 1:
        sentences.append(
            "Run k of every strategy meets the same outcomes; wins are runs with the lowest regret, alone or (tied) "
            "with others."
        )
        if first.n_runs > 1:
            sentences.append(
                "p is two-sided: that the mean differs from the first row's, by Welch's test, which takes all runs as "
                "independent, and by the paired t-test, which compares run with run"
                + ("." if len(results) == 2 else "; it is not corrected for the number of rows.")
            )
    if any(r.seconds is not None for r in results):
        sentences.append("Time includes compiling, where something had to be compiled.")
    return " ".join(sentences)


def protocol(result: Results) -> str:
    """Say where the outcomes came from."""
    environment = result.environment
    law = environment.get("law")
    if environment["name"] == "IID" and isinstance(law, str):
        return f"outcome law of each run from '{law}'"
    if environment["name"] == "IID" and isinstance(law, list) and not isinstance(law[0], list):
        return f"outcomes drawn from p = ({', '.join(f'{value:.4g}' for value in law)})"
    return {"IID": "each run has an outcome law of its own", "Replay": "recorded outcomes"}.get(
        environment["name"], f"environment {environment['name']}"
    )


def regret_words(result: Results) -> str:
    """Name what is measured."""
    return "pseudo-regret" if result.regret_kind == "pseudo-regret" else "regret in hindsight"


def game_words(result: Results) -> str:
    """Name the game."""
    game = result.game
    return " ".join((game.name or f"a game of {game.n_actions} actions").split())


def distinct(texts: Sequence[str]) -> list[str]:
    """Tell equal texts apart by numbers (upper and lower case count as equal, as in some file systems)."""
    found: list[str] = []
    for text in texts:
        candidate, number = text, 2
        while candidate.lower() in (each.lower() for each in found):
            candidate, number = f"{text} #{number}", number + 1
        found.append(candidate)
    return found


def to_text(table: Sequence[Row], width: int = 80) -> str:
    """Write a table in columns, in blocks of as many columns as fit."""
    groups = [_used(group, table) for group in _GROUPS]
    room = min(max(len(row.label) for row in table), max(18, width // 3))
    labels = [textwrap.wrap(row.label, room, break_on_hyphens=False) or [""] for row in table]
    first = max([len("strategy"), *(len(line) for lines in labels for line in lines)])
    whole = [column for group in groups for column in group]
    parts = [whole] if first + _width(whole, table) <= width else groups
    blocks = [block for part in parts for block in _blocks(part, table, width - first)]
    return "\n\n".join(_block(block, table, labels, first) for block in blocks)


def to_markdown(table: Sequence[Row]) -> str:
    """Write a table in Markdown."""
    columns = [column for group in _GROUPS for column in _used(group, table)]
    lines = [["strategy", *(column.title for column in columns)], ["---", *("---:" for _ in columns)]]
    lines += [[row.label.replace("|", "\\|"), *(_cell(row, column) for column in columns)] for row in table]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _paired(one: Results, first: Results) -> float | None:
    try:
        return paired(one, first, SIDE).p_value
    except SidelightError:  # they do not share their runs
        return None


def _used(group: Sequence[_Column], table: Sequence[Row]) -> list[_Column]:
    """Leave out columns that say nothing about any row."""
    return [column for column in group if any(getattr(row, column.field) is not None for row in table)]


def _blocks(columns: Sequence[_Column], table: Sequence[Row], room: int) -> list[list[_Column]]:
    blocks: list[list[_Column]] = []
    for column in columns:
        if blocks and _width([*blocks[-1], column], table) <= room:
            blocks[-1].append(column)
        else:
            blocks.append([column])
    return blocks


def _block(columns: Sequence[_Column], table: Sequence[Row], labels: Sequence[list[str]], first: int) -> str:
    sizes = [_size(column, table) for column in columns]
    titles = "".join(f"{_GAP}{column.title:>{size}}" for column, size in zip(columns, sizes, strict=True))
    lines = [f"{'strategy':<{first}}{titles}"]
    for row, (start, *rest) in zip(table, labels, strict=True):
        cells = "".join(f"{_GAP}{_cell(row, column):>{size}}" for column, size in zip(columns, sizes, strict=True))
        lines += [f"{start:<{first}}{cells}", *rest]
    return "\n".join(lines)


def _width(columns: Sequence[_Column], table: Sequence[Row]) -> int:
    return sum(len(_GAP) + _size(column, table) for column in columns)


def _size(column: _Column, table: Sequence[Row]) -> int:
    return max(len(column.title), *(len(_cell(row, column)) for row in table))


def _cell(row: Row, column: _Column) -> str:
    value: Any = getattr(row, column.field)
    if value is None:
        return "-"
    if column.style == "count":
        return str(value)
    if column.style == "chance":
        return f"{value:.3g}" if value >= 1e-4 else f"{value:.0e}" if value > 0 else "0"
    if column.style == "time":
        return f"{value:.2g} s" if value < 10 else f"{value:.0f} s"
    return f"{value:.3g}" if column.style == "ratio" else number(value)


def number(value: float) -> str:
    """Write a regret: three decimals as in publications, fewer where they are noise."""
    size = abs(value)
    if 0 < size < 0.01:
        return f"{value:.2g}"
    return f"{value:.{3 if size < 1e3 else 1 if size < 1e5 else 0}f}"


def grouped(value: int) -> str:
    """Write a whole number with its thousands set apart."""
    return f"{value:,}".replace(",", "\N{NO-BREAK SPACE}")


def _known(value: float) -> float | None:
    return None if np.isnan(value) or math.isinf(value) else float(value)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
