"""The application as a whole: ready or not, too busy, failing, what it logs, what it starts and stops."""

import asyncio
import dataclasses
import json
import logging
import threading
from types import SimpleNamespace

import pytest

from service.api.conftest import SQLITE, Caller, Http
from sidelight.service.auth.keys import create_key
from sidelight.service.auth.sessions import make_administrator_link
from sidelight.service.http.logs import ACCESS, JSONLogFormatter
from sidelight.service.problems import Problem
from sidelight.service.server.app import make_app
from sidelight.service.store.base import UnavailableError, UnknownOutcomeError

pytestmark = SQLITE


@pytest.fixture
def app(service):
    return make_app(service)


@pytest.fixture
def http(app):
    http = Http(app)
    yield http
    http.close()


@pytest.fixture
def everyone(service, http):
    return Caller(http, service.do(create_key("test", "all", ["decide", "answer", "report", "admin"])).key)


@pytest.fixture
def lines():
    """What the access log writes, as its formatter writes it."""
    found = []

    class Keep(logging.Handler):
        def emit(self, record):
            found.append(JSONLogFormatter().format(record))

    handler, level = Keep(), ACCESS.level
    ACCESS.addHandler(handler)
    ACCESS.setLevel(logging.INFO)
    yield found
    ACCESS.removeHandler(handler)
    ACCESS.setLevel(level)


class Blocked:
    """A job that keeps the writer busy until it is let go."""

    monitors = ()
    keys = verification_keys = ()

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()

    def run(self, work):
        self.begun.set()
        assert self.go.wait(60.0)


def test_a_full_queue_is_503_and_says_when_to_come_back(service, http, everyone):
    everyone("POST", "/v1/monitors", {"name": "digits", "settings": {"tolerance": 0.1}})
    everyone("GET", "/v1/monitors/digits")
    blocked = Blocked()
    thread = threading.Thread(target=service.do, args=(blocked,))
    thread.start()
    assert blocked.begun.wait(60.0)
    before, service.writer._options = service.writer._options, dataclasses.replace(service.options, most_waiting=0)
    try:
        reply = everyone("POST", "/v1/monitors/digits/decisions", {"id": "a", "prediction": "7"})
    finally:
        service.writer._options = before
        blocked.go.set()
        thread.join(60.0)
    assert reply.status_code == 503
    assert int(reply.headers["retry-after"]) >= 1
    assert reply.json()["type"] == "urn:sidelight:problem:unavailable"
    assert everyone("POST", "/v1/monitors/digits/decisions", {"id": "a", "prediction": "7"}).status_code == 200


def test_alive_and_ready_are_two_questions(service, http, monkeypatch):
    assert http.request("GET", "/healthz").json() == {"status": "ok"}
    assert http.request("GET", "/readyz").status_code == 200
    with monkeypatch.context() as patch:
        patch.setattr("sidelight.service.api.routes.operations.STALE", -1.0)
        reply = http.request("GET", "/readyz")
        assert (reply.status_code, "writer" in reply.json()["detail"]) == (503, True)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1 << 20))
        reply = http.request("GET", "/readyz")
        assert (reply.status_code, "disk" in reply.json()["detail"]) == (503, True)
    with monkeypatch.context() as patch:
        patch.setattr(service.storage, "write", _full)
        with pytest.raises(Problem):
            service.do(make_administrator_link())
        assert http.request("GET", "/readyz").status_code == 503
    service.do(make_administrator_link())
    assert http.request("GET", "/readyz").status_code == 200
    service.do(_NewerSchema())
    reply = http.request("GET", "/readyz")
    assert reply.status_code == 503
    assert http.request("GET", "/healthz").status_code == 200


def _full():
    raise UnavailableError("the database or disk is full")


class _NewerSchema:
    monitors = ()
    keys = verification_keys = ()

    def run(self, work):
        work.writing().run("UPDATE schema_version SET version = version + 1000")


@pytest.mark.parametrize("error", [UnavailableError("no route to host db-7"), UnknownOutcomeError("db-7 hung up")])
def test_a_database_that_fails_is_503_and_its_address_is_not_told(service, http, everyone, monkeypatch, error):
    assert everyone("GET", "/v1/monitors").status_code == 200

    def fail():
        raise error

    monkeypatch.setattr(service, "read", fail)
    for path in ("/v1/monitors", "/readyz", "/metrics"):
        reply = everyone("GET", path)
        assert reply.status_code == 503
        assert "retry-after" in reply.headers
        assert "db-7" not in reply.text


def test_an_error_of_ours_is_500_without_its_insides(service, http, everyone, monkeypatch):
    assert everyone("GET", "/v1/monitors").status_code == 200

    def fail():
        raise RuntimeError("secret insides")

    monkeypatch.setattr(service, "read", fail)
    reply = everyone("GET", "/v1/monitors")
    assert reply.status_code == 500
    assert reply.headers["content-type"] == "application/problem+json"
    assert "insides" not in reply.text


def test_a_key_that_asks_too_often_is_told_to_wait(service):
    service.options = dataclasses.replace(service.options, requests_per_second=0.5)
    http = Http(make_app(service))
    try:
        one, other = (Caller(http, service.do(create_key("test", name, ["report"])).key) for name in ("one", "other"))
        assert one("GET", "/v1/monitors").status_code == 200
        reply = one("GET", "/v1/monitors")
        assert (reply.status_code, reply.headers["retry-after"]) == (429, "2")
        assert other("GET", "/v1/monitors").status_code == 200
    finally:
        http.close()


def test_logs_are_json_and_hold_no_secret(service, http, everyone, lines):
    everyone("POST", "/v1/monitors", {"name": "digits", "settings": {"tolerance": 0.1}})
    everyone("POST", "/v1/monitors/digits/decisions?token=hidden", {"id": "private", "prediction": "7"})
    everyone("GET", "/sign-in/hidden")
    http.request("GET", "/v1/monitors", headers={"Authorization": "Bearer hidden"})
    http.request("HIDDEN-7", "/healthz")
    text = "\n".join(lines)
    assert "hidden" not in text.lower()
    assert "private" not in text
    assert everyone.key not in text
    assert everyone.key.rpartition("_")[2] not in text
    found = [json.loads(line) for line in lines]
    assert [one["status"] for one in found] == [201, 422, 404, 401, 405]
    assert found[1]["path"] == "/v1/monitors/{monitor}/decisions"
    assert found[1]["actor"].startswith("key:")
    assert found[3]["actor"] is None
    assert all(one["milliseconds"] >= 0 and one["logger"] == "sidelight.access" for one in found)


def test_duties_run_while_the_application_does(app):
    async def live():
        async with app.router.lifespan_context(app):
            return [one.name for one in threading.enumerate() if one.name == "sidelight-duties"]

    assert len(asyncio.run(live())) == 1
    assert "sidelight-duties" not in [one.name for one in threading.enumerate()]


def test_nothing_is_sent_to_whom_the_environment_names(service, monkeypatch):
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    app = make_app(service)
    assert not app._native_telemetry.enabled()
    assert not app._telemetry["auto_configure"]
