"""The monitor in real life: repeats, late and corrected answers, caps, pending, classes that appear."""

import random
import subprocess
import sys
from datetime import UTC, date, datetime
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.errors import ParameterError, SidelightError
from sidelight.monitor import ClassifierMonitor, UnknownIdError
from sidelight.monitor.policies import Explore, RandCBPPolicy

POLICIES = ("randcbp", "cbp", "explore", "sequential")
RATES = {"cat": 0.01, "dog": 0.05, "horse": 0.2}


def traffic(count, seed=1, rates=None):
    rates = RATES if rates is None else rates
    draws = random.Random(seed)
    names = [draws.choice(list(rates)) for _ in range(count)]
    return [(name, draws.random() < rates[name]) for name in names]


def run(monitor, stream, start=0):
    decisions = []
    for place, (name, wrong) in enumerate(stream, start):
        decision = monitor.decide(name, id=place)
        decisions.append(decision)
        if decision.verify:
            monitor.answer(place, correct=not wrong)
    return decisions


@pytest.mark.parametrize("policy", POLICIES)
def test_verdicts_of_clear_classes(policy):
    monitor = ClassifierMonitor(0.05, policy=policy)
    run(monitor, traffic(12_000))
    report = monitor.report()
    assert report["cat"].verdict == "below"
    assert report["horse"].verdict == "above"
    for one in report.classes:
        assert one.interval[0] <= one.estimate <= one.interval[1]
        assert one.saved == one.predictions - one.verified
        assert one.pending == 0
    assert report.predictions == 12_000
    assert report.verifications == sum(one.verified for one in report.classes) < 12_000
    assert report.saved == 12_000 - report.verifications


@pytest.mark.parametrize("policy", POLICIES)
def test_identify_stops_and_guard_goes_on(policy):
    stream = traffic(12_000)
    asked = {}
    for mode in ("identify", "guard"):
        monitor = ClassifierMonitor(0.05, policy=policy, mode=mode, drift=False)
        run(monitor, stream)
        asked[mode] = {one.name: one.verified for one in monitor.report().classes}
    predictions, others = (sum(name == one for name, _ in stream) for one in ("horse", "cat"))
    if policy == "explore":
        assert asked["identify"]["cat"] == asked["guard"]["cat"] == 2628
    else:
        assert asked["identify"]["horse"] < 200
    assert asked["guard"]["horse"] > 0.97 * predictions
    assert asked["guard"]["cat"] < others


def test_explore_fills_its_number_of_labels():
    monitor = ClassifierMonitor(0.05, policy="explore", drift=False)
    run(monitor, traffic(12_000))
    assert [one.verified for one in monitor.report().classes] == [2628] * 3
    monitor = ClassifierMonitor(0.05, policy="explore", failure=0.05, half_width=0.2, drift=False)
    run(monitor, traffic(9_000))
    assert {one.verified for one in monitor.report().classes} == {381}


def test_same_id_same_decision():
    monitor = ClassifierMonitor(0.2, policy="randcbp")
    stream = traffic(3000)
    first = run(monitor, stream)
    before = monitor.to_dict()
    again = [monitor.decide(name, id=place) for place, (name, _) in enumerate(stream)]
    assert again == first
    assert {one.verify for one in first} == {True, False}
    assert monitor.to_dict() == before
    assert monitor.decide_many([name for name, _ in stream], ids=list(range(3000))) == first


def test_an_id_belongs_to_one_class():
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide("cat", id="a")
    before = monitor.to_dict()
    with pytest.raises(SidelightError, match="'a' was decided as 'cat' and is now 'dog'"):
        monitor.decide("dog", id="a")
    assert monitor.to_dict() == before


def test_ids_are_made_up_and_never_clash():
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide("cat", id="auto-2")
    ids = [monitor.decide("cat").id for _ in range(5)]
    assert len({*ids, "auto-2"}) == 6
    for id in ids:
        monitor.answer(id, correct=True)
    assert monitor.report()["cat"].verified == 5


def test_answers_late_twice_corrected_skipped():
    monitor = ClassifierMonitor(0.05, policy="sequential", confidence=0.999)
    for id in "abcd":
        assert monitor.decide("cat", id=id).verify
    assert monitor.report()["cat"].pending == 4
    assert monitor.answer("c", correct=False).status == "recorded"
    assert monitor.answer("a", label="cat").correct is True
    assert monitor.answer("b", label="dog").correct is False
    said = monitor.answer("b", correct=False)
    assert (said.status, said.changed) == ("unchanged", False)
    assert "already" in said.text
    said = monitor.answer("b", correct=True)
    assert (said.status, said.previous, said.correct) == ("corrected", False, True)
    assert "it was wrong before" in said.text
    assert monitor.answer("d", skipped=True).status == "released"
    one = monitor.report()["cat"]
    assert (one.verified, one.errors, one.pending, one.skipped) == (3, 1, 0, 1)
    assert monitor.answer("d", correct=True).status == "recorded"
    assert monitor.answer("c", skipped=True).status == "withdrawn"
    one = monitor.report()["cat"]
    assert (one.verified, one.errors, one.pending, one.skipped) == (3, 0, 0, 1)


@pytest.mark.parametrize(
    ("id", "answer", "error"),
    [
        ("nobody", {"correct": True}, "no verification with the id 'nobody'"),
        ("passed", {"correct": True}, "was let pass"),
        ("asked", {}, "an answer is one of"),
        ("asked", {"correct": True, "label": "cat"}, "an answer is one of"),
        ("asked", {"correct": True, "skipped": True}, "an answer is one of"),
        ("asked", {"correct": "yes"}, "give True or False"),
        ("asked", {"label": [1]}, "not a class"),
        (None, {"correct": True}, "not an id"),
        (1.5, {"correct": True}, "not an id"),
    ],
)
def test_wrong_answers_change_nothing(id, answer, error):
    monitor = ClassifierMonitor(0.05, policy="sequential", cap=1)
    monitor.decide("cat", id="asked")
    monitor.decide("cat", id="passed")
    before = monitor.to_dict()
    with pytest.raises(SidelightError, match=error) as caught:
        monitor.answer(id, **answer)
    assert isinstance(caught.value, UnknownIdError) == (id in ("nobody", "passed"))
    assert monitor.to_dict() == before


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_order_of_answers_cannot_matter(data):
    """Answers, corrections and skips in any order with the same last word give the same report."""
    last = data.draw(st.lists(st.sampled_from(["right", "wrong", "skip"]), min_size=1, max_size=60))
    reports = []
    for _ in range(2):
        monitor = ClassifierMonitor(0.2, policy="explore", confidence=0.8)
        for id in range(len(last)):
            monitor.decide("cat", id=id)
        words = [
            (id, data.draw(st.sampled_from(["right", "wrong", "skip"])))
            for id in data.draw(st.permutations(range(len(last))))
        ]
        final = [(id, last[id]) for id in data.draw(st.permutations(range(len(last))))]
        for id, word in [*words, *final]:
            monitor.answer(id, correct=None if word == "skip" else word == "right", skipped=word == "skip")
        one = monitor.report()["cat"]
        reports.append((one.verified, one.errors, one.interval, one.verdict, one.estimate, one.skipped))
    assert reports[0] == reports[1]


def test_a_correction_may_reopen_a_class_and_the_report_says_so():
    monitor = ClassifierMonitor(0.05, policy="sequential", confidence=0.9)
    for id in range(200):
        if monitor.decide("cat", id=id).verify:
            monitor.answer(id, correct=True)
    assert monitor.report()["cat"].verdict == "below"
    assert not monitor.decide("cat", id="later").verify
    said = monitor.answer(3, correct=False)
    assert (said.changed, said.verdict) == (True, "unknown")
    assert "the verdict is 'unknown' and was 'below'" in said.text
    one = monitor.report()["cat"]
    assert one.reopened == 1
    assert "reopened by a correction" in one.events[0]
    assert "reopened by a correction" in str(monitor.report())
    assert monitor.decide("cat", id="next").verify
    assert not monitor.decide("cat", id="later").verify  # decided before, so the same again


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("cap", [0, 1, 57])
def test_total_cap_is_exact(policy, cap):
    monitor = ClassifierMonitor(0.05, policy=policy, mode="guard", cap=cap)
    asked = sum(decision.verify for decision in run(monitor, traffic(2000)))
    assert asked == cap
    assert "cap on verifications" in monitor.decide("horse").reason


def test_daily_cap_is_exact_and_days_may_be_mixed():
    monitor = ClassifierMonitor(0.2, policy="sequential", mode="guard", daily_cap=7)
    days = ["2026-03-01", "2026-03-02", "2026-03-03"]
    draws = random.Random(4)
    asked = dict.fromkeys(days, 0)
    for id in range(600):
        day = draws.choice(days)
        decision = monitor.decide("cat", id=id, time=f"{day}T{draws.randrange(24):02}:30:00")
        asked[day] += decision.verify
        if decision.verify:
            monitor.answer(id, correct=False)
    assert asked == dict.fromkeys(days, 7)


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 3, 1, 23, 59),
        datetime(2026, 3, 1, 12, tzinfo=UTC),
        date(2026, 3, 1),
        "2026-03-01",
        "2026-03-02T00:30:00+01:00",
        "2026-03-01T10:00:00Z",
        1772323200,
        1772323200.5,
        np.datetime64("2026-03-01T05:00"),
        pd.Timestamp("2026-03-01 05:00"),
    ],
)
def test_times_of_all_kinds(moment):
    monitor = ClassifierMonitor(0.05, policy="sequential", daily_cap=1)
    assert monitor.decide("cat", time=moment).verify
    assert not monitor.decide("cat", time="2026-03-01").verify
    assert monitor.decide("cat", time="2026-03-02").verify


def test_wrong_times_change_nothing():
    monitor = ClassifierMonitor(0.05, policy="sequential", daily_cap=1)
    before = monitor.to_dict()
    for moment in ("yesterday", [1], float("inf")):
        with pytest.raises(SidelightError, match="time is"):
            monitor.decide("cat", time=moment)
    with pytest.raises(SidelightError, match="time is"):
        monitor.decide_many(["cat", "cat"], times=["2026-03-01", "never"])
    assert monitor.to_dict() == before
    assert monitor.decide("cat").verify  # without a time it is now


def test_class_cap_counts_pending_and_gives_released_ones_back():
    monitor = ClassifierMonitor(0.05, policy="explore", class_cap=5)
    ids = [decision.id for decision in monitor.decide_many(["cat"] * 20) if decision.verify]
    assert len(ids) == 5
    monitor.answer(ids[0], skipped=True)
    assert sum(decision.verify for decision in monitor.decide_many(["cat"] * 20)) == 1
    assert monitor.decide("dog").verify


def test_a_slow_reviewer_is_not_flooded():
    for policy in ("randcbp", "cbp", "sequential"):
        monitor = ClassifierMonitor(0.05, policy=policy)
        decisions = monitor.decide_many(["cat"] * 20_000)
        asked = [decision.id for decision in decisions if decision.verify]
        needed = monitor.report()["cat"].needed
        assert len(asked) == needed < 2000
        assert decisions[-1].reason.startswith("waiting")
        for id in asked[:50]:
            monitor.answer(id, correct=True)
        assert monitor.report()["cat"].needed + 50 < needed
    monitor = ClassifierMonitor(0.05, policy="sequential", max_pending=10)
    asked = [decision.id for decision in monitor.decide_many(["cat", "dog"] * 20) if decision.verify]
    assert len(asked) == 10
    monitor.answer(asked[0], correct=True)
    assert sum(decision.verify for decision in monitor.decide_many(["cat", "dog"] * 20)) == 1


def test_classes_appear_while_running():
    monitor = ClassifierMonitor(0.05, classes=["cat", "dog"], policy="sequential")
    assert [one.name for one in monitor.report().classes] == ["cat", "dog"]
    assert monitor.report()["dog"].estimate is None
    for name in ("new", 3, np.int64(4), True, np.str_("text"), 2.5):
        assert monitor.decide(name).verify
    assert [one.name for one in monitor.report().classes] == ["cat", "dog", "new", 3, 4, True, "text", 2.5]
    for name in (None, float("nan"), [1], b"x"):
        with pytest.raises(SidelightError, match="is not a class"):
            monitor.decide(name)


def test_a_tolerance_per_class():
    monitor = ClassifierMonitor({"cat": 0.01, None: 0.2}, policy="sequential")
    run(monitor, traffic(8000, rates={"cat": 0.05, "dog": 0.05}))
    report = monitor.report()
    assert (report["cat"].verdict, report["cat"].tolerance) == ("above", 0.01)
    assert (report["dog"].verdict, report["dog"].tolerance) == ("below", 0.2)
    strict = ClassifierMonitor({"cat": 0.01}, policy="sequential")
    before = strict.to_dict()
    with pytest.raises(SidelightError, match="no tolerance for the class 'dog'"):
        strict.decide("dog")
    with pytest.raises(SidelightError, match="no tolerance for the class 'dog'"):
        strict.decide_many(["cat", "dog"])
    assert strict.to_dict() == before


@pytest.mark.parametrize("column", [list, tuple, np.array, pd.Series, pl.Series, iter])
def test_batches_and_columns(column):
    names = [name for name, _ in traffic(300)]
    one_by_one = ClassifierMonitor(0.05, policy="sequential")
    expected = [one_by_one.decide(name, id=place) for place, name in enumerate(names)]
    batch = ClassifierMonitor(0.05, policy="sequential")
    assert batch.decide_many(column(names), ids=column(list(range(300)))) == expected
    assert batch.report() == one_by_one.report()


def test_wrong_batches_change_nothing():
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide("cat", id="a")
    before = monitor.to_dict()
    for arguments in (
        (["cat", None],),
        (["cat", "dog"], ["b"]),
        (["cat", "dog"], ["b", "a"]),
        (["cat", "dog"], ["b", "b"]),
        (["cat"], [1.5]),
        ("cat",),
    ):
        with pytest.raises(SidelightError):
            monitor.decide_many(*arguments)
    assert monitor.to_dict() == before


def test_memory_grows_with_verifications_only():
    monitor = ClassifierMonitor(0.2, policy="sequential", confidence=0.9, drift=False)
    run(monitor, traffic(20_000, rates={"cat": 0.01}))
    asked = monitor.report().verifications
    assert asked < 100
    assert len(monitor.engine.ledger.verifications) == asked
    monitor = ClassifierMonitor(0.2, policy="sequential", confidence=0.9, drift=False)
    for id in range(70_000):
        if monitor.decide("cat", id=id).verify:
            monitor.answer(id, correct=True)
    assert len(monitor.engine.ledger.passes) == 1 << 16


def test_forget_after_bounds_ids_and_releases_what_never_came():
    monitor = ClassifierMonitor(0.05, policy="explore", forget_after=10)
    for id in range(50):
        assert monitor.decide("cat", id=id).verify
        if id % 2:
            monitor.answer(id, correct=True)
    assert len(monitor.engine.ledger.verifications) == 10
    one = monitor.report()["cat"]
    assert (one.verified, one.pending, one.skipped) == (25, 5, 20)
    with pytest.raises(UnknownIdError, match="forgotten"):
        monitor.answer(1, correct=False)
    assert monitor.answer(48, correct=True).status == "recorded"


def test_class_predictions_close_a_class():
    monitor = ClassifierMonitor(0.05, policy="cbp", mode="guard", class_predictions=10)
    assert sum(decision.verify for decision in monitor.decide_many(["cat"] * 30)) == 9
    assert "class_predictions" in monitor.decide("cat").reason


def test_report_prints_tabulates_and_converts():
    monitor = ClassifierMonitor(0.05, policy="sequential", classes=["none yet"])
    run(monitor, traffic(3000))
    report = monitor.report()
    text = str(report)
    assert [line.split()[0] for line in text.splitlines()[1:5]] == ["none", *(one.name for one in report.classes[1:])]
    assert "99 % confidence" in text
    frames = [report.to_frame(), report.to_frame("polars")]
    for frame in frames:
        assert list(frame["verdict"]) == [one.verdict for one in report.classes]
        assert list(frame["high"]) == [one.interval[1] for one in report.classes]
    with pytest.raises(SidelightError, match="backend"):
        report.to_frame("excel")
    plain = report.to_dict()
    assert plain["classes"][1]["interval"] == report.classes[1].interval
    with pytest.raises(SidelightError):
        report["zebra"]
    assert "sequential" in repr(monitor)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"tolerance": 0}, "tolerance is 0"),
        ({"tolerance": 1.0}, "tolerance is 1"),
        ({"tolerance": "much"}, "tolerance is 'much'"),
        ({"tolerance": {}}, "tolerance is {}"),
        ({"tolerance": {"cat": 2}}, "tolerance cannot be used: for 'cat' it is 2"),
        ({"policy": "bayes"}, "policy is 'bayes'"),
        ({"policy": "cbp", "bins": 3}, "no parameter 'bins'"),
        ({"bins": 3}, r"no parameter 'bins'; it takes none \(policy='randcbp' has it\)"),
        ({"policy": RandCBPPolicy(), "bins": 3}, "is a parameter of RandCBPPolicy: pass it to RandCBPPolicy"),
        ({"policy": "randcbp", "bins": 0}, "bins is 0"),
        ({"policy": "randcbp", "pairs": "twice"}, "pairs is 'twice'"),
        ({"policy": "randcbp", "observers": "me"}, "observers is 'me'"),
        ({"policy": "randcbp", "tail": 2}, "tail is 2"),
        ({"policy": "randcbp", "sigma": 0}, "sigma is 0"),
        ({"policy": "randcbp", "alpha": "x"}, "alpha is 'x'"),
        ({"policy": "randcbp", "lower": float("nan")}, "lower is nan"),
        ({"policy": "explore", "rate": 0}, "rate is 0"),
        ({"policy": "explore", "half_width": 0}, "half_width is 0"),
        ({"policy": "explore", "verifications": 0}, "verifications is 0"),
        ({"mode": "both"}, "mode is 'both'"),
        ({"confidence": 1}, "confidence is 1"),
        ({"cap": -1}, "cap is -1"),
        ({"cap": 5, "daily_cap": -1}, "daily_cap is -1"),
        ({"daily_cap": 1.5}, "daily_cap is 1.5"),
        ({"class_cap": 0}, "class_cap is 0"),
        ({"forget_after": True}, "forget_after is True"),
        ({"window": 0}, "window is 0"),
        ({"window": 5, "drift": True}, "give one of them"),
        ({"spot_checks": 2}, "spot_checks is 2"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"seed": np.True_}, "seed is"),
        ({"cap": np.True_}, "cap is"),
        ({"cap": Fraction(1, 2)}, "cap is"),
        ({"policy": "randcbp", "bins": np.True_}, "bins is True"),
        ({"policy": "randcbp", "bins": np.float64(2.5)}, "bins is 2.5"),
        ({"policy": "randcbp", "alpha": 10**400}, "alpha is 1000"),
        ({"policy": "randcbp", "alpha": np.nan}, "alpha is nan"),
        ({"spot_checks": np.True_}, "spot_checks is"),
        ({"tolerance": 10**400}, "tolerance is 1000"),
        ({"classes": [None]}, "not a class"),
    ],
)
def test_wrong_arguments_are_named(arguments, error):
    with pytest.raises(ParameterError, match=error) as caught:
        ClassifierMonitor(**{"tolerance": 0.05} | arguments)
    assert caught.value.name == list(arguments)[-1]


def test_numbers_of_numpy_and_fractions_are_numbers(tmp_path):
    ours = {"cap": np.int64(7), "window": np.uint8(50), "seed": np.int64(3), "confidence": np.float64(0.9)}
    numbers = ours | {
        "policy": "randcbp",
        "bins": np.int64(5),
        "alpha": Fraction(3, 2),
        "sigma": np.float32(2),
        "spot_checks": Fraction(1, 8),
    }
    monitor = ClassifierMonitor(Fraction(1, 20), **numbers)
    plain = ClassifierMonitor(
        0.05,
        policy="randcbp",
        cap=7,
        window=50,
        seed=3,
        confidence=0.9,
        bins=5,
        alpha=1.5,
        sigma=2.0,
        spot_checks=0.125,
    )
    assert repr(monitor.to_dict()) == repr(plain.to_dict())
    monitor.save(tmp_path / "monitor.json")
    assert repr(ClassifierMonitor.load(tmp_path / "monitor.json").to_dict()) == repr(plain.to_dict())
    explore = ClassifierMonitor(0.05, policy=Explore(verifications=np.int32(4), rate=Fraction(1, 50)))
    assert explore.to_dict()["settings"]["policy"]["parameters"] == {
        "verifications": 4,
        "failure": 0.01,
        "half_width": 0.1,
        "rate": 0.02,
    }


def test_neither_numba_nor_scipy_is_imported():
    code = """
import sys
from sidelight.monitor import ClassifierMonitor
monitor = ClassifierMonitor(0.05)
names = [f"class {k % 10}" for k in range(2_000)]
for id, name in enumerate(names):
    if monitor.decide(name, id=id).verify:
        monitor.answer(id, correct=id % 40 > 0)
monitor.report()
assert not {"numba", "scipy", "matplotlib", "pandas"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
