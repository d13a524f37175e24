"""Figures on disk: the same bytes for the same figure whatever the user's settings, and complete or absent."""

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex

import sidelight as sl
from sidelight.errors import SidelightError
from sidelight.report.figures.curves import FigureCurve, Mark, Panel
from sidelight.report.figures.games.game import draw_game_figure
from sidelight.report.figures.quartiles import Sample, draw_quartiles
from sidelight.report.figures.regret import draw_regret_panels
from sidelight.report.figures.saving import save_figure

ROUNDS = np.arange(1.0, 101)
ODD = {"font.size": 20, "lines.linewidth": 9, "lines.linestyle": ":", "text.color": "red", "axes.facecolor": "black"}
FIGURES = {
    "segment": lambda: draw_game_figure(sl.analyze(sl.games.load("tau-detection"))),
    "triangle": lambda: draw_game_figure(sl.analyze(sl.games.load("bartok"))),
    "graph": lambda: draw_game_figure(sl.analyze(sl.games.load("dynamic-pricing"))),
    "regret": lambda: draw_regret_panels(
        [Panel("A", [FigureCurve("CBP", ROUNDS, ROUNDS, mark=Mark(100, 90.0, 2.0))])], "", ""
    ),
    "quartiles": lambda: draw_quartiles({"A": {"all": [Sample("cbp", ROUNDS, 50.0)]}}, "", "", ""),
}


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
@pytest.mark.parametrize("kind", FIGURES)
def test_the_same_bytes_whatever_the_settings(tmp_path, kind, suffix):
    before = dict(matplotlib.rcParams)
    figure = FIGURES[kind]()
    assert dict(matplotlib.rcParams) == before
    assert to_hex(figure.get_facecolor()) == "#ffffff"
    save_figure(figure, tmp_path / f"plain{suffix}")
    with matplotlib.rc_context(ODD):
        save_figure(FIGURES[kind](), tmp_path / f"odd{suffix}")
    first, second = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("plain", "odd"))
    assert len(first) > 1000
    assert first == second


@pytest.mark.parametrize("name", ["figure", "figure.gif", "figure.svgz"])
def test_unknown_formats_are_refused(tmp_path, name):
    with pytest.raises(SidelightError, match=r"\.svg, \.pdf or \.png"):
        save_figure(FIGURES["regret"](), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_failed_save_keeps_the_old_figure(tmp_path, monkeypatch):
    path = tmp_path / "figure.svg"
    path.write_text("old")
    figure = FIGURES["regret"]()

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        save_figure(figure, path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["figure.svg"]
