"""The report of a replay: figures of how estimates and intervals developed, and one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from sidelight.monitor.io.labeled_data import LabeledData
from sidelight.monitor.replays.records import (
    SCORED,
    PolicyReplay,
    ReplayPoint,
    ReplayReport,
    ReplayTruth,
    write_replay_percent,
)
from sidelight.monitor.report.figure import SETTINGS, VERDICTS, chosen_classes_note, class_label_in_report_figure
from sidelight.report import document
from sidelight.report.document import Block, Bullets, Cards, Document, Heading, Paragraph
from sidelight.report.figures.colors import FAINT, INK, PALE
from sidelight.report.figures.fonts import installed_font_families
from sidelight.report.figures.saving import figure_as_svg_text
from sidelight.text import count, thousands

_BANDS = {"above": "#f3c9cc", "below": "#c2e3da", "near": "#ede0b5", "unknown": "#dddddd"}
_PANELS_ACROSS, _MOST_PANELS = 3, 12


def draw_replay_figure(replay: ReplayReport, policy: str) -> Figure:
    """Draw the estimates and intervals of the classes that matter most over time, one panel per class."""
    with style.context(["default", SETTINGS, {"font.family": installed_font_families()}]):
        one = replay[policy]
        shown = replay.by_importance(policy)[:_MOST_PANELS]
        rows = -(-len(shown) // _PANELS_ACROSS)
        columns = min(_PANELS_ACROSS, len(shown))
        size = (max(2.55 * columns + 0.6, 6.6), 1.75 * rows + 1.3)
        figure = Figure(figsize=size, facecolor="white")
        grid = figure.add_gridspec(
            rows,
            columns,
            left=0.65 / size[0],
            right=1 - 0.3 / size[0],
            top=1 - 1.12 / size[1],
            bottom=0.48 / size[1],
            hspace=0.72,
            wspace=0.24,
        )
        for place, truth in enumerate(shown):
            axes = figure.add_subplot(grid[place // columns, place % columns])
            _draw_replay_panel(axes, one, truth, replay)
            if place + columns >= len(shown):
                axes.set_xlabel("predictions", size=8)
            if place % columns == 0:
                axes.set_ylabel("error rate", size=8)
        _write_replay_title(figure, replay, one, shown)
        return figure


def _draw_replay_panel(axes: Axes, one: PolicyReplay, truth: ReplayTruth, replay: ReplayReport) -> None:
    """Draw one class: band, estimate, tolerance, and the rate in the whole file."""
    points = one.paths[truth.name]
    report = one.report[truth.name]
    x = [point.position for point in points]
    axes.fill_between(
        x, [p.low for p in points], [p.high for p in points], color=_BANDS[report.verdict], lw=0, step="pre"
    )
    known = [(p.position, p.estimate) for p in points if p.estimate is not None]
    axes.step([k for k, _ in known], [v for _, v in known], color=VERDICTS[report.verdict], lw=1.4, where="pre")
    axes.axhline(truth.tolerance, color=INK, lw=1.0, ls=(0, (4, 2)))
    axes.axhline(truth.rate, color="#0072B2", lw=1.0, ls=(0, (1, 1.3)))
    since = one.first_certain.get(truth.name)
    if since is not None and report.verdict != "unknown":
        axes.axvline(since, color=VERDICTS[report.verdict], lw=0.8)
    axes.set_xlim(0, replay.predictions)
    axes.set_ylim(0, min(1.0, 2.4 * max(truth.tolerance, truth.rate, points[-1].estimate or 0.0)))
    axes.tick_params(labelsize=7, color=PALE)
    axes.locator_params(axis="x", nbins=3)
    axes.locator_params(axis="y", nbins=4)
    axes.spines[["top", "right"]].set_visible(False)
    color = VERDICTS[report.verdict]
    axes.set_title(class_label_in_report_figure(truth.name), size=8.5, loc="left", weight="bold", pad=14, color=INK)
    counts = f"{report.verdict}, {thousands(report.verified)} of {thousands(truth.predictions)} verified"
    axes.text(0, 1.05, counts, transform=axes.transAxes, size=7.5, color=color)


def _write_replay_title(figure: Figure, replay: ReplayReport, one: PolicyReplay, shown: Sequence[ReplayTruth]) -> None:
    height = figure.get_size_inches()[1]
    title = f"{one.title}: {thousands(one.verifications)} of {thousands(replay.predictions)} predictions verified"
    figure.text(0.02, 1 - 0.2 / height, title, size=10.5, weight="bold", va="center", color=INK)
    verdicts = f"verdicts: {one.right} right, {one.wrong} wrong, {one.unknown} unknown"
    verdicts += chosen_classes_note(shown, replay.truths)
    figure.text(0.02, 1 - 0.42 / height, verdicts, size=8.5, va="center", color=FAINT)
    handles = [
        Line2D([], [], color=FAINT, lw=1.4, label="estimate"),
        Patch(fc=_BANDS["unknown"], label=f"{100 * replay.confidence:g} % interval"),
        Line2D([], [], color=INK, lw=1.0, ls=(0, (4, 2)), label="tolerance"),
        Line2D([], [], color="#0072B2", lw=1.0, ls=(0, (1, 1.3)), label="rate in the whole file"),
        Line2D([], [], color=FAINT, lw=0.8, marker="|", ms=8, ls="none", label="certain from here"),
    ]
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.012, 1 - 0.52 / height),
        ncols=5,
        fontsize=7.5,
        frameon=False,
        handlelength=1.8,
        columnspacing=1.3,
        borderpad=0,
    )


def draw_replay_savings(replay: ReplayReport) -> Figure:
    """Draw how many verifications were asked for over time, with scores and without."""
    with style.context(["default", SETTINGS, {"font.family": installed_font_families()}]):
        figure = Figure(figsize=(6.6, 3.2), facecolor="white", layout="constrained")
        axes = figure.add_subplot()
        for name, words, color in (("sequential", "without", FAINT), (SCORED, "with scores", "#0072B2")):
            paths = list(replay[name].paths.values())
            positions = sorted({point.position for path in paths for point in path})
            totals = [sum(_count_answers_in_replay(path, place) for path in paths) for place in positions]
            axes.plot([0, *positions], [0, *totals], color=color, lw=1.8)
            place: dict[str, Any] = {"xytext": (-4, 5), "textcoords": "offset points", "ha": "right", "color": color}
            axes.annotate(f"{words}: {thousands(totals[-1])}", (positions[-1], totals[-1]), **place)
        axes.set_xlabel("predictions")
        axes.set_ylabel("answers")
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(y=0.15)
        axes.set_ylim(bottom=0)
        return figure


def _count_answers_in_replay(path: Sequence[ReplayPoint], place: int) -> int:
    """Return how many answers a class had at a place."""
    return max((point.verified for point in path if point.position <= place), default=0)


_COLUMNS = {
    "class": "name",
    "verdict": "verdict_judged",
    "whole file": "truth",
    **{name: name for name in ("estimate", "interval", "errors", "verified", "predictions")},
}


def replay_page(replay: ReplayReport, policy: str, *, source: str, data: LabeledData | None = None) -> str:
    """Return the page about a replay, with one policy in detail; `data` says which lines could not be used."""
    one = replay[policy]
    unused = LabeledData() if data is None else data
    left_out: list[Block] = [Heading(unused.left_out()), Bullets([*unused.complaints, *unused.further()])]
    blocks: list[Block] = [
        Paragraph(
            f"{thousands(replay.predictions)} labeled predictions of {count(len(replay.truths), 'class')}; "
            f"{replay.settings(thousands)}.",
            faint=True,
        ),
        Cards(_replay_numbers(replay, one)),
        Heading(f"{'All policies' if len(replay.policies) > 1 else 'The policy'} on the same predictions"),
        replay.to_table(policy, thousands),
        Paragraph(replay.legend(thousands), faint=True),
        *_replay_savings_blocks(replay),
        Heading(f"Each predicted class, watched by {one.title}"),
        replay.class_table(
            policy, _COLUMNS, between=" to ", predictions=thousands, verified=thousands, errors=thousands
        ),
        Heading("How the estimates went"),
        document.Figure(
            f"Estimate and interval over time, watched by {one.title}",
            figure_as_svg_text(draw_replay_figure(replay, policy)),
        ),
        Heading("What the intervals guarantee"),
        Paragraph(one.report.guarantee),
        *(Paragraph(f"Note: {note}") for note in unused.notes),
        *(left_out if unused.malformed else []),
    ]
    return Document(f"{source}: what monitoring would have cost", blocks).to_html()


def _replay_savings_blocks(replay: ReplayReport) -> list[Block]:
    """Return a paragraph on the verifications that scores would have saved, if they were tried."""
    share = replay.saved_by_scores
    if share is None:
        return []
    change = f"{write_replay_percent(share)} fewer" if share >= 0 else f"{write_replay_percent(-share)} more"
    return [
        Heading("What scores would have saved"),
        Paragraph(f"With scores, the policy sequential asks for {change} verifications."),
        document.Figure("Answers over time, with scores and without", figure_as_svg_text(draw_replay_savings(replay))),
    ]


def _replay_numbers(replay: ReplayReport, one: PolicyReplay) -> list[tuple[str, str]]:
    return [
        (thousands(one.verifications), f"verifications with {one.title}"),
        (write_replay_percent(replay.saved_of_all(one)), "of all verifications saved"),
        (f"{one.right} of {len(replay.truths)}", "classes with a certain and right verdict"),
        (str(one.wrong), "certain but wrong"),
    ]
