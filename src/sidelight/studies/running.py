"""Running a study: plan it, refuse or skip what cannot be played, do what is missing, and remember what happened."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidelight._storage import locked, make_writable, replacing
from sidelight.errors import SidelightError
from sidelight.results import provenance
from sidelight.studies import plan, skips
from sidelight.studies.execution import Crew, Display, Done, Execution, Silence
from sidelight.studies.guard import Failure
from sidelight.studies.plan import Cell
from sidelight.studies.store import Names, Store
from sidelight.studies.study import Study, StudyError
from sidelight.studies.work import refresh, tasks
from sidelight.tasks import Share, run_here
from sidelight.text import count

_STUDY, _HISTORY, _FAILURES, _SKIPPED = "study.json", "history.json", "failures.json", "skipped.json"
_FORMAT = "sidelight study"
_MOST = 40  # reasons that are listed


@dataclass
class Progress:
    """A study in a folder, what was done for it now, and what cannot be done."""

    study: Study
    folder: Path
    cells: list[Cell]
    skipped: dict[Cell, str] = field(default_factory=dict)
    done: Done = field(default_factory=Done)

    def __post_init__(self) -> None:
        self.store = Store(self.folder / "runs")
        self._seen: dict[str, Names] = {}

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
    found = plan.settled(study)
    progress = prepared(found, place)
    former = _stored(place)
    changes = _changes(former, found)
    for change in changes:
        watcher.note(change)
    _write(place / _STUDY, {"format": _FORMAT, "format_version": 1, "study": found.to_dict()})
    _write(place / _SKIPPED, {"cells": list(_skip_names(progress))})
    every = [task for cell in progress.playable for task in tasks(cell)]
    mine = every if part is None else part.of(every)
    execution = Execution(progress.store, who, watcher)
    progress.done = execution.do(mine, [(study.name, mine)])
    progress.look_again()
    if progress.done.ran:
        progress.store.remember_sizes()
    _remember(place, progress, changes, part, len(mine))
    return progress


def prepared(study: Study, folder: Path) -> Progress:
    """Plan a settled study: its cells, and those of them that cannot be played.

    Cells that are done need not be tried; those that were found to be impossible before are not tried again.

    Raises
    ------
    StudyError
        Something cannot be played, and the study does not say that this is to be skipped.
    """
    progress = Progress(study, folder, plan.cells(study))
    store = progress.store
    known = _known_skips(folder)
    for cell in progress.cells:
        try:
            why = known.get(_name(cell, store), "")
        except SidelightError as error:  # the game, the world or the class of the player cannot be made
            why = str(error)
        if why:
            progress.skipped[cell] = why
    pending = [cell for cell in progress.playable if not progress.is_finished(cell)]
    progress.skipped.update(plan.impossible(pending))
    if progress.skipped and study.impossible == "refuse":
        raise StudyError(_refusals(progress.skipped), f"study {study.name!r}")
    if not progress.playable:
        raise StudyError(["nobody plays anywhere: games, worlds and players do not fit", *_refusals(progress.skipped)])
    return progress


def opened(folder: str | os.PathLike[str]) -> Study:
    """Return the study that was run in a folder."""
    place = Path(folder)
    data = _read(place / _STUDY)
    if data is None:
        raise SidelightError(f"there is no study in {str(place)!r}: 'sidelight study run FILE --out DIR' makes one")
    try:
        return Study.from_dict(data["study"])
    except (KeyError, TypeError, ValueError) as error:
        raise SidelightError(f"{str(place / _STUDY)!r} is damaged ({error}): run the study's file again") from None


def failures(folder: Path) -> list[dict[str, Any]]:
    """Return the cells that failed and have not been done since, with reasons and tracebacks."""
    return list((_read(folder / _FAILURES) or {}).get("failures", []))


def history(folder: Path) -> list[dict[str, Any]]:
    """Return what each call did, the first one first."""
    return list((_read(folder / _HISTORY) or {}).get("calls", []))


def crew_of(cluster: str | None, workers: int | None) -> Crew:
    """Return who does the work: the workers of a cluster, or the cores of this machine."""
    if cluster is None:
        return Crew(functools.partial(run_here, workers=workers), here=True)
    from sidelight.tasks.cluster import run_on_cluster

    return Crew(functools.partial(run_on_cluster, cluster), here=False)


def _refusals(skipped: Mapping[Cell, str]) -> list[str]:
    """List what cannot be played, each reason once per player."""
    found = list(map(str, skips.grouped(skipped)))
    more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
    remedy = 'restrict them with games = [...] and worlds = [...], or write impossible = "skip"'
    return [*found[:_MOST], *more, remedy] if found else []


def _known_skips(folder: Path) -> dict[str, str]:
    try:
        return dict((_read(folder / _SKIPPED) or {}).get("cells", []))
    except (TypeError, ValueError):
        return {}


def _skip_names(progress: Progress) -> Iterator[tuple[str, str]]:
    """Yield names and reasons of what is skipped; what cannot even be named is found out anew each time."""
    for cell, why in progress.skipped.items():
        with contextlib.suppress(SidelightError):
            yield _name(cell, progress.store), why


def _name(cell: Cell, store: Store) -> str:
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


def _remember(folder: Path, progress: Progress, changes: list[str], share: Share | None, wanted: int) -> None:
    """Write down what this call did, and which cells failed; other processes may do the same."""
    done = progress.done
    call = {
        **provenance.collected(),
        "share": None if share is None else str(share),
        "changes": changes,
        "pieces": wanted,
        "ran": len(done.ran),
        "again": len(done.again),
        "again_cells": _once(task.cell.title for task in done.again),
        "failed": len(done.failures),
        "seconds": round(done.seconds, 1),
    }
    with locked(folder / _HISTORY):
        calls = history(folder)
        if not calls or done.ran or done.failures or changes:
            _write(folder / _HISTORY, {"calls": [*calls, call]})
        kept = [each for each in failures(folder) if each["cell"] in _unfinished(progress, done)]
        _write(folder / _FAILURES, {"failures": kept + [_failure(cell, why) for cell, why in done.failures.items()]})


def _unfinished(progress: Progress, done: Done) -> set[str]:
    """Return the titles of cells that are not done and did not fail just now."""
    before = {each["cell"] for each in failures(progress.folder)}
    if not before:
        return set()
    here = [cell for cell in progress.playable if cell.title in before and cell not in done.failures]
    return {cell.title for cell in here if not progress.is_finished(cell)}


def _failure(cell: Cell, failure: Failure) -> dict[str, Any]:
    return {"cell": cell.title, "player": cell.player.label, **failure._asdict()}


def _once(titles: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(titles))[:20]


def _read(path: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None


def _write(path: Path, data: Mapping[str, Any]) -> None:
    with replacing(path) as draft:
        draft.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def summary_line(progress: Progress) -> str:
    """Say in one line how far a study is."""
    ready, wanted = sum(map(progress.is_finished, progress.playable)), len(progress.playable)
    skipped = f", {count(len(progress.skipped), 'impossible one')} skipped" if progress.skipped else ""
    return f"{ready} of {count(wanted, 'cell')} {'is' if 1 in (ready, wanted) else 'are'} finished{skipped}"
