"""Make the entries of a study file: games, worlds, players, comparisons, tables and figures.

What the values of `study` say about themselves is left to them; here is what only a file has, such as keys and grids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from sidelight.studies.checks import Values
from sidelight.studies.model import WORLDS, Comparison, FigureEntry, GameEntry, PlayerEntry, TableEntry, WorldEntry
from sidelight.studies.plain_data import grid
from sidelight.studies.problems import Place, StudyError
from sidelight.text import grouped

ENTRIES = ("games", "worlds", "strategies", "policies", "comparisons", "tables", "figures")
_SCOPES = ("games", "worlds", "horizons")
_PLAYS = ("runs", "block", "limit")
_OWN_KEYS = {
    "games": ("name", "file", "label", "parameters"),
    "worlds": (*WORLDS, "label", "games", "parameters"),
    "strategies": ("name", "label", *_SCOPES, *_PLAYS, "checkpoints", "parameters"),
    "policies": ("name", "label", "worlds", *_PLAYS, "parameters"),
    "comparisons": ("against", "test", "side"),
    "tables": ("kind", "measure", "title", *_SCOPES),
    "figures": ("kind", "measure", "title", *_SCOPES),
}
_MOST = 10_000  # entries of one grid
_Options = dict[str, Any]


class Entries(Values):
    """Makes the entries of a study from parsed TOML, and collects problems."""

    def made(self, kind: str, value: Any) -> list[tuple[Place, Any]]:
        """Return the entries of one kind, each with its place in the file."""
        if isinstance(value, dict):
            self.problem((kind,), f"write [[{kind}]] with two brackets: there may be several")
            return []
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self.problem((kind,), f"write each of the {kind} as a table below [[{kind}]]")
            return []
        make: Callable[[Place, _Options], Sequence[Any]] = getattr(self, f"_{kind}")
        found: list[tuple[Place, Any]] = []
        for index, entry in enumerate(value):
            place = (kind, index)
            before = len(self.found)
            try:
                new = make(place, entry)
            except StudyError as error:
                self.adopt(error, place)
            else:
                found += [(place, each) for each in new] if len(self.found) == before else []
        return found

    def adopt(self, error: StudyError, place: Place) -> None:
        """Take over the problems of an entry at a place."""
        for inner, text in zip(error.places, error.problems, strict=True):
            self.problem((*place, *inner), text)

    def _games(self, place: Place, entry: _Options) -> list[GameEntry]:
        own, parameters = self._split(place, entry, "games")
        if ("name" in own) == ("file" in own):
            self.problem(place, "give each game a name (of the catalogue) or a file, one of both")
            return []
        key = "name" if "name" in own else "file"
        self.text((*place, key), own[key])
        return [
            GameEntry(**{key: own[key]}, parameters=chosen, label=_label(own, chosen, parameters))
            for chosen in self._grid(place, parameters)
        ]

    def _worlds(self, place: Place, entry: _Options) -> list[WorldEntry]:
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
        # Kinds of laws and cases of classifiers may be a grid, too; a law is a list by itself.
        values = value if kind in ("classifiers", "laws") and isinstance(value, list) else [value]
        if not values:
            self.problem((*place, kind), f"{kind} = [] is a grid without values: give one or more")
        scope = self._scope(place, own)
        return [
            WorldEntry(kind, each, chosen, label=_world_label(own, each, chosen, parameters, values), **scope)
            for each in values
            for chosen in self._grid(place, parameters)
        ]

    def _strategies(self, place: Place, entry: _Options) -> list[PlayerEntry]:
        return self._players(place, entry, "strategies")

    def _policies(self, place: Place, entry: _Options) -> list[PlayerEntry]:
        return self._players(place, entry, "policies", policy=True)

    def _players(self, place: Place, entry: _Options, kind: str, policy: bool = False) -> list[PlayerEntry]:
        own, parameters = self._split(place, entry, kind)
        if "name" not in own:
            self.problem(place, f'say who plays: name = "{"sequential" if policy else "CBP"}"')
            return []
        options = self._scope(place, own) | {key: own[key] for key in (*_PLAYS, "checkpoints") if key in own}
        return [
            PlayerEntry(own["name"], chosen, policy, label=_label(own, chosen, parameters), **options)
            for chosen in self._grid(place, parameters)
        ]

    def _comparisons(self, place: Place, entry: _Options) -> list[Comparison]:
        if "against" in entry:
            self.text((*place, "against"), entry["against"])
        return [Comparison(**self._wish(place, entry, "comparisons", "a comparison"))]

    def _tables(self, place: Place, entry: _Options) -> list[TableEntry]:
        return [TableEntry(**self._wish(place, entry, "tables", "one of the tables"))]

    def _figures(self, place: Place, entry: _Options) -> list[FigureEntry]:
        return [FigureEntry(**self._wish(place, entry, "figures", "one of the figures"))]

    def _wish(self, place: Place, entry: _Options, kind: str, what: str) -> _Options:
        """Return the arguments of a comparison, table or figure."""
        self.check_keys(place, entry, _OWN_KEYS[kind], what)
        scope = self._scope(place, entry)
        return {key: value for key, value in entry.items() if key in _OWN_KEYS[kind] and key not in _SCOPES} | scope

    def _scope(self, place: Place, own: Mapping[str, Any]) -> _Options:
        """Return the games, worlds and horizons that an entry is restricted to; empty lists are reported."""
        return {key: own[key] for key in _SCOPES if key in own and self.listed((*place, key), own[key])}

    def _split(self, place: Place, entry: _Options, kind: str) -> tuple[_Options, _Options]:
        """Split the keys of an entry into those of the study and parameters."""
        own = {key: value for key, value in entry.items() if key in _OWN_KEYS[kind]}
        parameters = {key: value for key, value in entry.items() if key not in own}
        more = own.pop("parameters", {})
        if not isinstance(more, dict):
            self.problem((*place, "parameters"), "parameters is a table, as in parameters = { bins = 10 }")
            more = {}
        for key, value in (parameters | more).items():
            if isinstance(value, list) and not value:
                self.problem((*place, "parameters", key), f"{key} = [] is a grid without values: give one or more")
        if "label" in own:
            own["label"] = self.text((*place, "label"), own["label"])
        return own, parameters | more

    def _grid(self, place: Place, parameters: Mapping[str, Any]) -> list[_Options]:
        size = prod(len(value) for value in parameters.values() if isinstance(value, list))
        if size > _MOST:
            self.problem(place, f"this grid has {grouped(size)} entries: give at most {grouped(_MOST)}")
            return []
        return grid(parameters)


def _label(own: Mapping[str, Any], chosen: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """Return the given label, followed by the values that vary in a grid."""
    if not own.get("label"):
        return ""
    varied = {
        key: value for key, value in chosen.items() if isinstance(parameters[key], list) and len(parameters[key]) > 1
    }
    shown = ", ".join(f"{key}={value}" for key, value in varied.items())
    return f"{own['label']} ({shown})" if shown else str(own["label"])


def _world_label(
    own: Mapping[str, Any],
    value: Any,
    chosen: Mapping[str, Any],
    parameters: Mapping[str, Any],
    values: Sequence[Any],
) -> str:
    label = _label(own, chosen, parameters)
    return f"{label} {value}" if label and len(values) > 1 else label
