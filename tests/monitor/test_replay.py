"""Labeled predictions of the past: reading them, and what each policy makes of them."""

import io
import json
import random

import numpy as np
import pandas as pd
import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, replay
from sidelight.monitor.labeled_data import Columns, format_of, read_labeled

RATES = {"cat": 0.01, "dog": 0.03, "horse": 0.2}
COLUMNS = Columns("predicted", "label")


def labeled(count=4000, seed=1):
    draws = random.Random(seed)
    names = [draws.choice(list(RATES)) for _ in range(count)]
    return names, [name if draws.random() >= RATES[name] else "other" for name in names]


def test_policies_side_by_side():
    names, truths = labeled(8000)
    done = replay(names, truths, 0.05)
    assert [one.policy for one in done.policies] == ["randcbp", "cbp", "explore", "sequential"]
    assert done.predictions == 8000
    assert done.wald == done["explore"].verifications
    assert done.saved_of_wald(done["explore"]) == 0
    for one in done.policies:
        assert one.right + one.wrong + one.unknown == 3
        assert one.wrong == 0
        assert one.report["horse"].verdict == "above"
        assert one.first_certain["horse"] <= 8000
    assert done["sequential"].verifications < 0.5 * done.wald
    assert {truth.name: truth.verdict for truth in done.truths} == {"cat": "below", "dog": "below", "horse": "above"}
    path = done["sequential"].paths["cat"]
    assert path[-1].position == 8000
    assert path[-1].high == done["sequential"].report["cat"].interval[1]
    assert all(one.low <= one.estimate <= one.high for one in path if one.estimate is not None)
    json.dumps(done.to_dict())
    with pytest.raises(SidelightError):
        done["other"]


def test_a_replay_is_what_a_monitor_would_have_done():
    names, truths = labeled()
    monitor = ClassifierMonitor(0.05, policy="randcbp", seed=4)
    for place, (name, truth) in enumerate(zip(names, truths, strict=True)):
        if monitor.decide(name, id=place).verify:
            monitor.answer(place, label=truth)
    found = replay(names, truths, 0.05, ["randcbp"], seed=4)["randcbp"].report
    assert {one.name: one for one in found.classes} == {one.name: one for one in monitor.report().classes}


def test_late_answers_caps_and_progress():
    names, truths = labeled()
    steps = []
    late = replay(names, truths, 0.05, ["sequential"], delay=np.int64(300), cap=500, advance=steps.append)
    assert late["sequential"].verifications <= 500
    assert late["sequential"].report.pending == 0
    assert sum(steps) == 4000
    days = [f"2026-01-{1 + place // 200:02}" for place in range(4000)]
    capped = replay(names, truths, 0.05, ["explore"], times=days, daily_cap=10)
    assert capped["explore"].verifications == 200
    with pytest.raises(SidelightError, match="delay"):
        replay(names, truths, 0.05, delay=-1)
    with pytest.raises(SidelightError, match="no predictions"):
        replay([], [], 0.05)


CSV = 'id,predicted,label\n1,cat,cat\n2,cat\n3,dog,"a\nb"\n4,,dog\n5,dog,\n\n6,dog,cat,extra\n7,dog,dog\n'


def test_malformed_csv_lines_are_counted_with_their_numbers(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("\ufeff" + CSV, encoding="utf-8")
    stream = read_labeled(path, COLUMNS)
    assert stream.predictions == ["cat", "dog", "dog"]
    assert stream.truths == ["cat", "a\nb", "dog"]
    assert stream.malformed == 4
    assert [one.split(":")[0] for one in stream.complaints] == ["line 3", "line 6", "line 7", "line 9"]
    assert "2 columns where the header has 3" in stream.complaints[0]
    with pytest.raises(SidelightError, match="line 3: 2 columns"):
        read_labeled(path, COLUMNS, strict=True)
    assert read_labeled(io.StringIO(CSV), COLUMNS, "csv").predictions == stream.predictions


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators(tmp_path, separator):
    path = tmp_path / "log.csv"
    path.write_text(CSV.replace(",", separator))
    assert len(read_labeled(path, COLUMNS)) == 3


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
    stream = read_labeled(path, COLUMNS)
    assert (stream.predictions, stream.truths) == ([1, 2], [1, 2])
    assert [one.split(":")[0] for one in stream.complaints] == ["line 2", "line 3", "line 6", "line 7", "line 8"]


def test_parquet_and_gaps(tmp_path):
    path = tmp_path / "log.parquet"
    frame = pd.DataFrame({"predicted": [1, 2, 1], "label": [1.0, None, 2.0], "when": ["2026-01-01"] * 3})
    frame.to_parquet(path)
    stream = read_labeled(path, Columns("predicted", "label", "when"))
    assert (stream.predictions, stream.truths, stream.malformed) == ([1, 1], [1, 2], 1)
    assert stream.times == ["2026-01-01"] * 2
    path.write_bytes(b"no parquet")
    with pytest.raises(SidelightError, match="is damaged"):
        read_labeled(path, COLUMNS)


def test_numbers_and_text_are_compared_as_written(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"predicted": 1, "label": "1"}\n{"predicted": 2, "label": "1"}\n')
    stream = read_labeled(path, COLUMNS)
    assert (stream.predictions, stream.truths) == (["1", "2"], ["1", "1"])


def test_what_cannot_be_read_is_said(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SidelightError, match="no column 'predicted'; the columns are 'a', 'b'"):
        read_labeled(path, COLUMNS)
    path.write_text("predicted,label\nx\n")
    with pytest.raises(SidelightError, match=r"no labeled predictions .* 1 lines could not be used, line 2"):
        read_labeled(path, COLUMNS)
    path.write_text("")
    with pytest.raises(SidelightError, match="no column"):
        read_labeled(path, COLUMNS)
    for source, error in ((tmp_path / "log.xlsx", "format"), (tmp_path / "x.csv", "no file"), (tmp_path, "format")):
        with pytest.raises((SidelightError, FileNotFoundError), match=error):
            read_labeled(source, COLUMNS)
    with pytest.raises(SidelightError, match="cannot tell the format of standard input"):
        format_of(io.StringIO())
    with pytest.raises(SidelightError, match="standard input"):
        read_labeled(io.StringIO(), COLUMNS, "parquet")


def test_a_quotation_mark_that_is_never_closed_is_said(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('predicted,label\ncat,cat\ndog,"dog\ncat,cat\n')
    stream = read_labeled(path, COLUMNS)
    assert stream.predictions == ["cat", "dog"]  # valid CSV, alas: a label of two lines
    path.write_text('predicted,label\ncat,cat\n"dog,dog\ncat,cat\n')
    stream = read_labeled(path, COLUMNS)
    assert stream.complaints == [
        "line 3: 1 column where the header has 2 (a quotation mark joins it with the lines up to 4)"
    ]


def test_bytes_that_are_no_text_cost_one_line(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(b"predicted,label\ncat,cat\n\xff\xfe\ndog,dog\n")
    stream = read_labeled(path, COLUMNS)
    assert (len(stream), stream.malformed) == (2, 1)
