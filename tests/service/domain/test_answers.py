import json

import pytest

from service.traffic import Traffic
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Prediction
from sidelight.service.maintenance.check import check_database
from sidelight.service.problems import Problem


@pytest.fixture
def traffic(service):
    traffic = Traffic(service, cap=3, aim="first-come")
    traffic.decide(5)  # two are let pass
    return traffic


def said(traffic, *given):
    return traffic.service.do(record_answers(traffic.monitor, given, actor="key:2"))


def test_labels_are_compared_with_the_class(service):
    traffic = Traffic(service)
    batch = [Prediction("text", "a"), Prediction("number", 7), Prediction("more", 8)]
    service.do(decide_predictions(service, traffic.monitor, batch, actor="x"))
    found = said(traffic, AnswerTo("text", label="a"), AnswerTo("number", label=8))
    assert [one.correct for one in found] == [True, False]
    with pytest.raises(Problem, match="cannot be compared") as caught:
        said(traffic, AnswerTo("more", correct=True), AnswerTo("more", label="8"), AnswerTo("text", label=1))
    assert [one["pointer"] for one in caught.value.places] == ["#/1/label", "#/2/label"]
    with service.read() as tx:
        rows = tx.all("SELECT id, state, label FROM verifications ORDER BY number")
    assert rows == [("text", "answered", '"a"'), ("number", "answered", "8"), ("more", "open", None)]


def test_answers_within_the_group_of_their_decisions(service):
    """A batch that closes verifications by its own decisions, answers to them in the next request."""
    traffic = Traffic(service, patience=2)
    found = traffic.decide(10)
    assert all(one.verify for one in found)
    traffic.decide(5)
    with service.read() as tx:
        states = [state for (state,) in tx.all("SELECT state FROM verifications ORDER BY number")]
    assert states[:10] == ["overdue"] * 10  # a batch is as old as its last decision
    assert [one.status for one in said(traffic, *(AnswerTo(f"p{k}", correct=True) for k in range(1, 11)))] == [
        "recorded"
    ] * 10
    assert check_database(service.storage) == []


def test_history_has_few_rows_and_all_verdicts(service):
    traffic = Traffic(service, drift=False)
    for _ in range(30):
        service_ids = [one.id for one in traffic.decide(20) if one.verify]
        said(traffic, *(AnswerTo(id, correct=True) for id in service_ids))
    with service.read() as tx:
        sql = "SELECT class, counted, errors, low, high, verdict FROM history ORDER BY class, number"
        rows = [(json.loads(name), *rest) for name, *rest in tx.all(sql)]
    report = service.report(traffic.monitor)
    for one in report.classes:
        own = [row for row in rows if row[0] == one.name]
        assert len(own) <= 100
        assert own[-1][5] == one.verdict == "below"
        assert own[-1][3] <= own[-1][4]
        assert [row[1] for row in own] == sorted({row[1] for row in own})
