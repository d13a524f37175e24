"""The tables of a study's report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sidelight.results import Labels
from sidelight.results.comparison import LARGER_IS_BETTER
from sidelight.results.result_set import is_result_label_chosen
from sidelight.studies import model as studies
from sidelight.studies.build import objects
from sidelight.studies.model import Comparison, PlayerEntry
from sidelight.studies.reporting.standings import Outcome, StudyStanding, title_of_study_setting
from sidelight.table import Cell, Column, Row, Table
from sidelight.text import STAY, capitalized, number_text, thousands

_NONE = "–"
_SIDES = {"two-sided": "differs", "less": "is less", "greater": "is greater"}
MEASURES = {"regret": "regret", "verifications": "verifications", "f1": "F1 score", "plays": "plays"}


def is_wanted_in_study(labels: Labels, wish: studies.ReportEntry) -> bool:
    """Say whether results belong into a table or figure."""
    chosen = [(wish.worlds, labels.world), (wish.horizons, labels.horizon)]
    chosen += [(wish.games, labels.game)] if labels.horizon else []
    return all(is_result_label_chosen(wanted, label) for wanted, label in chosen)


def tables_of_study_report(outcome: Outcome) -> list[tuple[str, Table]]:
    """Return the tables that the study asks for, or the default ones, with their titles."""
    study = outcome.study
    several = len({each.labels.setting for each in outcome.standings}) > 1
    wishes = study.tables or tuple(
        studies.TableEntry(kind, measure)
        for measure in study.measures
        if measure != "plays"
        for kind in (("matrix", "comparison") if several else ("comparison",))
        if kind == "comparison" or measure == "regret"  # to look more or less often is no merit by itself
    )
    found = []
    for wish in wishes:
        own = [each for each in outcome.standings if each.measure == wish.measure]
        if standings := [each for each in own if is_wanted_in_study(each.labels, wish)]:
            make = matrix_table_of_study if wish.kind == "matrix" else comparison_table_of_study
            found.append((wish.title or _study_table_title(wish), make(standings, study)))
    return found


def comparison_table_of_study(standings: Sequence[StudyStanding], study: studies.Study) -> Table:
    """Return one row per player and setting: the runs in a few numbers, wins, and tests."""
    measure = standings[0].measure
    write = (lambda value: thousands(round(value))) if measure == "verifications" else number_text
    over, wins = "over the runs", "wins"
    tests = (_p_value_title(each, standings) for each in study.comparisons)
    columns = [
        Column("player"),
        *(Column(title, write, group=over) for title in ("mean ± standard error", "std", "median", "99 %", "max")),
        Column("× limit", "{:.2f}".format, group=over),
        Column(f"alone{STAY}+ shared", group=wins, alone="wins, alone + shared"),
        *(Column(title, study_p_text, group="p", look="p") for title in tests),
        Column("µs per round", "{:.3g}".format, group="speed"),
    ]
    runs = max(each.summary.runs for each in standings)
    players = {player.label: player for player in study.players}
    rows = []
    for each in standings:
        s = each.summary
        tails = (s.q99, s.max) if measure not in LARGER_IS_BETTER else (None, None)
        alone = None if s.strict_wins is None else f"{s.strict_wins} + {s.tied_wins or 0}"
        name = Cell(s.label, note=_study_row_note(each, runs, players[s.label]))
        mean = Cell(s.mean, study_error_text(s.standard_error))
        p_values = (None if test is None else test.p_value for test in s.tests)
        cells = [name, mean, s.std, s.median, *tails, s.limit_ratio, alone, *p_values, s.microseconds]
        rows.append(Row(cells, title_of_study_setting(each.labels), "limit" * each.labels.limit))
    return Table(columns, rows, notes=_limit_notes_of_study(standings), none=_NONE).useful()


def matrix_table_of_study(standings: Sequence[StudyStanding], study: studies.Study) -> Table:
    """Return players by settings: each mean over the least of its setting; 1 is best."""
    rivals = [each for each in standings if not each.labels.limit]
    settings = {each.labels.setting: each.labels for each in rivals}
    best = {one: min(each.summary.mean for each in rivals if each.labels.setting == one) for one in settings}
    columns = [Column("player"), *(Column(title, _ratio_text, group="all") for title in ("geometric mean", "worst"))]
    for labels in settings.values():
        title = f"{labels.world}, {thousands(labels.horizon)}" if labels.horizon else labels.world
        columns.append(Column(title, _ratio_text, group=labels.game, alone=title_of_study_setting(labels)))
    rows = []
    for label in dict.fromkeys(each.labels.label for each in rivals):
        own = {each.labels.setting: each.summary.mean for each in rivals if each.labels.label == label}
        ratios = [_ratio_to_best(own.get(one), best[one]) for one in settings]
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


def _limit_notes_of_study(standings: Sequence[StudyStanding]) -> list[str]:
    """Explain the ratio to the limit if a player and the limit have different numbers of runs."""
    limits = {each.labels.setting: each.summary.runs for each in standings if each.labels.limit}
    others = [each for each in standings if each.summary.runs != limits.get(each.labels.setting, each.summary.runs)]
    return ["× limit: in the runs that a player and the limit both have."] if others else []


def _study_table_title(wish: studies.TableEntry) -> str:
    what = MEASURES[wish.measure]
    return f"Mean {what} relative to the best" if wish.kind == "matrix" else f"{capitalized(what)} at the end"


def _p_value_title(comparison: Comparison, standings: Sequence[StudyStanding]) -> str:
    against = comparison.against or standings[0].labels.label
    return f"{comparison.test}: mean {_SIDES[comparison.side]} against {against}"


def _study_row_note(standing: StudyStanding, runs: int, player: PlayerEntry) -> str:
    words = [f"{thousands(standing.summary.runs)} runs"] if standing.summary.runs != runs else []
    words += ["the limit, not a contestant"] if player.limit else []
    origin = objects.plugin_origin_of_player(player)
    return ", ".join([*words, *([f"external: {origin}"] if origin else [])])


def _ratio_to_best(mean: float | None, best: float) -> float | None:
    if mean is None:
        return None
    return mean / best if best > 0 else 1.0 if mean <= best else math.inf


def _ratio_text(value: float) -> str:
    return "∞" if value == math.inf else f"{value:.2f}" if value < 100 else thousands(round(value))


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
