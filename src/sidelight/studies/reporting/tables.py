"""The tables of a study's report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sidelight.results import Labels
from sidelight.results.comparison import LARGER_IS_BETTER
from sidelight.results.result_set import is_result_label_chosen
from sidelight.strategies import plugins
from sidelight.studies import model as studies
from sidelight.studies.build import objects
from sidelight.studies.model import Comparison, PlayerEntry
from sidelight.studies.reporting.standings import Outcome, StudyStanding, title_of_study_setting
from sidelight.table import Cell, Column, Row, Table
from sidelight.text import STAY, number_text, thousands

_NONE = "–"
_SIDES = {"two-sided": "differs", "less": "is less", "greater": "is greater"}
MEASURES = {"regret": "regret", "verifications": "verifications", "f1": "F1 score", "plays": "plays"}


def standings_wanted_in_study_table(
    outcome: Outcome, wish: studies.TableEntry | studies.FigureEntry
) -> list[StudyStanding]:
    """Return the standings that a table or figure is about."""
    return [
        each for each in outcome.standings if each.measure == wish.measure and belongs_to_study_table(each.labels, wish)
    ]


def belongs_to_study_table(labels: Labels, wish: studies.TableEntry | studies.FigureEntry) -> bool:
    """Say whether results belong into a table or figure."""
    games = not labels.horizon or is_result_label_chosen(wish.games, labels.game)
    return (
        games
        and is_result_label_chosen(wish.worlds, labels.world)
        and is_result_label_chosen(wish.horizons, labels.horizon)
    )


def tables_of_study_report(outcome: Outcome) -> list[tuple[str, Table]]:
    """Return the tables that the study asks for, or the default ones, with their titles."""
    study = outcome.study
    measures = [measure for measure in study.measures if measure != "plays"]
    wishes = study.tables
    if not wishes:
        several = len({each.labels.setting for each in outcome.standings}) > 1
        wishes = tuple(
            studies.TableEntry(kind, measure)
            for measure in measures
            for kind in (("matrix", "comparison") if several else ("comparison",))
            if kind == "comparison" or measure == "regret"  # to look more or less often is no merit by itself
        )
    found = []
    for wish in wishes:
        standings = standings_wanted_in_study_table(outcome, wish)
        if standings:
            make = matrix_table_of_study if wish.kind == "matrix" else comparison_table_of_study
            found.append((wish.title or _title_of_study_table(wish), make(standings, study)))
    return found


def comparison_table_of_study(standings: Sequence[StudyStanding], study: studies.Study) -> Table:
    """Return one row per player and setting: the runs in a few numbers, wins, and tests."""
    measure = standings[0].measure
    write = _number_format_of_study_table(measure)
    over, wins = "over the runs", "wins"
    columns = [
        Column("player"),
        Column("mean ± standard error", write, group=over),
        Column("std", write, group=over),
        Column("median", write, group=over),
        Column("99 %", write, group=over),
        Column("max", write, group=over),
        Column("× limit", "{:.2f}".format, group=over),
        Column(f"alone{STAY}+ shared", group=wins, alone="wins, alone + shared"),
        *(
            Column(_p_value_title_of_study_table(each, standings), study_p_text, group="p", look="p")
            for each in study.comparisons
        ),
        Column("µs per round", "{:.3g}".format, group="speed"),
    ]
    runs = max(each.summary.runs for each in standings)
    players = {player.label: player for player in study.players}
    rows = []
    for each in standings:
        s = each.summary
        tails = (s.q99, s.max) if measure not in LARGER_IS_BETTER else (None, None)
        alone = None if s.strict_wins is None else f"{s.strict_wins} + {s.tied_wins or 0}"
        name = Cell(s.label, note=_row_note_of_study_table(each, runs, players[s.label]))
        cells = [
            name,
            Cell(s.mean, study_error_text(s.standard_error)),
            s.std,
            s.median,
            *tails,
            s.limit_ratio,
            alone,
        ]
        cells += [None if test is None else test.p_value for test in s.tests]
        rows.append(Row([*cells, s.microseconds], each.title, "limit" * each.labels.limit))
    return Table(columns, rows, notes=_limit_notes_below_study_table(standings), none=_NONE).useful()


def matrix_table_of_study(standings: Sequence[StudyStanding], study: studies.Study) -> Table:
    """Return players by settings: each mean over the least of its setting; 1 is best."""
    rivals = [each for each in standings if not each.labels.limit]
    settings = {each.labels.setting: each for each in rivals}
    best = {one: min(each.summary.mean for each in rivals if each.labels.setting == one) for one in settings}
    labels = list(dict.fromkeys(each.labels.label for each in rivals))
    columns = [
        Column("player"),
        Column("geometric mean", _format_ratio_in_study_table, group="all"),
        Column("worst", _format_ratio_in_study_table, group="all"),
        *(
            Column(
                _column_title_of_study_table(one.labels),
                _format_ratio_in_study_table,
                group=one.labels.game,
                alone=one.title,
            )
            for one in settings.values()
        ),
    ]
    rows = []
    for label in labels:
        own = {each.labels.setting: each.summary.mean for each in rivals if each.labels.label == label}
        ratios = [_relative_mean_in_study_table(own.get(one), best[one]) for one in settings]
        known = [ratio for ratio in ratios if ratio is not None]
        usable = known and all(0 < ratio < math.inf for ratio in known)
        mean = math.exp(sum(map(math.log, known)) / len(known)) if usable else None
        cells = [Cell(ratio, look="best" if ratio == 1 else "") for ratio in ratios]
        rows.append(Row([label, mean, max(known, default=None), *cells]))
    rows.sort(key=lambda row: (row.cells[1] is None, row.cells[1] or 0.0))
    note = (
        "Mean over the least mean of the column; 1 is best. A player that is not everywhere is judged by where it is."
    )
    return Table(columns, rows, notes=[note], none=_NONE)


def plays_tables_of_study(outcome: Outcome) -> list[tuple[str, Table]]:
    """Return, for each game, how often each action was played."""
    found = []
    for game, actions in outcome.actions.items():
        columns = [Column("player"), *(Column(name, "{:.1%}".format) for name in actions)]
        rows = [
            Row([labels.label, *map(float, shares)], title_of_study_setting(labels))
            for labels, shares in outcome.shares.items()
            if labels.game == game
        ]
        found.append((f"Shares of plays, {game}", Table(columns, rows, none=_NONE)))
    return found


def _limit_notes_below_study_table(standings: Sequence[StudyStanding]) -> list[str]:
    """Explain the ratio to the limit if a player and the limit have different numbers of runs."""
    limits = {each.labels.setting: each.summary.runs for each in standings if each.labels.limit}
    others = [each for each in standings if each.summary.runs != limits.get(each.labels.setting, each.summary.runs)]
    return ["× limit: in the runs that a player and the limit both have."] if others else []


def _title_of_study_table(wish: studies.TableEntry) -> str:
    what = MEASURES[wish.measure]
    return f"Mean {what} relative to the best" if wish.kind == "matrix" else f"{what[:1].upper()}{what[1:]} at the end"


def _column_title_of_study_table(labels: Labels) -> str:
    return f"{labels.world}, {thousands(labels.horizon)}" if labels.horizon else labels.world


def _p_value_title_of_study_table(comparison: Comparison, standings: Sequence[StudyStanding]) -> str:
    against = comparison.against or standings[0].labels.label
    return f"{comparison.test}: mean {_SIDES[comparison.side]} against {against}"


def _row_note_of_study_table(standing: StudyStanding, runs: int, player: PlayerEntry) -> str:
    words = [f"{thousands(standing.summary.runs)} runs"] if standing.summary.runs != runs else []
    words += ["the limit, not a contestant"] if player.limit else []
    origin = _origin_of_study_player(player)
    return ", ".join([*words, *([f"external: {origin}"] if origin else [])])


def _origin_of_study_player(player: studies.PlayerEntry) -> str:
    """Return the package and version that an external strategy comes from, by the name that the study uses."""
    named = None if player.policy else plugins.strategy_plugin_named(player.name)
    return objects.plugin_origin_of_player(player) if named is None else named.origin


def _relative_mean_in_study_table(mean: float | None, best: float) -> float | None:
    if mean is None:
        return None
    return mean / best if best > 0 else 1.0 if mean <= best else math.inf


def _format_ratio_in_study_table(value: float) -> str:
    return "∞" if value == math.inf else f"{value:.2f}" if value < 100 else thousands(round(value))


def _number_format_of_study_table(measure: str) -> Any:
    return (lambda value: thousands(round(value))) if measure == "verifications" else number_text


def study_error_text(value: float) -> str:
    """Write a standard error to two or three digits; nothing if there is none."""
    if value != value:
        return ""
    if value >= 1000:
        return f"± {thousands(round(value))}"
    decimals = 3 if value < 0.1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"± {value:.{decimals}f}" if value else "± 0"


def study_p_text(value: float) -> str:
    """Write a p-value with three decimals."""
    return "<0.001" if value < 0.0005 else f"{value:.3f}"
