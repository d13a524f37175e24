import pytest

from sidelight.monitor import ClassifierMonitor
from sidelight.service import monitors
from sidelight.service.answering import AnswerTo, answers
from sidelight.service.deciding import Payload, Prediction, decide
from sidelight.service.problems import Problem


@pytest.fixture
def monitor(service):
    return service.do(monitors.create("digits", {"tolerance": 0.2, "confidence": 0.9}, actor="key:1")).id


def test_decisions_are_those_of_the_library(service, monitor):
    twin = ClassifierMonitor(0.2, confidence=0.9, remember_passes=0)
    for k in range(300):
        name, id = "abc"[k % 3], f"id-{k}"
        (found,) = service.do(decide(service, monitor, [Prediction(id, name)], actor="key:1"))
        expected = twin.decide(name, id=id)
        assert (found.verify, found.reason, found.prediction) == (expected.verify, expected.reason, name)
        if found.verify:
            (result,) = service.do(answers(monitor, [AnswerTo(id, correct=k % 7 > 0)], actor="key:1"))
            assert (result.status, result.verdict) == twin.answer(id, correct=k % 7 > 0)[::5]
    assert service.report(monitor).to_dict()["classes"] == twin.report().to_dict()["classes"]


def test_the_same_id_gets_the_same_decision(service, monitor):
    one = [Prediction("a", "cat", payload=Payload("text/plain", b"a cat"))]
    first = service.do(decide(service, monitor, one, actor="key:1"))
    again = service.do(decide(service, monitor, one * 3, actor="key:1"))
    assert [found[:4] for found in again] == [found[:4] for found in first * 3]
    assert service.report(monitor).predictions == 1
    with pytest.raises(Problem, match="other classes") as caught:
        service.do(decide(service, monitor, [Prediction("b", "cat"), Prediction("a", "dog")], actor="key:1"))
    assert caught.value.status == 409
    assert [one["pointer"] for one in caught.value.places] == ["#/1/id"]
    assert service.report(monitor).predictions == 1
