"""Webhooks from the event to the receiver: signed, in order, at least once, for a day, and none that did not happen."""

import base64
import dataclasses
import hashlib
import hmac
import json

import pytest

from service.api.conftest import LOOPBACK, SQLITE
from sidelight.service.domain import answers, decisions, monitors
from sidelight.service.domain.inputs import AnswerTo, Prediction
from sidelight.service.journal import audit
from sidelight.service.problems import Problem
from sidelight.service.webhooks import outbox
from sidelight.service.webhooks.endpoints import create_webhook, list_webhooks, remove_webhook
from sidelight.service.webhooks.formats import ANSWERS_OVERDUE, BUDGET_USED_UP, EVENTS, VERDICT_CHANGED
from sidelight.service.webhooks.outbox import DAY, PAUSES, send_due_messages, webhook_messages_waiting
from sidelight.service.writer.duties import LEASE, DutyClock


@pytest.fixture
def service(service):
    service.options = dataclasses.replace(service.options, egress=LOOPBACK)
    return service


@pytest.fixture
def digits(service):
    """A monitor that decides after few answers."""
    settings = {"tolerance": 0.3, "confidence": 0.8, "cap": 20, "patience": 5}
    return service.do(monitors.create_served_monitor("digits", settings, actor="test"))


def hook(service, url, events=tuple(EVENTS), only=None, *form):
    return service.do(create_webhook("test", url, events, only, LOOPBACK, *form))


def decide(service, monitor, *ids, name="7"):
    rows = [Prediction(id, name) for id in ids]
    return service.do(decisions.decide_predictions(service, monitor.id, rows, actor="test"))


def use_up(service, monitor):
    for i in range(22):  # one by one, for predictions that come together do not age
        decide(service, monitor, f"{monitor.name}{i}")


def rows(service):
    with service.read() as tx:
        return tx.all("SELECT event, tries, next_at, sent_at, failure FROM outbox ORDER BY number, event")


class Later:
    """Let time pass for the messages that wait."""

    monitors = ()
    keys = verification_keys = ()

    def __init__(self, seconds=DAY, created=0.0):
        self.seconds, self.created = seconds, created

    def run(self, work):
        values = self.seconds, self.created
        work.writing().run(
            "UPDATE outbox SET next_at = next_at - ?, created_at = created_at - ? WHERE sent_at IS NULL", *values
        )


def test_a_process_that_ends_begins_no_message_and_leaves_none_behind(service, digits, receiver):
    """Receivers that hang must not keep it from ending."""
    hook(service, receiver.url)
    use_up(service, digits)
    clock = DutyClock(service)
    clock.stop()
    assert send_due_messages(service) == 0
    assert receiver.got == []
    with service.read() as tx:
        assert webhook_messages_waiting(tx)
    service.ending.clear()
    assert send_due_messages(service) > 0


def test_what_happens_is_told_with_a_signature_that_holds(service, digits, receiver):
    new = hook(service, receiver.url)
    use_up(service, digits)
    assert send_due_messages(service) == len(receiver.got) > 0
    secret = base64.b64decode(new.secret.removeprefix("whsec_"))
    kinds = {}
    for _, headers, body in receiver.got:
        text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = base64.b64encode(hmac.new(secret, text, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{expected}"
        told = json.loads(body)
        assert told["data"]["monitor"] == "digits"
        kinds.setdefault(told["type"], []).append(told["data"])
    assert {"limit": "cap"}.items() <= kinds[BUDGET_USED_UP][0].items()
    assert len(kinds[BUDGET_USED_UP]) == 1
    assert 1 <= len(kinds[ANSWERS_OVERDUE]) <= 2  # in an hour, or in two if one just begins
    assert len({headers["webhook-id"] for _, headers, _ in receiver.got}) == len(receiver.got)
    assert send_due_messages(service) == 0


def test_a_verdict_that_turns_is_told_with_its_number_in_the_journal(service, digits, receiver):
    hook(service, receiver.url, [VERDICT_CHANGED])
    for i in range(20):
        decide(service, digits, f"v{i}")
        service.do(answers.record_answers(digits.id, [AnswerTo(f"v{i}", correct=False)], actor="test"))
    send_due_messages(service)
    first = json.loads(receiver.got[0][2])
    assert first["type"] == VERDICT_CHANGED
    assert (first["data"]["class"], first["data"]["before"], first["data"]["verdict"]) == ("7", "unknown", "above")
    with service.read() as tx:
        entry = tx.one("SELECT kind, body FROM journal WHERE number = ?", first["data"]["number"])
    assert entry[0] == "answered"
    assert json.loads(entry[1])["turned"]


def test_a_chat_and_a_pager_get_what_they_accept(service, digits, receiver):
    service.options = dataclasses.replace(service.options, url="https://monitor.example.org")
    hook(service, receiver.url, [VERDICT_CHANGED], None, "slack")
    for i in range(20):
        decide(service, digits, f"v{i}", name="<!channel>")
        service.do(answers.record_answers(digits.id, [AnswerTo(f"v{i}", correct=False)], actor="test"))
    send_due_messages(service)
    _, headers, body = receiver.got[0]
    assert json.loads(body)["text"] == "digits: class &lt;!channel&gt; is above its tolerance"
    assert "https://monitor.example.org/m/digits" in body.decode()
    assert "webhook-signature" not in headers
    pager = hook(service, receiver.url, [BUDGET_USED_UP], None, "pagerduty", "r" * 32)
    assert pager.secret is None
    use_up(service, digits)
    receiver.answers = [429]
    for _ in range(2):
        send_due_messages(service)
        service.do(Later(60.0))
    first, second = (body for _, _, body in receiver.got[-2:])
    assert first == second
    assert (json.loads(first)["routing_key"], json.loads(first)["event_action"]) == ("r" * 32, "trigger")
    with service.read() as tx:
        assert "rrrr" not in repr(tx.all("SELECT * FROM outbox")) + repr(tx.all("SELECT * FROM audit"))
        assert "rrrr" not in repr(list_webhooks(tx))


def test_a_cap_is_told_once_by_all_processes_and_again_when_a_new_one_is_used_up(service, digits, receiver, storage):
    hook(service, receiver.url, [BUDGET_USED_UP])
    use_up(service, digits)
    service.writer.replicas.drop([digits.id])  # as if another process went on
    decide(service, digits, "a")
    assert len(rows(service)) == 1
    service.do(monitors.change_served_monitor(digits.id, {"cap": 21}, actor="test"))
    decide(service, digits, "b")
    decide(service, digits, "c")
    assert len(rows(service)) == 2


def test_webhooks_get_only_the_events_and_monitors_they_want(service, digits, receiver):
    other = service.do(monitors.create_served_monitor("other", {"tolerance": 0.3, "cap": 1}, actor="test"))
    hook(service, receiver.url, [BUDGET_USED_UP], ["other"])
    use_up(service, digits)
    assert rows(service) == []
    use_up(service, other)
    assert len(rows(service)) == 1


def test_what_did_not_happen_is_not_told(service, digits, receiver):
    hook(service, receiver.url)

    class Fails:
        monitors = (digits.id,)
        keys = verification_keys = ()

        def run(self, work):
            work.publish(digits.id, VERDICT_CHANGED, {})
            raise RuntimeError("after the event")

    with pytest.raises(RuntimeError):
        service.do(Fails())
    assert rows(service) == []


def test_a_receiver_that_fails_is_tried_again_with_growing_pauses_for_a_day(service, digits, receiver):
    hook(service, receiver.url, [BUDGET_USED_UP])
    use_up(service, digits)
    receiver.answers = [500] * 100
    seen, total = [], 0.0
    for attempt in range(1, len(PAUSES) + 2):
        with service.read() as tx:
            now = tx.now()
        assert send_due_messages(service) == 0
        assert len(receiver.got) == attempt
        left = rows(service)
        if not left:
            break
        ((_, tries, next_at, sent_at, failure),) = left
        assert (tries, sent_at, failure) == (attempt, None, "the receiver answered 500")
        seen.append(next_at - now)
        total += seen[-1]
        service.do(Later(seen[-1] + 60.0))
    assert attempt == len(PAUSES) + 1
    assert seen == pytest.approx(PAUSES, rel=0.1, abs=2.0)
    assert 0.8 * DAY < total < DAY
    assert len({body for _, _, body in receiver.got}) == 1
    assert len({headers["webhook-id"] for _, headers, _ in receiver.got}) == 1
    with service.read() as tx:
        assert audit.read_audit_log(tx)[0].action == "webhook given up"
        assert list_webhooks(tx)[0].failure == "the receiver answered 500"


def test_a_message_of_yesterday_is_given_up(service, digits, receiver):
    hook(service, receiver.url, [BUDGET_USED_UP])
    use_up(service, digits)
    service.do(Later(created=DAY))
    receiver.answers = [503]
    send_due_messages(service)
    assert rows(service) == []


def test_after_a_failure_the_others_to_the_same_receiver_wait_and_keep_their_order(service, digits, receiver):
    hook(service, receiver.url)
    for _ in range(4):
        service.do(_Tell(digits.id))
    receiver.answers = [500]
    assert send_due_messages(service) == 0
    assert len(receiver.got) == 1
    with service.read() as tx:
        assert not webhook_messages_waiting(tx)
    assert sorted(tries for _, tries, *_ in rows(service)) == [0, 0, 0, 1]
    service.do(Later(60.0))
    assert send_due_messages(service) == 4
    numbers = [json.loads(body)["data"]["number"] for _, _, body in receiver.got]
    assert numbers == sorted(numbers)


class _Tell:
    """Let something happen that is told."""

    keys = verification_keys = ()

    def __init__(self, monitor):
        self.monitors = (monitor,)

    def run(self, work):
        work.append(self.monitors[0], "reviewed", {}, actor="test")
        work.publish(self.monitors[0], VERDICT_CHANGED, {})


def test_a_process_that_dies_while_sending_leaves_the_message_to_others(service, digits, receiver):
    hook(service, receiver.url, [BUDGET_USED_UP])
    use_up(service, digits)
    assert len(service.do(outbox._claim_due_webhook_messages())) == 1  # and dies
    assert send_due_messages(service) == 0
    service.do(Later(LEASE + 1.0))
    assert send_due_messages(service) == 1


def test_a_receiver_that_wants_no_more_gets_no_more(service, digits, receiver):
    hook(service, receiver.url)
    use_up(service, digits)
    receiver.answers = [410]
    send_due_messages(service)
    assert len(receiver.got) == 1
    assert rows(service) == []
    with service.read() as tx:
        assert list_webhooks(tx)[0].disabled_at is not None


def test_a_webhook_that_is_removed_sends_nothing_more(service, digits, receiver):
    new = hook(service, receiver.url)
    use_up(service, digits)
    service.do(remove_webhook("test", new.id))
    assert send_due_messages(service) == 0
    assert receiver.got == []
    with pytest.raises(Problem, match="no webhook"):
        service.do(remove_webhook("test", new.id))
    with service.read() as tx:
        assert new.secret not in repr(tx.all("SELECT * FROM audit"))


@SQLITE
@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "http://hooks.example/"},
        {"url": "https://user:pass@hooks.example/"},
        {"url": "\x00"},
        {"url": "https://\ud800/"},
        {"events": []},
        {"events": ["everything"]},
        {"only": ["nowhere"]},
        {"only": []},
        {"format": "pagerduty"},
        {"format": "slack", "routing_key": "r" * 32},
        {"routing_key": "r" * 32},
    ],
)
def test_what_is_no_webhook_is_refused(service, digits, wrong):
    given = {"url": "https://hooks.example/", "events": [VERDICT_CHANGED]} | wrong
    with pytest.raises(Problem) as caught:
        service.do(create_webhook("test", **given))
    assert caught.value.status == 422
    with service.read() as tx:
        assert list_webhooks(tx) == []
