"""`docs/how-to/connect-the-service.md` says what there is: every address, event and metric, and code that works."""

import re
import time
from pathlib import Path

import pytest

from service.api.conftest import SQLITE
from sidelight.service.auth.keys import SCOPES
from sidelight.service.domain import decisions, metrics, monitors
from sidelight.service.domain.inputs import Prediction
from sidelight.service.server.app import make_app
from sidelight.service.webhooks.formats import EVENTS, new_webhook_secret, sign_webhook_headers
from sidelight.service.webhooks.outbox import PAUSES

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "connect-the-service.md").read_text(encoding="utf-8")


@SQLITE
def test_every_address_is_listed_with_its_scope(service):
    listed = set(re.findall(r"^\| (GET|POST|PATCH|PUT|DELETE) \| `([^`]+)` \| (?:`(\w+)`)? ?\|", PAGE, re.MULTILINE))
    offered = {
        (method.upper(), path, operation.get("x-scope", ""))
        for path, methods in make_app(service).openapi()["paths"].items()
        for method, operation in methods.items()
    }
    assert listed == offered
    assert {scope for _, _, scope in listed} == {*SCOPES, ""}


def test_every_event_is_listed_in_its_words():
    for event, words in EVENTS.items():
        assert f"| `{event}` | {words} |" in PAGE


def test_the_pauses_are_those_that_are_made():
    assert "after 5 seconds, 30 seconds, 2, 10 and 30 minutes, 1, 2, 4, 8 and 8 hours" in " ".join(PAGE.split())
    minutes, hours = [60.0 * one for one in (2, 10, 30)], [3600.0 * one for one in (1, 2, 4, 8, 8)]
    assert list(PAUSES) == [5.0, 30.0, *minutes, *hours]


@SQLITE
def test_every_metric_is_listed_with_its_labels(service):
    made = service.do(monitors.create_served_monitor("digits", {"tolerance": 0.1}, actor="test"))
    service.do(decisions.decide_predictions(service, made.id, [Prediction("a", "7")], actor="test"))
    offered = {
        (name, tuple(re.findall(r"(\w+)=", labels)))
        for name, labels in re.findall(
            r"^(\w+)(?:\{(.*)\})? ", metrics.make_monitor_metrics(service, None), re.MULTILINE
        )
    }
    rows = re.findall(r"^\| `(sidelight_\w+)` \| ([\w, ]*)\|", PAGE, re.MULTILINE)
    assert {(name, tuple(re.findall(r"\w+", labels))) for name, labels in rows} == offered
    assert f"Only the {metrics.MOST_CLASSES} classes" in PAGE


@pytest.fixture
def check():
    """The function on the page."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {}
    exec(code, names)
    return names["check"]


def test_the_receiver_on_the_page_takes_ours_and_nobody_elses(check):
    secret, now, body = new_webhook_secret(), int(time.time()), b'{"type":"verdict.changed"}'
    headers = sign_webhook_headers(secret, "msg_1", now, body)
    assert check(secret, headers, body)
    assert not check(secret, headers, body + b" ")
    assert not check(new_webhook_secret(), headers, body)
    assert not check(secret, headers | {"webhook-id": "msg_2"}, body)
    assert not check(secret, sign_webhook_headers(secret, "msg_1", now - 3600, body), body)
