"""Saved monitors: plain data, refused if damaged, and going on to the last bit as if nothing had happened."""

import json
import random

import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor

SETTINGS = [
    {},
    {"policy": "randcbp", "bins": 5, "pairs": "both", "observers": "minimum-norm", "mode": "guard"},
    {"policy": "cbp", "cap": 300, "class_cap": 200, "max_pending": 40},
    {"policy": "explore", "rate": 0.02, "classes": ["x", 3], "class_predictions": 500},
    {"policy": "sequential", "daily_cap": 40, "forget_after": 100},
    {"policy": "sequential", "window": 100},
    {"policy": "randcbp", "drift": True, "spot_checks": 0.2, "confidence": 0.9},
    {"policy": "sequential", "tolerance": {"a": 0.1, 3: 0.02, None: 0.05}},
]


def play(monitor, start, stop, waiting):
    """Decide and answer, some answers late, skipped or corrected; return everything that was said."""
    said = []
    for place in range(start, stop):
        draws = random.Random(place)
        name = draws.choice(["a", "b", "c", 3, True])
        decision = monitor.decide(name, id=f"id {place}" if place % 3 else place, time=86_400 * (place // 200))
        said.append(decision)
        if decision.verify:
            waiting.append((place + draws.choice([0, 0, 30]), decision.id, draws.random() >= 0.06))
        for due in [one for one in waiting if one[0] <= place]:
            waiting.remove(due)
            if draws.random() < 0.1:
                said.append(monitor.answer(due[1], skipped=True))
            said.append(monitor.answer(due[1], correct=due[2]))
            if draws.random() < 0.05:
                said.append(monitor.answer(due[1], correct=not due[2]))
    return said


@pytest.mark.parametrize("settings", SETTINGS, ids=repr)
def test_a_loaded_monitor_goes_on_bit_identically(settings, tmp_path):
    arguments = {"tolerance": 0.05, "seed": 3} | settings
    monitor, waiting = ClassifierMonitor(**arguments), []
    play(monitor, 0, 1500, waiting)
    path = tmp_path / "monitor.json"
    monitor.save(path)
    loaded, later = ClassifierMonitor.load(path), list(waiting)
    assert loaded.to_dict() == monitor.to_dict()
    assert play(loaded, 1500, 3000, later) == play(monitor, 1500, 3000, waiting)
    assert loaded.to_dict() == monitor.to_dict()
    assert loaded.report() == monitor.report()
    again = tmp_path / "again.json"
    loaded.save(again)
    monitor.save(path)
    assert again.read_bytes() == path.read_bytes()


def test_answers_that_were_lost_before_an_alarm_are_remembered():
    """How many requests may be pending depends on the share of answers that never came."""
    monitor = ClassifierMonitor(0.05, drift_alarm_every=100, patience=5)
    for place in range(400):
        if monitor.decide("cat", id=place).verify and place % 3:
            monitor.answer(place, correct=place < 200)
    assert monitor.report()["cat"].alarms == 1
    loaded = ClassifierMonitor.from_dict(monitor.to_dict())
    for one in (monitor, loaded):
        one.decide_many(["dog"] * 2000)
    assert loaded.to_dict() == monitor.to_dict()


def test_the_file_is_plain_and_says_what_it_is(tmp_path):
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide("Käse \ud800", id="ä")
    path = tmp_path / "folder" / "monitor.json"
    monitor.save(path)
    content = json.loads(path.read_text("ascii"))
    assert (content["format"], content["version"]) == ("sidelight-monitor", 1)
    assert [id for id, *_ in content["monitor"]["verifications"]] == ["ä"]
    assert ClassifierMonitor.load(path).report()["Käse \ud800"].pending == 1


def damaged(text, content):
    yield text[: len(text) // 2], "is damaged"
    yield "[]", "is damaged"
    yield json.dumps(content | {"format": "else"}), "does not hold a monitor"
    yield json.dumps(content | {"version": 3}), "format version 3"
    yield text.replace('"asked":1', '"asked":2'), "was edited"
    yield json.dumps({key: value for key, value in content.items() if key != "monitor"}), "was edited"
    yield "\x00", "is damaged"


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "monitor.json"
    monitor = ClassifierMonitor(0.05, policy="sequential")
    monitor.decide("cat")
    monitor.save(path)
    text = path.read_text()
    for bad, error in damaged(text, json.loads(text)):
        path.write_text(bad)
        with pytest.raises(SidelightError, match=error):
            ClassifierMonitor.load(path)
    with pytest.raises(FileNotFoundError):
        ClassifierMonitor.load(tmp_path / "none.json")
    with pytest.raises(SidelightError, match="is a folder"):
        monitor.save(tmp_path)


def test_what_cannot_be_read_is_not_called_damaged(tmp_path):
    with pytest.raises(SidelightError, match=r"cannot read .*: Is a directory"):
        ClassifierMonitor.load(tmp_path)
    with pytest.raises(SidelightError, match="there is no file"):
        ClassifierMonitor.load(tmp_path / "none.json")


def test_a_thousand_classes_are_saved_and_loaded(tmp_path):
    monitor = ClassifierMonitor(0.05, policy="randcbp")
    for place in range(20_000):
        decision = monitor.decide(place % 1000, id=place)
        if decision.verify and place % 2:
            monitor.answer(place, correct=place % 7 > 0)
    path = tmp_path / "monitor.json"
    monitor.save(path)
    loaded = ClassifierMonitor.load(path)
    assert loaded.to_dict() == monitor.to_dict()


def test_a_line_of_unknown_letters_is_refused():
    monitor = ClassifierMonitor(0.05)
    monitor.decide("cat")
    data = monitor.to_dict()
    data["classes"][0]["line"] = "?"
    with pytest.raises(SidelightError, match="does not describe a monitor"):
        ClassifierMonitor.from_dict(data)


@pytest.mark.parametrize("wrong", [{}, {"settings": {}}, {"settings": 3}, {"classes": []}], ids=str)
def test_what_describes_no_monitor(wrong):
    with pytest.raises(SidelightError, match=r"does not describe a monitor|give"):
        ClassifierMonitor.from_dict(wrong)
