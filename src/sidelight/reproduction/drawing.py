"""The figures of the paper from finished runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sidelight import reproduction
from sidelight.report.figures.curves import CONFIDENCE, Curve, Mark, Panel, mean_curve
from sidelight.reproduction import published
from sidelight.reproduction.experiment import Experiment, Protocol, Setting, UseCase
from sidelight.reproduction.judgment import ResultsOf, reading_round
from sidelight.reproduction.plan import Line, Profile, lines
from sidelight.reproduction.report_words import PROTOCOL_NAMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sidelight.report.figures.quartiles import Policy

_CASES = {1: "Case 1: classes alike", 2: "Case 2: classes of all sizes"}


def caption(experiment: Experiment, protocol: Protocol, profile: Profile) -> str:
    """Say how many runs a figure shows and what its marks mean."""
    runs = f"{_runs(lines(experiment, protocol, profile), profile)}. "
    if experiment.drawing == "quartiles":
        return f"{runs}Boxes hold the middle half of the runs, whiskers 5 to 95 %; diamonds are published medians."
    marks = "" if experiment.drawing == "sensitivity" else " Diamonds are published values with their standard errors."
    return f"{runs}Bands hold the mean with {100 * CONFIDENCE:.0f} % confidence.{marks}"


def draw(experiment: Experiment, protocol: Protocol, profile: Profile, results_of: ResultsOf) -> Figure:
    """Draw a figure under one protocol."""
    found = lines(experiment, protocol, profile)
    subtitle = f"{_runs(found, profile)}, {PROTOCOL_NAMES[protocol]}"
    if experiment.drawing == "quartiles":
        from sidelight.report.figures.quartiles import draw_quartiles

        return draw_quartiles(_cases(found, profile, results_of), experiment.title, subtitle, "verifications in a run")
    from sidelight.report.figures.regret import draw_panels

    panels = [
        _panel([line for line in found if line.section is section], profile, results_of)
        for section in experiment.sections
    ]
    return draw_panels(panels, experiment.title, subtitle, "mean regret")


def _panel(found: Sequence[Line], profile: Profile, results_of: ResultsOf) -> Panel:
    """Return the curves of one setting."""
    curves, limit = [], None
    for line in found:
        results = results_of(line.condition)
        rounds, regret = results.rounds, results.regret[: profile.runs_of(line.condition)]
        player = line.player
        if player.limit:
            limit = Curve(player.name, rounds, regret.mean(axis=0))
        else:
            look = {"family": player.family, "member": player.member}
            curves.append(mean_curve(player.name, rounds, regret, **look, mark=_mark(line)))
    return Panel(found[0].section.setting.title, curves, limit)


def _mark(line: Line) -> Mark | None:
    """Return the printed value that belongs to a curve."""
    printed = _printed(line)
    at = reading_round(line.player, line.condition)
    if printed is None or at is None:
        return None
    return Mark(float(at), printed.mean, printed.std / math.sqrt(published.RUNS))


def _cases(found: Sequence[Line], profile: Profile, results_of: ResultsOf) -> dict[str, dict[str, list[Policy]]]:
    """Return the verifications of all policies by case and tolerance."""
    from sidelight.report.figures.quartiles import Policy

    cases: dict[str, dict[str, list[Policy]]] = {}
    for line in found:
        setting = line.section.setting
        if isinstance(setting, UseCase):
            values = results_of(line.condition).values("verifications")[: profile.runs_of(line.condition)]
            printed = _printed(line, "verifications")
            policy = Policy(line.player.name, values, None if printed is None else printed.median)
            cases.setdefault(_CASES[setting.case], {}).setdefault(setting.title, []).append(policy)
    return cases


def _printed(line: Line, measure: str = "regret") -> published.Pair | None:
    table = _tables().get(line.section.setting)
    if table is None or line.player.paper is None:
        return None
    return published.pair(table, line.section.key, line.player.paper, measure)


@functools.cache
def _tables() -> dict[Setting, str]:
    """Return the table that prints the numbers of each setting."""
    tables = [reproduction.load(name) for name in reproduction.names() if name.startswith("table")]
    return {section.setting: table.name for table in tables for section in table.sections}


def _runs(found: Sequence[Line], profile: Profile) -> str:
    usual = profile.runs
    few = {
        line.player.name: profile.runs_of(line.condition) for line in found if profile.runs_of(line.condition) < usual
    }
    exceptions = ", ".join(f"{name} {count}" for name, count in few.items())
    return f"{usual} run{'' if usual == 1 else 's'}" + (f" ({exceptions})" if exceptions else "")
