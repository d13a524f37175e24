"""The page that says where errors are, and what the page of a class says about scores."""

from __future__ import annotations

import random
from html import unescape
from threading import current_thread

import pytest
from markupsafe import escape

from service.api.conftest import SQLITE
from service.web.hostile import LABELS
from service.web.test_dashboard import words
from sidelight.monitor.stats import overall
from sidelight.service.domain import monitors
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Prediction

PAGE = "/m/fruit/insight"
RATES = {"de": 0.02, "fr": 0.4}


def create(service, **settings):
    """Create the monitor; return its id."""
    given = {"tolerance": 0.1, "confidence": 0.9, "drift": False} | settings
    return service.do(monitors.create_served_monitor("fruit", given, actor="test")).id


def watch(service, monitor, rows, truth):
    """Decide about predictions, and answer those that are verified with their true class."""
    found = service.do(decide_predictions(service, monitor, rows, actor="test"))
    answers = [AnswerTo(one.id, label=truth[one.id]) for one in found if one.verify]
    service.do(record_answers(monitor, answers, actor="test", settles=True))


def fill(service, monitor, count=400, **options):
    """Send predictions of pears, many of which are plums where people speak French."""
    draws, rows, truth = random.Random(5), [], {}
    for n in range(count):
        language = draws.choice(list(RATES))
        wrong = draws.random() < RATES[language]
        truth[f"id-{n}"] = "plum" if wrong else "pear"
        given = {name: make(wrong, draws) for name, make in options.items()}
        rows.append(Prediction(f"id-{n}", "pear", segment={"language": language}, **given))
    watch(service, monitor, rows, truth)


@SQLITE
def test_segments_versions_and_true_classes_are_shown(service, browsers):
    monitor = create(service, policy="explore", half_width=0.01, version_margin=0.05)
    fill(service, monitor, version=lambda *_: "v1", others=lambda wrong, _: {"v2": "pear" if wrong else "plum"})
    page = words(browsers(), PAGE)
    segments, versions, missed = (page.index(f" {one} ") for one in ("Segments", "Versions of the model", "What is"))
    table = page[segments:versions]
    assert table.index("fr above tolerance") < table.index("de below tolerance")  # the worst first
    assert "pear : " in table
    versions_text, missed_text = page[versions:missed], page[missed:]
    assert "v1" in versions_text
    assert "v2 v1 worse" in versions_text
    assert "plum 100 %" in missed_text
    assert "it is never predicted" in missed_text
    assert "Confusion matrix" in missed_text


@SQLITE
def test_an_empty_page_says_how_to_get_data(service, browsers):
    create(service)
    page = words(browsers(), PAGE)
    for told in ('"segment": {"language": "de"', '"version": "2026-10"', '"label": "dog"'):
        assert told in page


@SQLITE
def test_a_monitor_with_a_window_says_what_cannot_be_told(service, browsers):
    create(service, policy="cbp", window=100)
    browser = browsers()
    page = words(browser, PAGE)
    assert "A monitor with a window has no error rates of segments" in page
    assert "True classes cannot be told with a window" in page
    assert browser.get("/v1/monitors/fruit/true-classes").status_code == 409


@SQLITE
def test_hostile_names_are_text_and_many_segments_are_several_pages(service, browsers):
    monitor = create(service)
    names = [*LABELS, *(f"customer {n}" for n in range(60))]
    rows = [
        Prediction(f"id-{n}", LABELS[0], segment={"customer": name, LABELS[1]: "x"}, version=name)
        for n, name in enumerate(names)
    ]
    watch(service, monitor, rows, {one.id: LABELS[n % len(LABELS)] for n, one in enumerate(rows)})
    browser = browsers()
    pages = [browser.get(f"{PAGE}?page={n}").text for n in (1, 2)]
    for name in LABELS:
        assert any(str(escape(name)) in page for page in pages), name
    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
    assert pages[0].count("<tr>") < 200
    only = unescape(browser.get(PAGE, follow=True).text)
    assert f"of {len(names) + 1} segments" in only
    assert f"of {len(names)} segments" in browser.get(f"{PAGE}?key=customer").text
    assert browser.get(f"{PAGE}?key=nothing").status_code == 200


@SQLITE
def test_the_page_of_a_class_says_what_scores_are_worth(service, browsers):
    monitor = create(service, tolerance=0.2)
    fill(service, monitor, 600, score=lambda wrong, draws: draws.gauss(3 * wrong, 1))
    score = service.report(monitor)["pear"].score
    page = words(browsers(), '/m/fruit/class?name="pear"')
    assert f"AUC {score.auc:.2f}" in page
    assert f"let pass {score.spared} because of their scores" in page
    assert page.count(" to ") >= len(score.bins)


@SQLITE
@pytest.mark.parametrize("what", ["report", "true_classes"])
def test_intervals_are_not_computed_by_the_writer(service, monkeypatch, what):
    monitor = create(service)
    fill(service, monitor, 50)
    compute, threads = overall._largest_overall_rate, set()
    monkeypatch.setattr(
        overall, "_largest_overall_rate", lambda *given: threads.add(current_thread().name) or compute(*given)
    )
    assert getattr(service, what)(monitor) is getattr(service, what)(monitor)
    assert threads == {current_thread().name}


@pytest.mark.parametrize("most", [1, 2])
def test_true_classes_are_bounded_and_made_once(service, monkeypatch, most):
    monitor = create(service)
    fill(service, monitor, 50)
    monkeypatch.setattr("sidelight.service.domain.service.MOST_TRUE_CLASSES", most)
    found = service.true_classes(monitor)
    assert len(found.classes) == most
    assert service.true_classes(monitor) is found
    fill_one = [Prediction("new", "plum")]
    watch(service, monitor, fill_one, {"new": "plum"})
    assert service.true_classes(monitor) is not found
