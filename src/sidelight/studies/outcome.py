"""What came out of a study: for each setting and measure, every player's runs in a few numbers, and tests.

Settings are read one after the other, so that memory does not grow with the number of cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats
from sidelight.results.sealed import Arrays
from sidelight.results.statistics import Side, Summary, TTest, paired_of, summarize, welch_of, wins_of
from sidelight.studies import making
from sidelight.studies.plan import Cell, Setting, cells
from sidelight.studies.store import Store
from sidelight.studies.study import Comparison, Player, Study
from sidelight.studies.work import tasks

BETTER: dict[str, Side] = {"regret": "less", "verifications": "less", "f1": "greater"}
"""For each measure that is one number per run, which values are better."""


class Standing(NamedTuple):
    """One measure of one player in one setting."""

    setting: Setting
    player: Player
    measure: str
    summary: Summary
    """Wins are among the contestants that have as many runs as the first."""
    tests: tuple[TTest | None, ...]
    """One for each comparison of the study; None in the row of whom the others are compared with."""
    limit_ratio: float | None
    """The mean over that of the limit in the same runs, if the setting has one."""
    microseconds: float | None
    """Of one core, per round, in the piece of work that was quickest: a busy machine only adds to it."""


class Entry(NamedTuple):
    """All runs of one player in one setting, those of all seeds one after the other."""

    player: Player
    arrays: Arrays


class Outcome(NamedTuple):
    """What a report is written from."""

    study: Study
    standings: Sequence[Standing]
    shares: Mapping[Setting, Mapping[str, Floats]]
    """For each setting and player, the mean share of plays of each action, if that was to be measured."""
    unfinished: Sequence[Cell]


def entries(
    study: Study, store: Store, unplayable: Sequence[Cell] = ()
) -> Iterator[tuple[Setting, list[Entry], list[Cell]]]:
    """Yield each setting with the players that finished there, and the cells that did not."""
    left_out = set(unplayable)
    by_setting: dict[Setting, list[Cell]] = {}
    for cell in cells(study):
        if cell not in left_out:
            by_setting.setdefault(cell.setting, []).append(cell)
    for setting, found in by_setting.items():
        names = store.names(found[0].place)
        here: list[Entry] = []
        missing: list[Cell] = []
        for player in dict.fromkeys(cell.player for cell in found):
            own = [cell for cell in found if cell.player == player]
            lacking = [cell for cell in own if not store.has_all(cell, names)]
            missing += lacking
            if not lacking:
                here.append(Entry(player, store.gather([task for cell in own for task in tasks(cell)])))
        yield setting, here, missing


def collect(study: Study, store: Store, unplayable: Sequence[Cell] = ()) -> Outcome:
    """Read everything that is finished, setting by setting."""
    standings: list[Standing] = []
    shares: dict[Setting, dict[str, Floats]] = {}
    unfinished: list[Cell] = []
    for setting, here, missing in entries(study, store, unplayable):
        unfinished += missing
        for measure in study.measures:
            if measure == "plays":
                if setting.horizon:
                    shares[setting] = {each.player.label: _shares(each) for each in here}
            elif here:
                standings += _standings(setting, here, measure, study)
    return Outcome(study, standings, shares, unfinished)


def values_of(entry: Entry, setting: Setting, measure: str) -> Floats | None:
    """Return one number per run; None where a player has no such number."""
    arrays = entry.arrays
    if measure == "regret":
        return np.asarray(arrays["regret"][:, -1], dtype=float) if "regret" in arrays else None
    if measure == "verifications" and "plays" in arrays:
        game = making.game(setting.game)
        telling = [action for action in range(game.n_actions) if len(game.symbols(action)) > 1]
        return np.asarray(arrays["plays"][:, telling].sum(axis=1), dtype=float)
    return np.asarray(arrays[measure], dtype=float) if measure in arrays else None


def _standings(setting: Setting, here: Sequence[Entry], measure: str, study: Study) -> list[Standing]:
    found = [(entry, values) for entry in here if (values := values_of(entry, setting, measure)) is not None]
    if not found:
        return []
    limit = next((values for entry, values in found if entry.player.limit), None)
    wins = _wins(found, 1.0 if BETTER[measure] == "less" else -1.0)
    standings = []
    for entry, values in found:
        summary = summarize(values, setting.horizon or None, entry.player.label)
        alone, shared = wins.get(entry.player.label, (None, None))
        standings.append(
            Standing(
                setting=setting,
                player=entry.player,
                measure=measure,
                summary=summary._replace(strict_wins=alone, tied_wins=shared),
                tests=tuple(_test(each, entry, values, found) for each in study.comparisons),
                limit_ratio=None if limit is None else _ratio(values, limit, len(study.seeds)),
                microseconds=_microseconds(entry, setting.horizon),
            )
        )
    return standings


def _microseconds(entry: Entry, horizon: int) -> float | None:
    """Return what a round costs: the least of all pieces of work. Compiling does not count."""
    return 1e6 * float(entry.arrays["seconds"].min()) / horizon if horizon else None


def _ratio(values: Floats, limit: Floats, seeds: int) -> float | None:
    """Return the mean over that of the limit, in the runs that both have: of each seed, the first ones."""
    runs = min(values.size, limit.size) // seeds
    ours, theirs = (float(each.reshape(seeds, -1)[:, :runs].mean()) for each in (values, limit))
    return ours / theirs if theirs > 0 else None


def _wins(found: Sequence[tuple[Entry, Floats]], sign: float) -> dict[str, tuple[int, int]]:
    """Count wins among the contestants that met the same runs as the first."""
    rivals = [(entry, values) for entry, values in found if not entry.player.limit]
    rivals = [(entry, values) for entry, values in rivals if values.size == rivals[0][1].size]
    if len(rivals) < 2:
        return {}
    counts = wins_of(np.stack([sign * values for _, values in rivals]))
    return {entry.player.label: count for (entry, _), count in zip(rivals, counts, strict=True)}


def _test(comparison: Comparison, entry: Entry, values: Floats, found: Sequence[tuple[Entry, Floats]]) -> TTest | None:
    """Test a player against the one that a comparison names, or against the first."""
    named = [pair for pair in found if pair[0].player.label == comparison.against]
    against = (named or [found[0]])[0] if not comparison.against or named else None
    if against is None or against[0] is entry or entry.player.limit or min(values.size, against[1].size) < 2:
        return None
    if comparison.test == "paired":
        if values.size != against[1].size:
            return None
        return paired_of(values - against[1], comparison.side)
    return welch_of(values, against[1], comparison.side)


def _shares(entry: Entry) -> Floats:
    plays: Any = entry.arrays["plays"]
    return np.asarray(plays.sum(axis=0) / max(1, plays.sum()), dtype=float)
