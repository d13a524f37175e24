"""A page of known size: texts, panels, headings and a key, all placed in inches from its lower left corner."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sidelight.report.ink import FAINT, INK
from sidelight.report.labels import drawable, shortened, wrapped
from sidelight.report.sheet import FONT, Sheet, Spot

Dashes = tuple[float, tuple[float, ...]] | str

# Okabe and Ito's hues in an order that keeps neighbors apart, without the yellow that a thin line on white loses.
HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A7A7A")
TEXT, TICK_TEXT = 8.5, 7.5
SETTINGS = {"font.family": FONT, "font.size": TEXT, "axes.unicode_minus": True, "text.parse_math": False}
MARGIN = 0.18
_TITLE = 13
_LONGEST_TITLE = 160
_UNDER_TITLE = 0.07
_KEY_ROW, _SAMPLE, _MARKER, _AFTER_SAMPLE, _BETWEEN_ENTRIES = 0.2, 0.34, 0.1, 0.07, 0.24


class Page:
    """A figure in inches."""

    def __init__(self, width: float, height: float) -> None:
        self.size: Spot = (width, height)
        self.figure: Figure = Figure(figsize=self.size, dpi=100, facecolor="white")
        FigureCanvasAgg(self.figure)

    def panel(self, left: float, bottom: float, width: float, height: float) -> Axes:
        """Add axes in the given box."""
        across, up = self.size
        return self.figure.add_axes((left / across, bottom / up, width / across, height / up))

    def write(
        self,
        spot: Spot,
        text: str,
        points: float = TEXT,
        color: str = INK,
        bold: bool = False,
        va: str = "bottom",
        ha: str = "left",
    ) -> None:
        """Write a text."""
        self.figure.text(
            spot[0] / self.size[0],
            spot[1] / self.size[1],
            text,
            fontsize=points,
            color=color,
            fontweight="bold" if bold else "normal",
            ha=ha,
            va=va,
            linespacing=1.15,
        )

    def line(self, spots: Sequence[Spot], **look: Any) -> None:
        """Draw a line (or markers) through the given spots, outside of all panels."""
        xs, ys = ([spot[k] / self.size[k] for spot in spots] for k in (0, 1))
        self.figure.add_artist(Line2D(xs, ys, **look))


class Heading:
    """Title and subtitle, broken into lines that fit, and the room that they take."""

    def __init__(self, paper: Sheet, title: str, subtitle: str, room: float) -> None:
        self._title = fitted(paper, shortened(drawable(title), _LONGEST_TITLE), _TITLE, True, room)
        self._subtitle = fitted(paper, drawable(subtitle), TEXT, False, room)
        self._under = paper.measure(self._subtitle, TEXT)[1] + _UNDER_TITLE if self._subtitle else 0.0
        self.height: float = self._under + paper.measure(self._title, _TITLE, True)[1]

    def write(self, page: Page, spot: Spot) -> None:
        """Write both, the lower left corner at the spot."""
        page.write(spot, self._subtitle, TEXT, FAINT)
        page.write((spot[0], spot[1] + self._under), self._title, _TITLE, INK, bold=True)


class Entry(NamedTuple):
    """What a key says about one look of lines or markers."""

    text: str
    color: str
    dashes: Dashes = "solid"
    width: float = 1.7
    marker: str = ""

    @property
    def sample(self) -> float:
        """How far from the entry's left its text begins."""
        return (_MARKER if self.marker else _SAMPLE) + _AFTER_SAMPLE


class KeyRow(NamedTuple):
    """Entries that belong together, and what they have in common (nothing is said if this is empty)."""

    meaning: str
    entries: Sequence[Entry]


class _Placed(NamedTuple):
    """An entry and where it goes: from the left, and in which line from the top."""

    left: float
    line: int
    entry: Entry


class Key:
    """Rows of samples and what they mean; rows that are too long are continued below."""

    def __init__(self, paper: Sheet, rows: Sequence[KeyRow], room: float) -> None:
        rows = [row for row in rows if row.entries or row.meaning]
        indent = max((paper.measure(row.meaning, TEXT)[0] + 0.14 for row in rows if row.meaning), default=0.0)
        self._meanings: list[tuple[int, str]] = []
        self._placed: list[_Placed] = []
        line = -1
        for row in rows:
            line, left = line + 1, indent
            self._meanings.append((line, row.meaning))
            for entry in row.entries:
                text = fitted(paper, entry.text, TEXT, False, room - indent - entry.sample)
                width = entry.sample + paper.measure(text, TEXT)[0]
                if left > indent and left + width > room:
                    line, left = line + 1, indent
                self._placed.append(_Placed(left, line, entry._replace(text=text)))
                left += width + _BETWEEN_ENTRIES
                if "\n" in text:  # nothing goes beside a text of several lines
                    line, left = line + text.count("\n"), room + 1
        self.height: float = _KEY_ROW * (line + 1)

    def draw(self, page: Page, spot: Spot) -> None:
        """Draw the key, its upper left corner at the spot."""
        for line, meaning in self._meanings:
            page.write((spot[0], self._baseline(spot, line)), meaning, TEXT, FAINT, va="baseline")
        for left, line, entry in self._placed:
            x, y = spot[0] + left, self._baseline(spot, line) + 0.04
            look: dict[str, Any] = {"color": entry.color, "lw": entry.width, "ls": entry.dashes}
            if entry.marker:
                page.line([(x + _MARKER / 2, y)], **hollow(entry.color, entry.marker))
            else:
                page.line([(x, y), (x + _SAMPLE, y)], dash_capstyle="butt", solid_capstyle="butt", **look)
            for below, text in enumerate(entry.text.split("\n")):
                at = (x + entry.sample, self._baseline(spot, line + below))
                page.write(at, text, TEXT, INK, va="baseline")

    @staticmethod
    def _baseline(spot: Spot, line: int) -> float:
        return spot[1] - _KEY_ROW * (line + 0.7)


def hollow(color: str, marker: str = "D") -> dict[str, Any]:
    """Return the look of a hollow marker: published values."""
    return {"color": color, "marker": marker, "mfc": "white", "mec": color, "mew": 1.2, "ms": 4.8, "ls": "none"}


def fitted(paper: Sheet, text: str, points: float, bold: bool, room: float) -> str:
    """Break a text into lines that fit."""
    width = len(text)
    while width > 12 and paper.measure(textwrap.fill(text, width), points, bold)[0] > room:
        width -= 2
    return textwrap.fill(text, width) if text else text


def label_lines(text: str, width: int, longest: int = 96) -> str:
    """Return a label that can be drawn, in several lines if it is long."""
    return wrapped(shortened(drawable(text), longest), width) if len(text) > width else drawable(text)


def dark(color: str) -> str:
    """Return a color dark enough for text on white."""
    return "#" + "".join(f"{round(0.8 * int(color[k : k + 2], 16)):02x}" for k in (1, 3, 5))


def lighter(color: str) -> str:
    """Return a color light enough to see dark lines on it."""
    return "#" + "".join(f"{round(255 - 0.45 * (255 - int(color[k : k + 2], 16))):02x}" for k in (1, 3, 5))


def short_number(value: float) -> str:
    """Write a positive value to three digits, or whole if it has more."""
    return _power(f"{value:#.3g}".rstrip(".")) if value < 999.5 else f"{value:,.0f}".replace(",", "\N{THIN SPACE}")


def tick(value: float, position: int | None = None) -> str:
    """Write a number at an axis, thousands apart by a thin space."""
    size = abs(value)
    if size >= 1e7 or 0 < size < 1e-3:
        return _power(f"{value:.0e}")
    return f"{value:,.7g}".replace(",", "\N{THIN SPACE}").replace("-", "\N{MINUS SIGN}")


def _power(text: str) -> str:
    """Write a power of ten without the plus and the leading zero."""
    return text.replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
