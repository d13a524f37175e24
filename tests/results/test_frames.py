"""The long table, with and without a data frame library."""

import sys

import pandas
import polars
import pytest

from sidelight.errors import SidelightError
from sidelight.game import Game

from .making import make

ROWS = [
    {"game": "apples", "strategy": "A", "run": 0, "round": 5, "regret": 0.5},
    {"game": "apples", "strategy": "A", "run": 0, "round": 10, "regret": 1.0},
    {"game": "apples", "strategy": "A", "run": 1, "round": 5, "regret": 1.5},
    {"game": "apples", "strategy": "A", "run": 1, "round": 10, "regret": 3.0},
]


def test_records_need_nothing(monkeypatch):
    for library in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, library, None)
    records = list(make([1, 3]).to_records())
    assert records == ROWS
    assert [type(value) for value in records[0].values()] == [str, str, int, int, float]


def test_pandas_comes_first():
    frame = make([1, 3]).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.to_dict("records") == ROWS
    assert [str(frame[column].dtype) for column in ("run", "round", "regret")] == ["int64", "int64", "float64"]


def test_changing_a_frame_changes_no_results():
    results = make([1, 3])
    frame = results.to_frame()
    frame["regret"] = frame["regret"] + 1
    frame.loc[0, "round"] = 99
    assert results == make([1, 3])


def test_polars_if_named_or_alone(monkeypatch):
    results = make([1, 3])
    assert results.to_frame("polars").to_dicts() == ROWS
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(results.to_frame(), polars.DataFrame)


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SidelightError, match=r"^pandas is not installed: run `pip install pandas`"):
        make().to_frame("pandas")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(SidelightError, match=r"^neither pandas nor polars is installed: run `pip install pandas`"):
        make().to_frame()


def test_an_unknown_backend_is_refused():
    with pytest.raises(SidelightError, match="no backend 'dask': give 'pandas' or 'polars'"):
        make().to_frame("dask")


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_games_without_a_name_can_be_grouped(backend):
    bare = make(game=Game([[1, 0], [0, 1]], [[0, 0], [0, 1]]))
    assert set(bare.to_frame(backend)["game"]) == {"unnamed"}
