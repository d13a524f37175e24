"""The figures of the paper from finished runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sidelight import _published, experiments
from sidelight.experiments.experiment import Condition, Experiment, Protocol, Setting, UseCase
from sidelight.experiments.judgment import reading_round
from sidelight.experiments.plan import Line, Profile, lines
from sidelight.experiments.report_words import PROTOCOL_NAMES
from sidelight.results.sealed import Arrays
from sidelight.results.statistics import confidence_band

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sidelight.report import quartile_figure, regret_panels

CONFIDENCE = 0.99
_CASES = {1: "Case 1: classes alike", 2: "Case 2: classes of all sizes"}
Arrived = Callable[[Condition], Arrays]


def caption(experiment: Experiment, protocol: Protocol, profile: Profile) -> str:
    """Say how many runs a figure shows and what its marks mean."""
    runs = f"{_runs(lines(experiment, protocol, profile), profile)}. "
    if experiment.drawing == "quartiles":
        return f"{runs}Boxes hold the middle half of the runs, whiskers 5 to 95 %; diamonds are published medians."
    marks = "" if experiment.drawing == "sensitivity" else " Diamonds are published values with their standard errors."
    return f"{runs}Bands hold the mean with {100 * CONFIDENCE:.0f} % confidence.{marks}"


def draw(experiment: Experiment, protocol: Protocol, profile: Profile, arrived: Arrived) -> Figure:
    """Draw a figure under one protocol."""
    found = lines(experiment, protocol, profile)
    subtitle = f"{_runs(found, profile)}, {PROTOCOL_NAMES[protocol]}"
    if experiment.drawing == "quartiles":
        from sidelight.report.quartile_figure import draw_quartiles

        return draw_quartiles(_boxes(found, profile, arrived), experiment.title, subtitle, "verifications in a run")
    from sidelight.report.regret_panels import draw_panels

    sensitive = experiment.drawing == "sensitivity"
    panels = [
        _panel([line for line in found if line.section is section], profile, arrived, sensitive)
        for section in experiment.sections
    ]
    return draw_panels(panels, experiment.title, subtitle, "mean regret")


def _panel(found: Sequence[Line], profile: Profile, arrived: Arrived, sensitive: bool) -> regret_panels.Panel:
    """Return the curves of one setting."""
    from sidelight.report.regret_panels import Limit, Panel

    contestants = [line for line in found if not line.player.limit]
    curves = [
        _curve(line, profile, arrived, line.player.family if sensitive else index)
        for index, line in enumerate(contestants)
    ]
    limit = None
    for line in found:
        if line.player.limit:
            arrays = arrived(line.condition)
            runs = profile.runs_of(line.condition)
            limit = Limit(arrays["rounds"], arrays["regret"][:runs].mean(axis=0), line.player.name)
    return Panel(found[0].section.setting.title, curves, limit)


def _curve(line: Line, profile: Profile, arrived: Arrived, family: int) -> regret_panels.Line:
    from sidelight.report import regret_panels

    arrays, runs = arrived(line.condition), profile.runs_of(line.condition)
    band = confidence_band(arrays["regret"][:runs], CONFIDENCE)
    several = runs > 1
    return regret_panels.Line(
        label=line.player.name,
        rounds=arrays["rounds"].astype(float),
        mean=band.mean,
        low=band.low if several else None,
        high=band.high if several else None,
        family=family,
        member=line.player.member,
        mark=_mark(line),
    )


def _mark(line: Line) -> regret_panels.Mark | None:
    """Return the printed value that belongs to a curve."""
    from sidelight.report.regret_panels import Mark

    printed = _printed(line)
    at = reading_round(line.player, line.condition)
    if printed is None or at is None:
        return None
    return Mark(float(at), printed.mean, printed.std / math.sqrt(_published.RUNS))


def _boxes(found: Sequence[Line], profile: Profile, arrived: Arrived) -> list[quartile_figure.QuartilePanel]:
    """Return the verifications of all policies by case and tolerance."""
    from sidelight.report.quartile_figure import Box, Group, QuartilePanel

    panels: dict[int, dict[str, list[Box]]] = {}
    for line in found:
        setting = line.section.setting
        if not isinstance(setting, UseCase):
            continue
        values = arrived(line.condition)["verifications"][: profile.runs_of(line.condition)].astype(float)
        printed = _printed(line, "verifications")
        box = Box(line.player.name, values, None if printed is None else printed.median)
        panels.setdefault(setting.case, {}).setdefault(setting.title, []).append(box)
    return [
        QuartilePanel(_CASES[case], [Group(title, boxes) for title, boxes in groups.items()])
        for case, groups in panels.items()
    ]


def _printed(line: Line, measure: str = "regret") -> _published.Pair | None:
    table = _tables().get(line.section.setting)
    if table is None or line.player.paper is None:
        return None
    return _published.pair(table, line.section.key, line.player.paper, measure)


@functools.cache
def _tables() -> dict[Setting, str]:
    """Return the table that prints the numbers of each setting."""
    tables = [experiments.load(name) for name in experiments.names() if name.startswith("table")]
    return {section.setting: table.name for table in tables for section in table.sections}


def _runs(found: Sequence[Line], profile: Profile) -> str:
    usual = profile.runs
    few = {
        line.player.name: profile.runs_of(line.condition) for line in found if profile.runs_of(line.condition) < usual
    }
    exceptions = ", ".join(f"{name} {count}" for name, count in few.items())
    return f"{usual} run{'' if usual == 1 else 's'}" + (f" ({exceptions})" if exceptions else "")
