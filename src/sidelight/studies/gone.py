"""Finished cells whose key cannot be computed any more, as a recording or the source of a strategy is gone.

The key of a cell depends on the contents of such files. So the folder of a study also has a list of keys, by what the
study says about each cell, and what is finished can be shown as long as it is stored.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sidelight.errors import SidelightError
from sidelight.simulation import players
from sidelight.studies import bookkeeping
from sidelight.studies.plan import Cell
from sidelight.studies.store import Store
from sidelight.studies.work import Task, key_of
from sidelight.text import count

REMEDY = "put it back, or run the study's file from where it is now"


class KeyStore(Store):
    """A store that falls back on the list of keys.

    Parameters
    ----------
    folder
        Where the runs are; the list is beside it.
    trusting
        Use the list wherever a key cannot be computed, also if a source is there but cannot be used; without, only if
        something is gone.
    """

    def __init__(self, folder: Path, trusting: bool = False) -> None:
        super().__init__(folder)
        self.trusting = trusting
        self.unchecked: dict[Cell, str] = {}
        """Cells whose key is from the list, with the reason."""
        self._listed: dict[str, str] | None = None
        self._former: dict[int, tuple[Cell, str]] = {}

    def key(self, cell: Cell) -> str:
        """Return the key of a cell, from the list if it cannot be computed."""
        if id(cell) in self._former and self._former[id(cell)][0] is cell:
            return self._former[id(cell)][1]
        try:
            return super().key(cell)
        except SidelightError as error:
            known = self._known(cell)
            if known is None or not (self.trusting or is_gone(cell)):
                raise
            self.unchecked[cell] = str(error)
            self._former[id(cell)] = cell, known
            return known

    def list_keys(self, cells: Sequence[Cell]) -> None:
        """Write down the keys of all these cells that have one."""
        found = {}
        for cell, name in zip(cells, definitions(cells), strict=True):
            try:
                found[name] = self.key(cell)
            except SidelightError:
                continue
        if found != self._keys_listed():
            bookkeeping.write(self.folder.parent / bookkeeping.KEYS, {"keys": found}, indent=None)
            self._listed = found

    def _known(self, cell: Cell) -> str | None:
        (name,) = definitions([cell])
        return self._keys_listed().get(name)

    def _keys_listed(self) -> dict[str, str]:
        if self._listed is None:
            keys = (bookkeeping.read(self.folder.parent / bookkeeping.KEYS) or {}).get("keys")
            sound = isinstance(keys, dict) and all(isinstance(each, str) for each in keys.values())
            self._listed = keys if isinstance(keys, dict) and sound else {}
        return self._listed

    def _is_right(self, task: Task, found: Mapping[str, Any]) -> bool:
        """Say whether results are right; where their facts cannot be computed, the stored ones must give the key."""
        if not self.unchecked or task.cell not in self.unchecked:
            return super()._is_right(task, found)
        same = (found.get("first_run"), found.get("runs")) == (task.first, task.count)
        return same and key_of(found) == self.key(task.cell)


def definitions(cells: Iterable[Cell]) -> Iterator[str]:
    """Yield, for each cell, a digest of all that the study says about its runs."""
    seen: dict[int, tuple[Any, str]] = {}

    def part(thing: Any) -> str:
        if id(thing) not in seen:
            seen[id(thing)] = thing, _digest(repr(thing))
        return seen[id(thing)][1]

    for cell in cells:
        parts = " ".join(map(part, (cell.game, cell.world, cell.player)))
        yield _digest(f"{parts} {cell.horizon} {cell.seed} {cell.checkpoints!r}")


def notes(unchecked: Mapping[Cell, str]) -> list[str]:
    """Say what is missing, and what cannot be checked for that reason."""
    reasons: dict[str, int] = {}
    for why in unchecked.values():
        reasons[why] = reasons.get(why, 0) + 1
    return [
        f"{why}; {count(number, 'finished cell')} {'was' if number == 1 else 'were'} made with it: the stored runs are "
        "used, and whether it has changed since cannot be checked"
        for why, number in reasons.items()
    ]


def missing_file(cell: Cell) -> str:
    """Return the path of a file that a cell needs and that is not there; empty if there is none."""
    world = cell.world
    wanted = [Path(cell.folder, world.value)] if world.kind == "replay" else []
    wanted += [Path(cell.folder, head) for head in _modules(cell) if head.endswith(".py")]
    return next((str(path) for path in wanted if not path.exists()), "")


def is_gone(cell: Cell) -> bool:
    """Say whether a file, a module or an installed package that a cell needs is not there."""
    name = cell.player.name
    if missing_file(cell) or any(_is_absent(head) for head in _modules(cell)):
        return True
    return not cell.player.policy and players.split(name)[1] is None and not players.is_known(name)


def _modules(cell: Cell) -> list[str]:
    """Return the modules and files that hold the strategy and the world of a cell, where these are a user's own."""
    names = [] if cell.player.policy else [cell.player.name]
    names += [str(cell.world.value)] if cell.world.kind in ("laws", "environment") else []
    return [head for head, rest in map(players.split, names) if rest]


def _is_absent(module: str) -> bool:
    """Say whether no module of that name is found; packages that it is in may be imported for that."""
    if module.endswith(".py") or module in sys.modules:  # such as what was typed at a prompt
        return False
    try:
        return importlib.util.find_spec(module) is None
    except (ImportError, AttributeError, ValueError):
        return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
