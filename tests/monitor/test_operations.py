"""What runs beside decisions: pending verifications, batches of answers, decisions made elsewhere, odd values."""

import hashlib
import json
import os
import random
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import RULE, ClassifierMonitor, Reason, UnknownIdError, replay
from sidelight.monitor.report.records import Report


@pytest.mark.parametrize(
    ("prediction", "label"),
    [(7, "7"), ("7", 7), (7, "8"), ("cat", 3), (2.5, "2.5"), (True, "True"), ("cat", True), (7, True), (False, 2)],
)
def test_a_label_of_another_type_is_refused_with_the_remedy(prediction, label):
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide(prediction, id="a")
    before = monitor.to_dict()
    with pytest.raises(SidelightError, match=r"is (text|a number|True or False).*: give .*nothing changed"):
        monitor.answer("a", label=label)
    with pytest.raises(SidelightError, match=r"row 0 \(id 'a'\): the prediction"):
        monitor.answer_many(["a"], labels=[label])
    with pytest.raises(SidelightError, match="the prediction"):
        replay([prediction], [label], 0.05)
    assert monitor.to_dict() == before


@pytest.mark.parametrize(
    ("prediction", "label", "right"),
    [
        (7, np.int64(7), True),
        (7, 7.0, True),
        (7, 8.0, False),
        (np.float32(0.5), 0.5, True),
        (np.str_("cat"), "cat", True),
        ("cat", np.str_("dog"), False),
        (1, True, True),
        (np.True_, 0, False),
        (0, False, True),
        (True, False, False),
    ],
)
def test_equal_values_of_related_types_are_the_same_class(prediction, label, right):
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide(prediction, id="a")
    assert monitor.answer("a", label=label).correct is right


@pytest.mark.parametrize(("first", "second"), [(1, "1"), ("1", 1), ("True", True), (2.5, "2.5")])
def test_one_class_in_two_types_is_refused(first, second):
    for options in ({"classes": [first]}, {"tolerance": {first: 0.1, None: 0.2}}):
        monitor = ClassifierMonitor(**{"tolerance": 0.05, "policy": "sequential"} | options)
        before = monitor.to_dict()
        for act in (monitor.decide, lambda name, to=monitor: to.decide_many(["cat", name])):
            with pytest.raises(SidelightError, match="give all classes as text"):
                act(second)
        assert monitor.to_dict() == before
    with pytest.raises(SidelightError, match="give all classes as text"):
        ClassifierMonitor(0.05).decide_many([first, second])


@pytest.mark.parametrize(
    "values",
    [
        pd.DataFrame({"pred": ["cat", "dog"]}),
        pl.DataFrame({"pred": ["cat", "dog"]}),
        np.array([["cat"], ["dog"]]),
        {"a": "cat"},
        {"cat", "dog"},
    ],
    ids=["pandas", "polars", "numpy", "mapping", "set"],
)
def test_tables_mappings_and_sets_are_not_columns(values):
    monitor = ClassifierMonitor(0.05, policy="sequential")
    for call in (
        lambda: monitor.decide_many(values),
        lambda: monitor.decide_many(["cat", "dog"], ids=values),
        lambda: monitor.answer_many(values, [True, True]),
    ):
        with pytest.raises(SidelightError, match="give a list or a single column"):
            call()
    assert monitor.report().predictions == 0


@pytest.mark.parametrize(
    "answer",
    [
        {"correct": pd.NA},
        {"correct": pd.NaT},
        {"correct": float("nan")},
        {"correct": np.array([True, False])},
        {"correct": [True]},
        {"correct": "yes"},
        {"label": pd.NA},
        {"skipped": pd.NA},
        {"skipped": np.array([1, 2])},
    ],
    ids=repr,
)
def test_missing_values_are_not_answers(answer):
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide("cat", id="a")
    before = monitor.to_dict()
    with pytest.raises(SidelightError, match=r"give (True or False|text or a number)"):
        monitor.answer("a", **answer)
    assert monitor.to_dict() == before


def test_uuids_are_ids(tmp_path):
    monitor = ClassifierMonitor(0.05, policy="sequential")
    name = uuid.uuid4()
    assert monitor.decide("cat", id=name).id == str(name)
    monitor.save(tmp_path / "monitor.json")
    assert ClassifierMonitor.load(tmp_path / "monitor.json").answer(name, correct=True).status == "recorded"


@pytest.mark.parametrize("arguments", [(10**5000, 1), ("cat", -(10**5000)), (7, 10**700)])
def test_numbers_that_python_cannot_write_down_are_neither_classes_nor_ids(arguments):
    monitor = ClassifierMonitor(0.05)
    before = monitor.to_dict()
    with pytest.raises(SidelightError, match="bits is too long for a class or an id"):
        monitor.decide(*arguments)
    assert monitor.to_dict() == before
    assert monitor.decide(10**600, id=10**600).verify
    assert ClassifierMonitor.from_dict(monitor.to_dict()).to_dict() == monitor.to_dict()


def test_pending_lists_what_is_waited_for():
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide_many(["cat", "dog", "cat", "dog"], ids=list("abcd"))
    monitor.answer("b", correct=True)
    monitor.answer("c", skipped=True)
    assert [(one.id, one.prediction, one.number) for one in monitor.pending()] == [("a", "cat", 1), ("d", "dog", 4)]
    assert monitor.pending()[0].reason == Reason.OPEN


def test_answer_many_is_answer_row_by_row():
    one_by_one, batch = (ClassifierMonitor(0.05, policy="sequential") for _ in range(2))
    for monitor in (one_by_one, batch):
        monitor.decide_many(["cat"] * 6, ids=range(6))
    expected = [one_by_one.answer(id, correct=id > 1) for id in range(4)]
    expected += [one_by_one.answer(4, label="dog"), one_by_one.answer(5, skipped=True)]
    found = batch.answer_many(pd.Series(range(4)), np.arange(4) > 1)
    found += batch.answer_many([4, 5], labels=["dog", None], skipped=[None, True])
    assert found == expected
    assert batch.to_dict() == one_by_one.to_dict()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (([0, 9], [True, True]), "no verification with the id 9"),
        (([0, 1], [True]), "give one for each"),
        (([0, 1], [True, None]), r"row 1 \(id 1\): an answer is one of"),
        (([0, 1], [True, pd.NA]), r"row 1 \(id 1\): correct is <NA>"),
        (([0, 1.5], [True, True]), "not an id"),
    ],
)
def test_wrong_batches_of_answers_change_nothing(arguments, error):
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide_many(["cat"] * 2, ids=[0, 1])
    before = monitor.to_dict()
    with pytest.raises(SidelightError, match=error) as caught:
        monitor.answer_many(*arguments)
    assert isinstance(caught.value, UnknownIdError) == ("no verification" in error)
    assert monitor.to_dict() == before


@pytest.mark.parametrize("most", [0, 10])
def test_the_number_of_remembered_passes_is_a_parameter(most):
    monitor = ClassifierMonitor(0.05, policy="sequential", cap=0, remember_passes=most)
    monitor.decide_many(["cat"] * 50, ids=range(50))
    assert [id for id, *_ in monitor.to_dict()["passes"]] == list(range(50 - most, 50))
    with pytest.raises(SidelightError, match="remember_passes is"):
        ClassifierMonitor(0.05, remember_passes=None)


def test_history_and_hooks(tmp_path):
    monitor = ClassifierMonitor(0.05, policy="sequential", confidence=0.9, drift=False)
    told = []

    @monitor.on_verdict
    def tell(event):
        told.append((event, monitor.report()["cat"].verdict))  # the monitor may be called

    for id in range(200):
        if monitor.decide("cat", id=id).verify:
            monitor.answer(id, correct=True)
    monitor.answer(3, correct=False)
    first, second = monitor.history()
    assert [(event, event.verdict) for event in (first, second)] == told
    assert (first.before, first.verdict, first.cause) == ("unknown", "below", "answers")
    assert (second.before, second.verdict, second.cause) == ("below", "unknown", "a correction")
    assert first.decision == first.verification < second.decision
    assert second.text == f"'below' was certain until verification {second.verification}; reopened by a correction"
    assert monitor.history("cat") == [first, second]
    assert monitor.history("dog") == []
    monitor.save(tmp_path / "monitor.json")
    again = ClassifierMonitor.load(tmp_path / "monitor.json")
    assert again.history() == monitor.history()
    again.answer(3, correct=True)
    assert len(told) == 2  # hooks are not copied


def test_an_error_in_a_hook_is_a_warning_and_changes_nothing():
    monitor, plain = (ClassifierMonitor(0.05, policy="sequential", confidence=0.9, drift=False) for _ in range(2))
    told = []
    monitor.on_verdict(lambda event: 1 / 0)
    monitor.on_verdict(told.append)
    for one in (plain, monitor):
        one.decide_many(["cat"] * 20, ids=range(20))
    with pytest.warns(RuntimeWarning, match=r"failed \(ZeroDivisionError"):
        said = monitor.answer_many(range(20), [False] * 20)
    assert said == plain.answer_many(range(20), [False] * 20)
    assert [event.verdict for event in told] == ["above"]
    assert monitor.to_dict() == plain.to_dict()


def transcript(policy, mode):
    """Return decisions about a stream with late, lost and corrected answers, as a digest."""
    monitor = ClassifierMonitor(0.1, policy=policy, mode=mode, confidence=0.9, patience=60, drift_alarm_every=500)
    draws, waiting, decided = random.Random(2), [], ""
    for id in range(3000):
        decision = monitor.decide(id * id % 5, id=id)
        decided += "v" if decision.verify else "."
        if decision.verify and draws.random() < 0.95:
            waiting.append((id + draws.choice([0, 3, 30, 90]), id, draws.random() < (0.03, 0.1, 0.3)[id // 1000]))
        for one in [one for one in waiting if one[0] <= id]:
            waiting.remove(one)
            monitor.answer(one[1], correct=not one[2])
        if id % 400 == 399:
            monitor.answer(monitor.to_dict()["verifications"][id // 50][0], skipped=True)
    return hashlib.sha256(decided.encode()).hexdigest()[:12]


TRANSCRIPTS = {
    4: {
        "sequential identify": "6e2bdea9f34d",
        "sequential guard": "fc6a9a483418",
        "randcbp identify": "eb96bff2d05c",
        "randcbp guard": "e41372fe5db8",
        "cbp identify": "0a55b416222c",
        "cbp guard": "9968894dd464",
        "explore identify": "541459f1d7a5",
        "explore guard": "541459f1d7a5",
    },
}


@pytest.mark.parametrize("policy", ["sequential", "randcbp", "cbp", "explore"])
@pytest.mark.parametrize("mode", ["identify", "guard"])
def test_the_rule_has_a_new_number_when_decisions_change(policy, mode):
    """If this fails and other decisions are meant, raise `RULE`; then write down the digests of the new ones."""
    assert transcript(policy, mode) == TRANSCRIPTS[RULE][f"{policy} {mode}"]


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_reason_to_wait_that_has_gone_is_not_reported():
    monitor = ClassifierMonitor(0.05, max_pending=1)
    monitor.decide("a", id=1)
    monitor.decide("b", id=2)
    assert "max_pending" in monitor.report()["b"].stalled
    monitor.answer(1, correct=True)
    assert monitor.report().pending == 0
    assert monitor.report()["b"].stalled is None


@pytest.mark.parametrize(
    "settings", [{}, {"window": 50}, {"margin": 0.02, "reviewer_error": 0.01}, {"cap": 3}, {"drift": False}]
)
def test_a_report_survives_json(settings):
    monitor = ClassifierMonitor(0.05, **settings)
    for n in range(200):
        decision = monitor.decide(("cat", "dog", "eel")[n % 3], id=n, time=1_700_000_000 + 3600 * n)
        if decision.verify and n % 7:
            monitor.answer(n, correct=n % 4 != 0)
    report = monitor.report()
    assert Report.from_dict(json.loads(json.dumps(report.to_dict()))) == report
    assert Report.from_dict(report.to_dict() | {"new": 1}) == report
    assert Report.from_dict(ClassifierMonitor(0.1).report().to_dict()).classes == ()


@pytest.mark.parametrize("data", [{}, {"classes": [{}]}, {"classes": 1, "overall": None, "drift": None}])
def test_what_is_no_report_is_refused(data):
    with pytest.raises(SidelightError, match=r"does not describe a (Class)?Report"):
        Report.from_dict(data)
