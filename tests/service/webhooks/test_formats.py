"""Messages have the form that Slack and PagerDuty describe, whatever a class is called."""

import json

import pytest

from sidelight.service.journal.entry import journal_json
from sidelight.service.webhooks.formats import (
    ANSWERS_OVERDUE,
    BUDGET_USED_UP,
    VERDICT_CHANGED,
    WebhookEvent,
    pagerduty_event,
    sign_webhook_headers,
    slack_message,
)

KEY = "0123456789abcdef0123456789abcdef"


def told(type=VERDICT_CHANGED, url="https://monitor.example.org:8443/", **data):
    given = {"monitor": "digits", "number": 12} | data
    return WebhookEvent("wh_1", {"type": type, "timestamp": "2026-01-31T09:30:00.000Z", "data": given}, url)


def verdict(verdict, name="7", before="unknown", cause="answers", **options):
    return told(**{"class": name, "before": before, "verdict": verdict, "cause": cause}, **options)


CAP = told(BUDGET_USED_UP, limit="daily_cap", day=3, verifications=40)
OVERDUE = told(ANSWERS_OVERDUE, verifications=2)
HOSTILE = ("<!channel> & <https://evil.example|here>", "a\n*b*\u202e`c`", "x" * 200, "&amp;", 7, True, 1.5)
EVENTS = [verdict("above"), verdict("below"), verdict("unknown", cause="drift"), CAP, OVERDUE]
EVENTS += [verdict("above", name, url=None) for name in HOSTILE]


@pytest.mark.parametrize("one", EVENTS)
def test_slack_takes_text_and_blocks_within_its_limits(one):
    """docs.slack.dev: a text object has 1 to 3 000 characters, a context 1 to 10 elements, a message 50 blocks."""
    message = json.loads(journal_json(slack_message(one)))
    assert message.keys() == {"text", "blocks"}
    section, context = message["blocks"]
    assert (section["type"], context["type"]) == ("section", "context")
    for text in (section["text"], *context["elements"]):
        assert text.keys() == {"type", "text", "verbatim"}
        assert text["type"] == "mrkdwn"
        assert 1 <= len(text["text"]) <= 3000
    assert section["text"]["text"] == message["text"]
    assert not set("<>\n\u202e") & set(message["text"])
    assert context["elements"][0]["text"].count("<") == (one.url is not None)


def test_slack_is_told_names_as_it_escapes_them():
    message = slack_message(verdict("above", "<!channel> & co"))
    assert message["text"] == "digits: class &lt;!channel&gt; &amp; co is above its tolerance"


@pytest.mark.parametrize("one", EVENTS)
def test_pagerduty_takes_events_within_its_limits(one):
    """developer.pagerduty.com, Events API v2: required fields, allowed values, and lengths."""
    event = json.loads(journal_json(pagerduty_event(one, KEY)))
    assert event["routing_key"] == KEY
    assert 1 <= len(event["dedup_key"]) <= 255
    if event["event_action"] == "resolve":
        assert event.keys() == {"routing_key", "dedup_key", "event_action"}
        return
    assert event["event_action"] == "trigger"
    assert event.keys() <= {"routing_key", "dedup_key", "event_action", "payload", "client", "client_url"}
    payload = event["payload"]
    assert 1 <= len(payload["summary"]) <= 1024
    assert payload["source"] == ("sidelight" if one.url is None else "monitor.example.org")
    assert payload["severity"] in {"critical", "error", "warning", "info"}
    assert payload["timestamp"] == "2026-01-31T09:30:00.000Z"
    assert payload["custom_details"] == one.data
    assert all(isinstance(payload[name], str) for name in ("summary", "source", "component", "class"))


def test_an_alert_is_resolved_when_its_class_falls_below_again():
    trouble = pagerduty_event(verdict("above"), KEY)
    changed = pagerduty_event(verdict("unknown", before="above", cause="drift"), KEY)
    well = pagerduty_event(verdict("below"), KEY)
    mistaken = pagerduty_event(verdict("unknown", before="above", cause="a correction"), KEY)
    actions = [one["event_action"] for one in (trouble, changed, well, mistaken)]
    assert actions == ["trigger", "trigger", "resolve", "resolve"]
    assert trouble["payload"]["severity"] == "error"
    assert len({one["dedup_key"] for one in (trouble, changed, well, mistaken)}) == 1
    assert pagerduty_event(verdict("above", "8"), KEY)["dedup_key"] != trouble["dedup_key"]
    assert pagerduty_event(verdict("above", 7), KEY)["dedup_key"] != trouble["dedup_key"]


def test_what_nobody_resolves_stays_one_alert():
    tomorrow = told(BUDGET_USED_UP, limit="daily_cap", day=4, verifications=80)
    assert pagerduty_event(CAP, KEY)["dedup_key"] == pagerduty_event(tomorrow, KEY)["dedup_key"]
    assert pagerduty_event(CAP, KEY)["dedup_key"] != pagerduty_event(OVERDUE, KEY)["dedup_key"]


def test_the_example_of_the_specification():
    """The vector that the reference libraries of Standard Webhooks are tested with."""
    headers = sign_webhook_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
