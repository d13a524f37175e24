"""Verifications go out as rows: page by page, as JSON and CSV, and only what the caller may see."""

import csv
import io
import tracemalloc

import pytest

from service.api.conftest import SQLITE
from service.reviews import ask, make, say
from sidelight.service.auth.reviewers import invite_reviewer
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import Prediction
from sidelight.service.domain.verifications import ABOUT_PREDICTION, ROW_COLUMNS
from sidelight.service.writer.unit import writer_job

PATH = "/v1/monitors/fruit/verifications"


def rows(caller, query=""):
    reply = caller("GET", f"{PATH}?{query}")
    assert reply.status_code == 200, reply.text
    return reply.json()["verifications"]


def numbers(caller, query=""):
    return [one["number"] for one in rows(caller, query)]


def lines(caller, query="format=csv", **headers):
    reply = caller("GET", f"{PATH}?{query}", headers=headers)
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(reply.content.decode("utf-8"), newline="")))


def test_rows_say_what_was_predicted_answered_by_whom_and_when(service, as_caller):
    monitor, reader = make(service, 1, policy="sequential"), as_caller("report")
    told = Prediction("id-2", "kiwi", score=0.25, segment={"customer": "acme"}, version="v2")
    service.do(decide_predictions(service, monitor, [told], actor="test"))
    ann = service.do(invite_reviewer("test", "Ann", ["answer"])).reviewer
    say(service, monitor, 1, f"reviewer:{ann.id}", label="plum")
    say(service, monitor, 2, "key:abc", correct=True)
    first, second = rows(reader)
    assert tuple(first) == ROW_COLUMNS
    assert (first["number"], first["id"], first["prediction"], first["label"]) == (1, "id-1", "pear", "plum")
    assert (first["correct"], first["state"], first["settled_by"]) == (False, "answered", "Ann")
    assert first["time"] <= first["settled_at"]
    assert (second["prediction"], second["score"], second["version"]) == ("kiwi", 0.25, "v2")
    assert (second["segment"], second["settled_by"], second["label"]) == ({"customer": "acme"}, "key:abc", None)
    table = lines(reader)
    assert [(one["prediction"], one["correct"], one["label"]) for one in table] == [
        ("pear", "false", "plum"),
        ("kiwi", "true", ""),
    ]
    assert table[1]["segment"] == '{"customer":"acme"}'
    assert table == lines(reader, "", Accept="text/csv")
    assert reader("GET", f"{PATH}?format=json", headers={"Accept": "text/csv"}).json()["next"] is None


def test_filters_choose_by_class_state_and_time(service, as_caller):
    monitor, reader = make(service, 3), as_caller("report")
    ask(service, monitor, 3, "7", start=3)
    say(service, monitor, 1, correct=True)
    say(service, monitor, 2, skipped=True)
    assert numbers(reader, "prediction=pear") == [1, 2, 3]
    assert numbers(reader, "prediction=7") == [4, 5, 6]
    assert numbers(reader, "state=answered") == [1]
    assert numbers(reader, "state=skipped") == [2]
    assert numbers(reader, "state=open&prediction=pear") == [3]
    assert numbers(reader, "prediction=kiwi") == []
    whole = rows(reader)
    for row in whole:
        stamp = row["time"].replace("+", "%2B")
        expected = [one["number"] for one in whole if one["time"] >= row["time"]]
        assert numbers(reader, f"since={stamp}") == expected
        assert numbers(reader, f"until={stamp}") == [n for n in range(1, 7) if n not in expected]
    assert numbers(reader, "since=0&until=1e300") == [1, 2, 3, 4, 5, 6]


@SQLITE
def test_classes_that_are_numbers_are_found(service, as_caller):
    make(service, 2, prediction=7)
    reader = as_caller("report")
    assert numbers(reader, "prediction=7") == [1, 2]
    for other in ("7.5", "8", "1e999", "[7]", "NaN", "[" * 200):
        assert numbers(reader, f"prediction={other}") == []


def test_pages_stay_right_while_rows_are_added(service, as_caller):
    monitor, reader = make(service, 5), as_caller("report")
    seen, after = [], 0
    while after is not None:
        reply = reader("GET", f"{PATH}?limit=2&after={after}").json()
        seen += [one["number"] for one in reply["verifications"]]
        after = reply["next"]
        if len(seen) == 2:
            say(service, monitor, 1, correct=True)
            ask(service, monitor, 2, start=5)
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    page = reader("GET", f"{PATH}?limit=4&state=open&format=csv")
    following = page.headers["link"].removeprefix("<").partition(">")[0]
    rest = reader("GET", PATH + following)
    assert [line.split(",")[0] for line in rest.text.splitlines()] == ["number", "6", "7"]
    assert "link" not in rest.headers


@SQLITE
@pytest.mark.parametrize(
    "query",
    [
        "after=x",
        "after=-1",
        "after=9223372036854775808",
        "after=1e3",
        "limit=0",
        "limit=1001",
        "limit=99999999999999999999",
        "state=waiting",
        "state=",
        "prediction=",
        "prediction=%00",
        "since=yesterday",
        "since=nan",
        "until=inf",
        "since=2026-01-31T09:30:00",
        "format=xml",
        "cursor=1",
    ],
)
def test_queries_that_make_no_sense_are_refused(service, as_caller, query):
    make(service, 1)
    reply = as_caller("report")("GET", f"{PATH}?{query}")
    assert reply.status_code == 422
    assert reply.json()["errors"][0]["in"] == "query"


@SQLITE
def test_csv_keeps_every_character_of_hostile_names(service, as_caller):
    names = ["a\nb", "a\r\nb", 'say "hi", twice', "\u202eevil", "=1+1", "@sum", " lead", "ÅÄÖ\u2028x", "\r", "7;8"]
    names = [one for one in names if one.strip()]
    monitor = make(service, 0)
    told = [Prediction(f"id {n}\n", one) for n, one in enumerate(names)]
    service.do(decide_predictions(service, monitor, told, actor="test"))
    for number, name in enumerate(names, 1):
        say(service, monitor, number, label=name)
    table = lines(as_caller("report"))
    assert [one["prediction"] for one in table] == [one["label"] for one in table] == names
    assert [one["id"] for one in table] == [one.id for one in told]


@SQLITE
def test_blind_reviews_stay_blind(service, as_caller):
    monitor = make(service, 2, labels=["pear", "plum"], blind=True, policy="sequential")
    service.do(decide_predictions(service, monitor, [Prediction("scored", "pear", score=0.5)], actor="test"))
    say(service, monitor, 1, label="plum")
    reader, administrator = as_caller("report", "answer", "settle"), as_caller("report", "admin")
    for row in rows(reader):
        assert [row[name] for name in ABOUT_PREDICTION] == [None] * len(ABOUT_PREDICTION)
    assert "pear" not in reader("GET", PATH).text + reader("GET", f"{PATH}?format=csv").text
    assert rows(reader)[0]["label"] == "plum"
    assert reader("GET", f"{PATH}?prediction=pear").status_code == 403
    assert reader("GET", f"{PATH}?prediction=none").status_code == 403
    shown = rows(administrator, "prediction=pear")
    assert [(one["prediction"], one["correct"]) for one in shown][:2] == [("pear", False), ("pear", None)]


@writer_job
def _multiply(work, monitor, count):
    """Add verifications that are like the first one."""
    (row,) = work.reading.all("SELECT class, reason, state, revision, asked_at FROM verifications WHERE number = 1")
    columns = ("monitor", "number", "key", "id", "class", "reason", "state", "revision", "asked_at")
    new = [(monitor, n, n.to_bytes(16), f"id-{n}", *row) for n in range(2, count + 1)]
    work.writing().insert("verifications", columns, new)


@SQLITE
def test_a_hundred_thousand_rows_come_in_pages_of_bounded_memory(service, as_caller):
    monitor, reader = make(service, 1), as_caller("report")
    service.do(_multiply(monitor, 100_000))
    count, after, peaks = 0, 0, []
    tracemalloc.start()
    try:
        while after is not None:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            reply = reader("GET", f"{PATH}?after={after}").json()
            count, after = count + len(reply["verifications"]), reply["next"]
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
            after = 90_000 if after == 10_000 else after  # what is between is the same
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert max(peaks[-5:]) < 1.5 * max(peaks[:5])
    assert max(peaks) < 16 << 20
