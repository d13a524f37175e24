"""The client: the same methods as the monitor, safe retries, and predictions that pass when nobody answers."""

import asyncio
import json
import logging
import math
import threading

import httpx
import numpy as np
import pytest
from service.clients import BOTH, URL, Blocking, closing  # noqa: F401
from service.fake import KEY, Fake, problem

from sidelight.client import (
    AsyncClient,
    Client,
    NotTheServiceError,
    ServiceError,
    UnreachableError,
    batches,
    calls,
    exchange,
)
from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor
from sidelight.service.problems import Problem


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """Retry at once: pauses are tested where they are made."""
    monkeypatch.setattr(exchange, "_FIRST_PAUSE", 0.0)


@pytest.fixture
def fake():
    return Fake(policy="explore")


def over(kind, fake, **options):
    return kind(transport=httpx.MockTransport(fake), **options)


@BOTH
def test_the_methods_are_those_of_the_monitor(kind, fake):
    client = over(kind, fake)
    twin = ClassifierMonitor(0.05, policy="explore")
    for n in range(5):
        assert client.call("decide", "7", id=f"r{n}") == twin.decide("7", id=f"r{n}")
    answer = client.call("answer", "r0", correct=False)
    assert answer[:3] == ("recorded", "r0", twin.answer("r0", correct=False).verdict)
    assert client.call("answer", "r1", label="1").status == "recorded"
    assert client.call("answer", "r2", skipped=True).status == "released"
    twin.answer_many(["r1", "r2"], labels=["1", None], skipped=[None, True])
    assert client.call("report") == twin.report()
    assert str(client.call("report")) == str(twin.report())


@BOTH
def test_batches(kind, fake):
    client = over(kind, fake)
    decided = client.call("decide_many", np.array([7, 8, 7]), ids=["a", "b", "c"], payloads=[None, "text", {"x": 1}])
    assert [(one.id, one.prediction, type(one.prediction)) for one in decided] == [
        ("a", 7, int),
        ("b", 8, int),
        ("c", 7, int),
    ]
    assert [row.get("payload") for row in fake.seen[0][2]["predictions"]] == [None, {"text": "text"}, {"x": 1}]
    answers = client.call("answer_many", ["a", "b", "c"], [True, False, None], skipped=[None, None, True])
    assert [one.status for one in answers] == ["recorded", "recorded", "released"]
    assert client.call("decide_many", []) == []
    assert len(fake.seen) == 2


@BOTH
def test_a_label_for_what_was_let_pass_is_no_error(kind, fake):
    client = over(kind, fake)
    answer = client.call("answer", "passed", correct=True)
    assert (answer.status, answer.verdict) == ("not chosen", None)
    with pytest.raises(ServiceError, match="404"):
        client.call("answer", "never decided", correct=True)
    many = client.call("answer_many", ["passed", "never decided"], [True, True])
    assert [one.status for one in many] == ["not chosen", "unknown"]


@BOTH
def test_what_is_waited_for(kind, fake, monkeypatch):
    monkeypatch.setattr(calls, "LARGEST_BATCH", 3)
    client = over(kind, fake)
    client.call("decide_many", ["7"] * 8, ids=[f"r{n}" for n in range(8)])
    client.call("answer", "r2", correct=True)
    found = client.call("pending")
    assert [one.id for one in found] == [f"r{n}" for n in range(8) if n != 2]
    assert found[0].asked_at.isoformat() == "2017-07-14T02:40:00+00:00"
    assert (found[0].number, found[0].overdue) == (1, False)
    for garbage in ({}, [], {"pending": 3}, {"pending": [{"id": "a"}]}, {"pending": [{"asked_at": "now"}]}):
        fake.faults = [httpx.Response(200, json=garbage)]
        with pytest.raises(NotTheServiceError):
            client.call("pending")


@BOTH
def test_a_monitor_is_made(kind, fake):
    client = over(kind, fake)
    client.create("pets", tolerance=0.1, confidence=0.9)
    assert client.call("decide", "cat", monitor="pets").verify
    assert fake.seen[0] == ("POST", "/v1/monitors", {"name": "pets", "settings": {"tolerance": 0.1, "confidence": 0.9}})


@BOTH
@pytest.mark.parametrize(
    "reply", [{"decisions": []}, {"decisions": [None, None]}, {"decisions": [{"id": "a"}] * 2}, []]
)
def test_garbage_in_reply_to_a_batch(kind, fake, reply):
    fake.faults = [httpx.Response(200, json=reply)]
    found = over(kind, fake).call("decide_many", ["7", "8"])
    assert [one.reason for one in found] == ["unreachable"] * 2


def test_batches_are_split_by_bytes_too(fake):
    payloads = ["x" * 60_000] * 200
    over(Blocking, fake).call("decide_many", ["7"] * 200, payloads=payloads)
    assert len(fake.seen) > 1
    for *_, body in fake.seen:
        assert len(json.dumps(body)) <= 4.5e6
    assert sum(len(body["predictions"]) for *_, body in fake.seen) == 200


@BOTH
@pytest.mark.parametrize(
    "fault",
    [
        httpx.ConnectError("refused"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("closed"),
        httpx.ReadTimeout("late"),
        httpx.Response(502, text="<html>Bad Gateway</html>", headers={"content-type": "text/html"}),
        problem(Problem("unavailable", "busy")),
        problem(Problem("too-many", "slowly")),
    ],
    ids=lambda fault: getattr(fault, "status_code", type(fault).__name__),
)
def test_retries_carry_the_same_id(kind, fake, fault):
    fake.faults = [fault, fault]
    decision = over(kind, fake).call("decide", "7")
    assert decision.verify
    bodies = [body for *_, body in fake.seen]
    assert len(bodies) == 3
    assert bodies[0] == bodies[1] == bodies[2]
    assert fake.monitors["digits"].report().predictions == 1


def lost(reply):
    """A reply that never arrives, though the service has done what it was asked."""
    raise httpx.ReadError("reset")


@BOTH
def test_a_lost_reply_counts_once(kind, fake):
    fake.faults = [lost, lost]
    assert over(kind, fake).call("decide", "7").verify
    assert fake.monitors["digits"].report().predictions == 1
    client = over(kind, fake)
    client.call("decide", "7", id="a")
    fake.faults = [lost]
    assert client.call("answer", "a", correct=True).status == "unchanged"
    assert fake.monitors["digits"].report().classes[0].verified == 1


@BOTH
@pytest.mark.parametrize(
    "fault",
    [
        httpx.ConnectError("refused"),
        httpx.Response(500, text="oops"),
        httpx.Response(502, text="<html>Bad Gateway</html>", headers={"content-type": "text/html"}),
        httpx.Response(200, text="<html>Sign in to the network</html>", headers={"content-type": "text/html"}),
        httpx.Response(200, json=[]),
        httpx.Response(200, json={"decisions": []}),
        httpx.Response(200, json=None),
        httpx.Response(200, json={"id": "another", "verify": True, "reason": ""}),
        httpx.Response(200, json={"id": "a", "verify": "yes", "reason": ""}),
        httpx.Response(200, content=b'{"id": "a", "ver'),
        httpx.Response(200, content=b"\xff\xfe\x00"),
    ],
    ids=range(11),
)
def test_predictions_pass_when_nobody_answers(kind, fake, fault, caplog):
    fake.faults = [fault] * 10
    client = over(kind, fake, retries=2)
    with caplog.at_level(logging.WARNING, "sidelight.client"):
        assert client.call("decide", "7", id="a") == (False, "a", "unreachable", "7", None)
    assert client.client.unreachable == 1
    (record,) = caplog.records
    assert "predictions pass without a decision, 1 so far" in record.getMessage()
    with pytest.raises(UnreachableError):
        client.call("answer", "a", correct=True)
    with pytest.raises(ConnectionError):
        client.call("report")


def test_garbage_is_named(fake):
    fake.faults = [httpx.Response(200, text="<html>", headers={"content-type": "text/html"})]
    with pytest.raises(NotTheServiceError, match=r"does not come from the service \(200 OK with text/html, 6 bytes\)"):
        over(Blocking, fake).call("report")
    fake.faults = [httpx.Response(502, text="\x1b[2J<html>", headers={"content-type": "text/\x1b[2Jhtml"})]
    with pytest.raises(NotTheServiceError, match=r"502 Bad Gateway with text/\\x1b.* not from the service") as caught:
        over(Blocking, fake, retries=0).call("report")
    assert str(caught.value).isprintable()


@BOTH
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(kind, fake, status):
    fake.faults = [httpx.Response(status, headers={"location": "https://elsewhere.example/v1"})]
    client = over(kind, fake)
    with pytest.raises(ServiceError, match=r"to https://elsewhere\.example/v1, which is not followed"):
        client.call("decide", "7")
    assert len(fake.seen) == 1


@BOTH
def test_what_is_wrong_is_said(kind, fake):
    client = over(kind, fake)
    with pytest.raises(ServiceError, match=r"404 This does not exist; there is no monitor 'gone'"):
        client.call("decide", "7", monitor="gone")
    with pytest.raises(ServiceError, match=r"some predictions are wrong; #/predictions/1: too bad$") as caught:
        client.call("decide_many", ["7", "bad"])
    assert caught.value.status == 422
    assert caught.value.problem["errors"] == [{"detail": "too bad", "pointer": "#/predictions/1"}]
    with pytest.raises(ServiceError, match="and 95 more"):
        client.call("decide_many", ["bad"] * 100)
    client.call("decide", "7", id="a")
    with pytest.raises(ServiceError, match="409 This conflicts"):
        client.call("decide", "8", id="a")
    with pytest.raises(ServiceError, match="401 "):
        over(kind, fake, key="wrong").call("report")
    assert not isinstance(caught.value, UnreachableError)
    assert client.client.unreachable == 0


def test_errors_of_something_else_are_told_apart(fake):
    fake.faults = [httpx.Response(404, text="nginx")]
    with pytest.raises(
        ServiceError, match=r"404 Not Found with text/plain.* something else answered, check the address"
    ):
        over(Blocking, fake).call("report")


@BOTH
@pytest.mark.parametrize(
    ("method", "arguments", "named"),
    [
        ("decide", [math.nan], {}),
        ("decide", [None], {}),
        ("decide", [["7"]], {}),
        ("decide", ["7"], {"id": 1.5}),
        ("decide", ["7"], {"time": "yesterday"}),
        ("decide", ["7"], {"payload": {"x": math.inf}}),
        ("decide", ["7"], {"payload": {"x": object()}}),
        ("decide_many", ["7"], {}),
        ("decide_many", [["7", "8"]], {"ids": ["a"]}),
        ("decide_many", [["7", None]], {}),
        ("answer", ["a"], {}),
        ("answer", ["a", True], {"label": "7"}),
        ("answer", ["a", "yes"], {}),
        ("answer_many", [["a", "b"], [True]], {}),
        ("answer_many", [["a", "b"], [True, None]], {}),
    ],
)
def test_mistakes_are_found_before_anything_is_sent(kind, fake, method, arguments, named):
    with pytest.raises(SidelightError):
        over(kind, fake).call(method, *arguments, **named)
    assert fake.seen == []


def test_a_payload_that_holds_itself(fake):
    loop = {}
    loop["loop"] = loop
    with pytest.raises(SidelightError, match=r"row 0 .*cannot be written as JSON"):
        over(Blocking, fake).call("decide", "7", payload=loop)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"url": "127.0.0.1:8765"}, "not the address of a service"),
        ({"url": "ftp://x"}, "not the address of a service"),
        ({"url": "http://"}, "not the address of a service"),
        ({"url": "http://x:99999"}, "not the address of a service"),
        ({"url": None}, "not the address of a service"),
        ({"url": "http://me:secret@x"}, "not the address of a service"),
        ({"url": "http://x/?a=1"}, "not the address of a service"),
        ({"key": ""}, "there is no key"),
        ({"key": "a\nb"}, "characters that no key has"),
        ({"key": "ä"}, "characters that no key has"),
        ({"timeout": 0}, "timeout is 0"),
        ({"timeout": math.inf}, "timeout is inf"),
        ({"patience": "1"}, "patience is '1'"),
        ({"retries": -1}, "retries is -1"),
        ({"retries": 1.5}, "retries is 1.5"),
    ],
)
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_bad_settings(kind, arguments, said, monkeypatch):
    monkeypatch.delenv("SIDELIGHT_KEY", raising=False)
    with pytest.raises(SidelightError, match=said) as caught:
        kind(**{"url": URL, "key": KEY} | arguments)
    assert "secret" not in str(caught.value)


def test_the_key_comes_from_the_environment_and_is_not_shown(monkeypatch, fake):
    monkeypatch.setenv("SIDELIGHT_KEY", f" {KEY}\n")
    client = Client(URL + "/", transport=httpx.MockTransport(fake))
    assert client.monitor("digits").decide("7").verify
    assert KEY not in repr(client) + repr(client.monitor("digits"))
    assert client.url == URL


def test_names_cannot_leave_their_place(fake):
    over(Blocking, fake, url=URL + "/below").client.monitor("digits")
    client = Client(URL, KEY, transport=httpx.MockTransport(fake))
    fake.faults = [httpx.Response(200, json={"classes": []})]
    with pytest.raises(NotTheServiceError):
        client.monitor("../../admin?x=#").report()
    raw = []
    client = Client(
        URL, KEY, transport=httpx.MockTransport(lambda request: raw.append(request.url.raw_path) or fake(request))
    )
    fake.faults = [httpx.Response(404, json={"title": "gone"})]
    with pytest.raises(ServiceError):
        client.monitor("../../admin?x=#").report()
    assert raw == [b"/v1/monitors/..%2F..%2Fadmin%3Fx%3D%23/report"]
    with pytest.raises(SidelightError, match="not the name of a monitor"):
        client.monitor("")


@BOTH
def test_a_dead_service_is_not_waited_for_again_and_again(kind, fake, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(exchange.time, "monotonic", lambda: now[0])
    fake.faults = [httpx.ConnectError("refused")] * 4
    client = over(kind, fake, retries=0)
    for _ in range(50):
        assert client.call("decide", "7").reason == "unreachable"
    assert len(fake.seen) == 3
    assert client.client.unreachable == 50
    now[0] = 5.0
    for _ in range(50):
        assert client.call("decide", "7").reason == "unreachable"
    assert len(fake.seen) == 4
    now[0] = 10.0
    assert client.call("decide", "7").verify
    assert client.call("decide", "7").verify
    assert client.client.unreachable == 100


def test_the_log_is_not_flooded_and_says_when_it_is_over(fake, caplog):
    fake.faults = [httpx.ConnectError("refused")] * 2
    client = over(Blocking, fake, retries=0)
    with caplog.at_level(logging.WARNING, "sidelight.client"):
        for _ in range(3):
            client.call("decide", "7")
    assert [record.getMessage().split(";")[0] for record in caplog.records] == [
        "the service is unreachable: ConnectError: refused",
        "the service answers again",
    ]


def test_pauses_grow_and_keep_to_what_the_service_asks_for():
    def pauses(replies, seconds=100.0):
        now = [0.0]
        steps = exchange.exchange_with_service("GET", "/", None, seconds, 5, clock=lambda: now[0])
        found, step = [], next(steps)
        for reply in replies:
            try:
                step = steps.send(reply)
            except UnreachableError:
                return found, now[0]
            found.append(step.seconds)
            now[0] += step.seconds
            step = steps.send(None)
        raise AssertionError("it goes on")

    exchange._FIRST_PAUSE = 0.05
    found, _ = pauses(["refused"] * 6)
    assert len(found) == 5
    assert all(0.5 * 0.05 * 2**n <= pause <= 0.05 * 2**n for n, pause in enumerate(found))
    busy = exchange.ServiceReply(503, {"retry-after": "3"}, b"")
    assert [pause >= 3 for pause in pauses([busy] * 6)[0]] == [True] * 5
    assert pauses([busy] * 6, seconds=2.0)[0] == []  # no time for it
    found, spent = pauses([busy] * 6, seconds=7.0)
    assert (len(found), spent) == (2, 6.0)
    odd = [exchange.ServiceReply(503, {"retry-after": text}, b"") for text in ("soon", "-1", "1e9", "9" * 400, "", "٣")]
    assert max(pauses(odd)[0]) < 2.0


@BOTH
def test_in_the_background(kind, fake):
    found = over(kind, fake).later([("7", f"r{n}") for n in range(2500)])
    assert [one.id for one in found] == [f"r{n}" for n in range(2500)]
    assert all(one.prediction == "7" for one in found)
    sizes = [len(body["predictions"]) for *_, body in fake.seen]
    assert sum(sizes) == 2500
    assert len(sizes) < 250


@BOTH
def test_one_bad_prediction_in_the_background_fails_alone(kind, fake, caplog):
    rows = [("bad" if n == 3 else "7", f"r{n}") for n in range(10)]
    with caplog.at_level(logging.ERROR, "sidelight.client"):
        found = over(kind, fake).later(rows)
    assert [isinstance(one, ServiceError) for one in found] == [n == 3 for n in range(10)]
    assert "1 predictions were refused in the background" in caplog.text


@pytest.fixture
def slowly(monkeypatch):
    """Collect predictions for so long that all of a test are in one batch."""
    monkeypatch.setattr(batches, "EVERY", 1.0)


@BOTH
def test_a_wrong_key_in_the_background_is_not_tried_prediction_by_prediction(kind, fake, slowly):
    found = over(kind, fake, key="wrong").later([("7",)] * 100)
    assert {one.status for one in found} == {401}
    assert len(fake.seen) == 1


@BOTH
def test_the_background_does_not_grow_for_ever(kind, fake, monkeypatch, slowly):
    monkeypatch.setattr(batches, "MOST_WAITING", 5)
    client = over(kind, fake)
    found = client.later([("7",)] * 8)
    assert [one.reason == "unreachable" for one in found] == [False] * 5 + [True] * 3
    assert client.client.unreachable == 3


def test_closing_sends_what_waits(fake):
    with Client(URL, KEY, transport=httpx.MockTransport(fake)) as client:
        future = client.monitor("digits").decide_later("7")
    assert future.result(0).verify

    async def run():
        async with AsyncClient(URL, KEY, transport=httpx.MockTransport(fake)) as client:
            late = client.monitor("digits").decide_later("8")
        return late.result()

    assert asyncio.run(run()).verify


def test_threads_share_a_client(fake):
    client = over(Blocking, fake)
    turn, answer = threading.Lock(), fake.answer

    def one_at_a_time(*arguments):
        with turn:
            return answer(*arguments)

    fake.answer = one_at_a_time
    threads = [
        threading.Thread(target=client.call, args=("decide", "7"), kwargs={"id": f"r{n % 5}"}) for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fake.monitors["digits"].report().predictions == 5
