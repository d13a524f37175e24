"""Labeled predictions from files of all kinds: what is read, what is left out, and what is said about it."""

import contextlib
import gzip
import io
import json
import os
import random

import pandas as pd
import pytest

from sidelight.errors import FileError, SidelightError
from sidelight.monitor.inputs import monitor_input_moment
from sidelight.monitor.io.labeled_data import LabeledColumns, read_labeled_data
from sidelight.monitor.io.rows import format_of_rows_file

COLUMNS = LabeledColumns("predicted", "label")
TIMED = LabeledColumns("predicted", "label", "when")

CSV = 'id,predicted,label\n1,cat,cat\n2,cat\n3,dog,"a\nb"\n4,,dog\n5,dog,\n\n6,dog,cat,extra\n7,dog,dog\n'


def test_malformed_csv_lines_are_counted_with_their_numbers(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("\ufeff" + CSV, encoding="utf-8")
    stream = read_labeled_data(path, COLUMNS)
    assert stream.predictions == ["cat", "dog", "dog"]
    assert stream.truths == ["cat", "a\nb", "dog"]
    assert stream.malformed == 4
    assert [one.split(":")[0] for one in stream.complaints] == ["line 3", "line 6", "line 7", "line 9"]
    assert "2 columns where the header has 3" in stream.complaints[0]
    with pytest.raises(SidelightError, match="line 3: 2 columns"):
        read_labeled_data(path, COLUMNS, strict=True)
    assert read_labeled_data(io.StringIO(CSV), COLUMNS, "csv").predictions == stream.predictions


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators(tmp_path, separator):
    path = tmp_path / "log.csv"
    path.write_text(CSV.replace(",", separator))
    assert len(read_labeled_data(path, COLUMNS)) == 3


def test_json_lines(tmp_path):
    lines = [
        '{"predicted": 1, "label": 1}',
        "{broken",
        "[1, 2]",
        '{"predicted": 2.0, "label": 2}',
        "",
        '{"predicted": 1}',
        '{"predicted": [1], "label": 2}',
        '{"predicted": NaN, "label": 2}',
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines))
    stream = read_labeled_data(path, COLUMNS)
    assert (stream.predictions, stream.truths) == ([1, 2], [1, 2])
    assert [one.split(":")[0] for one in stream.complaints] == ["line 2", "line 3", "line 6", "line 7", "line 8"]


def test_parquet_and_gaps(tmp_path):
    path = tmp_path / "log.parquet"
    frame = pd.DataFrame({"predicted": [1, 2, 1], "label": [1.0, None, 2.0], "when": ["2026-01-01"] * 3})
    frame.to_parquet(path)
    stream = read_labeled_data(path, LabeledColumns("predicted", "label", "when"))
    assert (stream.predictions, stream.truths, stream.malformed) == ([1, 1], [1, 2], 1)
    assert stream.times == [1767225600.0] * 2
    path.write_bytes(b"no parquet")
    with pytest.raises(SidelightError, match="is damaged"):
        read_labeled_data(path, COLUMNS)


def test_numbers_and_text_are_compared_as_written(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"predicted": 1, "label": "1"}\n{"predicted": 2, "label": "1"}\n')
    stream = read_labeled_data(path, COLUMNS)
    assert (stream.predictions, stream.truths) == (["1", "2"], ["1", "1"])


def test_what_cannot_be_read_is_said(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(
        SidelightError, match="no column 'predicted'; the columns that the first line names are 'a', 'b'"
    ):
        read_labeled_data(path, COLUMNS)
    path.write_text("predicted,label\nx\n")
    with pytest.raises(SidelightError, match=r"no labeled predictions .* 1 line could not be used, line 2"):
        read_labeled_data(path, COLUMNS)
    for nothing in ("", "\n \n"):
        path.write_text(nothing)
        with pytest.raises(SidelightError, match="the file is empty"):
            read_labeled_data(path, COLUMNS)
    (tmp_path / "log.xlsx").write_text("")
    for source, error in (
        (tmp_path / "log.xlsx", "format"),
        (tmp_path / "x.csv", "no file"),
        (tmp_path / "x", "no file"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises((SidelightError, FileNotFoundError), match=error):
            read_labeled_data(source, COLUMNS)
    with pytest.raises(SidelightError, match="cannot tell the format of standard input"):
        format_of_rows_file(io.StringIO())
    with pytest.raises(SidelightError, match="standard input"):
        read_labeled_data(io.StringIO(), COLUMNS, "parquet")


def write(path, text, **options):
    path.write_text(text, **options)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.csv"


@pytest.mark.parametrize(
    "rest",
    [
        'dog,"dog\ncat,cat\n',  # up to the end of the file
        'dog,"dog\ncat,cat\nbird,"bird"\n',  # up to the next one
        'dog,"dog\n' + "cat,cat\n" * 30_000,  # up to the longest field
    ],
)
def test_a_quotation_mark_that_is_never_closed_is_refused(path, rest):
    with pytest.raises(SidelightError, match="line 3: a quotation mark is opened here and not closed"):
        read_labeled_data(write(path, f"predicted,label\ncat,cat\n{rest}"), COLUMNS)


def test_missing_values_are_not_classes(path):
    cells = ["NaN", "nan", "None", "null", "NULL", "<NA>", "", "  "]
    write(path, "predicted,label\n" + "".join(f"cat,{cell}\n{cell},cat\n" for cell in cells) + "cat,cat\nx\n")
    data = read_labeled_data(path, COLUMNS)
    assert (data.predictions, data.truths) == (["cat"], ["cat"])
    assert data.empty == {"label": 8, "predicted": 8}
    assert data.left_out() == "17 lines could not be used (8 without 'label', 8 without 'predicted' and 1 malformed)"
    assert read_labeled_data(write(path, "predicted,label\nnone,none\nNA,NA\n"), COLUMNS).truths == ["none", "NA"]
    # JSON has a null of its own, so a text is a text there.
    lines = '{"predicted": "null", "label": "null"}\n{"predicted": null, "label": "null"}'
    assert read_labeled_data(io.StringIO(lines), COLUMNS, "jsonl").predictions == ["null"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1767225600", 1767225600.0),
        ("1767225600.25", 1767225600.25),
        ("1.7672256e9", 1767225600.0),
        ("20260101", 1767225600.0),
        ("2026-01-01", 1767225600.0),
        ("2026-01-01 01:00:00+01:00", 1767225600.0),
        (" 2026-01-01T00:00:00Z ", 1767225600.0),
    ],
)
def test_times_are_seconds_or_iso(path, text, seconds):
    assert read_labeled_data(write(path, f"predicted,label,when\na,a,{text}\n"), TIMED).times == [seconds]
    assert monitor_input_moment(text).date().isoformat() == "2026-01-01"


def test_a_bad_time_names_its_line(path):
    write(path, "predicted,label,when\na,a,2026-01-01\na,a,soon\na,a,\na,a,1767225600000\n")
    data = read_labeled_data(path, TIMED)
    assert len(data) == 1
    assert data.complaints[0].startswith("line 3: time is 'soon': give")
    assert data.complaints[1] == "line 4: 'when' is empty"
    assert data.complaints[2].startswith("line 5: time is '1767225600000'")
    assert data.complaints[2].endswith("divide milliseconds by 1000")
    with pytest.raises(SidelightError, match="line 3: time is 'soon'"):
        read_labeled_data(path, TIMED, strict=True)


def test_answers_that_never_came(path):
    write(path, "predicted,label,when,known\na,a,100,150.5\na,a,110,\na,a,105,null\n")
    data = read_labeled_data(path, LabeledColumns("predicted", "label", "when", "known"))
    assert data.answered == [150.5, None, None]
    assert data.notes == ["times are not in order: predictions are taken in the order of the file, not by time"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_that_is_there_twice_is_refused(tmp_path, kind):
    path = tmp_path / f"log.{kind}"
    if kind == "csv":
        path.write_text("predicted,label,x,label,x\na,a,1,b,1\n")
    else:
        import pyarrow
        from pyarrow import parquet

        table = pyarrow.table([["a"], ["a"], ["b"]], names=["predicted", "label", "label"])
        parquet.write_table(table, path)
    with pytest.raises(SidelightError, match="there are 2 columns 'label': rename"):
        read_labeled_data(path, COLUMNS)


def test_latin_1_is_refused_with_the_remedy(path):
    text = "predicted,label\nApfel,Apfel\nÄpfel,Äpfel\n"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SidelightError, match=r"line 3 of .*log.csv' is not in UTF-8 .* 0xc4.* save it as UTF-8"):
        read_labeled_data(path, COLUMNS)
    for name in ("log.jsonl", "log.json"):
        other = path.with_name(name)
        other.write_bytes('\n[{"predicted": "a",\n"label": "Ä"}]'.encode("latin-1"))
        with pytest.raises(SidelightError, match="line 3 of"):
            read_labeled_data(other, COLUMNS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "json"])
def test_encodings_and_gzip(tmp_path, encoding, packed, kind):
    rows = [{"predicted": "Äpfel", "label": "Äpfel"}, {"predicted": "日本", "label": "Äpfel"}]
    text = {
        "csv": "predicted;label\r\n" + "".join(";".join(row.values()) + "\r\n" for row in rows),
        "jsonl": "\n".join(json.dumps(row, ensure_ascii=False) for row in rows),
        "json": json.dumps(rows, ensure_ascii=False, indent=2),
    }[kind]
    path = tmp_path / (f"log.{kind}" + ".gz" * packed)
    content = text.encode(encoding)
    path.write_bytes(gzip.compress(content) if packed else content)
    data = read_labeled_data(path, COLUMNS)
    assert (data.predictions, data.truths) == (["Äpfel", "日本"], ["Äpfel"] * 2)
    with path.open("rb") as file:
        assert read_labeled_data(file, COLUMNS, kind).predictions == data.predictions


def test_damaged_files(tmp_path):
    path = tmp_path / "log.csv.gz"
    packed = gzip.compress(b"predicted,label\n" + os.urandom(1000).hex().encode() + b"\na,a\n" * 1000)
    for damaged in (packed[:-20], packed[:40] + b"x" * 40 + packed[80:]):
        path.write_bytes(damaged)
        with pytest.raises(FileError, match="is damaged"):
            read_labeled_data(path, COLUMNS)
    path.write_bytes("predicted,label\na,a".encode("utf-16")[:-1])
    with pytest.raises(SidelightError, match="cannot be decoded"):
        read_labeled_data(path, COLUMNS)
    path.unlink()
    path.mkdir()
    with pytest.raises(FileError, match="is a folder"):
        read_labeled_data(path, COLUMNS)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[{"predicted": 1, "label": 1}', "not valid JSON .*line 1"),
        ('\n[{"predicted": 1, "label": 1},\n {"predicted" 1}]', "not valid JSON .*line 3"),
        ('[{"predicted": 1, "label": 1}]\n[2]', "not valid JSON .*line 2"),
        ("[]", "no labeled predictions"),
        ("[1, [2], null]", "3 lines could not be used, element 1: not a JSON object"),
    ],
)
def test_arrays_that_cannot_be_read(text, error):
    with pytest.raises(SidelightError, match=error):
        read_labeled_data(io.StringIO(text), COLUMNS, "json")


def test_numbers_and_the_same_numbers_as_text_are_refused():
    lines = ['{"predicted": 1, "label": 1}'] * 5 + [
        '{"predicted": 1, "label": "1"}',
        '{"predicted": 2, "label": "other"}',
    ]
    with pytest.raises(
        SidelightError, match=r"the class 1 is a number in some lines and the text '1' in others.* text"
    ):
        read_labeled_data(io.StringIO("\n".join(lines)), COLUMNS, "jsonl")
    del lines[5]
    data = read_labeled_data(io.StringIO("\n".join(lines)), COLUMNS, "jsonl")
    assert (data.predictions, data.truths) == (["1"] * 5 + ["2"], ["1"] * 5 + ["other"])


def test_whole_numbers_with_gaps_are_written_with_a_point(path):
    frame = pd.DataFrame({"predicted": [1, 2, 3, 1], "label": [1, None, 3, 2]})
    frame.to_csv(path, index=False)
    assert "1,1.0" in path.read_text()
    data = read_labeled_data(path, COLUMNS)
    assert (data.predictions, data.truths) == (["1", "3", "1"], ["1", "3", "2"])
    frame[["label", "predicted"]].set_axis(["predicted", "label"], axis=1).to_csv(path, sep="\t")
    data = read_labeled_data(path, COLUMNS)
    assert (data.predictions, data.truths) == (["1", "3", "2"], ["1", "3", "1"])


def test_columns_that_have_nothing_in_common_are_noticed(path):
    data = read_labeled_data(write(path, "predicted,label\ncat,17\ndog,18\n"), COLUMNS)
    assert data.notes[0].startswith("no prediction is right: the predicted classes ('cat', 'dog')")


def test_the_delimiter_is_the_one_that_finds_the_columns(path):
    text = "a,b,c,d;predicted;label\n1;cat;cat\n"
    assert len(read_labeled_data(write(path, text), COLUMNS)) == 1
    assert (
        len(read_labeled_data(write(path, 'predicted, "label"\ncat, cat \n'), LabeledColumns("predicted", '"label"')))
        == 1
    )


def test_whatever_is_read_is_data_or_a_clear_error():
    draws = random.Random(0)
    pieces = [
        '"',
        ",",
        "\n",
        "a",
        "\r",
        " ",
        "{",
        "}",
        "[",
        "]",
        ":",
        "1",
        "\ufeff",
        "\0",
        "é",
        "\t",
        "|",
        "null",
        "1e999",
    ]
    pieces += ["predicted", "label", '"predicted":1,"label":1']
    for _ in range(3000):
        text, kind = "".join(draws.choices(pieces, k=draws.randrange(30))), draws.choice(["csv", "json", "jsonl"])
        text = f"predicted,label\n{text}" if kind == "csv" and draws.random() < 0.8 else text
        encoded = text.encode(draws.choice(["utf-8", "utf-16", "latin-1"]), "replace")
        source = io.BytesIO(encoded) if draws.random() < 0.7 else io.StringIO(text)
        with contextlib.suppress(SidelightError):
            read_labeled_data(source, COLUMNS, kind, name="noise")
