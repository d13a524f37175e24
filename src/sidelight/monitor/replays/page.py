"""The report of a replay as one HTML file."""

from __future__ import annotations

from sidelight.monitor.io.labeled_data import LabeledData
from sidelight.monitor.replays.figure import draw_replay, draw_savings
from sidelight.monitor.replays.records import PolicyReplay, ReplayReport, percent
from sidelight.report.document import Block, Bullets, Cards, Document, Figure, Heading, Paragraph
from sidelight.report.figures.saving import svg_text
from sidelight.text import count, thousands

_COLUMNS = {
    "class": "name",
    "verdict": "verdict_judged",
    "whole file": "truth",
    **{name: name for name in ("estimate", "interval", "errors", "verified", "predictions")},
}
_MOST_HINTS = 10


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
        Cards(_numbers(replay, one)),
        Heading(f"{'All policies' if len(replay.policies) > 1 else 'The policy'} on the same predictions"),
        replay.to_table(policy, thousands),
        Paragraph(replay.legend(thousands), faint=True),
        *_savings(replay),
        *(Paragraph(f"Note: {hint}.") for hint in replay.hints[:_MOST_HINTS]),
        Heading(f"Each predicted class, watched by {one.title}"),
        replay.class_table(
            policy, _COLUMNS, between=" to ", predictions=thousands, verified=thousands, errors=thousands
        ),
        Heading("How the estimates went"),
        Figure(f"Estimate and interval over time, watched by {one.title}", svg_text(draw_replay(replay, policy))),
        Heading("What the intervals guarantee"),
        Paragraph(one.report.guarantee),
        *(Paragraph(f"Note: {note}") for note in unused.notes),
        *(left_out if unused.malformed else []),
    ]
    return Document(f"{source}: what monitoring would have cost", blocks).to_html()


def _savings(replay: ReplayReport) -> list[Block]:
    """Return what scores would have saved, if they were tried."""
    share = replay.saved_by_scores
    if share is None:
        return []
    change = f"{percent(share)} fewer" if share >= 0 else f"{percent(-share)} more"
    return [
        Heading("What scores would have saved"),
        Paragraph(f"With scores, the policy sequential asks for {change} verifications."),
        Figure("Answers over time, with scores and without", svg_text(draw_savings(replay))),
    ]


def _numbers(replay: ReplayReport, one: PolicyReplay) -> list[tuple[str, str]]:
    return [
        (thousands(one.verifications), f"verifications with {one.title}"),
        (percent(replay.saved_of_all(one)), "of all verifications saved"),
        (f"{one.right} of {len(replay.truths)}", "classes with a certain and right verdict"),
        (str(one.wrong), "certain but wrong"),
    ]
