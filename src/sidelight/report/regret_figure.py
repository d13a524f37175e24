"""Regret over time: the mean of all runs and its 99 % confidence band, on linear and on logarithmic axes.

Each curve is named at its end, beside the logarithmic panel, where curves of any size are apart. Curves that coincide
share a line whose stripes show the colors of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import style
from matplotlib.figure import Figure

from sidelight.errors import SidelightError
from sidelight.report.ink import FAINT, INK
from sidelight.report.page import MARGIN, SETTINGS, TEXT, TICK_TEXT, Heading, Page
from sidelight.report.regret_axes import (
    LEADER,
    Curve,
    coinciding,
    fill,
    limit_curve,
    look,
    name,
    name_curves,
    name_sizes,
)
from sidelight.report.results_table import distinct, protocol
from sidelight.report.sheet import Sheet
from sidelight.results import Results
from sidelight.results.text import game_words, regret_words

CONFIDENCE = 0.99
_STRIPE = 4.0

# Inches.
_PANEL, _LEFT, _BETWEEN, _BOTTOM, _HEIGHT = 3.45, 0.78, 0.72, 0.62, 2.75


class Limit(NamedTuple):
    """A regret to measure others by, over rounds; the label says what it is and what it assumes."""

    rounds: Any
    values: Any
    label: str = "limit"


def draw_regret(
    results: Sequence[Results],
    title: str | None = None,
    limit: Any = None,
    labels: Sequence[str] | None = None,
) -> Figure:
    """Draw the mean regret of several strategies.

    Parameters
    ----------
    results
        What `simulate` returned, for one game; a result of one run has no band.
    title
        Instead of the game's name.
    limit
        Drawn as a dashed line: a `Limit`, anything with `rounds` and `values`, or a pair of them.
    labels
        Names of the curves, instead of the strategies'.
    """
    if not results:
        raise SidelightError("there are no results to draw: give a list of one or more")
    names = distinct([r.label for r in results]) if labels is None else list(labels)
    curves = _curves(results, names)
    if limit is not None:
        curves.append(limit_curve(limit))
    with style.context(["default", SETTINGS]):
        return _draw(curves, title or game_words(results[0]), _subtitle(results), _measure(results))


def _draw(curves: Sequence[Curve], title: str, subtitle: str, what: str) -> Figure:
    """Put the page together: two panels, names on the right, a title above."""
    paper = Sheet()
    texts = [name(curve, max(c.rounds[-1] for c in curves)) for curve in curves]
    sizes = name_sizes(texts)
    height = max(_HEIGHT, sum(sizes))
    names_at = _LEFT + 2 * _PANEL + _BETWEEN + LEADER
    width = names_at + max(paper.measure(text, TEXT)[0] for text in texts) + MARGIN
    heading = Heading(paper, title, subtitle, width - _LEFT - MARGIN)
    top = _BOTTOM + height
    page = Page(width, top + 0.3 + heading.height + MARGIN)
    for left, logarithmic in ((_LEFT, False), (_LEFT + _PANEL + _BETWEEN, True)):
        axes = page.panel(left, _BOTTOM, _PANEL, height)
        fill(axes, curves if logarithmic else [_from_zero(curve) for curve in curves], logarithmic)
        axes.set_xlabel("round", color=INK)
        kind = "both axes logarithmic" if logarithmic else "linear"
        page.write((left, top + 0.09), kind, TICK_TEXT, FAINT, va="baseline")
        if logarithmic:
            name_curves(page, axes, curves, texts, sizes, names_at)
        else:
            axes.set_ylabel(what, color=INK)
    heading.write(page, (_LEFT, top + 0.3))
    return page.figure


def _from_zero(curve: Curve) -> Curve:
    """Let a curve start where every regret does."""
    if curve.rounds.size == 1:
        return curve
    low, high = (None if end is None else np.insert(end, 0, 0.0) for end in (curve.low, curve.high))
    rounds, mean = (np.insert(values, 0, 0.0) for values in (curve.rounds, curve.mean))
    return curve._replace(rounds=rounds, mean=mean, low=low, high=high)


def _curves(results: Sequence[Results], names: Sequence[str]) -> list[Curve]:
    curves = []
    for index, (result, label) in enumerate(zip(results, names, strict=True)):
        color, dashes = look(index)
        band = result.band(CONFIDENCE)
        wide = result.n_runs > 1
        curves.append(
            Curve(
                label=label,
                rounds=result.rounds.astype(float),
                mean=band.mean,
                low=band.low if wide else None,
                high=band.high if wide else None,
                color=color,
                dashes=dashes,
                company=max(1.0, len(results) / 6),
            )
        )
    return _striped(curves)


def _striped(curves: list[Curve]) -> list[Curve]:
    """Give curves that coincide dashes that take turns, so that all of them can be seen."""
    found = list(curves)
    for group in coinciding(curves):
        count = len(group)
        for turn, k in enumerate(group if count > 1 else []):
            pattern = (_STRIPE, _STRIPE * (count - 1))
            offset = _STRIPE * ((count - turn) % count)
            found[k] = curves[k]._replace(dashes=(offset, pattern), company=max(curves[k].company, count))
    return found


def _subtitle(results: Sequence[Results]) -> str:
    counts = sorted({r.n_runs for r in results})
    runs = f"{counts[0]} run{'' if counts == [1] else 's'}"
    if len(counts) > 1:
        runs = f"{counts[0]} to {counts[-1]} runs"
    protocols = list(dict.fromkeys(protocol(r) for r in results))
    seeds = list(dict.fromkeys(str(r.seed) for r in results))
    parts = [runs, *(protocols if len(protocols) == 1 else [])]
    parts += [f"seed {seeds[0]}"] if len(seeds) == 1 and seeds[0] != "None" and len(seeds[0]) < 24 else []
    band = f"bands hold the mean with {CONFIDENCE:.0%} confidence".replace("%", " %")
    return ", ".join(parts) + (f"; {band}" if counts[-1] > 1 else "")


def _measure(results: Sequence[Results]) -> str:
    return ("mean " if any(r.n_runs > 1 for r in results) else "") + regret_words(results[0])
