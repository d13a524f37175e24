"""Requests expire by the clock, also while nothing is predicted."""

from sidelight.service import deciding, monitors
from sidelight.service.deciding import Prediction
from sidelight.service.duties import DUTIES
from sidelight.service.expiring import expire_all


def states(service):
    with service.read() as tx:
        return tx.all("SELECT id, state FROM items ORDER BY id")


def test_what_is_overdue_by_the_clock_is_given_up_and_the_rest_is_not(service):
    hour = {"seconds": 3600}
    for name, patience, age in (("timed", hour, 7200.0), ("fresh", hour, 0.0), ("counted", 1, 7200.0)):
        made = service.do(monitors.create(name, {"tolerance": 0.1, "patience": patience}, actor="test"))
        with service.read() as tx:
            now = tx.now()
        service.do(deciding.decide(service, made.id, [Prediction(name, "7", now - age)], actor="test"))
    assert expire_all(service) == 1
    assert [one for one in states(service) if one[1] != "open"] == [("timed", "overdue")]
    assert expire_all(service) == 0
    with service.read() as tx:
        assert tx.one("SELECT COUNT(*) FROM journal WHERE kind = 'expired'") == (1,)


def test_it_is_a_duty():
    assert DUTIES["expiry"].run is expire_all
