"""Segments and versions: error rates of parts of the traffic from the same answers."""

import json
import random

import numpy as np
import pytest

from sidelight.errors import NoEntryError, SidelightError
from sidelight.monitor import ClassifierMonitor, Report
from sidelight.monitor.engine import segments
from sidelight.monitor.inputs import monitor_input_segment

RATES = {"acme": 0.02, "globex": 0.3, "initech": 0.1}


def watched(count=3000, seed=1, scored=False, rates=RATES, **settings):
    source, monitor = random.Random(seed), ClassifierMonitor(0.1, **{"confidence": 0.9, "drift": False} | settings)
    for place in range(count):
        customer = source.choice(list(rates))
        wrong = source.random() < rates[customer]
        score = source.gauss(2 * wrong, 1) if scored else None
        given = {"segment": {"customer": customer, "language": source.choice(("de", "en"))}, "score": score}
        if monitor.decide(source.choice("ab"), id=place, **given).verify:
            monitor.answer(place, correct=not wrong)
    return monitor


@pytest.mark.parametrize("scored", [False, True])
def test_segments_get_their_own_rates_and_verdicts(scored):
    monitor = watched(scored=scored, confidence=0.999)
    found = {one.value: one for one in monitor.report().segments}
    assert found["globex"].verdict == "above"
    assert found["acme"].verdict == ("unknown" if scored else "below")  # scores leave fewer fair answers
    for name, rate in RATES.items():
        assert found[name].interval[0] < rate < found[name].interval[1]
        assert sum(numbers[1] for numbers in found[name].classes) == found[name].predictions
    assert sum(found[one].predictions for one in RATES) == 3000 == found["de"].predictions + found["en"].predictions
    if not scored:
        assert sum(found[one].verified for one in RATES) == sum(one.counted for one in monitor.report().classes)


def test_intervals_of_all_values_hold_together():
    missed = 0
    for run in range(40):
        reports = watched(600, seed=run, scored=run % 2 == 0).report().segments
        rates = RATES | dict.fromkeys(("de", "en"), np.mean(list(RATES.values())))
        missed += any(not one.interval[0] <= rates[one.value] <= one.interval[1] for one in reports)
    assert missed <= 12  # two keys at 10 %: 8 are expected at most


def test_segments_are_saved_folded_and_shown():
    monitor = watched(scored=True, forget_after=100)
    copy = ClassifierMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
    assert copy.report() == monitor.report()
    assert copy.to_dict() == monitor.to_dict()
    whole = watched(scored=True)
    counts = [[(one.value, one.verified, one.errors) for one in x.report().segments] for x in (monitor, whole)]
    assert sorted(counts[0]) == sorted(counts[1])
    assert Report.from_dict(json.loads(json.dumps(whole.report().to_dict()))).segments == whole.report().segments
    assert "Where the errors are" in whole.report().to_html()


def test_the_number_of_values_is_bounded(monkeypatch):
    monkeypatch.setattr(segments, "_MOST_VALUES", 5)
    monitor = ClassifierMonitor(0.1)
    for place in range(30):
        monitor.decide("a", id=place, segment={"customer": place})
    found = {one.value: one.predictions for one in monitor.report().segments}
    assert len(found) == 6
    assert found[segments.OTHER] == 25


def test_versions_are_compared():
    options = {"confidence": 0.9, "policy": "explore", "verifications": 3000, "version_margin": 0.08}
    source, monitor = random.Random(2), ClassifierMonitor(0.1, **options)
    with pytest.raises(NoEntryError, match="version 'old'"):
        monitor.compare("old", "new")
    rates = {"old": 0.05, "new": 0.25, "same": 0.05}
    for place in range(4000):
        version = source.choice(list(rates))
        if monitor.decide("a", id=place, version=version).verify:
            monitor.answer(place, correct=source.random() >= rates[version])
    worse = monitor.compare("old", "new")
    assert worse.verdict == "worse"
    assert worse.interval[0] < 0.2 < worse.interval[1]
    assert monitor.compare("new", "old").verdict == "better"
    assert monitor.compare("old", "same").verdict == "not worse"


@pytest.mark.parametrize("segment", ["acme", {1: "a"}, {str(k): k for k in range(9)}, {"a": [1]}])
def test_what_is_no_segment_is_refused(segment):
    with pytest.raises(SidelightError):
        ClassifierMonitor(0.1).decide("a", segment=segment)
    with pytest.raises(SidelightError, match="version"):
        monitor_input_segment({"version": 1}, 2)
