"""Reading a study from a TOML file; everything that is wrong with it is said at once, with lines and remedies."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from sidelight import games as catalogue
from sidelight._storage import contents
from sidelight.environments import kinds, laws
from sidelight.errors import SidelightError
from sidelight.monitor.policies import POLICIES
from sidelight.results.statistics import Side
from sidelight.studies.lines import Place, places
from sidelight.studies.parameters import grid
from sidelight.studies.study import (
    FIGURES,
    MEASURES,
    TABLES,
    TESTS,
    WORLDS,
    Comparison,
    Figure,
    Game,
    Player,
    Study,
    StudyError,
    Table,
    World,
)
from sidelight.studies.values import Values, hint

_SCOPES = ("games", "worlds", "horizons")
_ENTRIES = ("games", "worlds", "strategies", "policies", "comparisons", "tables", "figures")
_KEYS = (
    *("name", "title", "text", "version", "horizon", "horizons", "runs", "seed", "seeds", "checkpoints", "measures"),
    *("impossible", "patience", "block", *_ENTRIES),
)
_OWN_KEYS = {
    "games": ("name", "file", "label", "parameters"),
    "worlds": (*WORLDS, "label", "games", "parameters"),
    "strategies": (
        "name",
        "label",
        "games",
        "worlds",
        "horizons",
        "runs",
        "block",
        "checkpoints",
        "limit",
        "parameters",
    ),
    "policies": ("name", "label", "worlds", "runs", "block", "limit", "parameters"),
    "comparisons": ("against", "test", "side"),
    "tables": ("kind", "measure", "title", *_SCOPES),
    "figures": ("kind", "measure", "title", *_SCOPES),
}
_MORE = 20  # problems after which the rest is only counted


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
    return parse(text, file.stem, str(file.resolve().parent), where=repr(os.fspath(path)))


def parse(text: str, name: str = "study", folder: str = "", where: str = "") -> Study:
    """Return the study that a text describes; `name` is its name if it has none, paths in it begin at `folder`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError([f"not valid TOML: {error}"], where) from None
    reader = _Reader(data, places(text))
    study = reader.study(name, folder)
    if reader.problems or study is None:
        more = len(reader.problems) - _MORE
        listed = reader.problems[:_MORE] + ([f"and {more} more"] if more > 0 else [])
        raise StudyError(listed, where)
    return study


class _Reader(Values):
    """Turns parsed TOML into a study, and collects what is wrong."""

    def __init__(self, data: dict[str, Any], lines: Mapping[Place, int]) -> None:
        super().__init__(lines)
        self.data = data

    def study(self, name: str, folder: str) -> Study | None:
        """Return the study, or None if there are problems."""
        self.check_keys((), self.data, _KEYS, "a study")
        numbers = self._numbers()
        words: dict[str, Any] = {
            key: self.text((key,), self.data[key]) for key in ("title", "text", "version") if key in self.data
        }
        entries = {kind: self._entries(kind) for kind in _ENTRIES}
        if not self.problems:
            self._missing(entries)
        if self.problems:
            return None
        players = (*entries.pop("strategies"), *entries.pop("policies"))
        lists: dict[str, Any] = {kind: tuple(found) for kind, found in entries.items() if found}
        try:
            return Study(
                self.text(("name",), self.data.get("name", name)),
                players=players,
                folder=folder,
                **lists,
                **numbers,
                **words,
            )
        except StudyError as error:
            self.problems += error.problems
        except SidelightError as error:
            self.problem(("name",), str(error))
        return None

    def _missing(self, entries: Mapping[str, Sequence[Any]]) -> None:
        """Complain about what no study can do without: policies watch classifiers, all others play games."""
        needed = {"strategies": 'name = "CBP"', "worlds": 'laws = "dirichlet"', "games": 'name = "apple-tasting"'}
        if entries["policies"]:
            del needed["strategies"]
            if not entries["strategies"]:
                del needed["games"]
        for kind, example in needed.items():
            if not entries[kind]:
                self.problems.append(f"there are no {kind}: write [[{kind}]] and below it {example}")

    def _numbers(self) -> dict[str, Any]:
        """Return horizons, runs, seeds and the other settings of the study itself."""
        found: dict[str, Any] = {}
        for one, many, least in (("horizon", "horizons", 1), ("seed", "seeds", 0)):
            given = [key for key in (one, many) if key in self.data]
            if len(given) == 2:
                self.problem((many,), f"give {one} or {many}, not both")
            for key in given:
                value = self.data[key]
                found[many] = self.wholes((key,), value if isinstance(value, list) else [value], least)
        for key in ("runs", "block"):
            if key in self.data:
                found[key] = self.whole((key,), self.data[key], 1)
        if "checkpoints" in self.data:
            found["checkpoints"] = self._checkpoints(("checkpoints",), self.data["checkpoints"])
        if "patience" in self.data:
            found["patience"] = self.positive(("patience",), self.data["patience"])
        if "impossible" in self.data:
            found["impossible"] = self.choice(("impossible",), self.data["impossible"], ("refuse", "skip"))
        if "measures" in self.data:
            wanted = self.listed(("measures",), self.data["measures"])
            found["measures"] = tuple(self.choice(("measures",), each, MEASURES) for each in wanted)
        return found

    def _entries(self, kind: str) -> list[Any]:
        value = self.data.get(kind, [])
        if isinstance(value, dict):
            self.problem((kind,), f"write [[{kind}]] with two brackets: there may be several")
            return []
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self.problem((kind,), f"write each of the {kind} as a table below [[{kind}]]")
            return []
        make: Callable[[Place, dict[str, Any]], Sequence[Any]] = getattr(self, f"_{kind}")
        found: list[Any] = []
        for index, entry in enumerate(value):
            before = len(self.problems)
            made = make((kind, index), entry)
            if len(self.problems) == before:
                found += made
        return found

    def _games(self, place: Place, entry: dict[str, Any]) -> list[Game]:
        own, parameters = self._split(place, entry, "games")
        if ("name" in own) == ("file" in own):
            self.problem(place, "give each game a name (of the catalogue) or a file, one of both")
            return []
        if "file" in own:
            if parameters:
                self.problem((*place, next(iter(parameters))), "a game in a file has no parameters: change the file")
            return [Game(file=self.text((*place, "file"), own["file"]), label=own.get("label", ""))]
        name = self.text((*place, "name"), own["name"])
        if name not in catalogue.names():
            near = hint(name, catalogue.names())
            self.problem((*place, "name"), f"there is no game {name!r}: {near}'sidelight games' lists the catalogue")
            return []
        found = []
        for chosen in grid(parameters):
            try:
                catalogue.load(name, **chosen)
            except SidelightError as error:
                key = next((key for key in chosen if f"{key!r}" in str(error) or f"{key} " in str(error)), "name")
                self.problem((*place, key), str(error))
                return []
            found.append(Game(name, tuple(chosen.items()), label=self._label(own, name, chosen, parameters)))
        return found

    def _worlds(self, place: Place, entry: dict[str, Any]) -> list[World]:
        own, parameters = self._split(place, entry, "worlds")
        given = [kind for kind in WORLDS if kind in own]
        # A recording may come with the law that it was drawn from.
        if given == ["law", "replay"]:
            parameters["law"] = [own["law"]]
            given = ["replay"]
        if len(given) != 1:
            has = f"this one has {' and '.join(given)}" if given else "this one has none of them"
            self.problem(place, f"say with one key where outcomes come from ({', '.join(WORLDS)}): {has}")
            return []
        kind, value = given[0], own[given[0]]
        self._world_value((*place, kind), kind, value, parameters)
        scope = {"games": self.texts((*place, "games"), own["games"])} if "games" in own else {}
        # Cases of classifiers may be a grid, too; a law is a list by itself.
        values = value if kind in ("classifiers", "laws") and isinstance(value, list) else [value]
        return [
            World(
                kind,
                each,
                tuple(chosen.items()),
                label=self._world_label(own, each, chosen, parameters, values),
                **scope,
            )
            for each in values
            for chosen in grid(parameters)
        ]

    def _world_value(self, place: Place, kind: str, value: Any, parameters: dict[str, Any]) -> None:
        if kind == "law":
            if not isinstance(value, list) or not value:
                self.problem(place, "give a probability for each outcome, as in law = [0.3, 0.7]")
        elif kind == "laws":
            for each in value if isinstance(value, list) else [value]:
                self.known(place, each, laws.names(), "kind of laws", or_own="package.module:function")
        elif kind == "contexts":
            if self.known(place, value, kinds.names(), "kind of contexts"):
                for name in parameters:
                    if name not in kinds.defaults(value):
                        known = ", ".join(f"{key} = {default}" for key, default in kinds.defaults(value).items())
                        near = hint(name, tuple(kinds.defaults(value)))
                        self.problem((*place[:-1], name), f"{value} contexts have no {name!r}: {near}there is {known}")
        elif kind == "classifiers":
            for each in value if isinstance(value, list) else [value]:
                self.whole(place, each, 1)
            if "tolerance" not in parameters:
                self.problem(place, "classifiers need a tolerated error rate, as in tolerance = 0.05")
        else:
            self.text(place, value)

    def _strategies(self, place: Place, entry: dict[str, Any]) -> list[Player]:
        return self._players(place, entry, "strategies")

    def _policies(self, place: Place, entry: dict[str, Any]) -> list[Player]:
        if isinstance(entry.get("name"), str) and not self.known(
            (*place, "name"), entry["name"], tuple(POLICIES), "policy"
        ):
            return []
        return self._players(place, entry, "policies", policy=True)

    def _players(self, place: Place, entry: dict[str, Any], kind: str, policy: bool = False) -> list[Player]:
        own, parameters = self._split(place, entry, kind)
        if "name" not in own:
            self.problem(place, f'say who plays: name = "{"sequential" if policy else "CBP"}"')
            return []
        name = self.text((*place, "name"), own["name"])
        options: dict[str, Any] = {}
        for key in ("games", "worlds"):
            if key in own:
                options[key] = self.texts((*place, key), own[key])
        if "horizons" in own:
            options["horizons"] = self.wholes(
                (*place, "horizons"), self.listed((*place, "horizons"), own["horizons"]), 1
            )
        for key in ("runs", "block"):
            if key in own:
                options[key] = self.whole((*place, key), own[key], 1)
        if "checkpoints" in own:
            options["checkpoints"] = self._checkpoints((*place, "checkpoints"), own["checkpoints"])
        if "limit" in own:
            options["limit"] = own["limit"]
            if not isinstance(own["limit"], bool):
                self.problem((*place, "limit"), "limit is true or false")
        return [
            Player(
                name,
                tuple(chosen.items()),
                policy,
                label=self._label(own, name.rpartition(":")[2], chosen, parameters),
                **options,
            )
            for chosen in grid(parameters)
        ]

    def _comparisons(self, place: Place, entry: dict[str, Any]) -> list[Comparison]:
        self.check_keys(place, entry, _OWN_KEYS["comparisons"], "a comparison")
        found: dict[str, Any] = {}
        if "against" in entry:
            found["against"] = self.text((*place, "against"), entry["against"])
        for key, words in (("test", TESTS), ("side", get_args(Side))):
            if key in entry:
                found[key] = self.choice((*place, key), entry[key], words)
        return [Comparison(**found)] if not self.problems else []

    def _tables(self, place: Place, entry: dict[str, Any]) -> list[Table]:
        return [Table(**found)] if (found := self._wish(place, entry, "tables", TABLES)) is not None else []

    def _figures(self, place: Place, entry: dict[str, Any]) -> list[Figure]:
        return [Figure(**found)] if (found := self._wish(place, entry, "figures", FIGURES)) is not None else []

    def _wish(self, place: Place, entry: dict[str, Any], kind: str, words: Sequence[str]) -> dict[str, Any] | None:
        """Return the arguments of a table or figure."""
        before = len(self.problems)
        self.check_keys(place, entry, _OWN_KEYS[kind], f"one of the {kind}")
        found: dict[str, Any] = {}
        for key, value in entry.items():
            where = (*place, key)
            if key in ("kind", "measure"):
                found[key] = self.choice(where, value, words if key == "kind" else MEASURES)
            elif key in ("games", "worlds"):
                found[key] = self.texts(where, value)
            elif key == "horizons":
                found[key] = self.wholes(where, self.listed(where, value), 1)
            elif key == "title":
                found[key] = self.text(where, value)
        return found if len(self.problems) == before else None

    def _split(self, place: Place, entry: dict[str, Any], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the keys that a study gives a meaning to, and the parameters."""
        own = {key: value for key, value in entry.items() if key in _OWN_KEYS[kind]}
        parameters = {key: value for key, value in entry.items() if key not in own}
        more = own.pop("parameters", {})
        if not isinstance(more, dict):
            self.problem((*place, "parameters"), "parameters is a table, as in parameters = { bins = 10 }")
            more = {}
        for key, value in (parameters | more).items():
            if isinstance(value, list) and not value:
                self.problem((*place, key), f"{key} = [] is a grid without values: give one or more")
        if "label" in own:
            self.text((*place, "label"), own["label"])
        return own, parameters | more

    def _label(self, own: dict[str, Any], name: str, chosen: dict[str, Any], parameters: dict[str, Any]) -> str:
        """Return the label that was given, with the values of a grid behind it."""
        if "label" not in own:
            return ""
        varied = {
            key: value
            for key, value in chosen.items()
            if isinstance(parameters[key], list) and len(parameters[key]) > 1
        }
        shown = ", ".join(f"{key}={value}" for key, value in varied.items())
        return f"{own['label']} ({shown})" if shown else str(own["label"])

    def _world_label(
        self, own: dict[str, Any], value: Any, chosen: dict[str, Any], parameters: dict[str, Any], values: Sequence[Any]
    ) -> str:
        label = self._label(own, "", chosen, parameters)
        return f"{label} {value}" if label and len(values) > 1 else label

    def _checkpoints(self, place: Place, value: Any) -> Any:
        if value == "log":
            return value
        if isinstance(value, list):
            rounds = self.wholes(place, value, 1)
            if list(rounds) != sorted(rounds):
                self.problem(place, f"checkpoints is {value!r}: give increasing rounds")
            return rounds
        return self.whole(place, value, 1)
