"""Check the names, parameters, laws and files of a study before anything is played.

What is found here is a plain mistake and always refused. Whether a game, a world and a player fit each other is another
matter, see `plan.impossible`.
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
from sidelight.studies.build import objects as making
from sidelight.studies.checks import Values, as_number, shown
from sidelight.studies.classifiers.published import CASES
from sidelight.studies.model import WORLDS, GameEntry, PlayerEntry, WorldEntry
from sidelight.studies.problems import Place, Problem
from sidelight.text import did_you_mean

_TRIES = 20  # settings in which a strategy or a function is tried until it works in one
_LARGEST = 10**6  # numbers of a context
_LEAST_TOLERANCE = 0.001  # below, more predictions would be watched than there are
_PLAYER_KEYS = ("label", "games", "worlds", "horizons", "runs", "block", "checkpoints", "limit")
_WORLD_KEYS = {"law": (), "laws": (), "replay": ("law",), "classifiers": ("tolerance", "confidence")}
_SMALL = GameEntry("apple-tasting")  # two outcomes, for which there are contexts of every kind


def mistakes(
    games: Sequence[GameEntry],
    worlds: Sequence[WorldEntry],
    players: Sequence[PlayerEntry],
    horizons: Sequence[int],
    folder: str,
) -> list[Problem]:
    """Return the problems of all entries, with places such as ("players", 2, "name")."""
    found: list[Problem] = []

    def right(kind: str, entries: Sequence[Any], check: Callable[[Any, Values], None]) -> list[Any]:
        """Check all entries of a kind; return those without problems."""
        good = []
        for index, entry in enumerate(entries):
            noted = Values()
            check(entry, noted)
            found.extend(Problem((kind, index, *place), text) for place, text in noted.found)
            good += [] if noted.found else [entry]
        return good

    known = right("games", games, lambda entry, noted: _game(entry, noted, folder))
    scope = _Scope(known, (), tuple(horizons), folder, {})
    places = right("worlds", worlds, lambda entry, noted: _world(entry, noted, scope))
    met = scope._replace(worlds=places)
    right("players", players, lambda entry, noted: _player(entry, noted, met))
    return found


class _Scope(NamedTuple):
    """The valid parts of a study, for checks that depend on them."""

    games: Sequence[GameEntry]
    worlds: Sequence[WorldEntry]
    horizons: tuple[int, ...]
    folder: str
    unusable: dict[str, str]
    """Why a strategy cannot be imported, to avoid further attempts."""


def _game(entry: GameEntry, noted: Values, folder: str) -> None:
    if entry.data:
        return
    if bool(entry.name) == bool(entry.file):
        noted.problem((), "give each game a name (of the catalogue) or a file, one of both")
    elif entry.file:
        if entry.parameters:
            key = entry.parameters[0][0]
            noted.problem(("parameters", key), "a game in a file has no parameters: change the file")
        _try(noted, ("file",), lambda: making.game(entry, folder))
    elif entry.name not in catalogue.names():
        near = did_you_mean(entry.name, catalogue.names())
        noted.problem(("name",), f"there is no game {entry.name!r}: {near}'sidelight games' lists the catalogue")
    else:
        try:
            making.game(entry, folder)
        except SidelightError as error:
            noted.problem(_place_of(entry, error), str(error))


def _world(entry: WorldEntry, noted: Values, scope: _Scope) -> None:
    own = isinstance(entry.value, str) and ":" in entry.value
    if entry.kind in _WORLD_KEYS and not (entry.kind == "laws" and own):
        _only(entry, noted, (entry.kind, *_WORLD_KEYS[entry.kind]))
    place = (entry.kind,)
    if entry.kind == "law":
        _try(noted, place, lambda: IID(making.law(entry.value)))
    elif entry.kind == "laws":
        if noted.known(place, entry.value, laws.names(), "kind of laws", or_own="package.module:function") and own:
            _own_laws(entry, noted, scope)
    elif entry.kind == "contexts":
        if noted.known(place, entry.value, contexts_by_name.names(), "kind of contexts"):
            _contexts(entry, noted)
    elif entry.kind == "classifiers":
        _classifiers(entry, noted)
    elif noted.text(place, entry.value):
        _made(entry, noted, scope.folder)


def _only(entry: WorldEntry, noted: Values, known: Sequence[str]) -> None:
    """Report parameters that a world does not have."""
    keys = (*known, "label", "games")
    for name, _ in entry.parameters:
        if name not in known:
            near = did_you_mean(name, (*keys, *WORLDS))
            text = f"a world with {entry.kind!r} has no {name!r}: {near}there are {', '.join(keys)}"
            noted.problem(("parameters", name), text)


def _own_laws(entry: WorldEntry, noted: Values, scope: _Scope) -> None:
    """Report a function that cannot be imported, or that fails for all games."""
    try:
        making.attribute(entry.value, "function")
    except SidelightError as error:
        noted.problem((entry.kind,), str(error))
        return
    first = ""
    for game in [game for game in scope.games if is_chosen(entry.games, game.label)][:_TRIES]:
        try:
            making.environment(entry.bare(), game, scope.folder)
        except SidelightError as error:
            first = first or str(error)
        else:
            return
    if first:
        noted.problem((entry.kind,), first)


def _made(entry: WorldEntry, noted: Values, folder: str) -> None:
    """Report a recording or an environment that cannot be made for any game."""
    given = dict(entry.parameters).get("law") if entry.kind == "replay" else None
    if isinstance(given, str) and given != "outcome":
        noted.problem(("parameters", "law"), f"law is {given!r}: give probabilities, or 'outcome'")
    elif given is not None and not isinstance(given, str):
        _try(noted, ("parameters", "law"), lambda: making.law(given))
    if noted.found:
        return
    try:
        if entry.kind == "replay":
            making.recorded(entry, folder)
        else:
            making.own_environment(entry)
    except SidelightError as error:
        noted.problem(_place_of(entry, error, entry.kind), str(error))


def _contexts(entry: WorldEntry, noted: Values) -> None:
    known = contexts_by_name.defaults(entry.value)
    good = True
    for name, value in entry.parameters:
        if name not in known:
            there = ", ".join(f"{key} = {default}" for key, default in known.items())
            near = did_you_mean(name, (*known, "label", "games"))
            noted.problem(("parameters", name), f"{entry.value} contexts have no {name!r}: {near}there is {there}")
            good = False
        elif name in ("d", "contexts"):
            noted.whole(("parameters", name), value, 1, _LARGEST)
    if good and not noted.found:
        try:
            making.contexts(entry, making.game(_SMALL))
        except SidelightError as error:
            noted.problem(_place_of(entry, error, entry.kind), str(error))


def _classifiers(entry: WorldEntry, noted: Values) -> None:
    if type(entry.value) is not int or entry.value not in CASES:
        cases = " or ".join(map(str, CASES))
        noted.problem((entry.kind,), f"classifiers is {shown(entry.value)}: give the case, {cases}")
    given = dict(entry.parameters)
    if "tolerance" not in given and not noted.found:
        noted.problem((entry.kind,), "classifiers need a tolerated error rate, as in tolerance = 0.05")
    for name, least in (("tolerance", _LEAST_TOLERANCE), ("confidence", 0.0)):
        number = as_number(given.get(name, 0.5))
        if number is None or not least <= number < 1 or number == 0:
            text = f"{name} is {shown(given[name])}: give a number between {least:g} and 1"
            noted.problem(("parameters", name), text)


def _player(entry: PlayerEntry, noted: Values, scope: _Scope) -> None:
    if entry.policy:
        if noted.known(("name",), entry.name, tuple(POLICIES), "policy"):
            try:
                making.policy(entry)
            except SidelightError as error:
                noted.problem(_place_of(entry, error), str(error))
        return
    try:
        if entry.name in scope.unusable:
            raise SidelightError(scope.unusable[entry.name])
        kind = making.strategy_class(entry, scope.folder)
    except SidelightError as error:
        scope.unusable[entry.name] = str(error)
        head, rest = strategies.split(entry.name)
        as_keys = f"{head} has its parameters as keys of their own, not in its name {entry.name!r}"
        noted.problem(("name",), as_keys if rest is not None and strategies.is_known(head) else str(error))
        return
    _parameter_names(entry, noted, kind)
    given = {*dict(entry.parameters), "horizon", "dimension"}
    missing = [name for name in strategies.required(kind) if name not in given]
    if missing:
        noted.problem(("name",), f"{kind.__name__} needs {' and '.join(missing)}: give a value")
    if entry.parameters and not noted.found:
        _parameter_values(entry, noted, scope)


def _parameter_names(entry: PlayerEntry, noted: Values, kind: Any) -> None:
    """Report parameters that a strategy does not have."""
    for name, _ in entry.parameters:
        try:
            strategies.check_parameters(kind, [name])
        except SidelightError as error:
            near = "" if "did you mean" in str(error) else did_you_mean(name, _PLAYER_KEYS)
            noted.problem(("parameters", name), f"{error}{f'; {near.strip()}' if near else ''}")


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
                    dimension = making.environment(world.bare(), game, scope.folder).dimension
                except SidelightError:  # they do not fit
                    continue
            if (game, dimension) not in seen:
                seen.add((game, dimension))
                yield game, dimension


def _parameter_values(entry: PlayerEntry, noted: Values, scope: _Scope) -> None:
    """Report values that are wrong in every game, not those that only do not fit one.

    A value is wrong if the strategy can be made in none of its games with it, and either the error names the parameter,
    or the strategy can be made in one of them without it.
    """
    bare, horizon = entry.bare(), min(entry.horizons or scope.horizons, default=1)
    places = list(islice(_places(entry, scope), _TRIES))
    # Where games or worlds are wrong, too, any game shows what is wrong with a value by itself.
    tried = places or [(_SMALL, 0), (_SMALL, 1)]

    def errors(parameters: tuple[tuple[str, Any], ...]) -> list[SidelightError]:
        """Return why the strategy cannot be made with these, for each place; nothing if it can be made somewhere."""
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
            noted.problem(("parameters", name), str(error))
            blamed = True
    if places and not blamed and not errors(()):
        noted.problem(_place_of(entry, found[0]), str(found[0]))


def _error(player: PlayerEntry, game: GameEntry, horizon: int, dimension: int, folder: str) -> SidelightError | None:
    """Return why a strategy cannot be made; None if it can."""
    try:
        making.strategy(player, game, horizon, dimension, folder)
    except SidelightError as error:
        return error
    return None


def _blamed(entry: GameEntry | PlayerEntry | WorldEntry, error: SidelightError) -> str:
    """Return the parameter of an entry that an error names; empty if it names none."""
    name = error.name if isinstance(error, ParameterError) else ""
    return name if name in dict(entry.parameters) else ""


def _place_of(entry: GameEntry | PlayerEntry | WorldEntry, error: SidelightError, otherwise: str = "name") -> Place:
    """Return where the parameter stands that an error is about."""
    only = entry.parameters[0][0] if len(entry.parameters) == 1 else ""
    name = _blamed(entry, error) or (only if otherwise != "replay" else "")
    return ("parameters", name) if name else (otherwise,)


def _try(noted: Values, place: Place, make: Callable[[], Any]) -> None:
    """Make something, and report the error if that fails."""
    try:
        make()
    except SidelightError as error:
        noted.problem(place, str(error))
