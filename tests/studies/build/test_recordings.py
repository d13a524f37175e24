"""Recorded outcomes in files."""

import numpy as np
import pytest

from sidelight.errors import NoFileError, SidelightError
from sidelight.studies.build.recordings import recording


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("outcome\n0\n1\n0\n1\n0\nx\n", "row 7: outcome 'x' is not a whole number"),
        ("outcome\n0\n1.5\n", "row 3: outcome '1.5' is not a whole number"),
        ("outcome\n-1\n", "row 2: outcome -1 is not the index of an outcome"),
        ("outcome,size\n0,1.5\n1,\n", "row 3: size '' is not a number"),
        ("outcome,size\n0,1.5\n1\n", "row 3: size '' is not a number"),
        ("outcome,size\n0,nan\n", "row 2: size 'nan' is not a number"),
        ("outcome,size\n0,1,2\n", "row 2 has more values than there are columns"),
        ("outcome\n", "has the names of columns, but no rows"),
        ("", "has no column 'outcome'"),
        ("result\n1\n", "has no column 'outcome'"),
    ],
)
def test_a_csv_file_that_is_wrong_says_where(tmp_path, text, words):
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SidelightError, match=f"mine.csv' {words}"):
        recording(path)


def test_what_a_csv_file_holds(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("size,outcome,age\n0.5,1,3\n1.5,0,4\n", encoding="utf-8-sig")
    found = recording(path, (0.4, 0.6))
    assert found.outcomes.tolist() == [1, 0]
    assert found.contexts.tolist() == [[0.5, 3.0], [1.5, 4.0]]
    assert found.law.tolist() == [0.4, 0.6]


def test_a_file_that_is_no_csv_is_refused(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(b"outcome\n\xff\n")
    with pytest.raises(SidelightError, match="is not UTF-8 text"):
        recording(path)
    path.write_text(f"outcome\n{'1' * 200_000}\n", encoding="utf-8")
    with pytest.raises(SidelightError, match="cannot be read as CSV: field larger"):
        recording(path)


def test_arrays(tmp_path):
    np.save(tmp_path / "one.npy", np.array([0, 1, 1]))
    np.savez(tmp_path / "two.npz", outcomes=np.array([0, 1]), law=np.array([0.5, 0.5]))
    np.savez(tmp_path / "none.npz", law=np.array([0.5, 0.5]))
    assert recording(tmp_path / "one.npy").outcomes.tolist() == [0, 1, 1]
    assert recording(tmp_path / "two.npz").law.tolist() == [0.5, 0.5]
    with pytest.raises(SidelightError, match="has no array 'outcomes'"):
        recording(tmp_path / "none.npz")
    with pytest.raises(SidelightError, match="cannot tell the format"):
        recording(tmp_path / "one.txt")
    with pytest.raises(NoFileError):
        recording(tmp_path / "none.npy")


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "mine.csv"
    for count in (1, 2):
        path.write_text("outcome\n" + "1\n" * count, encoding="utf-8")
        assert len(recording(path).outcomes) == count
    assert recording(path) is recording(path)
