"""What a study is: games, worlds and players, how long and how often they meet, and what is to be said about it.

Everything here is a frozen value. `reading` makes it from a TOML file, `to_dict` and `from_dict` make it plain data and
back; who meets whom, cell by cell, is `plan`'s affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self

from sidelight.errors import SidelightError
from sidelight.results.statistics import Side
from sidelight.studies.parameters import Parameters, frozen, pairs, thawed
from sidelight.text import nearest, one_line

Measure = Literal["regret", "plays", "verifications", "f1"]
MEASURES: tuple[Measure, ...] = ("regret", "plays", "verifications", "f1")
WORLDS = ("law", "laws", "contexts", "replay", "environment", "classifiers")
"""The kinds of worlds; each is the key that tells it from the others in a file."""
TESTS = ("welch", "paired")
TABLES = ("comparison", "matrix")
FIGURES = ("regret", "quartiles")
_LONGEST = 60  # characters of a value in a label


class StudyError(SidelightError):
    """A study that cannot be run as it is; the message lists everything that is wrong with it, and what to do."""

    def __init__(self, problems: Sequence[str], where: str = "") -> None:
        self.problems = tuple(problems)
        before = f"{where}: " if where else ""
        listed = "".join(f"\n  {problem}" for problem in problems)
        count = f"{len(problems)} problems" if len(problems) > 1 else "a problem"
        super().__init__(f"{before}{count}:{listed}" if len(problems) > 1 else f"{before}{problems[0]}")


@dataclass(frozen=True)
class Game:
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
        _settle(self, called(self.name or _stem(self.file), self.parameters))


@dataclass(frozen=True)
class World:
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
        if self.kind not in WORLDS:
            raise SidelightError(f"there is no kind of worlds {self.kind!r}: there are {', '.join(WORLDS)}")
        object.__setattr__(self, "value", frozen(self.value))
        _settle(self, called(self._title(), self.parameters))

    def bare(self) -> World:
        """Return the world by itself, whichever games are played in it."""
        return replace(self, games=())

    def _title(self) -> str:
        if self.kind == "replay":
            return _stem(str(self.value))
        if self.kind == "law" and isinstance(self.value, tuple):
            rows = self.value and isinstance(self.value[0], tuple)
            return f"{len(self.value)} laws" if rows else f"law ({', '.join(map(str, self.value))})"
        if self.kind == "classifiers":
            return f"classifiers, case {self.value}"
        return str(self.value).rpartition(":")[2]


@dataclass(frozen=True)
class Player:
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
        object.__setattr__(self, "checkpoints", frozen(self.checkpoints))
        _settle(self, called(self.name.rpartition(":")[2], self.parameters))

    def bare(self) -> Player:
        """Return the player by itself, wherever it plays and how often."""
        return Player(self.name, self.parameters, self.policy, self.label, limit=self.limit)


@dataclass(frozen=True)
class Comparison:
    """Which players are tested against which one, and how.

    Parameters
    ----------
    against
        The label of the player that the others are compared with; by default the first.
    test
        "welch" (independent samples) or "paired" (run by run, as all players meet the same outcomes).
    side
        What a small p-value speaks for about a player's mean: "two-sided" (it differs), "less" or "greater".
    """

    against: str = ""
    test: str = "welch"
    side: Side = "two-sided"


@dataclass(frozen=True)
class Table:
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


@dataclass(frozen=True)
class Figure:
    """A figure to be drawn: "regret" (over time, a panel per setting) or "quartiles" (of a measure at the end)."""

    kind: str = "regret"
    measure: str = "regret"
    title: str = ""
    games: tuple[str, ...] = ()
    worlds: tuple[str, ...] = ()
    horizons: tuple[int, ...] = ()


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
        Rounds of a run, runs per cell and seed, and where random numbers start: runs of several seeds are pooled.
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
    games: tuple[Game, ...] = ()
    worlds: tuple[World, ...] = ()
    players: tuple[Player, ...] = ()
    horizons: tuple[int, ...] = (20_000,)
    runs: int = 96
    seeds: tuple[int, ...] = (0,)
    checkpoints: Any = 200
    measures: tuple[Measure, ...] = ("regret",)
    comparisons: tuple[Comparison, ...] = (Comparison(),)
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    title: str = ""
    text: str = ""
    version: str = ""
    impossible: str = "refuse"
    patience: float = 300.0
    block: int = 48
    folder: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w][\w.-]*", self.name):
            raise SidelightError(f"a study cannot be called {self.name!r}: use letters, digits, '-', '_' and '.'")
        object.__setattr__(self, "checkpoints", frozen(self.checkpoints))
        if problems := self._doubles() + self._strangers():
            raise StudyError(problems, f"study {self.name!r}")

    def _doubles(self) -> list[str]:
        """Say which labels name two different things."""
        found = []
        for what in ("games", "worlds", "players"):
            labels = [each.label for each in getattr(self, what)]
            for label in dict.fromkeys(each for each in labels if labels.count(each) > 1):
                found.append(f"two {what} are called {label!r}: give each a label of its own")
        return found

    def _strangers(self) -> list[str]:
        """Say which names of others name nobody."""
        found = []
        for what in ("worlds", "players", "tables", "figures"):
            for each in getattr(self, what):
                for kind in ("games", "worlds"):
                    known = [other.label for other in getattr(self, kind)]
                    for wanted in getattr(each, kind, ()):
                        if not any(matches(wanted, label) for label in known):
                            title = getattr(each, "label", "") or getattr(each, "title", "") or each.kind
                            found.append(f"{what}: {title!r} names {kind} {wanted!r}, {_none_such(wanted, known)}")
        players = [player.label for player in self.players]
        for comparison in self.comparisons:
            if comparison.against and comparison.against not in players:
                missing = _none_such(comparison.against, players)
                found.append(f"comparisons: against = {comparison.against!r}, {missing}")
        return found

    def with_players(self, players: Iterable[Player]) -> Self:
        """Return the study with more players; those that it has already are not added again."""
        more = tuple(player for player in players if player not in self.players)
        return replace(self, players=self.players + more)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; what is at its default is left out."""
        return _plain(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the study that `to_dict` described."""
        kinds = {
            "games": Game,
            "worlds": World,
            "players": Player,
            "comparisons": Comparison,
            "tables": Table,
            "figures": Figure,
        }
        values = dict(data)
        for name, kind in kinds.items():
            if name in values:
                values[name] = tuple(kind(**_arguments(each)) for each in values[name])
        return cls(**_arguments(values))


def matches(pattern: str, label: str) -> bool:
    """Say whether a label is the one that is meant; * stands for anything."""
    return pattern == label or re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), label) is not None


def chosen(wanted: Sequence[str], label: str) -> bool:
    """Say whether a label is among those that are wanted; no wish means all."""
    return not wanted or any(matches(pattern, label) for pattern in wanted)


def called(name: str, parameters: Mapping[str, Any] | Parameters) -> str:
    """Return a name with its parameters, as tables show them: "RandCBP(bins=10)"."""
    given = ", ".join(f"{key}={_short(frozen(value))}" for key, value in dict(parameters).items())
    return f"{name}({given})" if given else name


def _settle(entry: Any, label: str) -> None:
    """Bring parameters and lists of an entry into their one form, and give it a label if it has none."""
    # The label is made of the parameters as they were given, so it is set first.
    object.__setattr__(entry, "label", one_line(entry.label) or label)
    object.__setattr__(entry, "parameters", pairs(entry.parameters))
    for name in ("games", "worlds", "horizons"):
        if hasattr(entry, name):
            object.__setattr__(entry, name, tuple(getattr(entry, name)))


def _short(value: Any) -> str:
    text = str(value) if not isinstance(value, tuple) else f"[{', '.join(map(_short, value))}]"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _stem(path: str) -> str:
    return re.split(r"[\\/]", path)[-1].rpartition(".")[0] or path


def _none_such(name: str, known: Sequence[str]) -> str:
    near = nearest(name, known)
    hint = f"did you mean {near!r}? " if near else ""
    return f"but there is none: {hint}there are {', '.join(map(repr, known))}" if known else "but there are none at all"


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        found = {}
        for each in fields(value):
            own = getattr(value, each.name)
            if each.name == "parameters":
                found.update({"parameters": {name: thawed(part) for name, part in own}} if own else {})
            elif own != each.default:
                found[each.name] = _plain(own)
        return found
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _arguments(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a dataclass from plain data."""
    lists = (list, tuple)
    values = {name: tuple(each) if isinstance(each, lists) else each for name, each in data.items()}
    if isinstance(values.get("parameters"), Mapping):
        values["parameters"] = pairs(values["parameters"])
    return values
