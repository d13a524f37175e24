"""The parts of a study: games, worlds, players, horizons, runs, and the tables and figures of its report.

Everything here is a frozen value whose fields are declared once, with their checks. `file` reads a study from TOML;
`to_dict` and `from_dict` convert it to plain data and back; `plan` says who meets whom, case by case.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Self, get_args

from sidelight import results
from sidelight.results.statistics import Side
from sidelight.studies import consistency
from sidelight.studies.fields import (
    Flag,
    Horizons,
    HorizonsIfOwn,
    Labels,
    Name,
    Parameters,
    Parts,
    RefusedField,
    Runs,
    RunsIfOwn,
    Seeds,
    StudyPart,
    Text,
    checkpoints_field,
    choice_field,
    is_plain_field_value,
    list_field,
    optional_field,
    positive_field,
    short_field_value,
)
from sidelight.studies.labels import file_stem_as_study_label, is_valid_study_name, label_with_parameters
from sidelight.studies.plain_data import freeze_parameter_pairs, freeze_plain_data, study_part_as_plain_data
from sidelight.studies.problems import StudyError as StudyError
from sidelight.text import one_line

Measure = Literal["regret", "plays", "verifications", "f1"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
WORLDS = ("law", "laws", "contexts", "replay", "environment", "classifiers")
"""The kinds of worlds; each is the key that tells it from the others in a file."""


def _check_world_value_of_study(value: Any) -> Any:
    if not is_plain_field_value(value) and not isinstance(value, os.PathLike):
        raise RefusedField(
            value, text=f"a world cannot be {short_field_value(value)}: give a text, a number, or a list of numbers"
        )
    return freeze_plain_data(os.fspath(value) if isinstance(value, os.PathLike) else value)


def _check_study_name(value: Any) -> str:
    if not isinstance(value, str):
        raise RefusedField(value, "give a text in quotation marks")
    if not is_valid_study_name(value):
        remedy = "use letters, digits, '-', '_' and '.', as in name = \"mine\""
        raise RefusedField(value, text=f"a study cannot be called {value!r}: {remedy}")
    return value


class Entry(StudyPart):
    """A game, world or player: it has parameters, and a label that is made of its name if none is given."""

    label: str
    parameters: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        # The label is made of the parameters as they were given.
        self._set(
            label=one_line(self.label) or label_with_parameters(self._title(), self.parameters),
            parameters=freeze_parameter_pairs(self.parameters),
        )

    def _title(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class GameEntry(Entry):
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

    name: Text = ""
    parameters: Parameters = ()  # a mapping, which is kept as pairs
    file: Text = ""
    label: Text = ""
    data: Text = ""

    def _title(self) -> str:
        return self.name or file_stem_as_study_label(self.file)


@dataclass(frozen=True)
class WorldEntry(Entry):
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
    horizons
        Its own, where they are not those of the study: a recording may be shorter than others.
    """

    kind: Annotated[str, choice_field(*WORLDS)]
    value: Annotated[Any, _check_world_value_of_study]
    parameters: Parameters = ()  # a mapping, which is kept as pairs
    label: Text = ""
    games: Labels = ()
    horizons: HorizonsIfOwn = ()

    def bare(self) -> WorldEntry:
        """Return the world without its games and horizons."""
        return replace(self, games=(), horizons=())

    def _title(self) -> str:
        if self.kind == "replay":
            return file_stem_as_study_label(str(self.value))
        if self.kind == "law" and isinstance(self.value, tuple):
            rows = self.value and isinstance(self.value[0], tuple)
            return f"{len(self.value)} laws" if rows else f"law ({', '.join(map(str, self.value))})"
        if self.kind == "classifiers":
            return f"classifiers, case {self.value}"
        return str(self.value).rpartition(":")[2]


@dataclass(frozen=True)
class PlayerEntry(Entry):
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

    name: Name
    parameters: Parameters = ()  # a mapping, which is kept as pairs
    policy: Flag = False
    label: Text = ""
    games: Labels = ()
    worlds: Labels = ()
    horizons: HorizonsIfOwn = ()
    runs: RunsIfOwn = None
    block: RunsIfOwn = None
    limit: Flag = False
    checkpoints: Annotated[Any, optional_field(checkpoints_field)] = None

    def _title(self) -> str:
        return self.name.rpartition(":")[2]

    def bare(self) -> PlayerEntry:
        """Return the player by itself, wherever it plays and how often."""
        return PlayerEntry(self.name, self.parameters, self.policy, self.label, limit=self.limit)


@dataclass(frozen=True)
class Comparison(results.Comparison, StudyPart):
    """Which players are tested against which one, and how; see `sidelight.results.Comparison`."""

    against: Text = ""
    test: Annotated[str, choice_field("welch", "paired")] = "welch"
    side: Annotated[Side, choice_field(*get_args(Side))] = "two-sided"


@dataclass(frozen=True)
class ReportEntry(StudyPart):
    """A table or a figure: what it shows, and the labels and horizons that it is restricted to; * is anything."""

    kind: str
    measure: Annotated[str, choice_field(*MEASURES)] = "regret"
    title: Text = ""
    games: Labels = ()
    worlds: Labels = ()
    horizons: HorizonsIfOwn = ()


@dataclass(frozen=True)
class TableEntry(ReportEntry):
    """A table to be written: "comparison" (one row per player and setting) or "matrix" (players by settings).

    The numbers of a matrix are means relative to the best player of each setting. `games`, `worlds` and `horizons`
    restrict it; * in a label stands for anything.
    """

    kind: Annotated[str, choice_field("comparison", "matrix")] = "comparison"


@dataclass(frozen=True)
class FigureEntry(ReportEntry):
    """A figure to be drawn: "regret" (over time, a panel per setting) or "quartiles" (of a measure at the end)."""

    kind: Annotated[str, choice_field("regret", "quartiles")] = "regret"


@dataclass(frozen=True)
class Study(StudyPart):
    """A study: every player meets every world of every game, unless an entry restricts that.

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

    name: Annotated[str, _check_study_name]
    games: Annotated[tuple[GameEntry, ...], Parts(GameEntry)] = ()
    worlds: Annotated[tuple[WorldEntry, ...], Parts(WorldEntry)] = ()
    players: Annotated[tuple[PlayerEntry, ...], Parts(PlayerEntry)] = ()
    horizons: Horizons = (20_000,)
    runs: Runs = 96
    seeds: Seeds = (0,)
    checkpoints: Annotated[Any, checkpoints_field] = 200
    measures: Annotated[tuple[Measure, ...], list_field(choice_field(*MEASURES), least=1, different=True)] = ("regret",)
    comparisons: Annotated[tuple[Comparison, ...], Parts(Comparison)] = (Comparison(),)
    tables: Annotated[tuple[TableEntry, ...], Parts(TableEntry)] = ()
    figures: Annotated[tuple[FigureEntry, ...], Parts(FigureEntry)] = ()
    title: Text = ""
    text: Text = ""
    version: Text = ""
    impossible: Annotated[str, choice_field("refuse", "skip")] = "refuse"
    patience: Annotated[float, positive_field] = 300.0
    block: Runs = 48
    folder: Text = field(default="", compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if found := consistency.inconsistencies_of_study(self):
            raise StudyError(found, self._where())

    def _where(self) -> str:
        return f"study {short_field_value(self.name)}"

    def with_players(self, players: Iterable[PlayerEntry]) -> Self:
        """Return the study with further players, without duplicates."""
        more = tuple(player for player in players if player not in self.players)
        return replace(self, players=self.players + more)

    def to_dict(self) -> dict[str, Any]:
        """Return the study as plain data, without fields at their defaults; `from_dict` reads it back."""
        return dict(study_part_as_plain_data(self))
