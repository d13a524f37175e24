"""Labeled predictions of the past: what each policy makes of them."""

import json
import random

import numpy as np
import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, replay
from sidelight.monitor.replays.page import replay_page
from sidelight.monitor.replays.records import SCORED

RATES = {"cat": 0.01, "dog": 0.03, "horse": 0.2}


def labeled(count=4000, seed=1):
    draws = random.Random(seed)
    names = [draws.choice(list(RATES)) for _ in range(count)]
    return names, [name if draws.random() >= RATES[name] else "other" for name in names]


def test_policies_side_by_side():
    names, truths = labeled(8000)
    done = replay(names, truths, 0.05, drift=False)
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


def test_answers_come_when_they_came():
    names = ["cat"] * 8
    times = [10.0 * place for place in range(8)]
    answered = [5, 25, None, 15, 1000, 55, 65, None]  # the first is there for the second prediction, and so on
    done = replay(names, names, 0.05, ["explore"], times=times, answered=answered)
    report = done["explore"].report
    assert (report["cat"].verified, done.lost) == (6, 2)
    assert (report.verifications, report["cat"].predictions) == (8, 8)
    path = {point.position: point.verified for point in done["explore"].paths["cat"]}
    assert [path[place] for place in range(1, 9)] == [1, 1, 2, 3, 3, 4, 5, 6]
    dates = [f"2026-01-{1 + place:02}" for place in range(8)]
    again = replay(names, names, 0.05, ["explore"], times=dates, answered=[*dates[1:], None])
    assert again["explore"].report["cat"].verified == 7
    for wrong in (
        {"answered": answered},
        {"answered": answered, "times": times, "delay": 3},
        {"answered": [1], "times": times},
    ):
        with pytest.raises(SidelightError, match="answered needs"):
            replay(names, names, 0.05, **wrong)


def test_a_verdict_may_look_wrong_after_a_change_of_the_rate():
    draws = random.Random(5)
    names = [draws.choice(["cat", "dog"]) for _ in range(8000)]
    truths = [
        "other" if draws.random() < (0.2 if name == "cat" and place > 3000 else 0.01) else name
        for place, name in enumerate(names)
    ]
    done = replay(names, truths, 0.05, drift=False)
    assert done["sequential"].wrong == 1
    followed = replay(names, truths, 0.05, ["sequential"], drift=True)
    assert followed["sequential"].report["cat"].verdict == "above"


def test_explore_is_compared_with_only_if_it_was_replayed():
    done = replay(*labeled(500), 0.05, ["sequential", "cbp"])
    assert "Wald" not in done.legend() + done.to_table().to_text()
    assert "of Wald" in replay(*labeled(500), 0.05, ["sequential", "explore"]).to_table().to_text()


def test_a_verdict_that_patience_brings_is_dated():
    """The first answer never comes; the verdict comes with the decision that gives it up."""
    done = replay(
        ["cat"] * 1000, ["other"] * 1000, 0.05, times=range(1000), answered=[None, *range(1, 1000)], patience=200
    )
    for one in done.policies:
        assert one.report["cat"].verdict == "above"
        assert one.first_certain["cat"] == 202


def test_scores_are_tried_beside_the_same_without():
    source = random.Random(3)
    wrong = [source.random() < 0.08 for _ in range(4000)]
    scores = [None if k % 9 == 0 else source.gauss(2.3 * bad, 1) for k, bad in enumerate(wrong)]
    truths = ["b" if bad else "a" for bad in wrong]
    found = replay(["a"] * 4000, truths, 0.1, ["sequential"], scores=scores, confidence=0.9999, drift=False)
    assert [one.policy for one in found.policies] == ["sequential", SCORED]
    assert found.saved_by_scores > 0.1
    assert found.to_dict()["saved_by_scores"] == found.saved_by_scores
    assert "fewer verifications" in replay_page(found, "sequential", source="file")
    with pytest.raises(SidelightError, match="4000 predictions and 1 scores"):
        replay(["a"] * 4000, truths, 0.1, ["sequential"], scores=[1.0])
