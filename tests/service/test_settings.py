import json
import math
from datetime import timedelta

import pytest

from service.traffic import Traffic
from sidelight.monitor import settings as library
from sidelight.monitor.policies.explore import Explore
from sidelight.service.domain.monitors import create_served_monitor
from sidelight.service.maintenance.check import check_database
from sidelight.service.problems import Problem
from sidelight.service.settings import (
    ReviewSettings,
    make_monitor_from_settings,
    make_review_settings,
    plain_review_settings,
    split_settings,
)


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        ({"tolerance": {"a": 0.1}}, "tolerance", {"a": 0.1}),
        ({"tolerance": [[7, 0.1], [None, 0.2]]}, "tolerance", {7: 0.1, None: 0.2}),
        ({"tolerance": 0.1, "patience": 20}, "patience", 20),
        ({"tolerance": 0.1, "notice_within": 500, "notice": 2}, "notice_within", 500),
        ({"tolerance": 0.1, "patience": {"seconds": 90}}, "patience", timedelta(seconds=90)),
        ({"tolerance": 0.1, "patience": {"seconds": 1e300}}, "patience", math.inf),
        ({"tolerance": 0.1, "patience": "never"}, "patience", math.inf),
        ({"tolerance": 0.1, "cap": 5, "weights": [["a", 2]]}, "weights", {"a": 2.0}),
        ({"tolerance": 0.1}, "remember_passes", 0),
        ({"tolerance": 0.1, "policy": "explore", "verifications": 30}, "policy", Explore(verifications=30)),
    ],
)
def test_settings_come_as_json(given, name, expected):
    monitor, review = split_settings(json.loads(json.dumps(given)))
    assert getattr(make_monitor_from_settings(monitor).settings, name) == expected
    assert not review


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({}, "#/settings/tolerance"),
        ({"tolerance": 2}, "#/settings/tolerance"),
        ({"tolerance": [1]}, "#/settings/tolerance"),
        ({"tolerance": 0.1, "policy": "magic"}, "#/settings/policy"),
        ({"tolerance": 0.1, "cap": -1}, "#/settings/cap"),
        ({"tolerance": 0.1, "cap": 5, "daily_cap": -1}, "#/settings/daily_cap"),
        ({"tolerance": 0.1, "notice_within": 500, "spot_checks": 0.1}, "#/settings/spot_checks"),
        ({"tolerance": 0.1, "policy": "randcbp", "bins": 0}, "#/settings/bins"),
        ({"tolerance": 0.1, "patience": {"seconds": 0}}, "#/settings/patience"),
        ({"tolerance": 0.1, "patience": {"hours": 1}}, "#/settings/patience"),
        ({"tolerance": 0.1, "nonsense": 1}, "#/settings/nonsense"),
        ({"tolerance": 0.1, "remember_passes": 5}, "#/settings/remember_passes"),
        ({"tolerance": 0.1, "reviews": 3}, "#/settings/reviews"),
        ({"tolerance": 0.1, "reviews": True}, "#/settings/reviews"),
        ({"tolerance": 0.1, "lease": 1}, "#/settings/lease"),
        ({"tolerance": 0.1, "blind": True}, "#/settings/blind"),
        ({"tolerance": 0.1, "labels": ["a", "a"]}, "#/settings/labels"),
        ({"tolerance": 0.1, "labels": 30}, "#/settings/labels"),
        ({"tolerance": 0.1, "retention": -1}, "#/settings/retention"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(given, pointer):
    with pytest.raises(Problem) as caught:
        create_served_monitor("digits", given, actor="x")
    assert caught.value.status == 422
    assert caught.value.places[0]["pointer"] == pointer


def test_settings_of_the_queue_are_apart():
    monitor, review = split_settings({"tolerance": 0.1, "reviews": 2, "labels": ["a", "b"], "labels_needed": 1})
    assert (monitor, review) == ({"tolerance": 0.1, "labels_needed": 1}, {"reviews": 2, "labels": ["a", "b"]})
    made = make_review_settings(review)
    assert made == ReviewSettings(reviews=2, labels=("a", "b"))
    assert make_review_settings(json.loads(json.dumps(plain_review_settings(made)))) == made
    assert make_review_settings({"blind": True}, made).reviews == 2


def test_defaults_are_those_of_whoever_made_the_monitor(service, monkeypatch):
    """A later version may have other defaults; a journal from before does not change by that."""
    traffic = Traffic(service)
    traffic.run(5)
    before = service.report(traffic.monitor)
    assert before.drift is not None
    monkeypatch.setattr(library, "DRIFT", False)
    service.writer.replicas.forget()
    assert service.report(traffic.monitor) == before
    assert check_database(service.storage) == []
