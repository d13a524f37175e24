import json
from dataclasses import replace

import pytest

from service.traffic import Traffic
from sidelight.monitor import ClassifierMonitor
from sidelight.service.domain import monitors
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Prediction
from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.problems import Problem
from sidelight.service.store import open_storage


@pytest.fixture
def monitor(service):
    return service.do(monitors.create_served_monitor("digits", {"tolerance": 0.2, "confidence": 0.9}, actor="key:1")).id


def test_decisions_are_those_of_the_library(service, monitor):
    twin = ClassifierMonitor(0.2, confidence=0.9, remember_passes=0)
    for k in range(300):
        name, id = "abc"[k % 3], f"id-{k}"
        (found,) = service.do(decide_predictions(service, monitor, [Prediction(id, name)], actor="key:1"))
        expected = twin.decide(name, id=id)
        assert (found.verify, found.reason, found.prediction) == (expected.verify, expected.reason, name)
        if found.verify:
            (result,) = service.do(record_answers(monitor, [AnswerTo(id, correct=k % 7 > 0)], actor="key:1"))
            assert (result.status, result.verdict) == twin.answer(id, correct=k % 7 > 0)[::5]
    assert service.report(monitor).to_dict()["classes"] == twin.report().to_dict()["classes"]


def places(problem):
    return [one["pointer"] for one in problem.places]


@pytest.mark.parametrize(
    ("bad", "pointer"),
    [
        (Prediction("good", "b"), "#/1/id"),
        (Prediction("b", 7), "#/1/prediction"),  # "7" is a class, too
        (Prediction("b", "a", time=0.0), "#/1/time"),
        (Prediction("b", "a", time=4e9), "#/1/time"),
    ],
)
def test_everything_is_checked_before_anything_is_decided(service, monitor, bad, pointer):
    service.do(decide_predictions(service, monitor, [Prediction("first", "7")], actor="key:1"))
    before = service.report(monitor)
    batch = [Prediction("good", "a"), bad, Prediction("other", "a"), replace(bad, id=bad.id if bad.id != "b" else "c")]
    with pytest.raises(Problem) as caught:
        service.do(decide_predictions(service, monitor, batch, actor="key:1"))
    assert caught.value.status == 422
    assert places(caught.value) == [pointer, pointer.replace("1", "3")]
    assert service.report(monitor) == before


def test_the_day_of_a_cap_is_that_of_the_time(service):
    row = service.do(
        monitors.create_served_monitor("daily", {"tolerance": 0.2, "daily_cap": 2, "aim": "first-come"}, actor="x")
    )
    with service.read() as tx:
        now = tx.now()
    job = decide_predictions(service, row.id, [Prediction(f"a{k}", "a", time=now) for k in range(5)], actor="x")
    assert [one.verify for one in service.do(job)] == [True, True, False, False, False]
    yesterday = now - 86_000
    job = decide_predictions(service, row.id, [Prediction(f"b{k}", "a", time=yesterday) for k in range(5)], actor="x")
    other_day = int(now // 86_400) != int(yesterday // 86_400)
    assert sum(one.verify for one in service.do(job)) == (2 if other_day else 0)
    with service.read() as tx:
        days = {json.loads(body)["day"] for (body,) in tx.all("SELECT body FROM journal WHERE kind = 'decided'")}
    assert len(days) == 1 + other_day


def test_ids_that_differ_only_in_form_are_different(service, monitor):
    ids = ["a", "a ", " a", "A", "á", "a\u0301", "%41", "auto-1", "1", "01", "\U0001f600", "a" * 200]
    found = service.do(decide_predictions(service, monitor, [Prediction(id, "x") for id in ids], actor="key:1"))
    assert [one.id for one in found] == ids
    assert service.report(monitor).predictions == len(ids)


def test_both_databases_decide_the_same(tmp_path, postgres_url):
    journals = []
    for database in (str(tmp_path / "test.db"), postgres_url):
        service = Service(open_storage(database), options=Options(snapshot_every=77))
        for seed, settings in enumerate(({"daily_cap": 40}, {"policy": "randcbp", "patience": 25}, {"cap": 60})):
            Traffic(service, name=f"m{seed}", seed=seed, **settings).run(12)
        with service.read() as tx:
            sql = "SELECT name, number, kind, actor, body FROM journal JOIN monitors ON id = monitor"
            rows = [(*row, json.loads(body)) for *row, body in tx.all(f"{sql} ORDER BY name, number")]
        for row in rows:
            row[-1].pop("time", None)
            row[-1].pop("day", None)
        journals.append(rows)
        service.close()
    assert journals[0] == journals[1]
    assert len(journals[0]) > 300


def test_equal_numbers_are_one_class_in_the_list_of_verifications_and_in_charts_too(service, monitor):
    batch = [Prediction(str(name), name) for name in (1, 1.0, True)]
    service.do(decide_predictions(service, monitor, batch, actor="key:1"))
    service.do(record_answers(monitor, [AnswerTo(one.id, correct=True) for one in batch], actor="key:1"))
    with service.read() as tx:
        assert tx.all("SELECT DISTINCT class FROM verifications") == [("1",)]
        assert tx.all("SELECT DISTINCT class FROM history") == [("1",)]
