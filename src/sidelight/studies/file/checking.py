"""Check the names, parameters, laws and files of a study before anything is played.

What is found here is a plain mistake and always refused. Whether a game, a world and a player fit each other is another
matter, see `plan.cases.find_unplayable_cases`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from sidelight import games as catalogue
from sidelight.environments import IID, contexts_by_name, laws
from sidelight.errors import ParameterError, SidelightError
from sidelight.monitor.policies import POLICIES
from sidelight.results.result_set import is_result_label_chosen
from sidelight.simulation import players as strategies
from sidelight.studies.build import objects
from sidelight.studies.classifiers.published import CASES
from sidelight.studies.fields import field_value_as_number, short_field_value
from sidelight.studies.model import WORLDS, GameEntry, PlayerEntry, Study, WorldEntry
from sidelight.studies.plain_data import freeze_parameter_pairs
from sidelight.studies.problems import Place, Problem, StudyError
from sidelight.text import did_you_mean

_TRIES = 20  # settings in which a strategy is tried until it works in one
_LEAST_TOLERANCE = 0.001  # below, more predictions would be watched than there are
_WORLD_KEYS = {"law": (), "laws": (), "replay": ("law",), "classifiers": ("tolerance", "confidence")}
_SMALL = GameEntry("apple-tasting")  # two outcomes, for which there are contexts of every kind
_CHECKED = "_checked"
Found = Iterator[tuple[Place, str]]


def check_study_file(study: Study) -> None:
    """Raise an error that lists all mistakes of a study, unless it was checked when it was read from a file."""
    if not vars(study).get(_CHECKED):
        found = mistakes_in_study_file_entries(study.games, study.worlds, study.players, study.horizons, study.folder)
        if found:
            raise StudyError(found, f"study {study.name!r}")


def mark_study_file_as_checked(study: Study) -> None:
    """Mark a study as checked; a changed copy of it loses the mark."""
    object.__setattr__(study, _CHECKED, True)


def mistakes_in_study_file_entries(
    games: Sequence[GameEntry],
    worlds: Sequence[WorldEntry],
    players: Sequence[PlayerEntry],
    horizons: Sequence[int],
    folder: str,
) -> list[Problem]:
    """Return the problems of all entries, with places such as ("players", 2, "name")."""
    found: list[Problem] = []
    scope = _Scope((), (), tuple(horizons), folder)
    checks: Any = {"games": _check_game_entry, "worlds": _check_world_entry, "players": _check_player_entry}
    for (kind, check), entries in zip(checks.items(), (games, worlds, players), strict=True):
        valid: dict[str, Any] = {kind: []}
        for index, entry in enumerate(entries):
            mistakes = dict.fromkeys(_mistakes_of_file_entry(check, entry, scope))
            found += [Problem((kind, index, *place), text) for place, text in mistakes]
            valid[kind] += [] if mistakes else [entry]
        scope = scope._replace(**valid) if kind in scope._fields else scope
    return found


class _Scope(NamedTuple):
    """The valid parts of a study that were found so far, for checks that depend on them."""

    games: Sequence[GameEntry]
    worlds: Sequence[WorldEntry]
    horizons: tuple[int, ...]
    folder: str


def _mistakes_of_file_entry(check: Callable[[Any, _Scope], Found], entry: Any, scope: _Scope) -> Found:
    """Yield the problems that a check finds in an entry; if it raises an error, yield that as the last one."""
    try:
        yield from check(entry, scope)
    except SidelightError as error:
        yield _place_of_file_error(entry, error), str(error)


def _check_game_entry(entry: GameEntry, scope: _Scope) -> Found:
    if entry.data:
        return
    if bool(entry.name) == bool(entry.file):
        yield (), "give each game a name (of the catalogue) or a file, one of both"
    elif entry.file and entry.parameters:
        yield ("parameters", entry.parameters[0][0]), "a game in a file has no parameters: change the file"
    elif entry.name and entry.name not in catalogue.names():
        near = did_you_mean(entry.name, catalogue.names())
        yield ("name",), f"there is no game {entry.name!r}: {near}'sidelight games' lists the catalogue"
    else:
        objects.build_study_game(entry, scope.folder)


def _check_world_entry(entry: WorldEntry, scope: _Scope) -> Found:
    given, value = dict(entry.parameters), entry.value
    own = isinstance(value, str) and ":" in value
    known = _WORLD_KEYS.get(
        entry.kind, contexts_by_name.defaults_of_context_environment(value) if entry.kind == "contexts" else given
    )
    for name in () if own else [name for name in given if name not in known]:
        there = (entry.kind, *known, "label", "games", "horizons")
        text = f"a world with {entry.kind!r} has no {name!r}: {did_you_mean(name, (*there, *WORLDS))}"
        yield ("parameters", name), f"{text}there are {', '.join(there)}"
    if entry.kind == "law":
        IID(objects.build_world_law(value))
    elif entry.kind == "laws" and own:
        objects.import_attribute_to_build(value, "function")
    elif entry.kind == "laws":
        _check_entry_name(value, laws.names(), "kind of laws", ", and package.module:function")
    elif entry.kind == "contexts":
        named = replace(entry, parameters={key: given[key] for key in given if key in known})
        objects.build_study_contexts(named, objects.build_study_game(_SMALL))
    elif entry.kind == "classifiers":
        yield from _check_classifiers_entry(entry, given)
    elif not isinstance(value, str):
        raise SidelightError(f"{entry.kind} is {short_field_value(value)}: give a text in quotation marks")
    elif entry.kind == "replay":
        objects.build_world_recording(entry, scope.folder)
    else:
        objects.build_own_environment(entry, scope.folder)


def _check_entry_name(name: Any, known: Sequence[str], what: str, own: str = "") -> None:
    """Refuse a name that is not known; `own` says how to write one's own names."""
    if not isinstance(name, str) or name not in known:
        near = did_you_mean(name, known) if isinstance(name, str) else ""
        raise SidelightError(f"there is no {what} {short_field_value(name)}: {near}there are {', '.join(known)}{own}")


def _check_classifiers_entry(entry: WorldEntry, given: dict[str, Any]) -> Found:
    if type(entry.value) is not int or entry.value not in CASES:
        wanted = f"give the case, {' or '.join(map(str, CASES))}"
        yield (entry.kind,), f"classifiers is {short_field_value(entry.value)}: {wanted}"
    elif "tolerance" not in given:
        yield (entry.kind,), "classifiers need a tolerated error rate, as in tolerance = 0.05"
    for name, least in (("tolerance", _LEAST_TOLERANCE), ("confidence", 0.0)):
        number = field_value_as_number(given.get(name, 0.5))
        if number is None or not least <= number < 1 or number == 0:
            text = f"{name} is {short_field_value(given[name])}: give a number between {least:g} and 1"
            yield ("parameters", name), text


def _check_player_entry(entry: PlayerEntry, scope: _Scope) -> Found:
    if entry.policy:
        _check_entry_name(entry.name, tuple(POLICIES), "policy")
        objects.build_player_policy(entry)
        return
    kind = objects.find_strategy_class_of_player(entry, scope.folder)
    refused = {name: _refusal(strategies.check_player_parameters, kind, [name]) for name, _ in entry.parameters}
    wrong = {name: str(error) for name, error in refused.items() if error is not None}
    for name, text in wrong.items():
        yield ("parameters", name), text
    given = {*dict(entry.parameters), "horizon", "dimension"}
    missing = [name for name in strategies.required_parameters_of_player(kind) if name not in given]
    if missing:
        yield ("name",), f"{kind.__name__} needs {' and '.join(missing)}: give a value"
    elif not wrong:
        yield from _check_parameter_values(entry, scope)


def _refusal(function: Callable[..., Any], *arguments: Any) -> SidelightError | None:
    """Return the error that a call raises; None if it raises none."""
    try:
        function(*arguments)
    except SidelightError as error:
        return error
    return None


def _places_of_file_player(entry: PlayerEntry, scope: _Scope) -> Iterator[tuple[GameEntry, int]]:
    """Yield the games of a player with the dimension of the contexts there, each combination once."""
    seen = set()
    for world in scope.worlds:
        if world.kind == "classifiers" or not is_result_label_chosen(entry.worlds, world.label):
            continue
        for game in scope.games:
            if not all(is_result_label_chosen(wanted, game.label) for wanted in (entry.games, world.games)):
                continue
            dimension = 0
            if world.kind not in ("law", "laws"):
                try:
                    dimension = objects.build_study_environment(world.bare(), game, scope.folder).dimension
                except SidelightError:  # they do not fit
                    continue
            if (game, dimension) not in seen:
                seen.add((game, dimension))
                yield game, dimension


def _check_parameter_values(entry: PlayerEntry, scope: _Scope) -> Found:
    """Report parameter values that are wrong in every game, not only in some; the error must name the parameter."""
    horizon = min(entry.horizons or scope.horizons, default=1)
    # Where games or worlds are wrong, too, any game shows what is wrong with a value by itself.
    tried = list(islice(_places_of_file_player(entry, scope), _TRIES)) or [(_SMALL, 0), (_SMALL, 1)]
    given = dict(entry.parameters)
    while given:
        player = replace(entry.bare(), parameters=freeze_parameter_pairs(given))
        make = objects.build_player_strategy
        errors = [_refusal(make, player, game, horizon, dimension, scope.folder) for game, dimension in tried]
        blamed = {each.name: str(each) for each in errors if isinstance(each, ParameterError) and each.name in given}
        if not blamed or None in errors:
            return
        name, text = next(iter(blamed.items()))
        yield ("parameters", name), text
        del given[name]


def _place_of_file_error(entry: GameEntry | PlayerEntry | WorldEntry, error: SidelightError) -> Place:
    """Return where the parameter stands that an error names, or else the name of the entry."""
    name = error.name if isinstance(error, ParameterError) else ""
    if name in dict(entry.parameters):
        return "parameters", name
    if isinstance(entry, WorldEntry):
        return (entry.kind,)
    return ("file" if isinstance(entry, GameEntry) and entry.file else "name",)
