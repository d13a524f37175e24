"""What a study is: games, worlds and players, how long and how often they meet, and what is to be said about it.

Everything here is a frozen value. `reading` makes it from a TOML file, `to_dict` and `from_dict` make it plain data and
back; who meets whom, case by case, is `plan`'s affair.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, get_args

from sidelight import results
from sidelight.results.statistics import Side
from sidelight.studies import consistency
from sidelight.studies.checks import MOST_ROUNDS, MOST_RUNS, Values, is_plain, shown
from sidelight.studies.labels import called as called
from sidelight.studies.labels import is_acceptable, stem
from sidelight.studies.plain_data import arguments, frozen, pairs, plain
from sidelight.studies.problems import StudyError as StudyError
from sidelight.text import one_line

Measure = Literal["regret", "plays", "verifications", "f1"]
MEASURES: tuple[Measure, ...] = ("regret", "plays", "verifications", "f1")
WORLDS = ("law", "laws", "contexts", "replay", "environment", "classifiers")
"""The kinds of worlds; each is the key that tells it from the others in a file."""
TESTS = ("welch", "paired")
TABLES = ("comparison", "matrix")
FIGURES = ("regret", "quartiles")
IMPOSSIBLE = ("refuse", "skip")
SIDES: tuple[Side, ...] = get_args(Side)


@dataclass(frozen=True)
class GameEntry:
    """A game of the catalogue with parameters, or one in a file.

    Parameters
    ----------
    name
        Of the catalogue; empty for a file.
    parameters
        Those that are not at their defaults.
    file
        The path of a game file, .toml or .json.
    label
        What tables call it.
    data
        The game itself as JSON, once a file was read.
    """

    name: str = ""
    parameters: Any = ()  # a mapping, which is kept as `Parameters`
    file: str = ""
    label: str = ""
    data: str = ""

    def __post_init__(self) -> None:
        check = Values()
        _set(self, file=os.fspath(self.file) if isinstance(self.file, os.PathLike) else self.file)
        for name in ("name", "file", "data"):
            check.text((name,), getattr(self, name), empty=True)
        _settle(self, check, lambda: self.name or stem(self.file))


@dataclass(frozen=True)
class WorldEntry:
    """Where outcomes come from.

    Parameters
    ----------
    kind
        "law" (one for all runs, or one row per run), "laws" (drawn for each run), "contexts", "replay" (a file),
        "environment" (a class of your own) or "classifiers" (for policies of the monitor).
    value
        The law, the name of the kind of laws, contexts or classifiers, or the path of the file.
    parameters
        Further ones, by name.
    label
        What tables call it.
    games
        Labels of the games that are played in it; * stands for anything. All of them by default.
    """

    kind: str
    value: Any
    parameters: Any = ()  # a mapping, which is kept as `Parameters`
    label: str = ""
    games: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check = Values()
        check.known(("kind",), self.kind, WORLDS, "kind of worlds")
        _set(self, value=os.fspath(self.value) if isinstance(self.value, os.PathLike) else self.value)
        if not is_plain(self.value):
            place = (self.kind if isinstance(self.kind, str) else "value",)
            check.problem(place, f"{place[0]} is {shown(self.value)}: give a text, a number, or a list of numbers")
        _set(self, value=frozen(self.value))
        _settle(self, check, self._title)

    def bare(self) -> WorldEntry:
        """Return the world by itself, whichever games are played in it."""
        return replace(self, games=())

    def _title(self) -> str:
        if self.kind == "replay":
            return stem(str(self.value))
        if self.kind == "law" and isinstance(self.value, tuple):
            rows = self.value and isinstance(self.value[0], tuple)
            return f"{len(self.value)} laws" if rows else f"law ({', '.join(map(str, self.value))})"
        if self.kind == "classifiers":
            return f"classifiers, case {self.value}"
        return str(self.value).rpartition(":")[2]


@dataclass(frozen=True)
class PlayerEntry:
    """Who plays: a strategy, or a policy of the monitor.

    Parameters
    ----------
    name
        A strategy of the library or of a plug-in, "package.module:Class" or "file.py:Class"; or a policy.
    parameters
        Those that are not at their defaults.
    policy
        Whether it is a policy of the monitor, which watches classifiers.
    label
        What tables call it.
    games, worlds
        Labels of the games and worlds that it plays in; * stands for anything. All of them by default.
    horizons, runs, checkpoints
        Its own, where they are not those of the study.
    block
        Runs of one piece of work, if not those of the study: 1 for a strategy that takes minutes for a run.
    limit
        It is not a contestant but what the others are measured against.
    """

    name: str
    parameters: Any = ()  # a mapping, which is kept as `Parameters`
    policy: bool = False
    label: str = ""
    games: tuple[str, ...] = ()
    worlds: tuple[str, ...] = ()
    horizons: tuple[int, ...] = ()
    runs: int | None = None
    block: int | None = None
    limit: bool = False
    checkpoints: Any = None

    def __post_init__(self) -> None:
        check = Values()
        check.text(("name",), self.name)
        for name in ("policy", "limit"):
            check.flag((name,), getattr(self, name))
        for name, most in (("runs", MOST_RUNS), ("block", MOST_RUNS)):
            if getattr(self, name) is not None:
                _set(self, **{name: check.whole((name,), getattr(self, name), 1, most)})
        # A policy plays no rounds, so there may be no checkpoints, either.
        none = isinstance(self.checkpoints, tuple) and self.policy and not self.checkpoints
        if self.checkpoints is not None and not none:
            _set(self, checkpoints=check.checkpoints(("checkpoints",), self.checkpoints))
        _settle(self, check, lambda: self.name.rpartition(":")[2])

    def bare(self) -> PlayerEntry:
        """Return the player by itself, wherever it plays and how often."""
        return PlayerEntry(self.name, self.parameters, self.policy, self.label, limit=self.limit)


@dataclass(frozen=True)
class Comparison(results.Comparison):
    """Which players are tested against which one, and how; see `sidelight.results.Comparison`."""

    def __post_init__(self) -> None:
        check = Values()
        check.text(("against",), self.against, empty=True)
        check.choice(("test",), self.test, TESTS)
        check.choice(("side",), self.side, SIDES)
        check.refuse("a comparison")


@dataclass(frozen=True)
class TableEntry:
    """A table to be written: "comparison" (one row per player and setting) or "matrix" (players by settings).

    The numbers of a matrix are means relative to the best player of each setting. `games`, `worlds` and `horizons`
    restrict it; * in a label stands for anything.
    """

    kind: str = "comparison"
    measure: str = "regret"
    title: str = ""
    games: tuple[str, ...] = ()
    worlds: tuple[str, ...] = ()
    horizons: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _settle_wish(self, TABLES, "a table")


@dataclass(frozen=True)
class FigureEntry:
    """A figure to be drawn: "regret" (over time, a panel per setting) or "quartiles" (of a measure at the end)."""

    kind: str = "regret"
    measure: str = "regret"
    title: str = ""
    games: tuple[str, ...] = ()
    worlds: tuple[str, ...] = ()
    horizons: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _settle_wish(self, FIGURES, "a figure")


@dataclass(frozen=True)
class Study:
    """A study: all players meet all worlds of all games, as far as nobody restricts that.

    Parameters
    ----------
    name, title, text, version
        What it is called, in files and for people, what it is about, and which version of itself it is.
    games, worlds, players
        Who meets whom and where.
    horizons, runs, seeds
        Rounds of a run, runs per case and seed, and where random numbers start: runs of several seeds are pooled.
    checkpoints
        When regret is recorded: after so many rounds evenly spaced, "log", or a tuple of rounds.
    measures
        What is reported: "regret", "plays", "verifications" (of a policy; of a strategy, the rounds in which it played
        an action that shows something) and "f1" (of a policy).
    comparisons, tables, figures
        What is tested, written and drawn.
    impossible
        What happens to combinations that cannot be played: "refuse" the whole study, or "skip" and list them.
    patience
        Seconds without a finished round after which a piece of work is given up.
    block
        Runs of one piece of work.
    folder
        Where paths in it begin.
    """

    name: str
    games: tuple[GameEntry, ...] = ()
    worlds: tuple[WorldEntry, ...] = ()
    players: tuple[PlayerEntry, ...] = ()
    horizons: tuple[int, ...] = (20_000,)
    runs: int = 96
    seeds: tuple[int, ...] = (0,)
    checkpoints: Any = 200
    measures: tuple[Measure, ...] = ("regret",)
    comparisons: tuple[Comparison, ...] = (Comparison(),)
    tables: tuple[TableEntry, ...] = ()
    figures: tuple[FigureEntry, ...] = ()
    title: str = ""
    text: str = ""
    version: str = ""
    impossible: str = "refuse"
    patience: float = 300.0
    block: int = 48
    folder: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check = Values()
        if not is_acceptable(check.text(("name",), self.name, empty=True)) and not check.found:
            remedy = "use letters, digits, '-', '_' and '.', as in name = \"mine\""
            check.problem(("name",), f"a study cannot be called {self.name!r}: {remedy}")
        for name in ("title", "text", "version"):
            check.text((name,), getattr(self, name), empty=True)
        self._settle_numbers(check)
        for name, kind in _PARTS.items():
            _set(self, **{name: _entries(check, name, getattr(self, name), kind)})
        where = f"study {shown(self.name)}"
        check.refuse(where)
        if found := consistency.problems(self):
            raise StudyError(found, where)

    def _settle_numbers(self, check: Values) -> None:
        """Bring horizons, runs, seeds and the other settings into their one form."""
        _set(
            self,
            horizons=check.wholes(("horizons",), self.horizons, 1, MOST_ROUNDS),
            runs=check.whole(("runs",), self.runs, 1, MOST_RUNS),
            block=check.whole(("block",), self.block, 1, MOST_RUNS),
            seeds=check.wholes(("seeds",), self.seeds, 0),
            checkpoints=check.checkpoints(("checkpoints",), self.checkpoints),
            measures=check.choices(("measures",), self.measures, MEASURES),
            impossible=check.choice(("impossible",), self.impossible, IMPOSSIBLE),
            patience=check.positive(("patience",), self.patience),
            folder=check.text(("folder",), os.fspath(self.folder), empty=True)
            if isinstance(self.folder, str | os.PathLike)
            else check.text(("folder",), self.folder),
        )

    def with_players(self, players: Iterable[PlayerEntry]) -> Self:
        """Return the study with more players; those that it has already are not added again."""
        more = tuple(player for player in players if player not in self.players)
        return replace(self, players=self.players + more)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; what is at its default is left out."""
        return dict(plain(self))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the study that `to_dict` described."""
        values = arguments(cls, data)
        check = Values()
        for name, kind in _PARTS.items():
            if name in values:
                given = check.listed((name,), values[name], empty=True)
                values[name] = tuple(kind(**arguments(kind, each)) for each in given)
        check.refuse(cls.__name__)
        return cls(**values)


_PARTS: Mapping[str, type[Any]] = {
    "games": GameEntry,
    "worlds": WorldEntry,
    "players": PlayerEntry,
    "comparisons": Comparison,
    "tables": TableEntry,
    "figures": FigureEntry,
}


def _set(entry: Any, **values: Any) -> None:
    """Set fields of a frozen value that is being made."""
    for name, value in values.items():
        object.__setattr__(entry, name, value)


def _settle(entry: Any, check: Values, name: Callable[[], str]) -> None:
    """Bring parameters and lists of an entry into their one form, and give it a label if it has none."""
    label = one_line(check.text(("label",), entry.label, empty=True))
    given = check.parameters(("parameters",), entry.parameters)
    _settle_scopes(entry, check)
    title = entry.label or getattr(entry, "name", "")
    check.refuse(f"{type(entry).__name__} {title!r}" if title and isinstance(title, str) else type(entry).__name__)
    # The label is made of the parameters as they were given.
    _set(entry, label=label or called(name(), given), parameters=pairs(given))


def _settle_scopes(entry: Any, check: Values) -> None:
    """Bring the lists that restrict an entry into their one form."""
    for name in ("games", "worlds", "horizons"):
        if not hasattr(entry, name):
            continue
        given = check.listed((name,), getattr(entry, name), empty=True)
        if name == "horizons":
            _set(entry, horizons=check.wholes((name,), given, 1, MOST_ROUNDS) if given else ())
        else:
            _set(entry, **{name: tuple(check.text((name,), each) for each in given)})


def _settle_wish(wish: TableEntry | FigureEntry, kinds: tuple[str, ...], what: str) -> None:
    check = Values()
    check.choice(("kind",), wish.kind, kinds)
    check.choice(("measure",), wish.measure, MEASURES)
    check.text(("title",), wish.title, empty=True)
    _settle_scopes(wish, check)
    check.refuse(what)


def _entries(check: Values, name: str, value: Any, kind: type[Any]) -> tuple[Any, ...]:
    """Return the parts of one kind; complain about anything else."""
    found = check.listed((name,), value, empty=True)
    for index, each in enumerate(found):
        if not isinstance(each, kind):
            own = f"sidelight.studies.{kind.__name__}"
            check.problem((name, index), f"{name} holds {shown(each)}: give values of the type {own}")
    return tuple(found)
