"""Payloads go when their time is over or when somebody asks; the rest stays, and replay gives the same."""

from dataclasses import astuple

from service.filling import fill
from sidelight.monitor.report.make import make_monitor_report
from sidelight.service.domain import monitors, retention
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Payload, Prediction
from sidelight.service.domain.retention import Erased
from sidelight.service.journal.replicas import rebuild_replica
from sidelight.service.maintenance.check import check_database

DAY = 86_400.0


def make(service, count=6, **settings):
    settings = {"tolerance": 0.1, "policy": "explore"} | settings
    monitor = service.do(monitors.create_served_monitor("pets", settings, actor="key:1")).id
    rows = [Prediction(f"r{n}", "cat", payload=Payload("text/plain", b"x")) for n in range(count)]
    service.do(decide_predictions(service, monitor, rows, actor="key:1"))
    return monitor


def kept(service, monitor):
    join = "verifications JOIN payloads ON verifications.monitor = payloads.monitor AND number = verification"
    sql = f"SELECT id FROM {join} WHERE verifications.monitor = ?"
    with service.read() as tx:
        return sorted(id for (id,) in tx.all(sql, monitor))


def states(service, monitor):
    with service.read() as tx:
        return dict(tx.all("SELECT id, state FROM verifications WHERE monitor = ?", monitor))


def age(service, monitor, days):
    """Let everything have happened so many days ago."""
    with service.storage.write() as tx:
        tx.run(
            "UPDATE verifications SET asked_at = asked_at - ?, settled_at = settled_at - ? WHERE monitor = ?",
            *[days * DAY] * 2,
            monitor,
        )


def test_payloads_are_kept_while_they_wait_and_then_for_the_retention(service):
    monitor = make(service, 4, retention=7)
    service.do(record_answers(monitor, [AnswerTo("r0", True), AnswerTo("r1", skipped=True)], actor="key:1"))
    with service.storage.write() as tx:
        tx.run("UPDATE verifications SET state = 'overdue' WHERE id = 'r2'")
    age(service, monitor, 6.9)
    assert retention.delete_payloads_past_retention(service) == 0
    age(service, monitor, 0.2)
    assert retention.delete_payloads_past_retention(service) == 3
    assert kept(service, monitor) == ["r3"]
    assert retention.delete_payloads_past_retention(service) == 0


def test_none_is_for_ever_and_0_is_at_once(service):
    monitor = make(service, retention=None)
    service.do(record_answers(monitor, [AnswerTo("r0", True)], actor="key:1"))
    age(service, monitor, 10_000.0)
    assert retention.delete_payloads_past_retention(service) == 0
    service.do(monitors.change_served_monitor(monitor, {"retention": 0}, actor="key:1"))
    assert retention.delete_payloads_past_retention(service) == 1


def test_many_are_deleted_a_few_at_a_time(service, monkeypatch):
    monkeypatch.setattr(retention, "_AT_ONCE", 7)
    monitor = fill(service, 200, policy="explore")
    settled = [id for id, state in states(service, monitor).items() if state != "open"]
    age(service, monitor, 31.0)
    assert retention.delete_payloads_past_retention(service) == len(settled) > 7
    assert len(kept(service, monitor)) == len(states(service, monitor)) - len(settled)


def test_on_request_payloads_go_and_what_waits_is_released(service):
    monitor = make(service)
    service.do(record_answers(monitor, [AnswerTo("r0", True)], actor="key:1"))
    found = service.do(retention.erase_prediction_payloads(monitor, ["r0", "r1", "r1", "nobody"], actor="key:2"))
    assert list(map(astuple, found)) == [
        ("r0", "erased", True),
        ("r1", "released", True),
        ("r1", "erased", False),
        ("nobody", "unknown", False),
    ]
    assert kept(service, monitor) == ["r2", "r3", "r4", "r5"]
    assert [states(service, monitor)[id] for id in ("r0", "r1", "r2")] == ["answered", "deleted", "open"]
    (cat,) = service.report(monitor).classes
    assert (cat.verified, cat.skipped, cat.pending) == (1, 1, 4)
    (gone,) = service.do(record_answers(monitor, [AnswerTo("r1", True)], actor="key:1"))
    assert gone.status == "gone"
    assert service.report(monitor).classes[0].verified == 1


def test_what_was_erased_is_replayed(service):
    monitor = make(service)
    service.do(retention.erase_prediction_payloads(monitor, ["r1", "r2"], actor="key:2"))
    expected = service.report(monitor)
    with service.read() as tx:
        last, chain, base = tx.one("SELECT last, chain, base FROM monitors WHERE id = ?", monitor)
        assert make_monitor_report(rebuild_replica(tx, monitor, last, bytes(chain), base).monitor) == expected
        body = tx.one("SELECT body, actor FROM journal WHERE monitor = ? AND number = ?", monitor, last)
    assert '"erased":1' in body[0]
    assert body[1] == "key:2"
    assert check_database(service.storage) == []


def test_a_verification_of_another_monitor_is_not_touched(service):
    monitor = make(service)
    other = service.do(monitors.create_served_monitor("other", {"tolerance": 0.1}, actor="key:1")).id
    assert service.do(retention.erase_prediction_payloads(other, ["r0"], actor="key:1")) == [
        Erased("r0", "unknown", False)
    ]
    assert len(kept(service, monitor)) == 6


def test_payloads_of_an_archived_monitor_can_be_deleted(service):
    monitor = make(service)
    service.do(monitors.archive_served_monitor(monitor, actor="key:1"))
    with service.read() as tx:
        before = tx.one("SELECT last FROM monitors WHERE id = ?", monitor)
    assert service.do(retention.erase_prediction_payloads(monitor, ["r0"], actor="key:1")) == [
        Erased("r0", "erased", True)
    ]
    assert len(kept(service, monitor)) == 5
    assert check_database(service.storage) == []
    with service.read() as tx:
        assert tx.one("SELECT last FROM monitors WHERE id = ?", monitor) == before
