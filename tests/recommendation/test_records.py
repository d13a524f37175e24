"""The summary of a benchmark in a file: the same after reading, and refused if it is something else."""

import pytest

from sidelight import SidelightError
from sidelight.recommendation import records

from .making import summary


def test_what_is_written_is_read(tmp_path):
    whole = summary()
    records.write_benchmark(tmp_path / "summary.json", whole)
    assert records.read_benchmark(tmp_path / "summary.json") == whole
    assert whole.horizons == (1_000, 20_000)


@pytest.mark.parametrize("text", ["{", "5", "{}", '{"facts": {}, "games": [[1, 2]]}'])
def test_something_else_is_refused(tmp_path, text):
    with pytest.raises(FileNotFoundError):
        records.read_benchmark(tmp_path / "summary.json")
    (tmp_path / "summary.json").write_text(text)
    with pytest.raises(SidelightError, match="is not the summary of a benchmark"):
        records.read_benchmark(tmp_path / "summary.json")
