"""`plot()` of games, analyses and results: a figure without a window, and a file where a path is given."""

import sys

import matplotlib
import pytest
from figure_extents import words
from matplotlib.figure import Figure
from test_regret_figure import ROUNDS, made

from sidelight import analyze, games
from sidelight.errors import SidelightError

GAME = games.load("apple-tasting")
PLOTTED = {"game": GAME, "analysis": analyze(GAME), "results": made()}


@pytest.mark.parametrize("kind", PLOTTED)
def test_plot_returns_a_figure_and_writes_it(kind, tmp_path):
    before = dict(matplotlib.rcParams)
    figure = PLOTTED[kind].plot(tmp_path / "a.svg")
    assert isinstance(figure, Figure)
    PLOTTED[kind].plot(str(tmp_path / "b.svg"))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert dict(matplotlib.rcParams) == before


def test_a_game_looks_like_its_analysis():
    assert words(GAME.plot()) == words(analyze(GAME).plot())


def test_others_and_a_limit_are_in_the_same_figure():
    figure = made().plot(others=[made("RandCBP"), made()], limit=(ROUNDS, ROUNDS**0.5))
    assert [line.get_label() for line in figure.axes[1].lines] == ["CBP", "RandCBP", "CBP #2", "limit"]


@pytest.mark.parametrize("kind", PLOTTED)
def test_without_matplotlib_the_error_says_what_to_install(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SidelightError, match=r"pip install matplotlib"):
        PLOTTED[kind].plot()


def test_a_wrong_path_is_explained(tmp_path):
    with pytest.raises(SidelightError, match=r"\.svg, \.pdf or \.png"):
        GAME.plot(tmp_path / "figure.gif")
