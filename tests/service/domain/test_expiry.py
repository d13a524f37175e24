"""Requests expire by the clock, also while nothing is predicted."""

from sidelight.service.domain import decisions, monitors
from sidelight.service.domain.inputs import Prediction
from sidelight.service.domain.retention import expire_verifications_of_all_monitors
from sidelight.service.writer.duties import DUTIES


def states(service):
    with service.read() as tx:
        return tx.all("SELECT id, state FROM verifications ORDER BY id")


def test_what_is_overdue_by_the_clock_is_given_up_and_the_rest_is_not(service):
    hour = {"seconds": 3600}
    for name, patience, age in (("timed", hour, 7200.0), ("fresh", hour, 0.0), ("counted", 1, 7200.0)):
        made = service.do(monitors.create_served_monitor(name, {"tolerance": 0.1, "patience": patience}, actor="test"))
        with service.read() as tx:
            now = tx.now()
        service.do(decisions.decide_predictions(service, made.id, [Prediction(name, "7", now - age)], actor="test"))
    assert expire_verifications_of_all_monitors(service) == 1
    assert [one for one in states(service) if one[1] != "open"] == [("timed", "overdue")]
    assert expire_verifications_of_all_monitors(service) == 0
    with service.read() as tx:
        assert tx.one("SELECT COUNT(*) FROM journal WHERE kind = 'expired'") == (1,)


def test_it_is_a_duty():
    assert DUTIES["expiry"].run is expire_verifications_of_all_monitors


def test_a_monitor_that_cannot_be_used_does_not_keep_the_others_from_expiring(service):
    made = []
    for name in ("first", "second"):
        settings = {"tolerance": 0.1, "patience": {"seconds": 3600}}
        made.append(service.do(monitors.create_served_monitor(name, settings, actor="test")).id)
        with service.read() as tx:
            now = tx.now()
        service.do(decisions.decide_predictions(service, made[-1], [Prediction(name, "7", now - 7200.0)], actor="test"))
    with service.storage.write() as tx:  # the one that has its turn before the other
        tx.run("UPDATE monitors SET rule = rule + 1 WHERE id = ?", min(made))
    assert expire_verifications_of_all_monitors(service) == 1
