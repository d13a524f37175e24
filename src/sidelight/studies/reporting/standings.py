"""The results of a study, and how the players of each setting compare.

Settings are read one after the other, so that memory does not grow with the number of cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sidelight.kernels.arrays import Floats
from sidelight.results import Labels, Results, ResultSet, Summary
from sidelight.studies.model import Study
from sidelight.studies.plan.cases import Case, plan_cases
from sidelight.studies.plan.tasks import split_cases_into_tasks
from sidelight.studies.store.store import Store
from sidelight.text import thousands


class StudyStanding(NamedTuple):
    """One measure of one player in one setting, compared with the others there."""

    labels: Labels
    measure: str
    summary: Summary


class Outcome(NamedTuple):
    """What a report is written from."""

    study: Study
    standings: Sequence[StudyStanding]
    shares: Mapping[Labels, Floats]
    """The mean share of plays of each action, if that was to be measured."""
    actions: Mapping[str, Sequence[str]]
    """The names of the actions of each game in `shares`."""
    unfinished: Sequence[Case]


def title_of_study_setting(labels: Labels) -> str:
    """Return the title of a setting: its game, world and horizon."""
    if not labels.horizon:
        return labels.world
    return f"{labels.game}, {labels.world}, {thousands(labels.horizon)} rounds"


def finished_study_results(study: Study, store: Store, unplayable: Sequence[Case] = ()) -> tuple[ResultSet, list[Case]]:
    """Return the results of all players in all settings where all their runs are there, and the other cases.

    Runs of several seeds are pooled.
    """
    left_out = set(unplayable)
    by_player: dict[Labels, list[Case]] = {}
    for case in plan_cases(study):
        if case not in left_out:
            by_player.setdefault(labels_of_case(case), []).append(case)
    store.look_again()
    missing = [case for own in by_player.values() for case in own if not store.has_all(case)]
    lacking = {labels_of_case(case) for case in missing}
    here = ((labels, _reader_of_cases(store, own)) for labels, own in by_player.items() if labels not in lacking)
    return ResultSet(here), missing


def labels_of_case(case: Case) -> Labels:
    """Return the labels of the results of a case."""
    player = case.player
    return Labels(case.game.label, case.world.label, player.label, case.horizon, player.name, player.limit)


def _reader_of_cases(store: Store, own: Sequence[Case]) -> Callable[[], Results]:
    return lambda: store.gather([task for case in own for task in split_cases_into_tasks(case)])


def compare_study_players(study: Study, results: ResultSet, unfinished: Sequence[Case]) -> Outcome:
    """Compare the players of each setting."""
    standings: list[StudyStanding] = []
    shares: dict[Labels, Floats] = {}
    actions: dict[str, Sequence[str]] = {}
    for labels, group in results.group_by("game", "world", "horizon"):
        here = group.read()
        for measure in study.measures:
            if measure != "plays":
                compared = here.compare(measure, study.comparisons)
                standings += [StudyStanding(each, measure, summary) for each, summary in compared]
            elif labels.horizon:
                for each, one in zip(here.labels, here, strict=True):
                    shares[each] = one.plays.sum(axis=0) / max(1, one.plays.sum())
                actions[labels.game] = here[0].game.actions
    return Outcome(study, standings, shares, actions, unfinished)
