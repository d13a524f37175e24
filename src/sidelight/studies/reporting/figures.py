"""The figures of a study: regret over time, or quartiles of a measure."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sidelight.errors import FileError, SidelightError
from sidelight.report.document import Figure
from sidelight.report.figures.curves import CONFIDENCE, Panel, mean_curve_with_band
from sidelight.report.figures.saving import save_figure_for_report
from sidelight.results import Labels, ResultSet
from sidelight.studies import model as studies
from sidelight.studies.model import Study
from sidelight.studies.plan.cases import plan_case_settings
from sidelight.studies.reporting.standings import title_of_study_setting
from sidelight.studies.reporting.tables import MEASURES, is_wanted_in_study
from sidelight.studies.store.store import DamagedError
from sidelight.text import capitalized, count

_PANELS = 6  # of one figure
_MANY = 60  # settings, for more of which nothing is drawn that nobody asked for
Note = Callable[[str], None]


def figures_wanted_in_study_report(study: Study) -> tuple[studies.FigureEntry, ...]:
    """Return the figures that a study asks for, or the default ones."""
    if study.figures:
        return study.figures
    found = [studies.FigureEntry("regret")] if any(not player.policy for player in study.players) else []
    if any(player.policy for player in study.players):
        found.append(studies.FigureEntry("quartiles", "verifications"))
    return tuple(found)


def draw_study_figures(study: Study, results: ResultSet, folder: Path, note: Note) -> list[Figure]:
    """Draw all figures into a folder, as SVG and PNG; one that cannot be drawn is told of and harms no other."""
    if importlib.util.find_spec("matplotlib") is None:
        note("no figures without Matplotlib; try: pip install matplotlib")
        return []
    if not study.figures and (number := len(plan_case_settings(study))) > _MANY:
        note(f"no figures, as there are {number} settings: choose some with [[figures]] and games, worlds or horizons")
        return []
    drawn = []
    for number, wish in enumerate(figures_wanted_in_study_report(study), start=1):
        make = _draw_study_regret if wish.kind == "regret" else _draw_study_quartiles
        try:
            for part, (title, caption, figure) in enumerate(make(study, results, wish), start=1):
                stem = f"figure{number}-{part}"
                svg = save_figure_for_report(figure, folder / stem)
                drawn.append(Figure(title, svg, caption, f"figures/{stem}.svg"))
        except (DamagedError, FileError):  # of what is stored, or of the folder: more than this figure is lost
            raise
        except SidelightError as error:
            name = f"figure {number} ({wish.title or f'{wish.kind} of {MEASURES[wish.measure]}'})"
            note(f"{name} cannot be drawn: {error}")
    return drawn


def _draw_study_regret(study: Study, results: ResultSet, wish: studies.FigureEntry) -> list[tuple[str, str, Any]]:
    """Draw one panel per game and world, at its longest horizon."""
    from sidelight.report.figures.regret import draw_regret_panels

    panels: dict[tuple[str, str], tuple[int, Panel]] = {}
    for labels, here in results.group_by("game", "world", "horizon"):
        place = (labels.game, labels.world)
        longest = panels[place][0] if place in panels else 0
        if is_wanted_in_study(labels, wish) and labels.horizon > longest:
            panels[place] = labels.horizon, _study_regret_panel(labels, here)
    every = [panel for _, panel in panels.values()]
    title = wish.title or study.title or study.name
    bands = f"bands hold the mean with {100 * CONFIDENCE:.0f} % confidence"
    subtitle = f"{count(study.runs * len(study.seeds), 'run')}; {bands}"
    groups = [every[k : k + _PANELS] for k in range(0, len(every), _PANELS)]
    found = []
    for number, group in enumerate(groups, start=1):
        part = f" ({number} of {len(groups)})" if len(groups) > 1 else ""
        found.append((f"Regret over time{part}", subtitle, draw_regret_panels(group, title, subtitle)))
    return found


def _study_regret_panel(labels: Labels, here: ResultSet) -> Panel:
    curves = {one.label: mean_curve_with_band(one.label, one.rounds, one.regret) for one in here}
    limits = [each.label for each in here.labels if each.limit]
    rivals = [curve for label, curve in curves.items() if label not in limits]
    limit = curves[limits[0]]._replace(low=None, high=None) if limits and rivals else None
    return Panel(f"{labels.game}, {labels.world}", rivals or list(curves.values())[:1], limit)


def _draw_study_quartiles(study: Study, results: ResultSet, wish: studies.FigureEntry) -> list[tuple[str, str, Any]]:
    """Draw boxes: a panel per game (or kind of classifiers), a group per world and horizon."""
    from sidelight.report.figures.quartiles import Sample, draw_quartiles

    cases: dict[str, dict[str, list[Sample]]] = {}
    for labels, here in results.group_by("game", "world", "horizon"):
        if is_wanted_in_study(labels, wish):
            rows = [Sample(one.label, one.values(wish.measure)) for one in here if one.has(wish.measure)]
            if rows:
                title = title_of_study_setting(labels).removeprefix(f"{labels.game}, ")
                cases.setdefault(labels.game, {})[title] = rows
    measured = MEASURES[wish.measure]
    title = wish.title or study.title or study.name
    caption = "Boxes hold the middle half of the runs, whiskers 5 to 95 %."
    items = list(cases.items())
    groups = [dict(items[k : k + _PANELS]) for k in range(0, len(items), _PANELS)]
    return [(capitalized(measured), caption, draw_quartiles(group, title, caption, measured)) for group in groups]
