import json
import threading

import pytest

from service.conftest import fatal
from service.reviews import make, say
from service.traffic import Traffic
from sidelight.errors import SidelightError
from sidelight.monitor import RULE
from sidelight.service.domain import monitors
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Prediction
from sidelight.service.domain.reviews import withdraw_review
from sidelight.service.domain.service import Service
from sidelight.service.journal import replica, replicas
from sidelight.service.maintenance.check import check_database, prune_journal
from sidelight.service.options import Options
from sidelight.service.problems import Problem
from sidelight.service.store import open_storage

SETTINGS = [
    {},
    {"policy": "randcbp", "daily_cap": 50, "patience": 30},
    {"cap": 100, "patience": {"seconds": 3600}, "class_cap": 40},
    {"forget_after": 20, "max_pending": 15, "drift_alarm_every": 100},
]


def state_of(service, monitor):
    return json.dumps(service.writer.replicas.get(monitor).state(), sort_keys=True)


def restart(service):
    """Forget everything in memory, as a new process has."""
    service.writer.replicas.forget()


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_replaying_the_journal_gives_the_served_state(service, settings):
    traffic = Traffic(service, **settings)
    traffic.run(25)
    assert check_database(service.storage) == []
    before = state_of(service, traffic.monitor)
    restart(service)
    service.report(traffic.monitor)
    assert state_of(service, traffic.monitor) == before
    with service.read() as tx:
        assert tx.one("SELECT count(*) FROM snapshots")[0] == 2  # the others were deleted


TAMPERING = {
    "a body": "UPDATE journal SET body = replace(body, '\"verify\":1', '\"verify\":0') WHERE number = 3",
    "a time": "UPDATE journal SET at = at + 1 WHERE number = 5",
    "an entry is missing": "DELETE FROM journal WHERE number = 7",
    "the last entry is missing": "DELETE FROM journal WHERE number = (SELECT max(number) FROM journal)",
    "a snapshot": "UPDATE snapshots SET sha256 = chain",
    "a verification": "UPDATE verifications SET correct = 1 - correct WHERE correct >= 0",
    "a verification is missing": "DELETE FROM verifications WHERE number = 2",
    "a verification is open": "UPDATE verifications SET state = 'open' WHERE correct = 1",
    "the end": "UPDATE monitors SET last = last - 1",
}


@pytest.mark.parametrize("sql", TAMPERING.values(), ids=TAMPERING)
def test_whatever_is_changed_by_hand_is_found(service, sql):
    traffic = Traffic(service)
    traffic.run(15)
    assert check_database(service.storage) == []
    service.do(Sql(sql))
    (finding,) = check_database(service.storage)
    assert str(finding).startswith(f"digits ({traffic.monitor}): ")


def test_answers_that_were_taken_back_are_well(service):
    monitor = make(service, 3, reviews=2)
    for number, second in ((1, True), (2, True), (3, None)):
        for who, correct in (("ann", number != 3 or None), ("bob", second)):
            say(service, monitor, number, who, correct, skipped=correct is None)
    service.do(withdraw_review(monitor, "ann", 1))
    say(service, monitor, 2, "bob", correct=False, replace=True, revision=1)
    service.do(withdraw_review(monitor, "ann", 3))
    with service.read() as tx:
        assert tx.all("SELECT DISTINCT state FROM verifications") == [("open",)]
    assert check_database(service.storage) == []
    service.do(Sql("UPDATE verifications SET revision = 0 WHERE number = 1"))
    (finding,) = check_database(service.storage)
    assert "verification 1 is open" in finding.text


class Sql:
    """Changes the database behind the back of the service."""

    monitors = ()
    keys = verification_keys = ()

    def __init__(self, *statements):
        self.statements = statements

    def run(self, work):
        for sql in self.statements:
            assert work.writing().run(sql)


def test_a_decision_that_was_recorded_but_not_made_is_found(service, monkeypatch):
    """A forged entry with the right chain can only be found by deciding again."""
    traffic = Traffic(service)
    traffic.run(3)
    genuine = replica._decide_journaled_prediction_anew

    def forged(one, data):
        found, events = genuine(one, data)
        return found | ({"reason": 9} if data["id"] == "p4" else {}), events

    monkeypatch.setattr(replica, "_decide_journaled_prediction_anew", forged)
    (finding,) = check_database(service.storage)
    assert "but replaying it gives" in finding.text


def test_pruning_leaves_the_state_and_forgets_only_what_was_let_pass(service):
    traffic = Traffic(service, class_cap=20)
    traffic.run(30)
    before, report = state_of(service, traffic.monitor), service.report(traffic.monitor)
    with service.read() as tx:
        (entries,) = tx.one("SELECT count(*) FROM journal")
        passed = json.loads(tx.one("SELECT body FROM journal WHERE body LIKE '%\"verify\":0%' ORDER BY number")[0])
        (asked,) = tx.one("SELECT id FROM verifications ORDER BY number")
    assert prune_journal(service, traffic.monitor) == 0  # everything can still be asked for again
    assert prune_journal(service, traffic.monitor, days=0) == entries
    with service.read() as tx:
        assert tx.all("SELECT kind FROM journal") == [("sealed",)]
    assert check_database(service.storage) == []
    restart(service)
    assert service.report(traffic.monitor) == report
    assert state_of(service, traffic.monitor) == before
    again = [Prediction(asked, "a"), Prediction(asked, "b"), Prediction(asked, "c")]
    found = [service_decides(service, traffic.monitor, one) for one in again]
    assert sorted(found, key=str) == [True, "conflict", "conflict"]
    traffic.run(10)
    assert check_database(service.storage) == []
    assert prune_journal(service, traffic.monitor, days=0) > 0
    assert check_database(service.storage) == []
    predictions = service.report(traffic.monitor).predictions
    service.do(decide_predictions(service, traffic.monitor, [Prediction(passed["id"], passed["class"])], actor="key:1"))
    assert service.report(traffic.monitor).predictions == predictions + 1
    service.do(Sql("UPDATE snapshots SET state = chain WHERE sealed = 1"))
    assert len(check_database(service.storage)) == 1


def service_decides(service, monitor, prediction):
    try:
        return service.do(decide_predictions(service, monitor, [prediction], actor="key:1"))[0].verify
    except Problem as problem:
        return problem.kind


def test_nothing_is_pruned_that_cannot_be_replayed(service, monkeypatch):
    traffic = Traffic(service)
    traffic.run(5)
    monkeypatch.setattr(replica, "_decide_journaled_prediction_anew", lambda one, data: ({"reason": -1}, ()))
    with pytest.raises(SidelightError, match="but replaying it gives"):
        prune_journal(service, traffic.monitor, days=0)
    with service.read() as tx:
        assert tx.one("SELECT min(number) FROM journal")[0] == 1
        assert tx.one("SELECT base FROM monitors")[0] == 0


def test_a_monitor_of_another_rule_is_left_alone(service):
    traffic = Traffic(service)
    traffic.run(20)
    service.do(Sql(f"UPDATE monitors SET rule = {RULE + 1}"))
    with pytest.raises(Problem, match="the version that created it") as caught:
        traffic.decide()
    assert caught.value.status == 503
    assert len(check_database(service.storage)) == 1
    service.do(Sql(f"UPDATE monitors SET rule = {RULE}"))
    traffic.run(5)
    assert check_database(service.storage) == []


def test_settings_are_changed_by_journal(service):
    traffic = Traffic(service, cap=3, aim="first-come")
    assert sum(one.verify for one in traffic.decide(10)) == 3
    row = service.do(monitors.change_served_monitor(traffic.monitor, {"cap": 5, "reviews": 2}, actor="key:9"))
    assert (row.settings["cap"], row.settings["reviews"]) == (5, 2)
    assert sum(one.verify for one in traffic.decide(10)) == 2
    for wrong in ({"tolerance": 0.3}, {"cap": -1}, {"reviews": 3}, {"cap": 7, "reviews": 0}, {"nonsense": 1}):
        with pytest.raises(Problem) as caught:
            service.do(monitors.change_served_monitor(traffic.monitor, wrong, actor="key:9"))
        assert caught.value.status == 422
        assert caught.value.places
    assert sum(one.verify for one in traffic.decide(10)) == 0
    assert check_database(service.storage) == []
    restart(service)
    assert sum(one.verify for one in traffic.decide(10)) == 0
    service.do(monitors.archive_served_monitor(traffic.monitor, actor="key:9"))
    for job in (
        monitors.archive_served_monitor(traffic.monitor, actor="key:9"),
        monitors.change_served_monitor(traffic.monitor, {"cap": 1}, actor="key:9"),
        decide_predictions(service, traffic.monitor, [Prediction("x", "a")], actor="key:9"),
        record_answers(traffic.monitor, [AnswerTo("p1", correct=True)], actor="key:9"),
    ):
        with pytest.raises(Problem) as caught:
            service.do(job)
        assert caught.value.status == 410
    other = Traffic(service, seed=1)  # the name can be used again, and inherits nothing
    assert other.monitor != traffic.monitor
    assert check_database(service.storage) == []
    with pytest.raises(Problem) as caught:
        Traffic(service)
    assert caught.value.status == 409


def test_verifying_and_pruning_do_not_disturb_those_who_work(service):
    """Everything changes meanwhile; nothing is found, and nothing is lost."""
    traffic = Traffic(service, max_pending=30)
    failures = []

    def work():
        try:
            traffic.run(25)
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    rounds = 0
    while thread.is_alive():
        assert check_database(service.storage) == []
        if rounds % 3 == 2:
            prune_journal(service, traffic.monitor, days=0)
        rounds += 1
    thread.join()
    assert failures == []
    assert service.report(traffic.monitor).predictions == traffic.sent
    assert check_database(service.storage) == []


def test_another_process_follows_over_a_pruned_beginning(postgres_url):
    services = [Service(open_storage(postgres_url), options=Options(on_fatal=fatal)) for _ in range(2)]
    try:
        first = Traffic(services[0])
        first.run(3)
        services[1].report(first.monitor)  # follows up to here
        first.run(3)
        prune_journal(services[0], first.monitor, days=0)
        first.run(1)
        assert services[1].report(first.monitor) == services[0].report(first.monitor)
        assert check_database(services[1].storage) == []
    finally:
        for service in services:
            service.close()


def test_a_journal_that_cannot_be_followed_harms_no_other_monitor(service, monkeypatch, caplog):
    broken, well = Traffic(service, name="broken"), Traffic(service, name="well")
    broken.run(3)
    last = "SELECT max(number) FROM journal WHERE monitor = (SELECT id FROM monitors WHERE name = 'broken')"
    service.do(Sql(f"UPDATE journal SET at = at + 1 WHERE number = ({last}) AND monitor = '{broken.monitor}'"))
    restart(service)
    rebuilt = []
    genuine = replicas.rebuild_replica
    monkeypatch.setattr(replicas, "rebuild_replica", lambda *those: rebuilt.append(those[1]) or genuine(*those))
    for _ in range(5):
        with pytest.raises(Problem, match="cannot be replayed") as caught:
            broken.decide()
        assert caught.value.status == 503
    well.run(3)
    assert rebuilt.count(broken.monitor) == 1  # not again for every request
    assert "does not follow" in caplog.text
    assert [one.monitor for one in check_database(service.storage)] == [f"broken ({broken.monitor})"]
