"""The summary of a benchmark in a file: small, sealed, and the same after reading."""

import json

import pytest

from sidelight import SidelightError
from sidelight.recommendation import records

from .making import summary


def test_what_is_written_is_read(tmp_path):
    whole = summary()
    records.write(tmp_path / "summary.json", whole)
    assert records.read(tmp_path / "summary.json") == whole
    assert whole.horizons == (1_000, 20_000)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data["cells"]["rows"][0].__setitem__(-1, 0.123),
        lambda data: data["pools"]["rows"].pop(),
        lambda data: data.__setitem__("cells_run", 9),
        lambda data: data.pop("digest"),
        lambda data: data.__setitem__("format_version", 99),
        lambda data: data.__setitem__("format", "something else"),
    ],
)
def test_what_was_changed_is_refused(spoil, tmp_path):
    data = summary().to_dict()
    spoil(data)
    (tmp_path / "summary.json").write_text(json.dumps(data))
    with pytest.raises(SidelightError, match=r"changed or cut off|another version"):
        records.read(tmp_path / "summary.json")


def test_no_file_and_no_json(tmp_path):
    with pytest.raises(FileNotFoundError):
        records.read(tmp_path / "summary.json")
    (tmp_path / "summary.json").write_text("{")
    with pytest.raises(SidelightError, match="is not the summary of a benchmark"):
        records.read(tmp_path / "summary.json")
