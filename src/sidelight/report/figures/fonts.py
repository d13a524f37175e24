"""Fonts for names in any script: the font of all figures first, then system fonts for the characters it lacks."""

from __future__ import annotations

import functools

FONT = "DejaVu Sans"  # ships with Matplotlib, so figures look the same everywhere
_DPI = 100
_FURTHER = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Hiragino Sans", "PingFang SC", "Apple SD Gothic Neo", "Yu Gothic"),
    *("Microsoft YaHei", "Malgun Gothic", "WenQuanYi Micro Hei", "Noto Sans Devanagari", "Noto Sans Thai"),
)
_NO_GLYPH = "\N{WHITE SQUARE}"


@functools.cache
def installed_font_families() -> tuple[str, ...]:
    """Return the fonts that are installed."""
    from matplotlib import font_manager

    there = set(font_manager.get_font_names())
    return (FONT, *(name for name in _FURTHER if name in there))


def drawable_text(text: str) -> str:
    """Return a text with a square for each character that no font has and that Matplotlib would warn about."""
    return text if text.isascii() else "".join(c if ord(c) in _characters_in_fonts() else _NO_GLYPH for c in text)


@functools.cache
def _characters_in_fonts() -> frozenset[int]:
    from matplotlib import font_manager

    found = (font_manager.get_font(font_manager.findfont(name)).get_charmap() for name in installed_font_families())
    return frozenset().union(*found)


@functools.lru_cache(maxsize=10_000)
def measure_drawn_text(text: str, size: float) -> tuple[float, float]:
    """Return the width and height of a text in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(dpi=_DPI)
    artist = figure.text(0, 0, text, family=FONT, fontsize=size, parse_math=False, linespacing=1.15)
    extent = artist.get_window_extent(FigureCanvasAgg(figure).get_renderer())
    return extent.width / _DPI, extent.height / _DPI
