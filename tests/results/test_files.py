"""Files: exact round trips, and clear words about files that are not results."""

import io
import json
import os
import sys
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.results import Results
from sidelight.results import provenance as origins

from .making import make

SUFFIXES = (".npz", ".parquet")
FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FINITE | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
SYMBOLS = st.recursive(
    # A game with True and 1, or False and 0, is refused.
    st.none() | st.booleans() | st.integers(2) | st.integers(max_value=-1) | st.text(),
    lambda inner: st.lists(inner, max_size=2).map(tuple),
    max_leaves=4,
)


@st.composite
def any_results(draw):
    runs, checkpoints, actions = (draw(st.integers(1, 4)) for _ in range(3))
    outcomes = draw(st.integers(1, 3))

    def rows(values, height, width):
        return draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=height, max_size=height))

    losses = st.fractions(-9, 9, max_denominator=99)
    name = draw(st.none() | st.text())
    game = Game(rows(losses, actions, outcomes), rows(SYMBOLS, actions, outcomes), name=name)
    steps = draw(st.lists(st.integers(1, 2**40), min_size=checkpoints, max_size=checkpoints))
    return Results(
        game=game,
        strategy={"name": "A", "parameters": draw(st.dictionaries(st.text(), JSON, max_size=3))},
        environment={"name": "IID", "law": draw(JSON)},
        rounds=np.cumsum(steps),
        regret=np.array(rows(FINITE, runs, checkpoints)),
        plays=rows(st.integers(0, 2**62), runs, actions),
        seed=draw(JSON),
        regret_kind=draw(st.sampled_from(["pseudo-regret", "hindsight"])),
        seconds=draw(st.none() | st.floats(0, 1e9)),
        manifest={"note": draw(JSON)},
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(results=any_results())
def test_the_round_trip_is_exact(tmp_path, suffix, results):
    path = tmp_path / f"results{suffix}"
    results.save(path)
    loaded = Results.load(path)
    assert loaded == results
    assert loaded.manifest == results.manifest
    assert (loaded.game, loaded.game.name, loaded.game.actions) == (
        results.game,
        results.game.name,
        results.game.actions,
    )
    for array in ("rounds", "regret", "plays"):
        ours, theirs = getattr(results, array), getattr(loaded, array)
        assert (ours.dtype, ours.shape, ours.tobytes()) == (theirs.dtype, theirs.shape, theirs.tobytes())
        assert not theirs.flags.writeable


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_origin_is_that_of_the_writer(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    results = make(seconds=1.25, manifest={"numpy": "1.0", "created": "2020-01-01T00:00:00+00:00", "sidelight": "0.0"})
    results.save(path)
    assert Results.load(path).manifest == results.manifest
    assert Results.load(path).seconds == 1.25


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_write_that_fails_leaves_the_old_file(tmp_path, suffix, monkeypatch):
    path = tmp_path / f"r{suffix}"
    make().save(path)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", interrupted)
    monkeypatch.setattr(pyarrow.parquet.ParquetWriter, "write_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make([7, 8, 9]).save(path)
    assert os.listdir(tmp_path) == [path.name]
    assert Results.load(path) == make()


class Color(IntEnum):
    RED = 1


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_symbols_that_no_file_can_hold_become_text(tmp_path, suffix):
    game = Game([[0, 1, 2]] * 3, [[0.5, "0.5", 0.5], [Fraction(1, 3), 2, Color.RED], [(0.25, "x"), None, "y"]])
    results = make(game=game, plays=[[1, 2, 3]] * 3)
    path = tmp_path / f"r{suffix}"
    results.save(path)
    loaded = Results.load(path)
    # The number 0.5 is one symbol and the text "0.5" another.
    third, red = "Fraction(1, 3)", "<Color.RED: 1>"
    assert loaded.game.feedback == (("0.5 #2", "0.5", "0.5 #2"), (third, 2, red), ("(0.25, 'x')", None, "y"))
    assert loaded.manifest["symbols_as_text"] == ["(0.25, 'x')", "0.5 #2", red, third]
    assert loaded.manifest == results.manifest
    assert [loaded.game.signal(a) for a in range(3)] == [game.signal(a) for a in range(3)]
    assert loaded == results
    loaded.save(path)
    assert Results.load(path).manifest == results.manifest


def test_others_see_a_long_table(tmp_path):
    path = tmp_path / "r.parquet"
    results = make([1, 3], name="RandCBP")
    results.save(path)
    frame = pandas.read_parquet(path)
    pandas.testing.assert_frame_equal(frame, results.to_frame("pandas"))
    assert list(frame.columns) == ["game", "strategy", "run", "round", "regret"]
    assert polars.read_parquet(path).to_dicts() == list(results.to_records())
    metadata = pyarrow.parquet.read_schema(path).metadata
    assert json.loads(metadata[b"sidelight.manifest"]) == results.manifest
    assert json.loads(metadata[b"sidelight.plays"]) == results.plays.tolist()


def test_numpy_reads_the_arrays(tmp_path):
    path = tmp_path / "r.npz"
    make([1, 3]).save(path)
    with np.load(path, allow_pickle=False) as archive:
        assert archive["regret"].tolist() == [[0.5, 1.0], [1.5, 3.0]]
        assert json.loads(str(archive["manifest"]))["game"]["name"] == "apples"


def test_pyarrow_is_asked_for(tmp_path, monkeypatch):
    make().save(tmp_path / "old.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SidelightError, match=r"pip install pyarrow`, or name the file .npz"):
        make().save(tmp_path / "new.parquet")
    with pytest.raises(SidelightError, match="Parquet files need pyarrow"):
        Results.load(tmp_path / "old.parquet")
    assert os.listdir(tmp_path) == ["old.parquet"]
    make().save(tmp_path / "new.npz")
    assert Results.load(tmp_path / "new.npz") == make()


def test_paths_that_cannot_be(tmp_path):
    for name in ("r.csv", "r", "r.pkl"):
        with pytest.raises(SidelightError, match=r"name the file .parquet or .npz"):
            make().save(tmp_path / name)
        with pytest.raises(SidelightError, match=r"name the file .parquet or .npz"):
            Results.load(tmp_path / name)
    for suffix in SUFFIXES:
        with pytest.raises(FileNotFoundError, match="there is no file"):
            Results.load(tmp_path / f"none{suffix}")
        (tmp_path / f"folder{suffix}").mkdir()
        with pytest.raises(SidelightError, match="is a folder"):
            Results.load(tmp_path / f"folder{suffix}")
        with pytest.raises(SidelightError, match="is a folder"):
            make().save(tmp_path / f"folder{suffix}")


def foreign_files():
    npy, npz, pickled, table = io.BytesIO(), io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(npy, np.arange(3))
    np.savez(npz, regret=np.zeros((1, 1)))
    np.savez(
        pickled, **dict.fromkeys(("manifest", "rounds", "regret", "plays", "sha256"), np.array([{}], dtype=object))
    )
    pyarrow.parquet.write_table(pyarrow.table({"run": [0], "round": [1], "regret": [0.0]}), table)
    return {
        "npy": npy,
        "npz": npz,
        "pickle": pickled,
        "parquet": table,
        "empty": io.BytesIO(),
        "text": io.BytesIO(b"hello"),
    }


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", foreign_files())
def test_foreign_files_are_refused(tmp_path, suffix, kind):
    path = tmp_path / f"r{suffix}"
    path.write_bytes(foreign_files()[kind].getvalue())
    with pytest.raises(SidelightError, match="is damaged, or not a file that sidelight wrote"):
        Results.load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_truncated_files_are_refused(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    make().save(path)
    content = path.read_bytes()
    for size in sorted({*range(0, len(content), 97), *range(len(content) - 30, len(content))}):
        path.write_bytes(content[:size])
        with pytest.raises(SidelightError, match=r"r\."):
            Results.load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.filterwarnings("default")
def test_a_flipped_bit_is_refused_or_harmless(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    results = make()
    results.save(path)
    content = path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            loaded = Results.load(path)
        except SidelightError:
            refused += 1
        else:
            assert loaded == results
            assert loaded.manifest == results.manifest
    assert refused > 100


def rewrite(path, **changes):
    """Write the parts of a .npz file again with some of them changed, as somebody with an editor would."""
    with np.load(path) as archive:
        parts = dict(archive)
    np.savez(path, **parts | changes)


@pytest.mark.parametrize("change", [{"regret": np.zeros((3, 2))}, {"plays": np.zeros((3, 2), int)}, {"rounds": [1, 2]}])
def test_edited_numbers_are_refused(tmp_path, change):
    path = tmp_path / "r.npz"
    make().save(path)
    rewrite(path, **change)
    with pytest.raises(SidelightError, match="damaged or was edited"):
        Results.load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_other_format_versions_are_named(tmp_path, suffix, monkeypatch):
    path = tmp_path / f"r{suffix}"
    with monkeypatch.context() as patch:
        patch.setattr(origins, "FORMAT_VERSION", 3)
        make().save(path)
    with pytest.raises(SidelightError, match="has format version 3 and this sidelight reads version 1"):
        Results.load(path)


@pytest.mark.parametrize("manifest", ["[]", "{}", '{"format": "other"}'])
def test_other_manifests_are_refused(tmp_path, manifest):
    path = tmp_path / "r.npz"
    make().save(path)
    rewrite(path, manifest=np.array(manifest))
    with pytest.raises(SidelightError, match="does not hold results of sidelight"):
        Results.load(path)


def test_contents_that_fit_the_digest_but_make_no_sense_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "r.npz"
    with monkeypatch.context() as patch:
        patch.setattr(origins, "write_game_and_texts_in_results", lambda game: ({"loss": [[1]]}, []))
        make().save(path)
    with pytest.raises(SidelightError, match=r"r.npz'.*'feedback' is missing"):
        Results.load(path)


def test_rows_out_of_order_are_refused(tmp_path):
    path = tmp_path / "r.parquet"
    make().save(path)
    table = pyarrow.parquet.read_table(path)
    pyarrow.parquet.write_table(table.take([1, 0, 2, 3, 4, 5]), path)
    with pytest.raises(SidelightError, match="rows are missing or out of order"):
        Results.load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_measures_come_back(tmp_path, suffix):
    measures = {"f1": [0.5, 1.0], "certain": [[True, False], [False, False]], "verifications": [3, 4]}
    for results in (
        make([1, 2], measures=measures),
        Results(game=None, strategy={"name": "sequential"}, environment={"name": "x"}, seed=0, measures=measures),
    ):
        path = tmp_path / f"r{suffix}"
        results.save(path)
        assert Results.load(path) == results
        assert {name: values.dtype.kind for name, values in Results.load(path).measures.items()} == {
            "f1": "f",
            "certain": "b",
            "verifications": "i",
        }
