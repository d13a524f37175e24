"""Metrics: what the database knows, in lines that Prometheus reads, however strange the classes are."""

import re

import pytest

from sidelight.service.domain import answers, decisions, metrics, monitors
from sidelight.service.domain.inputs import AnswerTo, Prediction
from sidelight.service.domain.metrics import Family, format_prometheus_metrics
from sidelight.service.domain.service import Service

_LABEL = r'[a-z]+="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
_LINE = re.compile(rf"# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{{{_LABEL}(?:,{_LABEL})*\}})? -?[0-9.e+-]+")


def values(text):
    """Return each sample of a text by name and labels; lines that Prometheus could not read are errors."""
    found = {}
    for line in text.removesuffix("\n").split("\n"):
        assert _LINE.fullmatch(line), line
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            assert name not in found
            found[name] = float(value)
    return found


@pytest.fixture
def digits(service):
    return service.do(monitors.create_served_monitor("digits", {"tolerance": 0.3}, actor="test"))


def decide(service, monitor, *rows):
    predictions = [Prediction(id, name) for id, name in rows]
    return service.do(decisions.decide_predictions(service, monitor.id, predictions, actor="test"))


def test_the_numbers_are_those_of_the_database(service, digits, storage):
    decide(service, digits, *((f"p{i}", "7") for i in range(10)))
    service.do(answers.record_answers(digits.id, [AnswerTo(f"p{i}", correct=i > 0) for i in range(4)], actor="test"))
    found = values(metrics.make_monitor_metrics(service, None))
    assert found['sidelight_journal_entries_total{monitor="digits"}'] == 15
    assert found['sidelight_predictions_total{monitor="digits"}'] == 10
    assert found['sidelight_class_answers_total{monitor="digits",class="7"}'] == 4
    assert found['sidelight_class_errors_total{monitor="digits",class="7"}'] == 1
    assert found['sidelight_class_verdict{monitor="digits",class="7",verdict="unknown"}'] == 1
    assert found['sidelight_class_verdict{monitor="digits",class="7",verdict="above"}'] == 0
    assert found['sidelight_classes_by_verdict{monitor="digits",verdict="unknown"}'] == 1
    assert found["sidelight_webhook_messages_waiting"] == 0
    assert 0 <= found['sidelight_oldest_open_verification_seconds{monitor="digits"}'] < 3600
    other = Service(storage)  # as another process would see it
    try:
        again = values(metrics.make_monitor_metrics(other, None))
    finally:
        other.writer.close()
    seconds = {name for name in found if "seconds" in name}
    assert {name: again[name] for name in found if name not in seconds} == {
        name: found[name] for name in found if name not in seconds
    }


@pytest.mark.parametrize("name", ['a"b', "a\\", "a\nb", "a\r\nb{} 7", "\u2028", "", "é", "{}", 'x"} 1\nfake 2', "\x85"])
def test_strange_classes_make_no_strange_lines(name):
    text = format_prometheus_metrics([Family("sidelight_x", "gauge", "A test.", [({"class": name}, 1.5)])])
    assert text.count("\n") == 3
    values(text.replace("\r", " ").replace("\u2028", " ").replace("\x85", " "))


def test_only_the_classes_with_the_most_predictions_have_lines(service, digits, monkeypatch):
    monkeypatch.setattr(metrics, "MOST_CLASSES", 3)
    decide(service, digits, *((f"p{i}", f"class {i % 10}") for i in range(25)))
    found = values(metrics.make_monitor_metrics(service, None))
    classes = {name for name in found if name.startswith("sidelight_class_predictions_total")}
    assert len(classes) == 3
    assert all(found[name] == 3 for name in classes)
    assert found['sidelight_classes{monitor="digits"}'] == 10


def test_only_the_monitors_that_the_caller_may_see(service, digits):
    other = service.do(monitors.create_served_monitor("other", {"tolerance": 0.3}, actor="test"))
    text = metrics.make_monitor_metrics(service, {other.id})
    assert "other" in text
    assert "digits" not in text
    assert "webhook" not in text
    service.do(monitors.archive_served_monitor(other.id, actor="test"))
    assert '"other"' not in metrics.make_monitor_metrics(service, None)
