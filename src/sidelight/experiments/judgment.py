"""Ours beside the printed: statistics of each cell, and whether they agree.

A printed mean comes with a standard deviation s' over 96 runs, ours with s over n. Then
z = (mean - mean') / sqrt(s^2 / n + s'^2 / 96), and |z| < 3 is called the same within chance: if all 74 pairs were
right, about one in 370 would lie outside. A cell with |z| >= 2 is run again with ten times the runs, and then these
decide. With fewer than ten runs the larger of s and s' stands for s. Under the published protocol both sides met the
same outcomes, so that the true spread of the difference is smaller than this, and z errs towards "the same".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from sidelight import _published
from sidelight._published import Pair
from sidelight.experiments.account import Block, Cell, Rerun, TableAccount, Verdict
from sidelight.experiments.experiment import (
    HORIZON,
    SLOW_HORIZON,
    Condition,
    Experiment,
    GameSetting,
    Player,
    Protocol,
    Section,
)
from sidelight.experiments.plan import Line, Profile, lines
from sidelight.experiments.report_words import CHANCE
from sidelight.kernels.arrays import Floats
from sidelight.results.sealed import Arrays
from sidelight.results.statistics import Summary, summarize, welch_of, wins_of

Arrived = Callable[[Condition], Arrays]
"""Where the arrays of an condition come from: as many runs as have been made of it."""

DOUBT = 2.0
"""From here on a cell gets a second look: more careful than needed, because a difference can hide just below three."""
BEYOND_DOUBT = 10.0
"""What a cell must reach that cannot have a second look because its strategy is too slow."""
_FEW = 10  # runs, whose own spread says too little about the true one
BETTER: dict[str, Literal["less", "greater"]] = {"regret": "less", "verifications": "less", "f1": "greater"}


class _Reading(NamedTuple):
    """The values of one player in a block, one per run, and the round they are read at."""

    line: Line
    label: str
    round: int | None
    values: Floats
    """Of the runs that the profile asks for."""
    all_values: Floats
    """And of those that were added for a second look."""
    printed: Pair | None


def table_account(experiment: Experiment, protocol: Protocol, profile: Profile, arrived: Arrived) -> TableAccount:
    """Return a table with a verdict for each cell."""
    every = lines(experiment, protocol, profile)
    blocks = [
        _block(experiment.name, section, measure, [line for line in every if line.section is section], profile, arrived)
        for section in experiment.sections
        for measure in section.setting.measures
    ]
    return TableAccount(experiment.name, experiment.title, experiment.text, protocol, blocks)


def reading_round(player: Player, condition: Condition) -> int | None:
    """Return the round that the paper's number belongs to.

    The published contextual tables show the regret one round before the horizon, because their last condition is empty.
    """
    if not isinstance(condition.setting, GameSetting):
        return None
    end = SLOW_HORIZON if player.slow else HORIZON
    return end - 1 if condition.protocol == "published" and condition.setting.world == "contexts" else end


def _block(table: str, section: Section, measure: str, found: list[Line], profile: Profile, arrived: Arrived) -> Block:
    readings = [
        reading for line in found for reading in _readings(table, line, measure, profile, arrived(line.condition))
    ]
    first = readings[0]
    limit = next((float(r.values.mean()) for r in readings if r.line.player.limit), None)
    sign = 1.0 if BETTER[measure] == "less" else -1.0
    wins = _wins(readings, sign)
    cells = [
        _cell(reading, wins.get(index), _tests(reading, first, sign, arrived), limit)
        for index, reading in enumerate(readings)
    ]
    return Block(section.setting.title, measure, BETTER[measure], cells)


def _readings(table: str, line: Line, measure: str, profile: Profile, arrays: Arrays) -> list[_Reading]:
    """Return what is read of a player: its number, and for a slow one that went on, where it ended."""
    runs = profile.runs_of(line.condition)
    player = line.player
    printed = None if player.paper is None else _published.pair(table, line.section.key, player.paper, measure)
    at = reading_round(player, line.condition)
    if at is None:
        values = arrays[measure].astype(float)
        return [_Reading(line, player.name, None, values[:runs], values, printed)]
    found = [(player.name, at, printed)]
    if at < line.condition.horizon - 1:
        found.append((f"{player.name}, {line.condition.horizon} rounds", line.condition.horizon, None))
    return [_Reading(line, label, end, _at(arrays, end)[:runs], _at(arrays, end), pair) for label, end, pair in found]


def _at(arrays: Arrays, end: int) -> Floats:
    """Return the regret of all runs after a round."""
    column = int(np.flatnonzero(arrays["rounds"] == end)[0])
    return np.asarray(arrays["regret"][:, column], dtype=float)


def _wins(readings: list[_Reading], sign: float) -> dict[int, tuple[int, int]]:
    """Count wins among the paper's contestants that were read at the same round of the same runs as the first one."""
    first = readings[0]
    rivals = [
        index
        for index, reading in enumerate(readings)
        if reading.line.player.paper is not None
        and reading.label == reading.line.player.name
        and (reading.round, reading.values.size) == (first.round, first.values.size)
    ]
    counts = wins_of(np.stack([sign * readings[index].values for index in rivals]))
    return dict(zip(rivals, counts, strict=True))


def _tests(reading: _Reading, first: _Reading, sign: float, arrived: Arrived) -> tuple[float, float] | None:
    """Return the p-values of Welch's test against the first player at the same round: two-sided and one-sided."""
    against = first.values
    if reading.round is not None and reading.round != first.round:
        against = _at(arrived(first.line.condition), reading.round)[: first.values.size]
    if reading is first or reading.line.player.limit or min(reading.values.size, against.size) < 2:
        return None
    two = welch_of(reading.values, against).p_value
    one = welch_of(sign * reading.values, sign * against, "greater").p_value
    return two, one


def _cell(
    reading: _Reading, wins: tuple[int, int] | None, tests: tuple[float, float] | None, limit: float | None
) -> Cell:
    s = summarize(reading.values, reading.round or 0)
    z = _z(s, reading.printed)
    first = _verdict(reading, s, z, None)
    rerun = _rerun(reading) if _doubtful(first.kind, z) else _first_runs(reading, s)
    return Cell(
        label=reading.label,
        runs=s.runs,
        round=reading.round,
        mean=s.mean,
        std=_known(s.std),
        standard_error=_known(s.standard_error),
        median=s.quantiles[50],
        q99=s.quantiles[99],
        max=s.max,
        strict_wins=wins[0] if wins else None,
        tied_wins=wins[1] if wins else None,
        p_two_sided=tests[0] if tests else None,
        p_one_sided=tests[1] if tests else None,
        limit_ratio=s.mean / limit if limit else None,
        published=reading.printed,
        z=z,
        rerun=rerun,
        verdict=_verdict(reading, s, z, rerun) if rerun else first,
        is_limit=reading.line.player.limit,
    )


def _verdict(reading: _Reading, s: Summary, z: float | None, rerun: Rerun | None) -> Verdict:
    printed = reading.printed
    if printed is None:
        return Verdict("ours")
    if _same_digits(s, printed) or _first_runs(reading, s):
        return Verdict("digit")
    final = rerun.z if rerun else z
    if final is None:
        return Verdict("open")
    if abs(final) < CHANCE:
        return Verdict("chance")
    if reading.line.player.slow and s.runs < _published.RUNS and abs(final) < BEYOND_DOUBT:
        return Verdict("open")
    return Verdict("differs", reading.line.player.reasons.get(reading.line.condition.protocol))


def needs_rerun(cell: Cell) -> bool:
    """Say whether a cell looks different, or may be, and has not had a second look."""
    return cell.rerun is None and _doubtful(cell.verdict.kind, cell.z)


def _doubtful(kind: str, z: float | None) -> bool:
    return kind != "digit" and z is not None and abs(z) >= DOUBT


def _rerun(reading: _Reading) -> Rerun | None:
    if reading.all_values.size <= reading.values.size or reading.printed is None:
        return None
    s = summarize(reading.all_values, reading.round or 0)
    z = _z(s, reading.printed)
    return None if z is None else Rerun(s.runs, s.mean, s.std, s.standard_error, z)


def _first_runs(reading: _Reading, s: Summary) -> Rerun | None:
    """Return what the paper's 96 runs gave, where there are more runs and those met the printed digits."""
    printed = reading.printed
    if printed is None or reading.line.condition.protocol != "published" or s.runs <= _published.RUNS:
        return None
    first = summarize(reading.values[: _published.RUNS], s.round)
    if not _same_digits(first, printed):
        return None
    return Rerun(first.runs, first.mean, first.std, first.standard_error, 0.0)


def _z(s: Summary, printed: Pair | None) -> float | None:
    if printed is None or s.runs < 2:
        return None
    std = max(s.std, printed.std) if s.runs < _FEW else s.std
    error = math.hypot(std / math.sqrt(s.runs), printed.std / math.sqrt(_published.RUNS))
    difference = s.mean - printed.mean
    # Half a unit of the last printed digit is rounding, not a difference.
    if abs(difference) <= 0.5000001 * 10.0**-printed.decimals:
        return 0.0 if error == 0 else difference / error
    return math.copysign(math.inf, difference) if error == 0 else difference / error


def _same_digits(s: Summary, printed: Pair) -> bool:
    unit = 0.5000001 * 10.0**-printed.decimals
    return s.runs > 1 and abs(s.mean - printed.mean) <= unit and abs(s.std - printed.std) <= unit


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
