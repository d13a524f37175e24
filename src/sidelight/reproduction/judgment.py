"""Our numbers and the printed ones: statistics of each, and whether they agree.

A printed mean comes with a standard deviation s' over 96 runs, ours with s over n. Then
z = (mean - mean') / sqrt(s^2 / n + s'^2 / 96), and |z| < 3 is called the same within chance: even if all 74 pairs were
right, about one in 370 would lie outside. A number with |z| >= 2 is run again with ten times the runs, and then these
decide. With fewer than ten runs the larger of s and s' stands for s. Under the published protocol both sides met the
same outcomes, so the true spread of the difference is smaller than this, and z errs toward "the same".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats
from sidelight.reproduction import published
from sidelight.reproduction.account import BETTER, Kind, Number
from sidelight.reproduction.experiment import (
    HORIZON,
    SLOW_HORIZON,
    Condition,
    Experiment,
    GameSetting,
    Player,
    Protocol,
)
from sidelight.reproduction.plan import Line, Profile, lines
from sidelight.reproduction.published import Pair
from sidelight.results import Results
from sidelight.results.statistics import Summary, TTest, summarize, welch_of, wins_of

ResultsOf = Callable[[Condition], Results]
"""Returns the results of a condition, with as many runs as have been made of it."""

CHANCE = 3.0
"""Below this |z| is called chance."""
DOUBT = 2.0
"""From here on a number gets a second look: earlier than needed, because a difference can hide just below three."""
BEYOND_DOUBT = 10.0
"""What a number must reach that cannot have a second look because its strategy is too slow."""
_FEW = 10  # runs, whose own spread says too little about the true one


class _Reading(NamedTuple):
    """The values of one player in a setting, one per run, and the round they are read at."""

    line: Line
    label: str
    round: int | None
    values: Floats
    """Of the runs that the profile asks for."""
    all_values: Floats
    """And of those that were added for a second look."""
    printed: Pair | None


def judge(experiment: Experiment, protocol: Protocol, profile: Profile, results_of: ResultsOf) -> list[Number]:
    """Return the numbers of a table, each with a verdict."""
    every = lines(experiment, protocol, profile)
    return [
        number
        for section in experiment.sections
        for measure in section.setting.measures
        for number in _numbers(
            experiment.name, measure, [line for line in every if line.section is section], profile, results_of
        )
    ]


def reading_round(player: Player, condition: Condition) -> int | None:
    """Return the round that the paper's number belongs to.

    The published contextual tables show the regret one round before the horizon, because their last entry is empty.
    """
    if not isinstance(condition.setting, GameSetting):
        return None
    end = SLOW_HORIZON if player.slow else HORIZON
    return end - 1 if condition.protocol == "published" and condition.setting.world == "contexts" else end


def _numbers(table: str, measure: str, found: list[Line], profile: Profile, results_of: ResultsOf) -> list[Number]:
    """Return one measure of all players in one setting."""
    readings = [
        reading for line in found for reading in _readings(table, line, measure, profile, results_of(line.condition))
    ]
    limit = next((float(r.values.mean()) for r in readings if r.line.player.limit), None)
    wins = _wins(readings, 1.0 if BETTER[measure] == "less" else -1.0)
    numbers = []
    for index, reading in enumerate(readings):
        alone, shared = wins.get(index, (None, None))
        ours = summarize(reading.values, reading.round, reading.label)
        ours = ours._replace(strict_wins=alone, tied_wins=shared, tests=(_test(reading, readings[0], results_of),))
        number = Number(
            setting=reading.line.section.setting.title,
            measure=measure,
            ours=ours,
            printed=reading.printed,
            z=_z(ours, reading.printed),
            limit_ratio=ours.mean / limit if limit else None,
            is_limit=reading.line.player.limit,
        )
        numbers.append(_judged(reading, number))
    return numbers


def _readings(table: str, line: Line, measure: str, profile: Profile, results: Results) -> list[_Reading]:
    """Return the readings of a player: its number and, for a slow one that ran on, the number at its end."""
    runs = profile.runs_of(line.condition)
    player = line.player
    printed = None if player.paper is None else published.pair(table, line.section.key, player.paper, measure)
    at = reading_round(player, line.condition)
    if at is None:
        values = results.values(measure)
        return [_Reading(line, player.name, None, values[:runs], values, printed)]
    found = [(player.name, at, printed)]
    if at < line.condition.horizon - 1:
        found.append((f"{player.name}, {line.condition.horizon} rounds", line.condition.horizon, None))
    read = {end: results.values("regret", end) for _, end, _ in found}
    return [_Reading(line, label, end, read[end][:runs], read[end], pair) for label, end, pair in found]


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
    if not rivals:
        return {}
    counts = wins_of(np.stack([sign * readings[index].values for index in rivals]))
    return dict(zip(rivals, counts, strict=True))


def _test(reading: _Reading, first: _Reading, results_of: ResultsOf) -> TTest | None:
    """Return Welch's test against the first player at the same round."""
    against = first.values
    if reading.round is not None and reading.round != first.round:
        against = results_of(first.line.condition).values("regret", reading.round)[: first.values.size]
    if reading is first or reading.line.player.limit or min(reading.values.size, against.size) < 2:
        return None
    return welch_of(reading.values, against)


def _judged(reading: _Reading, number: Number) -> Number:
    """Return a number with its verdict, and with its second look if it has one."""
    ours, printed, z = number.ours, number.printed, number.z
    if printed is None:
        return number
    first = _first_runs(reading, ours, printed)
    if first is not None or _same_digits(ours, printed):
        return number._replace(again=first, z_again=None if first is None else 0.0, verdict="digit")
    if z is not None and abs(z) >= DOUBT and reading.all_values.size > ours.runs:
        again = summarize(reading.all_values, reading.round, reading.label)
        z = _z(again, printed)
        number = number._replace(again=again, z_again=z)
    verdict = _verdict(z, few_runs=reading.line.player.slow and ours.runs < published.RUNS)
    reasons = reading.line.player.reasons
    reason = reasons.get(reading.line.condition.protocol) if verdict == "differs" else None
    return number._replace(verdict=verdict, reason=reason)


def _verdict(z: float | None, few_runs: bool) -> Kind:
    """Judge a z; for a slow strategy with few runs and no second look, only a very large z is a difference."""
    if z is None:
        return "open"
    if abs(z) < CHANCE:
        return "chance"
    return "open" if few_runs and abs(z) < BEYOND_DOUBT else "differs"


def needs_rerun(number: Number) -> bool:
    """Say whether a number looks different, or may be different, and has had no second look."""
    doubtful = number.verdict != "digit" and number.z is not None and abs(number.z) >= DOUBT
    return doubtful and number.again is None


def _first_runs(reading: _Reading, ours: Summary, printed: Pair) -> Summary | None:
    """Return the result of the paper's 96 runs, if there are more runs and those 96 gave the printed digits."""
    if reading.line.condition.protocol != "published" or ours.runs <= published.RUNS:
        return None
    first = summarize(reading.values[: published.RUNS], reading.round, reading.label)
    return first if _same_digits(first, printed) else None


def _z(s: Summary, printed: Pair | None) -> float | None:
    if printed is None or s.runs < 2:
        return None
    std = max(s.std, printed.std) if s.runs < _FEW else s.std
    error = math.hypot(std / math.sqrt(s.runs), printed.std / math.sqrt(published.RUNS))
    difference = s.mean - printed.mean
    # Half a unit of the last printed digit is rounding, not a difference.
    if abs(difference) <= 0.5000001 * 10.0**-printed.decimals:
        return 0.0 if error == 0 else difference / error
    return math.copysign(math.inf, difference) if error == 0 else difference / error


def _same_digits(s: Summary, printed: Pair) -> bool:
    unit = 0.5000001 * 10.0**-printed.decimals
    return s.runs > 1 and abs(s.mean - printed.mean) <= unit and abs(s.std - printed.std) <= unit
