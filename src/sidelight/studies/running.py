"""Running a study: plan it, refuse or skip what cannot be played, do what is missing, and remember what happened."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidelight._storage import locked, make_writable
from sidelight.errors import SidelightError
from sidelight.studies import bookkeeping, gone, plan, skips
from sidelight.studies.bookkeeping import failures, history
from sidelight.studies.calls import Call
from sidelight.studies.execution import Crew, Display, Done, Execution, Silence
from sidelight.studies.guard import Failure
from sidelight.studies.plan import Cell
from sidelight.studies.store import Names
from sidelight.studies.study import Study, StudyError
from sidelight.studies.work import refresh, tasks
from sidelight.tasks import Share, run_here
from sidelight.text import count

__all__ = ["Progress", "crew_of", "failures", "history", "opened", "prepared", "run", "summary_line"]
_FORMAT = "sidelight study"


@dataclass
class Progress:
    """A study in a folder, what was done for it now, and what cannot be done."""

    study: Study
    folder: Path
    cells: list[Cell]
    skipped: dict[Cell, str] = field(default_factory=dict)
    done: Done = field(default_factory=Done)
    pending: bool = False
    """Whether anything was left to play when it was planned."""
    told: set[str] = field(default_factory=set)
    """What people have heard already."""
    damaged: int = 0
    """How many stored pieces could not be read for the report, and were removed."""
    trusting: bool = False
    """Whether stored runs are used even if a source that they were made with cannot be used any more."""

    def __post_init__(self) -> None:
        self.store = gone.KeyStore(self.folder / "runs", self.trusting)
        self._seen: dict[str, Names] = {}

    @property
    def notes(self) -> list[str]:
        """What people should know: which finished cells cannot be checked any more."""
        unchecked = self.store.unchecked.items()
        return gone.notes({cell: why for cell, why in unchecked if cell not in self.skipped and self.is_finished(cell)})

    @property
    def playable(self) -> list[Cell]:
        """The cells that can be played."""
        return [cell for cell in self.cells if cell not in self.skipped] if self.skipped else self.cells

    def is_finished(self, cell: Cell) -> bool:
        """Say whether all runs of a cell are there."""
        if cell.place not in self._seen:
            self._seen[cell.place] = self.store.names(cell.place)
        return self.store.has_all(cell, self._seen[cell.place])

    def look_again(self) -> None:
        """Forget what was seen in the folder."""
        self._seen.clear()


def run(
    study: Study,
    folder: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | None = None,
    share: Share | str | None = None,
    display: Display | None = None,
    crew: Crew | None = None,
) -> Progress:
    """Do what is not done yet of a study, and keep it in a folder.

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
        Who is told how the work goes (by default nobody), and who does it, instead of workers or a cluster.
    """
    watcher = Silence() if display is None else display
    part = Share.parse(share) if isinstance(share, str) else share
    who = crew_of(cluster, workers) if crew is None else crew
    place = make_writable(folder)
    refresh()
    former = _stored(place)
    found = plan.settled(study, former)
    progress = prepared(found, place)
    changes = _changes(former, found)
    for words in [*changes, *progress.notes, *bookkeeping.damage(place)]:
        watcher.note(words)
        progress.told.add(words)
    every = [task for cell in progress.playable for task in tasks(cell)]
    mine = every if part is None else part.of(every)
    with Call(place, changes, part, len(mine), progress.pending) as call:
        bookkeeping.write(place / bookkeeping.STUDY, {"format": _FORMAT, "format_version": 1, "study": found.to_dict()})
        bookkeeping.write(place / bookkeeping.SKIPPED, {"cells": list(_skip_names(progress))})
        progress.store.list_keys(progress.playable)
        progress.done = Execution(progress.store, who, watcher).do(mine, [(study.name, mine)])
        progress.look_again()
        if progress.done.ran:
            progress.store.remember_sizes()
        _remember_failures(progress)
        call.finished(progress.done)
    return progress


def prepared(study: Study, folder: Path, *, stored: bool = False) -> Progress:
    """Plan a settled study: its cells, and those of them that cannot be played.

    Cells that are done need not be tried; those that were found to be impossible before are not tried again.

    Parameters
    ----------
    study, folder
        What to plan, and where its runs are.
    stored
        It is about what is stored, nothing will be played: what cannot be played is not refused.

    Raises
    ------
    StudyError
        Something cannot be played, and the study does not say that this is to be skipped.
    """
    progress = Progress(study, folder, plan.cells(study), trusting=stored)
    store = progress.store
    known = bookkeeping.skips(folder)
    for cell in progress.cells:
        try:
            why = known.get(_name(cell, store), "")
        except SidelightError as error:  # the game, the world or the class of the player cannot be made
            why = _with_remedy(cell, str(error))
        if why:
            progress.skipped[cell] = why
    pending = [cell for cell in progress.playable if not progress.is_finished(cell)]
    progress.skipped.update({cell: _with_remedy(cell, why) for cell, why in plan.impossible(pending)})
    progress.pending = any(cell not in progress.skipped for cell in pending)
    if stored:
        _refuse_other_code(progress)
        return progress
    if progress.skipped and study.impossible == "refuse":
        raise _refusal(progress.skipped, f"study {study.name!r}")
    if not progress.playable:
        nobody = "nobody plays anywhere: games, worlds and players do not fit"
        raise StudyError([nobody, *map(str, skips.grouped(progress.skipped))], f"study {study.name!r}")
    return progress


def opened(folder: str | os.PathLike[str]) -> Study:
    """Return the study that was run in a folder."""
    place = Path(folder)
    path = place / bookkeeping.STUDY
    remedy = "run the study's file again, with this folder as --out: finished runs are kept"
    data = bookkeeping.read(path)
    if data is None and path.exists():
        raise SidelightError(f"{str(path)!r} is damaged and cannot be read: {remedy}")
    if data is None:
        raise SidelightError(f"there is no study in {str(place)!r}: 'sidelight study run FILE --out DIR' makes one")
    try:
        return Study.from_dict(data["study"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SidelightError(f"{str(path)!r} is damaged ({error}): {remedy}") from None


def crew_of(cluster: str | None, workers: int | None) -> Crew:
    """Return who does the work: the workers of a cluster, or the cores of this machine."""
    if cluster is None:
        return Crew(functools.partial(run_here, workers=workers), here=True)
    from sidelight.tasks.cluster import run_on_cluster

    return Crew(functools.partial(run_on_cluster, cluster), here=False)


def _refuse_other_code(progress: Progress) -> None:
    """Refuse to replace a report by one of nothing, because all stored runs were made by other code."""
    if not (progress.folder / "report.html").exists():
        return
    places = {cell.place for cell in progress.cells}
    found = {key for place in places for keys in progress.store.names(place).values() for key in keys}
    if found and not found & {progress.store.key(cell) for cell in progress.playable}:
        raise SidelightError(
            f"all stored runs in {str(progress.folder)!r} were made by other code, as by another version of sidelight; "
            "the report about them is kept: run the study again to have them made by the code that is here"
        )


def _with_remedy(cell: Cell, why: str) -> str:
    return f"{why}: {gone.REMEDY}" if gone.missing_file(cell) else why


def _refusal(skipped: Mapping[Cell, str], where: str) -> StudyError:
    """Return the error about what cannot be played: each missing file once, each other reason once per player."""
    absent: dict[str, int] = {}
    rest = {}
    for cell, why in skipped.items():
        if path := gone.missing_file(cell):
            absent[path] = absent.get(path, 0) + 1
        else:
            rest[cell] = why
    files = [
        f"there is no file {path!r}, which {count(number, 'unfinished cell')} "
        f"{'needs' if number == 1 else 'need'}: {gone.REMEDY}"
        for path, number in absent.items()
    ]
    return skips.refusal(rest, where, files)


def _skip_names(progress: Progress) -> Iterator[tuple[str, str]]:
    """Yield names and reasons of what is skipped; what cannot even be named is found out anew each time.

    So is what needs a file that is not there now.
    """
    for cell, why in progress.skipped.items():
        if progress.store.unchecked and cell in progress.store.unchecked:
            continue
        with contextlib.suppress(SidelightError):
            yield _name(cell, progress.store), why


def _name(cell: Cell, store: gone.KeyStore) -> str:
    return f"{cell.place}/{cell.stem}-{cell.runs}-{store.key(cell)}"


def _stored(folder: Path) -> Study | None:
    try:
        return opened(folder)
    except SidelightError:
        return None


def _changes(former: Study | None, now: Study) -> list[str]:
    """Say in words how a study differs from the one that was run in the folder before."""
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
                found.append(f"{what} {words}: {skips.listed(labels)}")
    for what in ("horizons", "runs", "seeds", "checkpoints"):
        if getattr(former, what) != getattr(now, what):
            found.append(f"{what}: {_shown(getattr(now, what))} instead of {_shown(getattr(former, what))}")
    return found


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _remember_failures(progress: Progress) -> None:
    """Write down which cells failed; those that failed before and were not tried now stay, if they are in the study."""
    folder, failed = progress.folder, progress.done.failures
    with locked(folder / bookkeeping.FAILURES):
        before = {_identity(each): each for each in failures(folder)}
        kept = []
        for cell in progress.playable if before else []:
            if (each := before.get((cell.title, cell.seed))) is not None and cell not in failed:
                kept += [] if progress.is_finished(cell) else [each]
        kept += [_failure(cell, why) for cell, why in failed.items()]
        bookkeeping.write(folder / bookkeeping.FAILURES, {"failures": kept})


def _failure(cell: Cell, failure: Failure) -> dict[str, Any]:
    return {"cell": cell.title, "seed": cell.seed, "player": cell.player.label, **failure._asdict()}


def _identity(failure: Mapping[str, Any]) -> tuple[Any, Any]:
    return failure["cell"], failure.get("seed", 0)


def summary_line(progress: Progress) -> str:
    """Say in one line how far a study is."""
    ready, wanted = sum(map(progress.is_finished, progress.playable)), len(progress.playable)
    skipped = f", {count(len(progress.skipped), 'impossible one')} skipped" if progress.skipped else ""
    damaged = f", {count(progress.damaged, 'damaged piece')} removed" if progress.damaged else ""
    return f"{ready} of {count(wanted, 'cell')} {'is' if 1 in (ready, wanted) else 'are'} finished{skipped}{damaged}"
