"""Read a study from a TOML file, and report all of its problems at once, with lines and remedies."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sidelight._storage import contents
from sidelight.studies.build import objects as making
from sidelight.studies.checks import MOST_ROUNDS, MOST_RUNS
from sidelight.studies.file import checking
from sidelight.studies.file.lines import line_of, places
from sidelight.studies.file.parsing import ENTRIES, Entries
from sidelight.studies.labels import acceptable
from sidelight.studies.model import IMPOSSIBLE, MEASURES, Study
from sidelight.studies.problems import Place, StudyError

_KEYS = (
    *("name", "title", "text", "version", "horizon", "horizons", "runs", "seed", "seeds", "checkpoints", "measures"),
    *("impossible", "patience", "block", *ENTRIES),
)
_PLAYERS = ("strategies", "policies")


def read(path: str | os.PathLike[str]) -> Study:
    """Return the study that a file describes.

    Raises
    ------
    StudyError
        The file does not describe one; the message lists all problems with their lines.
    """
    file = Path(path)
    try:
        text = contents(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StudyError([f"{os.fspath(path)!r} is not UTF-8 text: {error}"]) from None
    return parse(text, acceptable(file.stem), str(file.resolve().parent), where=repr(os.fspath(path)))


def parse(text: str, name: str = "study", folder: str = "", where: str = "") -> Study:
    """Return the study that a text describes; `name` is its name if it has none, paths in it begin at `folder`."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of too many digits, and too many brackets
        raise StudyError([f"not valid TOML: {error}"], where) from None
    making.refresh()  # files that it names may have changed since they were last read
    reader = _Reader(data)
    study = reader.study(name, folder)
    if reader.found or study is None:
        raise StudyError(reader.told(places(text)), where)
    return study


class _Reader(Entries):
    """Turns parsed TOML into a study, and collects problems."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__()
        self.data = data

    def study(self, name: str, folder: str) -> Study | None:
        """Return the study, or None if there are problems."""
        self.check_keys((), self.data, _KEYS, "a study")
        options = self._numbers()
        for key in ("title", "text", "version"):
            if key in self.data:
                options[key] = self.text((key,), self.data[key])
        named = self.text(("name",), self.data.get("name", name))
        parts = {kind: self.made(kind, self.data.get(kind, [])) for kind in ENTRIES}
        if not self.found:
            self._missing(parts)
        parts["players"] = [each for kind in _PLAYERS for each in parts.pop(kind)]
        found = None
        if not self.found:
            values: dict[str, Any] = {kind: tuple(entry for _, entry in made) for kind, made in parts.items() if made}
            try:
                found = Study(named, folder=folder, **values, **options)
            except StudyError as error:
                for place, text in zip(error.places, error.problems, strict=True):
                    self.problem(_written(place, parts), text)
        self._check(parts, options, folder)
        return found if not self.found else None

    def told(self, lines: Mapping[Place, int]) -> list[str]:
        """Return the problems sorted by line, each beginning with its line; those without one come last."""
        located = [(line_of(place, lines), text) for place, text in self.found]
        located.sort(key=lambda each: each[0] or float("inf"))
        return list(dict.fromkeys(f"line {line}: {text}" if line else text for line, text in located))

    def _check(self, parts: Mapping[str, Sequence[tuple[Place, Any]]], options: Mapping[str, Any], folder: str) -> None:
        """Report wrong names, parameters, laws and files."""
        games, worlds, players = ([entry for _, entry in parts[kind]] for kind in ("games", "worlds", "players"))
        for place, text in checking.mistakes(games, worlds, players, options.get("horizons", ()), folder):
            self.problem(_written(place, parts), text)

    def _missing(self, entries: Mapping[str, Sequence[Any]]) -> None:
        """Report missing parts: policies need classifiers, strategies need games."""
        needed = {"strategies": 'name = "CBP"', "worlds": 'laws = "dirichlet"', "games": 'name = "apple-tasting"'}
        if entries["policies"]:
            del needed["strategies"]
            if not entries["strategies"]:
                del needed["games"]
        for kind, example in needed.items():
            if not entries[kind]:
                self.problem((), f"there are no {kind}: write [[{kind}]] and below it {example}")

    def _numbers(self) -> dict[str, Any]:
        """Return horizons, runs, seeds and the other settings of the study itself."""
        found: dict[str, Any] = {}
        for one, many, least, most in (("horizon", "horizons", 1, MOST_ROUNDS), ("seed", "seeds", 0, 2**63 - 1)):
            given = [key for key in (one, many) if key in self.data]
            if len(given) == 2:
                self.problem((many,), f"give {one} or {many}, not both")
            for key in given:
                value = self.data[key]
                found[many] = self.wholes((key,), value if isinstance(value, list) else [value], least, most)
        for key in ("runs", "block"):
            if key in self.data:
                found[key] = self.whole((key,), self.data[key], 1, MOST_RUNS)
        if "checkpoints" in self.data:
            found["checkpoints"] = self.checkpoints(("checkpoints",), self.data["checkpoints"])
        if "patience" in self.data:
            found["patience"] = self.positive(("patience",), self.data["patience"])
        if "impossible" in self.data:
            found["impossible"] = self.choice(("impossible",), self.data["impossible"], IMPOSSIBLE)
        if "measures" in self.data:
            found["measures"] = self.choices(("measures",), self.data["measures"], MEASURES)
        return found


def _written(place: Place, parts: Mapping[str, Sequence[tuple[Place, Any]]]) -> Place:
    """Convert a place in a study to that in its file: players are strategies or policies there, and grids one entry."""
    kind, index = place[:2] if len(place) > 1 else ("", "")
    if not isinstance(index, int):
        return place
    origin, _ = parts[str(kind)][index]
    return (*origin, *place[2:])
