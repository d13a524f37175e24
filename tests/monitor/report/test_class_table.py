"""One table of classes, shown with other columns in other places."""

import pytest

from sidelight.monitor.replays.records import PolicyReplay, ReplayReport, ReplayTruth
from sidelight.monitor.report.records import ClassReport, Report
from sidelight.monitor.report.wording import class_table_of_report, short_class_name

COUNTS = {"predictions": 2000, "verified": 40, "errors": 8, "pending": 1, "overdue": 0, "skipped": 0, "counted": 40}
REST = {
    "estimate": 0.2,
    "interval": (0.1, 0.30001),
    "saved": 9,
    "stalled": None,
    "decidable": True,
    "stands": None,
    "margin": 0.0,
    "undecidable": None,
    "reopened": 0,
    "alarms": 0,
    "events": (),
}


def report(verdict, needed=0):
    return ClassReport(name="cat", tolerance=0.05, verdict=verdict, needed=needed, **COUNTS, **REST)


@pytest.mark.parametrize(
    ("verdict", "judged"),
    [("above", ("above (wrong)", "wrong")), ("below", ("below",) * 2), ("unknown", ("unknown",) * 2)],
)
def test_what_a_replay_adds(verdict, judged):
    whole = Report((report(verdict),), "cbp", "identify", 0.95, 40, 1, 0, 2000, None, "", None)
    one = PolicyReplay("cbp", "cbp", whole, {}, 0, 0, 0, {})
    done = ReplayReport((ReplayTruth("cat", 0.05, 2000, 20),), (one,), 2000, 40, 0.95, "identify", 0)
    (cells,) = done.class_table("cbp", {"verdict": "verdict_judged", "truth": "truth"}).rows
    assert [(cell.value, cell.look) for cell in cells] == [judged, ("0.0100 below", "below")]


def test_how_values_are_written():
    columns = {"class": "name", "of": "predictions", "estimate": "estimate", "interval": "interval"}
    table = class_table_of_report([report("above")], columns, between=" to ", predictions="{:_}".format, title="Pets")
    assert table.to_text().split("\n")[0] == "Pets"
    assert table.to_text().split("\n")[2].split() == ["cat", "2_000", "0.2000", "0.1000", "to", "0.3000"]


def test_names_are_cut_on_one_line():
    assert short_class_name("cat", 3) == "cat"
    assert short_class_name("four", 3) == "fo…"
    assert "\n" not in short_class_name("a\nb", 9)
    assert short_class_name(7, 3) == "7"
    assert short_class_name("", 3) == "''"
    assert short_class_name("日本語", 5) == "日本…"
    assert short_class_name("a" * 50 + "0123456789", 40) == "a" * 29 + "…0123456789"
