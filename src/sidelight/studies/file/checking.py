"""Check the names, parameters, laws and files of a study before anything is played.

What is found here is a plain mistake and always refused. Whether a game, a world and a player fit each other is another
matter, see `plan.cases.unplayable`.
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
from sidelight.results.result_set import is_chosen
from sidelight.simulation import players as strategies
from sidelight.studies.build import objects
from sidelight.studies.classifiers.published import CASES
from sidelight.studies.fields import Refused, as_number, short_value, whole_number_field
from sidelight.studies.model import WORLDS, GameEntry, PlayerEntry, Study, WorldEntry
from sidelight.studies.problems import Place, Problem, StudyError
from sidelight.text import did_you_mean

_TRIES = 20  # settings in which a strategy or a function is tried until it works in one
_LARGEST = 10**6  # numbers of a context
_LEAST_TOLERANCE = 0.001  # below, more predictions would be watched than there are
_PLAYER_KEYS = ("label", "games", "worlds", "horizons", "runs", "block", "checkpoints", "limit")
_WORLD_KEYS = {"law": (), "laws": (), "replay": ("law",), "classifiers": ("tolerance", "confidence")}
_SMALL = GameEntry("apple-tasting")  # two outcomes, for which there are contexts of every kind
Found = Iterator[tuple[Place, str]]


def check(study: Study, known: Callable[[str, Any], bool] = lambda kind, entry: False) -> None:
    """Raise an error that lists what is wrong with a study, unless that was done when it was read from a file.

    Entries that are `known`, by their kind ("games", "worlds" or "players"), are taken to be right.
    """
    if vars(study).get(_CHECKED):
        return
    found = entry_mistakes(study.games, study.worlds, study.players, study.horizons, study.folder)
    found = [each for each in found if not known(str(each.place[0]), getattr(study, str(each.place[0]))[each.place[1]])]
    if found:
        raise StudyError(found, f"study {study.name!r}")


_CHECKED = "_checked"


def mark_as_checked(study: Study) -> None:
    """Note that nothing is wrong with a study; a changed copy of it has no such mark."""
    object.__setattr__(study, _CHECKED, True)


def entry_mistakes(
    games: Sequence[GameEntry],
    worlds: Sequence[WorldEntry],
    players: Sequence[PlayerEntry],
    horizons: Sequence[int],
    folder: str,
) -> list[Problem]:
    """Return the problems of all entries, with places such as ("players", 2, "name")."""
    found: list[Problem] = []

    def right(kind: str, entries: Sequence[Any], check: Callable[[Any, _Scope], Found], scope: _Scope) -> list[Any]:
        """Check all entries of a kind; return those without problems."""
        good = []
        for index, entry in enumerate(entries):
            own = [Problem((kind, index, *place), text) for place, text in _all_of(check, entry, scope)]
            found.extend(dict.fromkeys(own))
            good += [] if own else [entry]
        return good

    scope = _Scope([], [], tuple(horizons), folder, {})
    scope = scope._replace(games=right("games", games, _game, scope))
    scope = scope._replace(worlds=right("worlds", worlds, _world, scope))
    right("players", players, _player, scope)
    return found


class _Scope(NamedTuple):
    """The valid parts of a study, for checks that depend on them."""

    games: Sequence[GameEntry]
    worlds: Sequence[WorldEntry]
    horizons: tuple[int, ...]
    folder: str
    unusable: dict[str, str]
    """Why a strategy cannot be imported, to avoid further attempts."""


def _all_of(check: Callable[[Any, _Scope], Found], entry: Any, scope: _Scope) -> Found:
    """Yield the problems that a check finds in an entry; if it raises an error, yield that as the last one."""
    try:
        yield from check(entry, scope)
    except SidelightError as error:
        yield _place_of(entry, error), str(error)


def _game(entry: GameEntry, scope: _Scope) -> Found:
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
        objects.make_game(entry, scope.folder)


def _world(entry: WorldEntry, scope: _Scope) -> Found:
    given, value = dict(entry.parameters), entry.value
    own = entry.kind == "laws" and isinstance(value, str) and ":" in value
    if entry.kind in _WORLD_KEYS and not own:
        strange = [name for name in given if name not in (entry.kind, *_WORLD_KEYS[entry.kind])]
        known = (entry.kind, *_WORLD_KEYS[entry.kind], "label", "games", "horizons")
        for name in strange:
            text = f"a world with {entry.kind!r} has no {name!r}: {did_you_mean(name, (*known, *WORLDS))}"
            yield ("parameters", name), f"{text}there are {', '.join(known)}"
        if strange:
            return
    if entry.kind == "law":
        IID(objects.law(value))
    elif entry.kind == "laws":
        if not own:
            _known(value, laws.names(), "kind of laws", ", and package.module:function")
        else:
            _try_somewhere(entry, scope)
    elif entry.kind == "contexts":
        _known(value, contexts_by_name.names(), "kind of contexts")
        yield from _contexts(entry, given)
    elif entry.kind == "classifiers":
        yield from _classifiers(entry, given)
    elif not isinstance(value, str):
        raise SidelightError(f"{entry.kind} is {short_value(value)}: give a text in quotation marks")
    elif entry.kind == "replay":
        law = given.get("law")
        if isinstance(law, str) and law != "outcome":
            raise ParameterError(f"law is {law!r}: give probabilities, or 'outcome'", "law")
        objects.make_recording(entry, scope.folder)
    else:
        objects.make_own_environment(entry, scope.folder)


class _NameError(SidelightError):
    """Signal that nothing has the given name, so that trying other parameters cannot help."""


def _known(name: Any, known: Sequence[str], what: str, own: str = "") -> None:
    """Refuse a name that is not known; `own` says how to write one's own names."""
    if not isinstance(name, str) or name not in known:
        near = did_you_mean(name, known) if isinstance(name, str) else ""
        raise _NameError(f"there is no {what} {short_value(name)}: {near}there are {', '.join(known)}{own}")


def _try_somewhere(entry: WorldEntry, scope: _Scope) -> None:
    """Refuse a function that cannot be imported, or that fails for all games."""
    objects.import_attribute(entry.value, "function")
    first = None
    for game in [game for game in scope.games if is_chosen(entry.games, game.label)][:_TRIES]:
        try:
            objects.make_environment(entry.bare(), game, scope.folder)
        except SidelightError as error:
            first = first or error
        else:
            return
    if first:
        raise first


def _contexts(entry: WorldEntry, given: dict[str, Any]) -> Found:
    known = contexts_by_name.defaults(entry.value)
    there = ", ".join(f"{key} = {default}" for key, default in known.items())
    for name in [name for name in given if name not in known]:
        near = did_you_mean(name, (*known, "label", "games"))
        yield ("parameters", name), f"{entry.value} contexts have no {name!r}: {near}there is {there}"
    for name in [name for name in ("d", "contexts") if name in given]:
        try:
            whole_number_field(1, _LARGEST)(given[name])
        except Refused as refused:
            raise ParameterError(refused.problem(name).text, name) from None
    if all(name in known for name in given):
        objects.contexts(entry, objects.make_game(_SMALL))


def _classifiers(entry: WorldEntry, given: dict[str, Any]) -> Found:
    if type(entry.value) is not int or entry.value not in CASES:
        yield (entry.kind,), f"classifiers is {short_value(entry.value)}: give the case, {' or '.join(map(str, CASES))}"
    elif "tolerance" not in given:
        yield (entry.kind,), "classifiers need a tolerated error rate, as in tolerance = 0.05"
    for name, least in (("tolerance", _LEAST_TOLERANCE), ("confidence", 0.0)):
        number = as_number(given.get(name, 0.5))
        if number is None or not least <= number < 1 or number == 0:
            yield ("parameters", name), f"{name} is {short_value(given[name])}: give a number between {least:g} and 1"


def _player(entry: PlayerEntry, scope: _Scope) -> Found:
    if entry.policy:
        _known(entry.name, tuple(POLICIES), "policy")
        objects.make_policy_of(entry)
        return
    try:
        if entry.name in scope.unusable:
            raise SidelightError(scope.unusable[entry.name])
        kind = objects.strategy_class(entry, scope.folder)
    except SidelightError as error:
        scope.unusable[entry.name] = str(error)
        head, rest = strategies.split(entry.name)
        as_keys = f"{head} has its parameters as keys of their own, not in its name {entry.name!r}"
        yield ("name",), as_keys if rest is not None and strategies.is_known(head) else str(error)
        return
    wrong = list(_parameter_names(entry, kind))
    yield from wrong
    given = {*dict(entry.parameters), "horizon", "dimension"}
    missing = [name for name in strategies.required_parameters(kind) if name not in given]
    if missing:
        yield ("name",), f"{kind.__name__} needs {' and '.join(missing)}: give a value"
    elif entry.parameters and not wrong:
        yield from _parameter_values(entry, scope)


def _parameter_names(entry: PlayerEntry, kind: Any) -> Found:
    """Report parameters that a strategy does not have."""
    for name, _ in entry.parameters:
        try:
            strategies.check_parameters(kind, [name])
        except SidelightError as error:
            near = "" if "did you mean" in str(error) else did_you_mean(name, _PLAYER_KEYS)
            yield ("parameters", name), f"{error}{f'; {near.strip()}' if near else ''}"


def _places(entry: PlayerEntry, scope: _Scope) -> Iterator[tuple[GameEntry, int]]:
    """Yield the games of a player with the dimension of the contexts there, each combination once."""
    seen = set()
    for world in scope.worlds:
        for game in scope.games if world.kind != "classifiers" and is_chosen(entry.worlds, world.label) else ():
            if not is_chosen(entry.games, game.label) or not is_chosen(world.games, game.label):
                continue
            dimension = 0
            if world.kind not in ("law", "laws"):
                try:
                    dimension = objects.make_environment(world.bare(), game, scope.folder).dimension
                except SidelightError:  # they do not fit
                    continue
            if (game, dimension) not in seen:
                seen.add((game, dimension))
                yield game, dimension


def _parameter_values(entry: PlayerEntry, scope: _Scope) -> Found:
    """Report values that are wrong in every game, not those that only do not fit one.

    A value is wrong if the strategy can be made in none of its games with it, and either the error names the parameter,
    or the strategy can be made in one of them without it.
    """
    bare, horizon = entry.bare(), min(entry.horizons or scope.horizons, default=1)
    places = list(islice(_places(entry, scope), _TRIES))
    # Where games or worlds are wrong, too, any game shows what is wrong with a value by itself.
    tried = places or [(_SMALL, 0), (_SMALL, 1)]

    def errors(parameters: tuple[tuple[str, Any], ...]) -> list[SidelightError]:
        """Return one error per game if the strategy can be made in none with these parameters, else an empty list."""
        player = replace(bare, parameters=parameters)
        found = [_error(player, game, horizon, dimension, scope.folder) for game, dimension in tried]
        known = [error for error in found if error is not None]
        return known if len(known) == len(found) else []

    if not (found := errors(bare.parameters)):
        return
    blamed = False
    for name, value in bare.parameters:
        error = next((error for error in errors(((name, value),)) if _blamed(entry, error) == name), None)
        if error is not None:
            yield ("parameters", name), str(error)
            blamed = True
    if places and not blamed and not errors(()):
        yield _place_of(entry, found[0]), str(found[0])


def _error(player: PlayerEntry, game: GameEntry, horizon: int, dimension: int, folder: str) -> SidelightError | None:
    """Return why a strategy cannot be made; None if it can."""
    try:
        objects.make_strategy(player, game, horizon, dimension, folder)
    except SidelightError as error:
        return error
    return None


def _blamed(entry: GameEntry | PlayerEntry | WorldEntry, error: SidelightError) -> str:
    """Return the parameter of an entry that an error names; empty if it names none."""
    name = error.name if isinstance(error, ParameterError) else ""
    return name if name in dict(entry.parameters) else ""


def _place_of(entry: GameEntry | PlayerEntry | WorldEntry, error: SidelightError) -> Place:
    """Return where the parameter stands that an error is about."""
    only = entry.parameters[0][0] if len(entry.parameters) == 1 and not isinstance(error, _NameError) else ""
    otherwise = "file" if isinstance(entry, GameEntry) and entry.file else "name"
    if isinstance(entry, WorldEntry):
        otherwise = entry.kind
        only = "" if entry.kind == "replay" else only
    name = _blamed(entry, error) or only
    return ("parameters", name) if name else (otherwise,)
