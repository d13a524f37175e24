"""Run a study: plan its cases, refuse or skip impossible ones, run unfinished tasks, and record the call."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidelight._storage import make_writable_folder
from sidelight.errors import SidelightError
from sidelight.studies.model import Study, StudyError
from sidelight.studies.plan import cases as plan
from sidelight.studies.plan import skips
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.tasks import forget_files_of_case_tasks, split_cases_into_tasks
from sidelight.studies.running.execution import Crew, Done, TaskExecution
from sidelight.studies.store.record import StudyRecord
from sidelight.studies.store.store import Store
from sidelight.tasks import Share, run_here
from sidelight.tasks.display import Display
from sidelight.text import count, list_some


@dataclass
class StudyRun:
    """A study in a folder: its cases, the work of this call, and the cases that were skipped."""

    study: Study
    folder: Path
    cases: list[Case]
    skipped: dict[Case, str] = field(default_factory=dict)
    done: Done = field(default_factory=Done)

    def __post_init__(self) -> None:
        self.store = Store(self.folder / "runs")
        self.record = StudyRecord(self.folder)

    @property
    def playable(self) -> list[Case]:
        """The cases that can be played."""
        return [case for case in self.cases if case not in self.skipped] if self.skipped else self.cases

    def is_finished(self, case: Case) -> bool:
        """Say whether all runs of a case are there."""
        return self.store.has_all(case)

    def look_again(self) -> None:
        """Forget the cached list of stored files."""
        self.store.look_again()

    def summary(self) -> str:
        """Say in one line how far the study is."""
        ready, wanted = sum(map(self.is_finished, self.playable)), len(self.playable)
        skipped = f", {count(len(self.skipped), 'impossible one')} skipped" if self.skipped else ""
        verb = "is" if 1 in (ready, wanted) else "are"
        return f"{ready} of {count(wanted, 'case')} {verb} finished{skipped}"


def run(
    study: Study,
    folder: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | None = None,
    share: Share | str | None = None,
    display: Display | None = None,
    crew: Crew | None = None,
) -> StudyRun:
    """Run the unfinished tasks of a study and store their results in a folder.

    Parameters
    ----------
    study
        What to run. A study that is in the folder already may have changed: only what is new or other is run.
    folder
        Where everything is kept; a call that was interrupted, in whatever way, goes on from there.
    workers, cluster
        Cores of this machine (by default all), or the address of a Dask scheduler.
    share
        Do only share "i/n" of the work, for job arrays.
    display, crew
        Who shows how the work goes (by default nobody), and who does it, instead of workers or a cluster.
    """
    watcher = Display() if display is None else display
    part = Share.parse(share) if isinstance(share, str) else share
    who = crew_of(cluster, workers) if crew is None else crew
    place = make_writable_folder(folder)
    forget_files_of_case_tasks()
    record = StudyRecord(place)
    former = record.former()
    found = plan.settle_study_before_planning(study)
    state = plan_study_run(found, place)
    changes = _changes_since_former_study_run(former, found)
    for words in changes:
        watcher.note(words)
    every = [task for case in state.playable for task in split_cases_into_tasks(case)]
    mine = every if part is None else part.of(every)
    pending = not all(map(state.is_finished, state.playable))
    facts = {"share": None if part is None else str(part), "changes": changes, "pieces": len(mine)}
    with record.changing() as data:
        data["study"] = found.to_dict()
    with record.call(facts, pending or bool(changes)) as call:
        done = state.done = TaskExecution(state.store, who, watcher).do(mine, study.name)
        state.look_again()
        again = list(dict.fromkeys(task.case.title for task in done.again))[:20]
        numbers = {"ran": len(done.ran), "again": len(done.again), "failed": len(done.failures)}
        call |= {**numbers, "again_cases": again, "seconds": round(done.seconds, 1)}
        _remember_failures_of_study_run(state)
    return state


def plan_study_run(study: Study, folder: Path, *, stored: bool = False) -> StudyRun:
    """Plan a settled study: its cases, and those of them that cannot be played. Finished cases are not tried.

    Parameters
    ----------
    study, folder
        What to plan, and where its runs are.
    stored
        It is about what is stored, nothing will be played: what cannot be played is not refused, but an empty folder.

    Raises
    ------
    StudyError
        Something cannot be played, and the study does not say that this is to be skipped.
    """
    state = StudyRun(study, folder, plan.plan_cases(study))
    pending = [case for case in state.cases if not state.is_finished(case)]
    state.skipped = dict(plan.find_unplayable_cases(pending))
    if stored:
        if not (state.record.failures() or any(map(state.is_finished, state.playable))):
            raise SidelightError(f"nothing in {str(folder)!r} is finished by the code that is here: run the study")
    elif state.skipped and study.impossible == "refuse":
        raise skips.unplayable_study_error(state.skipped, f"study {study.name!r}")
    elif not state.playable:
        nobody = "nobody plays anywhere: games, worlds and players do not fit"
        raise StudyError([nobody, *map(str, skips.group_skipped_cases(state.skipped))], f"study {study.name!r}")
    return state


def opened(folder: str | os.PathLike[str]) -> Study:
    """Return the study that was run in a folder."""
    return StudyRecord(Path(folder)).study()


def crew_of(cluster: str | None, workers: int | None) -> Crew:
    """Return the function that performs tasks: on the workers of a cluster, or on the cores of this machine."""
    if cluster is None:
        return Crew(functools.partial(run_here, workers=workers), here=True)
    from sidelight.tasks.cluster import run_on_cluster

    return Crew(functools.partial(run_on_cluster, cluster), here=False)


def _changes_since_former_study_run(former: Study | None, now: Study) -> list[str]:
    """Say how a study differs from the one that was run in the folder before."""
    if former is None or former == now:
        return []
    found = []
    for what in ("games", "worlds", "players"):
        before, after = ({each.label: each for each in getattr(one, what)} for one in (former, now))
        added = [label for label in after if label not in before]
        gone = [label for label in before if label not in after]
        other = [label for label in after if label in before and before[label] != after[label]]
        for words, labels in (("new", added), ("no longer there", gone), ("changed", other)):
            if labels:
                found.append(f"{what} {words}: {list_some(labels)}")
    for what in ("horizons", "runs", "seeds", "checkpoints"):
        if getattr(former, what) != getattr(now, what):
            new, old = (_changed_study_value(getattr(one, what)) for one in (now, former))
            found.append(f"{what}: {new} instead of {old}")
    return found


def _changed_study_value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _remember_failures_of_study_run(state: StudyRun) -> None:
    """Record failed cases, including earlier failures of cases that were not tried again."""
    failed = state.done.failures
    with state.record.changing() as data:
        before = {each["name"]: each for each in data["failures"]}
        data["failures"] = []
        for case in state.playable:
            name = f"{case.place}/{case.stem}"
            if case in failed:
                facts = {"case": skips.title_of_skipped_case(case, state.study.seeds), "player": case.player.label}
                data["failures"].append({"name": name, **facts, **failed[case]._asdict()})
            elif name in before and not state.is_finished(case):
                data["failures"].append(before[name])
