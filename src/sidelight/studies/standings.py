"""The results of a study, and how the players of each setting compare.

Settings are read one after the other, so that memory does not grow with the number of cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sidelight.kernels.arrays import Floats
from sidelight.results import Labels, Results, ResultSet, Summary
from sidelight.studies.plan import Cell, cells
from sidelight.studies.store import Store
from sidelight.studies.study import Study
from sidelight.studies.work import tasks
from sidelight.text import grouped


class Standing(NamedTuple):
    """One measure of one player in one setting, compared with the others there."""

    labels: Labels
    measure: str
    summary: Summary

    @property
    def title(self) -> str:
        """What people call the setting."""
        return setting_title(self.labels)


class Outcome(NamedTuple):
    """What a report is written from."""

    study: Study
    standings: Sequence[Standing]
    shares: Mapping[Labels, Floats]
    """The mean share of plays of each action, if that was to be measured."""
    actions: Mapping[str, Sequence[str]]
    """The names of the actions of each game in `shares`."""
    unfinished: Sequence[Cell]


def setting_title(labels: Labels) -> str:
    """Return what people call a game, world and horizon."""
    if not labels.horizon:
        return labels.world
    return f"{labels.game}, {labels.world}, {grouped(labels.horizon)} rounds"


def finished(study: Study, store: Store, unplayable: Sequence[Cell] = ()) -> tuple[ResultSet, list[Cell]]:
    """Return the results of all players in all settings where all their runs are there, and the other cells.

    Runs of several seeds are pooled.
    """
    left_out = set(unplayable)
    by_player: dict[Labels, list[Cell]] = {}
    for cell in cells(study):
        if cell not in left_out:
            by_player.setdefault(labels_of(cell), []).append(cell)
    here = []
    missing: list[Cell] = []
    place, names = "", store.names("")
    for labels, own in by_player.items():
        if own[0].place != place:
            place = own[0].place
            names = store.names(place)
        lacking = [cell for cell in own if not store.has_all(cell, names)]
        missing += lacking
        if not lacking:
            here.append((labels, _reader(store, own)))
    return ResultSet(here), missing


def labels_of(cell: Cell) -> Labels:
    """Return what the results of a cell are called."""
    player = cell.player
    return Labels(cell.game.label, cell.world.label, player.label, cell.horizon, player.name, player.limit)


def _reader(store: Store, own: Sequence[Cell]) -> Callable[[], Results]:
    return lambda: store.gather([task for cell in own for task in tasks(cell)])


def collect(study: Study, results: ResultSet, unfinished: Sequence[Cell]) -> Outcome:
    """Compare the players of each setting."""
    standings: list[Standing] = []
    shares: dict[Labels, Floats] = {}
    actions: dict[str, Sequence[str]] = {}
    for labels, group in results.group_by("game", "world", "horizon"):
        here = group.read()
        for measure in study.measures:
            if measure != "plays":
                compared = here.compare(measure, study.comparisons)
                standings += [Standing(each, measure, summary) for each, summary in compared]
            elif labels.horizon:
                shares |= {
                    each: one.plays.sum(axis=0) / max(1, one.plays.sum())
                    for each, one in zip(here.labels, here, strict=True)
                }
                actions[labels.game] = here[0].game.actions
    return Outcome(study, standings, shares, actions, unfinished)
