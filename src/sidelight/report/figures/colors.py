"""Colors, patterns and line styles that all figures share, and what they mean.

The hues are those of Okabe and Ito, which readers with any kind of color vision can tell apart. Where there are more
cells than hues, a hatch is added.
"""

from __future__ import annotations

from typing import NamedTuple

from sidelight.analysis import Analysis

INK = "#1a1a1a"
"""Text and what matters most."""
FAINT = "#6b6b6b"
"""Text and lines of lesser importance, still legible on white."""
PALE = "#b4b4b4"
"""What should recede."""
ALARM = "#c1121f"
"""Borders that nothing can tell apart."""

_HUES = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#0072B2", "#D55E00", "#999999")
CURVES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A7A7A")
"""The hues of curves, in an order that keeps neighbors apart, without the yellow that a thin line on white loses."""
_HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "oooo", "||||")


class Border(NamedTuple):
    """How the border between two neighbors is drawn, and what that says."""

    meaning: str
    color: str
    dashes: tuple[float, tuple[float, ...]] | str
    crossed: bool


BORDERS = {
    "local": Border("locally observable", INK, "solid", False),
    "global": Border("only globally observable", INK, (0, (3.2, 2.2)), False),
    "none": Border("not observable", ALARM, (0, (1, 1.6)), True),
}


def border_style_in_figure(analysis: Analysis, one: int, other: int) -> Border:
    """Return how to draw the border between two neighbors."""
    if analysis.locally_observable(one, other):
        return BORDERS["local"]
    return BORDERS["global" if analysis.globally_observable(one, other) else "none"]


def fill_color_and_hatch(rank: int) -> tuple[str, str]:
    """Return a light color and a hatch for the cell with this rank."""
    return _blend_figure_colors(_HUES[rank % len(_HUES)], "#ffffff", 0.45), _HATCHES[rank // len(_HUES) % len(_HATCHES)]


def line_color_of_rank(rank: int) -> str:
    """Return the strong color, dark enough for a line on white, that goes with `fill_color_and_hatch`."""
    return _blend_figure_colors(_HUES[rank % len(_HUES)], "#000000", 0.12)


def darken_figure_color(color: str) -> str:
    """Return a color dark enough for text on white."""
    return _blend_figure_colors(color, "#000000", 0.2)


def lighten_figure_color(color: str) -> str:
    """Return a color light enough to see dark lines on it."""
    return _blend_figure_colors(color, "#ffffff", 0.55)


def _blend_figure_colors(color: str, other: str, share: float) -> str:
    """Blend two colors given as #rrggbb."""
    pairs = zip(_color_channels(color), _color_channels(other), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def _color_channels(color: str) -> list[int]:
    return [int(color[start : start + 2], 16) for start in (1, 3, 5)]
