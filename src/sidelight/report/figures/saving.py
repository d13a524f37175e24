"""Save figures: a file is complete or absent, and the same figure gives the same bytes."""

from __future__ import annotations

import importlib.util
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight._storage import replacing_file
from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNDATED: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {},
}
FORMATS = tuple(_UNDATED)
"""The suffixes that a figure's file may have."""


def check_figure_path(path: str | os.PathLike[str]) -> None:
    """Raise the error that `save_figure` would raise for this path, as far as it can be foreseen."""
    if Path(path).suffix.lower() not in FORMATS:
        *others, last = FORMATS
        raise SidelightError(
            f"cannot tell the format of the figure {os.fspath(path)!r}: name it {', '.join(others)} or {last}"
        )
    if os.path.isdir(path):
        raise SidelightError(f"cannot write the figure: {os.fspath(path)!r} is a folder")


def require_matplotlib() -> None:
    """Raise an error if figures cannot be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise SidelightError("figures are drawn by Matplotlib, which is not installed: pip install matplotlib")


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as SVG, PDF or PNG, chosen by the suffix of `path`."""
    check_figure_path(path)
    with replacing_file(path) as draft:
        _write_figure(figure, draft, Path(path).suffix.lower())


def save_figure_for_report(figure: Figure, path: Path) -> str:
    """Write a figure as `path` with the suffixes .svg and .png; return the text of the former."""
    for suffix in (".svg", ".png"):
        save_figure(figure, path.with_name(path.name + suffix))
    return path.with_name(f"{path.name}.svg").read_text(encoding="utf-8")


def figure_as_svg_text(figure: Figure) -> str:
    """Return a figure as the text of an SVG file."""
    buffer = io.StringIO()
    _write_figure(figure, buffer, ".svg")
    return buffer.getvalue()


def _write_figure(figure: Figure, target: Any, suffix: str) -> None:
    from matplotlib import rc_context

    # Type 42 fonts, because journals refuse type 3; a fixed salt, because the default one is random.
    settings = {"svg.hashsalt": "sidelight", "svg.fonttype": "path", "pdf.fonttype": 42, "savefig.bbox": None}
    with rc_context(settings):
        figure.savefig(target, format=suffix[1:], dpi=200, metadata=_UNDATED[suffix], facecolor="white")


def return_or_save_figure(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    """Return a figure, written to `path` if there is one."""
    if path is not None:
        save_figure(figure, path)
    return figure
