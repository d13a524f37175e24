"""The figures of the paper from finished runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sidelight.report.figures.curves import CONFIDENCE, FigureCurve, Mark, Panel, mean_curve_with_band
from sidelight.reproduction.exhibit import RUNS, Exhibit, Protocol
from sidelight.reproduction.published import printed_numbers_of_player
from sidelight.reproduction.report.wording import PROTOCOL_NAMES
from sidelight.reproduction.verdicts import round_of_printed_number
from sidelight.results import Labels, ResultSet
from sidelight.studies import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sidelight.report.figures.quartiles import Sample

ResultsOf = Callable[[Study], ResultSet]
_CASES = {1: "Case 1: classes alike", 2: "Case 2: classes of all sizes"}


def caption_of_reproduced_figure(exhibit: Exhibit, studies: Sequence[Study]) -> str:
    """Describe how many runs a figure shows and what its marks mean."""
    if exhibit.drawing == "quartiles":
        marks = "Boxes hold the middle half of the runs, whiskers 5 to 95 %; diamonds are published medians."
        return f"{_reproduced_runs_text(studies)}. {marks}"
    marks = "" if exhibit.drawing == "sensitivity" else " Diamonds are published values with their standard errors."
    return f"{_reproduced_runs_text(studies)}. Bands hold the mean with {100 * CONFIDENCE:.0f} % confidence.{marks}"


def draw_reproduced_figure(
    exhibit: Exhibit, studies: Sequence[Study], protocol: Protocol, results_of: ResultsOf
) -> Figure:
    """Draw a figure under one protocol."""
    subtitle = f"{_reproduced_runs_text(studies)}, {PROTOCOL_NAMES[protocol]}"
    if exhibit.drawing == "quartiles":
        from sidelight.report.figures.quartiles import draw_quartiles

        return draw_quartiles(
            _reproduced_verifications(studies, results_of), exhibit.title, subtitle, "verifications in a run"
        )
    from sidelight.report.figures.regret import draw_regret_panels

    panels = [_reproduced_panel(exhibit, study, protocol, results_of(study)) for study in studies]
    return draw_regret_panels(panels, exhibit.title, subtitle, "mean regret")


def _reproduced_panel(exhibit: Exhibit, study: Study, protocol: Protocol, results: ResultSet) -> Panel:
    """Return the curves of one setting, without the further runs that rechecked a number."""
    curves, limit = [], None
    planned = {player.label: player.runs or study.runs for player in study.players}
    for labels, one in zip(results.labels, results, strict=True):
        regret = one.regret[: planned[labels.label]]
        if labels.limit:
            limit = FigureCurve(labels.label, one.rounds, regret.mean(axis=0))
            continue
        family, _, member = labels.label.partition(", ") if exhibit.drawing == "sensitivity" else ("", "", "")
        mark = _printed_mark(study, labels, protocol)
        curves.append(mean_curve_with_band(labels.label, one.rounds, regret, family=family, member=member, mark=mark))
    return Panel(study.title, curves, limit)


def _printed_mark(study: Study, labels: Labels, protocol: Protocol) -> Mark | None:
    """Return the printed value that belongs to a curve."""
    printed, at = printed_numbers_of_player(study.name, labels.label), round_of_printed_number(labels, protocol)
    return None if printed is None or at is None else Mark(at, printed.mean, printed.std / math.sqrt(RUNS))


def _reproduced_verifications(studies: Sequence[Study], results_of: ResultsOf) -> dict[str, dict[str, list[Sample]]]:
    """Return the verifications of all policies by case and tolerance."""
    from sidelight.report.figures.quartiles import Sample

    cases: dict[str, dict[str, list[Sample]]] = {}
    for study in studies:
        group = cases.setdefault(_CASES[study.worlds[0].value], {}).setdefault(study.title, [])
        results = results_of(study)
        for labels, one in zip(results.labels, results, strict=True):
            printed = printed_numbers_of_player(study.name, labels.label, "verifications")
            values = one.values("verifications")[: study.runs]
            group.append(Sample(labels.label, values, None if printed is None else printed.median))
    return cases


def _reproduced_runs_text(studies: Sequence[Study]) -> str:
    usual = studies[0].runs
    players = [player for study in studies for player in study.players]
    few = {player.label: player.runs for player in players if (player.runs or usual) < usual}
    exceptions = ", ".join(f"{name} {count}" for name, count in few.items())
    return f"{usual} run{'' if usual == 1 else 's'}" + (f" ({exceptions})" if exceptions else "")
