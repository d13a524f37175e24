"""Recorded outcomes in files."""

import numpy as np
import pytest

from sidelight.errors import NoFileError, SidelightError
from sidelight.studies.build.recordings import load_recording_of_world


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("outcome\n0\nx\n", "row 3: could not convert string to float: 'x'"),
        ("outcome,size\n0,1.5\n1\n", "row 3 has 1 values for 2 columns"),
        ("outcome\n1.5\n", "needs rows of numbers, and as outcomes the whole numbers 0, 1"),
        ("outcome,size\n0,nan\n", "needs rows of numbers"),
        ("outcome\n", "needs rows of numbers"),
        ("result\n1\n", "has no column 'outcome'"),
        ("", "has no column 'outcome'"),
    ],
)
def test_a_csv_file_that_is_wrong_says_where(tmp_path, text, words):
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SidelightError, match=f"mine.csv' {words}"):
        load_recording_of_world(path)


def test_what_a_csv_file_holds(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("size,outcome,age\n0.5,1,3\n1.5,0,4\n", encoding="utf-8-sig")
    found = load_recording_of_world(path, (0.4, 0.6))
    assert found.outcomes.tolist() == [1, 0]
    assert found.contexts.tolist() == [[0.5, 3.0], [1.5, 4.0]]
    assert found.law.tolist() == [0.4, 0.6]


def test_arrays(tmp_path):
    np.save(tmp_path / "one.npy", np.array([0, 1, 1]))
    np.savez(tmp_path / "two.npz", outcomes=np.array([0, 1]), law=np.array([0.5, 0.5]))
    np.savez(tmp_path / "none.npz", law=np.array([0.5, 0.5]))
    assert load_recording_of_world(tmp_path / "one.npy").outcomes.tolist() == [0, 1, 1]
    assert load_recording_of_world(tmp_path / "two.npz").law.tolist() == [0.5, 0.5]
    with pytest.raises(SidelightError, match="has no array 'outcomes'"):
        load_recording_of_world(tmp_path / "none.npz")
    with pytest.raises(SidelightError, match="cannot tell the format"):
        load_recording_of_world(tmp_path / "one.txt")
    with pytest.raises(NoFileError):
        load_recording_of_world(tmp_path / "none.npy")


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "mine.csv"
    for count in (1, 2):
        path.write_text("outcome\n" + "1\n" * count, encoding="utf-8")
        assert len(load_recording_of_world(path).outcomes) == count
    assert load_recording_of_world(path) is load_recording_of_world(path)
