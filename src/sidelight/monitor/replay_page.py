"""The report of a replay as one HTML file: no scripts, nothing loaded from elsewhere, light or dark as one likes."""

from __future__ import annotations

import io
from collections.abc import Sequence

from sidelight.monitor.figures import draw_replay
from sidelight.monitor.replaying import PolicyReplay, ReplayReport
from sidelight.report.web_page import cards, document, escaped, inlined, table
from sidelight.text import grouped

_STYLE = """
tr.chosen td { background: var(--soft); font-weight: 600; }
td.above { color: var(--above); } td.below { color: var(--below); } td.wrong { color: var(--above); font-weight: 700; }
"""


def replay_page(
    replay: ReplayReport, policy: str, *, source: str, malformed: int = 0, complaints: Sequence[str] = ()
) -> str:
    """Return the page about a replay, with one policy in detail."""
    one = replay[policy]
    parts = [
        f"<h1>{escaped(source)}: what monitoring would have cost</h1>",
        f'<p class="faint">{_lead(replay)}</p>',
        _cards(replay, one),
        "<h2>All policies on the same predictions</h2>",
        _policies(replay, policy),
        f'<p class="faint">{_legend(replay)}</p>',
        f"<h2>Each predicted class, watched by {escaped(one.title)}</h2>",
        _classes(replay, one),
        "<h2>How the estimates went</h2>",
        f'<div class="sheet">{_figure(replay, policy)}</div>',
        "<h2>What the intervals promise</h2>",
        f"<p>{escaped(one.report.guarantee)}</p>",
        _lines(malformed, complaints),
    ]
    return document(f"{source}: monitor replay", parts, _STYLE)


def _lead(replay: ReplayReport) -> str:
    tolerances = sorted({one.tolerance for one in replay.truths})
    shown = f"{tolerances[0]:g}" if len(tolerances) == 1 else f"{tolerances[0]:g} to {tolerances[-1]:g}"
    late = f", answers {grouped(replay.delay)} predictions late" if replay.delay else ""
    return (
        f"{grouped(replay.predictions)} labelled predictions of {len(replay.truths)} classes; tolerance {shown}, "
        f"confidence {replay.confidence:g}, mode {replay.mode}{late}."
    )


def _cards(replay: ReplayReport, one: PolicyReplay) -> str:
    share = f"{100 * replay.saved_of_all(one):.1f} %"
    found = [
        (grouped(one.verifications), f"verifications with {one.title}"),
        (share, "of all labels saved"),
        (f"{one.right} of {len(replay.truths)}", "classes with a certain and right verdict"),
        (str(one.wrong), "certain but wrong"),
    ]
    return cards(found)


def _policies(replay: ReplayReport, chosen: str) -> str:
    heads = ("policy", "verifications", "saved of all", "saved of Explore-fully")
    verdicts = ("right", "wrong", "unknown", "leaning right")
    rows = []
    for one in replay.policies:
        wrong = f'<td class="wrong">{one.wrong}</td>' if one.wrong else "<td>0</td>"
        cells = (
            f"<td>{escaped(one.title)}</td><td>{grouped(one.verifications)}</td>"
            f"<td>{100 * replay.saved_of_all(one):.1f} %</td><td>{100 * replay.saved_of_wald(one):.1f} %</td>"
            f"<td>{one.right}</td>{wrong}<td>{one.unknown}</td><td>{one.leaning_right}</td>"
        )
        rows.append(f"<tr{' class=chosen' if one.policy == chosen else ''}>{cells}</tr>")
    return table((*heads, *verdicts), rows)


def _legend(replay: ReplayReport) -> str:
    return (
        f"Explore-fully verifies every prediction up to {grouped(replay.wald)} labels in all, a number that Wald's "
        "interval fixes beforehand. A verdict is right if it is certain and agrees with the error rate in the whole "
        "file; an unknown one leans right if its estimate is on the right side."
    )


def _classes(replay: ReplayReport, one: PolicyReplay) -> str:
    heads = ("class", "predictions", "verified", "errors", "estimate", "interval", "verdict", "whole file")
    rows = []
    for truth in sorted(replay.truths, key=lambda each: -each.rate):
        found = one.report[truth.name]
        estimate = "-" if found.estimate is None else f"{found.estimate:.4f}"
        wrong = found.verdict not in ("unknown", truth.verdict)
        verdict = f"{found.verdict}{' (wrong)' if wrong else ''}"
        rows.append(
            f"<tr><td>{escaped(str(truth.name))}</td><td>{grouped(truth.predictions)}</td>"
            f"<td>{grouped(found.verified)}</td><td>{grouped(found.errors)}</td><td>{estimate}</td>"
            f"<td>{found.interval[0]:.4f} to {found.interval[1]:.4f}</td>"
            f'<td class="{"wrong" if wrong else found.verdict}">{verdict}</td>'
            f'<td class="{truth.verdict}">{truth.rate:.4f} {truth.verdict}</td></tr>'
        )
    return table(heads, rows)


def _figure(replay: ReplayReport, policy: str) -> str:
    """Return the figure as SVG text without the XML prologue, the same for the same replay."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({"svg.hashsalt": "sidelight", "svg.fonttype": "path"}):
        draw_replay(replay, policy).savefig(buffer, format="svg", metadata={"Date": None}, facecolor="white")
    label = f"Estimate and interval of each class over time, watched by {replay[policy].title}"
    return inlined(buffer.getvalue(), label)


def _lines(malformed: int, complaints: Sequence[str]) -> str:
    if not malformed:
        return ""
    items = "".join(f"<li>{escaped(one)}</li>" for one in complaints)
    more = f"<li>and {malformed - len(complaints)} more</li>" if malformed > len(complaints) else ""
    return f"<h2>{malformed} lines that could not be used</h2><ul>{items}{more}</ul>"
