"""The report of a replay as one HTML file: no scripts, nothing loaded from elsewhere, light or dark mode."""

from __future__ import annotations

from sidelight.monitor.io.labeled_data import LabeledData
from sidelight.monitor.replays.figure import draw_replay
from sidelight.monitor.replays.records import PolicyReplay, ReplayReport, percent
from sidelight.monitor.report.page import STYLE, drawn
from sidelight.report.web_page import cards, document
from sidelight.table import escaped
from sidelight.text import count, grouped

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
    parts = [
        f"<h1>{escaped(source)}: what monitoring would have cost</h1>",
        f'<p class="faint">{grouped(replay.predictions)} labeled predictions of {count(len(replay.truths), "class")}; '
        f"{replay.settings(grouped)}.</p>",
        _cards(replay, one),
        f"<h2>{'All policies' if len(replay.policies) > 1 else 'The policy'} on the same predictions</h2>",
        replay.to_table(policy, grouped).to_html(),
        f'<p class="faint">{replay.legend(grouped)}</p>',
        *(f"<p>Note: {escaped(hint)}.</p>" for hint in replay.hints[:_MOST_HINTS]),
        f"<h2>Each predicted class, watched by {escaped(one.title)}</h2>",
        replay.class_table(
            policy, _COLUMNS, between=" to ", predictions=grouped, verified=grouped, errors=grouped
        ).to_html(),
        "<h2>How the estimates went</h2>",
        drawn(draw_replay(replay, policy), f"Estimate and interval over time, watched by {one.title}"),
        "<h2>What the intervals promise</h2>",
        f"<p>{escaped(one.report.guarantee)}</p>",
        _unused(LabeledData() if data is None else data),
    ]
    return document(f"{source}: monitor replay", parts, STYLE)


def _cards(replay: ReplayReport, one: PolicyReplay) -> str:
    found = [
        (grouped(one.verifications), f"verifications with {one.title}"),
        (percent(replay.saved_of_all(one)), "of all labels saved"),
        (f"{one.right} of {len(replay.truths)}", "classes with a certain and right verdict"),
        (str(one.wrong), "certain but wrong"),
    ]
    return cards(found)


def _unused(data: LabeledData) -> str:
    notes = "".join(f"<p>Note: {escaped(one)}</p>" for one in data.notes)
    if not data.malformed:
        return notes
    items = "".join(f"<li>{escaped(one)}</li>" for one in [*data.complaints, *data.further()])
    return f"{notes}<h2>{escaped(data.left_out())}</h2><ul>{items}</ul>"
