"""Read a study from a TOML file, and report all of its problems at once, with lines and remedies.

What a file has and a study has not: parameters stand among the other keys, and a list of values is a grid of entries.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import prod
from pathlib import Path
from typing import Any

from sidelight._storage import read_file_contents
from sidelight.studies.build import objects
from sidelight.studies.fields import StudyPart, check_study_fields, unknown_study_field_message
from sidelight.studies.file import checking
from sidelight.studies.labels import make_valid_study_name
from sidelight.studies.model import (
    WORLDS,
    Comparison,
    FigureEntry,
    GameEntry,
    PlayerEntry,
    Study,
    TableEntry,
    WorldEntry,
)
from sidelight.studies.plain_data import grid
from sidelight.studies.problems import Place, Problem, StudyError
from sidelight.text import thousands

_KINDS: dict[str, type[StudyPart]] = {
    "games": GameEntry,
    "worlds": WorldEntry,
    "strategies": PlayerEntry,
    "policies": PlayerEntry,
    "comparisons": Comparison,
    "tables": TableEntry,
    "figures": FigureEntry,
}
_ALIASES = {"horizon": "horizons", "seed": "seeds"}
_NOT_IN_FILES = ("folder", "players", "policy", "data", "kind", "value")
_SETTINGS = [each.name for each in fields(Study) if each.name not in (*_KINDS, *_NOT_IN_FILES)]
_MOST = 10_000  # entries of one grid
_Entry = dict[str, Any]
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]\s]+)\s*\]")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""")
_INNER = "parameters"  # a table in an entry, whose keys may as well stand in the entry itself


def read(path: str | os.PathLike[str]) -> Study:
    """Return the study that a file describes.

    Raises
    ------
    StudyError
        The file does not describe one; the message lists all problems with their lines.
    """
    file = Path(path)
    try:
        text = read_file_contents(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StudyError([f"{os.fspath(path)!r} is not UTF-8 text: {error}"]) from None
    return parse(text, make_valid_study_name(file.stem), str(file.resolve().parent), where=repr(os.fspath(path)))


def parse(text: str, name: str = "study", folder: str = "", where: str = "") -> Study:
    """Return the study that a text describes; `name` is its name if it has none, paths in it begin at `folder`."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of too many digits, and too many brackets
        raise StudyError([f"not valid TOML: {error}"], where) from None
    objects.forget_built_objects()  # files that it names may have changed since they were last read
    reader = _StudyFileReader(data)
    study = reader.study(name, folder)
    if study is None:
        raise StudyError(reader.told(find_lines_in_study_file(text)), where)
    return study


class _StudyFileReader:
    """Turns parsed TOML into a study, and collects problems with their places in the file."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.problems: list[Problem] = []
        self.entries: dict[str, list[tuple[Place, Any]]] = {}
        """The entries of each kind that could be made, each with its place in the file."""

    def study(self, name: str, folder: str) -> Study | None:
        """Return the study, or None if there are problems."""
        settings = {"name": name, "folder": folder, **self._settings()}
        for kind in _KINDS:
            self.entries[kind] = self._made(kind, self.data.get(kind, []))
        if not self.problems:
            self._report_missing()
        self.entries["players"] = self.entries.pop("strategies") + self.entries.pop("policies")
        study = None
        if self.problems:
            self._adopt(check_study_fields(Study, settings)[1])
        else:
            parts: dict[str, Any] = {kind: [entry for _, entry in made] for kind, made in self.entries.items() if made}
            try:
                study = Study(**settings, **parts)
            except StudyError as error:
                self._adopt(error.located)
        games, worlds, players = ([entry for _, entry in self.entries[kind]] for kind in ("games", "worlds", "players"))
        horizons = () if study is None else study.horizons
        self._adopt(checking.mistakes_in_study_file_entries(games, worlds, players, horizons, folder))
        if self.problems or study is None:
            return None
        checking.mark_study_file_as_checked(study)
        return study

    def told(self, lines: Mapping[Place, int]) -> list[str]:
        """Return the problems sorted by line, each beginning with its line; those without one come last."""
        located = [(line_in_study_file(place, lines), text) for place, text in self.problems]
        located.sort(key=lambda each: each[0] or float("inf"))
        return list(dict.fromkeys(f"line {line}: {text}" if line else text for line, text in located))

    def _problem(self, place: Place, text: str) -> None:
        self.problems.append(Problem(place, text))

    def _adopt(self, problems: Any) -> None:
        """Add problems of a study, with their places in its file: players are strategies or policies there."""
        for place, text in problems:
            if len(place) > 1 and isinstance(place[1], int):
                place = (*self.entries[place[0]][place[1]][0], *place[2:])
            one = next((one for one, many in _ALIASES.items() if place == (many,) and one in self.data), None)
            self._problem((one,) if one else place, text)

    def _settings(self) -> _Entry:
        """Return the settings of the study itself."""
        known = (*_SETTINGS, *_ALIASES, *_KINDS)
        for key in self.data:
            if key not in known:
                self._problem((key,), unknown_study_field_message(key, known, "a study"))
        found = {key: self.data[key] for key in _SETTINGS if key in self.data}
        for one, many in _ALIASES.items():
            if one in self.data and many in self.data:
                self._problem((many,), f"give {one} or {many}, not both")
            for key in (one, many):
                if key in self.data:
                    found[many] = self.data[key] if isinstance(self.data[key], list) else [self.data[key]]
        return found

    def _report_missing(self) -> None:
        """Report missing parts: policies need classifiers, strategies need games."""
        needed = {"strategies": 'name = "CBP"', "worlds": 'laws = "dirichlet"', "games": 'name = "apple-tasting"'}
        if self.entries["policies"]:
            needed = {"worlds": needed["worlds"]} | ({"games": needed["games"]} if self.entries["strategies"] else {})
        for kind, example in needed.items():
            if not self.entries[kind]:
                self._problem((), f"there are no {kind}: write [[{kind}]] and below it {example}")

    def _made(self, kind: str, value: Any) -> list[tuple[Place, Any]]:
        """Make the entries of one kind."""
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self._problem((kind,), f"write [[{kind}]] with two brackets, and the keys of each of the {kind} below it")
            return []
        found: list[tuple[Place, Any]] = []
        for index, entry in enumerate(value):
            place: Place = (kind, index)
            before = len(self.problems)
            for key, each in [*entry.items(), *_parameter_table(entry).items()]:
                if each == []:
                    self._problem((*place, key), f"{key} = [] is empty: give one or more values")
            try:
                made = [_KINDS[kind].from_dict(each) for each in self._expanded(kind, place, entry)]
            except StudyError as error:
                for inner, text in error.located:
                    inner = (_world_kinds(entry)[0],) if inner == ("value",) else inner
                    self._problem((*place, *inner), text)
                continue
            found += [(place, each) for each in made] if len(self.problems) == before else []
        return found

    def _expanded(self, kind: str, place: Place, entry: _Entry) -> Iterator[_Entry]:
        """Yield the parts of the study that an entry describes: one, or all those of a grid."""
        if kind not in ("games", "worlds", "strategies", "policies"):
            yield entry
            return
        known = [each.name for each in fields(_KINDS[kind]) if each.name not in _NOT_IN_FILES]  # type: ignore[arg-type]
        known += WORLDS if kind == "worlds" else []
        own = {key: value for key, value in entry.items() if key in known and key != "parameters"}
        parameters = {key: value for key, value in entry.items() if key not in known} | _parameter_table(entry)
        if kind == "worlds":
            own |= self._outcomes(place, own, parameters)
        elif kind == "games" and ("name" in own) == ("file" in own):
            self._problem(place, "give each game a name (of the catalogue) or a file, one of both")
        elif kind != "games" and "name" not in own:
            self._problem(place, f'say who plays: name = "{"sequential" if kind == "policies" else "CBP"}"')
        if not isinstance(entry.get("parameters", {}), dict):
            self._problem((*place, "parameters"), "parameters is a table, as in parameters = { bins = 10 }")
        size = prod(len(value) for value in parameters.values() if isinstance(value, list))
        if size > _MOST:
            self._problem(place, f"this grid has {thousands(size)} entries: give at most {thousands(_MOST)}")
        if any(each.place[:2] == place for each in self.problems):
            return
        varied = [key for key, value in parameters.items() if isinstance(value, list) and len(value) > 1]
        values = own.pop("values", [None])
        for value in values:
            for chosen in grid(parameters):
                found = {**own, "parameters": chosen}
                found |= {"policy": True} if kind == "policies" else {"value": value} if kind == "worlds" else {}
                if isinstance(own.get("label"), str):
                    shown = ", ".join(f"{key}={chosen[key]}" for key in varied)
                    found["label"] += f" ({shown})" * bool(shown) + f" {value}" * (len(values) > 1)
                yield found

    def _outcomes(self, place: Place, own: _Entry, parameters: _Entry) -> _Entry:
        """Take the key that says where outcomes come from, and return it as a kind of worlds and a list of values."""
        given = _world_kinds(own)
        found = {kind: own.pop(kind) for kind in given}
        # A recording may come with the law that it was drawn from.
        if given == ["law", "replay"]:
            parameters["law"] = [found["law"]]
            given = ["replay"]
        if len(given) != 1:
            has = f"this one has {' and '.join(given)}" if given else "this one has none of them"
            self._problem(place, f"say with one key where outcomes come from ({', '.join(WORLDS)}): {has}")
            return {}
        kind, value = given[0], found[given[0]]
        # Kinds of laws and cases of classifiers may be a grid, too; a law is a list by itself.
        several = kind in ("classifiers", "laws") and isinstance(value, list)
        return {"kind": kind, "values": value if several else [value]}


def _world_kinds(entry: Mapping[str, Any]) -> list[str]:
    return [kind for kind in WORLDS if kind in entry]


def _parameter_table(entry: _Entry) -> _Entry:
    """Return the parameters that stand in a table of their own."""
    found = entry.get("parameters", {})
    return found if isinstance(found, dict) else {}


def find_lines_in_study_file(text: str) -> dict[Place, int]:
    """Return the line, counted from 1, on which each table and each key begins; texts of several lines may mislead."""
    found: dict[Place, int] = {}
    counts: dict[str, int] = {}
    table: Place = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            outer, _, inner = header[2].partition(".")
            if header[1] == "[[":
                counts[outer] = counts.get(outer, -1) + 1
            table = (outer, *([counts[outer]] if outer in counts else []), *([inner] if inner else []))
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, key[1]), number)
    return found


def line_in_study_file(place: Place, lines: Mapping[Place, int]) -> int | None:
    """Return the line of a place, or of the innermost table around it."""
    short = tuple(part for part in place if part != _INNER)
    for whole in (place, short):
        if whole in lines:
            return lines[whole]
    return next((lines[place[:end]] for end in range(len(place) - 1, 0, -1) if place[:end] in lines), None)
