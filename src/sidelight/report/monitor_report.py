"""The report of a replay as one HTML file: no scripts, nothing loaded from elsewhere, light or dark as one likes."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sidelight.report.monitor_figure import draw_replay, grouped

if TYPE_CHECKING:
    from sidelight.monitor.replaying import PolicyReplay, Replay

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --faint: #5c5c5c; --line: #d9d9d9; --page: #ffffff; --soft: #f5f6f7;
  --above: #b01020; --below: #00664f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --faint: #a8a8a8; --line: #3d3d3d; --page: #161616;
  --soft: #202124; --above: #ff8d95; --below: #6fd3b8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 61rem; margin: 0 auto; padding: 2rem 1.2rem 4rem; }
h1 { font-size: 1.65rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .5rem; }
p { margin: .5rem 0; max-width: 46rem; }
.faint { color: var(--faint); }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.3rem 0; padding: 0; list-style: none; }
.cards li { flex: 1 1 11rem; background: var(--soft); border-radius: .5rem; padding: .8rem 1rem; }
.cards b { display: block; font-size: 1.55rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .38rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; color: var(--faint); vertical-align: bottom; white-space: normal; }
th:first-child, td:first-child { text-align: left; }
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 7rem; }
tr.chosen td { background: var(--soft); font-weight: 600; }
td.above { color: var(--above); } td.below { color: var(--below); } td.wrong { color: var(--above); font-weight: 700; }
.sheet { background: #ffffff; border: 1px solid var(--line); border-radius: .5rem; padding: .4rem; margin-top: .6rem; }
.sheet svg { display: block; width: 100%; height: auto; }
"""


def replay_page(replay: Replay, policy: str, *, source: str, malformed: int = 0, complaints: Sequence[str] = ()) -> str:
    """Return the page about a replay, with one policy in detail."""
    one = replay[policy]
    parts = [
        f"<h1>{_text(source)}: what monitoring would have cost</h1>",
        f'<p class="faint">{_lead(replay)}</p>',
        _cards(replay, one),
        "<h2>All policies on the same predictions</h2>",
        _policies(replay, policy),
        f'<p class="faint">{_legend(replay)}</p>',
        f"<h2>Each predicted class, watched by {_text(one.title)}</h2>",
        _classes(replay, one),
        "<h2>How the estimates went</h2>",
        f'<div class="sheet">{_figure(replay, policy)}</div>',
        "<h2>What the intervals promise</h2>",
        f"<p>{_text(one.report.guarantee)}</p>",
        _lines(malformed, complaints),
    ]
    body = "\n".join(part for part in parts if part)
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(source)}: monitor replay</title><style>{_STYLE}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body><main>\n{body}\n</main></body></html>\n'


def _lead(replay: Replay) -> str:
    tolerances = sorted({one.tolerance for one in replay.truths})
    shown = f"{tolerances[0]:g}" if len(tolerances) == 1 else f"{tolerances[0]:g} to {tolerances[-1]:g}"
    late = f", answers {grouped(replay.delay)} predictions late" if replay.delay else ""
    return (
        f"{grouped(replay.predictions)} labelled predictions of {len(replay.truths)} classes; tolerance {shown}, "
        f"confidence {replay.confidence:g}, mode {replay.mode}{late}."
    )


def _cards(replay: Replay, one: PolicyReplay) -> str:
    share = f"{100 * replay.saved_of_all(one):.1f} %"
    cards = [
        (grouped(one.verifications), f"verifications with {one.title}"),
        (share, "of all labels saved"),
        (f"{one.right} of {len(replay.truths)}", "classes with a certain and right verdict"),
        (str(one.wrong), "certain but wrong"),
    ]
    items = "".join(f"<li><b>{_text(value)}</b>{_text(words)}</li>" for value, words in cards)
    return f'<ul class="cards">{items}</ul>'


def _policies(replay: Replay, chosen: str) -> str:
    heads = ("policy", "verifications", "saved of all", "saved of Explore-fully")
    verdicts = ("right", "wrong", "unknown", "leaning right")
    rows = []
    for one in replay.policies:
        wrong = f'<td class="wrong">{one.wrong}</td>' if one.wrong else "<td>0</td>"
        cells = (
            f"<td>{_text(one.title)}</td><td>{grouped(one.verifications)}</td>"
            f"<td>{100 * replay.saved_of_all(one):.1f} %</td><td>{100 * replay.saved_of_wald(one):.1f} %</td>"
            f"<td>{one.right}</td>{wrong}<td>{one.unknown}</td><td>{one.leaning_right}</td>"
        )
        rows.append(f"<tr{' class=chosen' if one.policy == chosen else ''}>{cells}</tr>")
    return _table((*heads, *verdicts), rows)


def _legend(replay: Replay) -> str:
    return (
        f"Explore-fully verifies every prediction up to {grouped(replay.wald)} labels in all, a number that Wald's "
        "interval fixes beforehand. A verdict is right if it is certain and agrees with the error rate in the whole "
        "file; an unknown one leans right if its estimate is on the right side."
    )


def _classes(replay: Replay, one: PolicyReplay) -> str:
    heads = ("class", "predictions", "verified", "errors", "estimate", "interval", "verdict", "whole file")
    rows = []
    for truth in sorted(replay.truths, key=lambda each: -each.rate):
        found = one.report[truth.name]
        estimate = "-" if found.estimate is None else f"{found.estimate:.4f}"
        wrong = found.verdict not in ("unknown", truth.verdict)
        verdict = f"{found.verdict}{' (wrong)' if wrong else ''}"
        rows.append(
            f"<tr><td>{_text(str(truth.name))}</td><td>{grouped(truth.predictions)}</td>"
            f"<td>{grouped(found.verified)}</td><td>{grouped(found.errors)}</td><td>{estimate}</td>"
            f"<td>{found.interval[0]:.4f} to {found.interval[1]:.4f}</td>"
            f'<td class="{"wrong" if wrong else found.verdict}">{verdict}</td>'
            f'<td class="{truth.verdict}">{truth.rate:.4f} {truth.verdict}</td></tr>'
        )
    return _table(heads, rows)


def _table(heads: Sequence[str], rows: Sequence[str]) -> str:
    head = "".join(f"<th>{_text(one)}</th>" for one in heads)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _figure(replay: Replay, policy: str) -> str:
    """Return the figure as SVG text without the XML prologue, the same for the same replay."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({"svg.hashsalt": "sidelight", "svg.fonttype": "path"}):
        draw_replay(replay, policy).savefig(buffer, format="svg", metadata={"Date": None}, facecolor="white")
    text = buffer.getvalue()
    label = f"Estimate and interval of each class over time, watched by {replay[policy].title}"
    return text[text.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{_text(label)}"', 1)


def _lines(malformed: int, complaints: Sequence[str]) -> str:
    if not malformed:
        return ""
    items = "".join(f"<li>{_text(one)}</li>" for one in complaints)
    more = f"<li>and {malformed - len(complaints)} more</li>" if malformed > len(complaints) else ""
    return f"<h2>{malformed} lines that could not be used</h2><ul>{items}{more}</ul>"


def _text(value: str) -> str:
    shown = "".join(c if c.isprintable() or c == "\N{NO-BREAK SPACE}" else repr(c)[1:-1] for c in value)
    return html.escape(shown.encode("utf-8", "backslashreplace").decode())
