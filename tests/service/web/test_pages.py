"""What pages show, to whom, and that nothing on them is interpreted."""

from __future__ import annotations

import html
import json
import re
from urllib.parse import quote

import numpy as np
import pytest
from markupsafe import escape

from service.api.conftest import SQLITE
from service.reviews import ask, make, say
from service.web.hostile import HOSTILE, LABELS
from sidelight.service.auth.keys import create_key
from sidelight.service.demo.worlds import encode_demo_png
from sidelight.service.domain import inputs, monitors
from sidelight.service.domain.answers import record_answers
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import AnswerTo, Payload, Prediction
from sidelight.service.domain.queue import claim_verifications
from sidelight.service.web.rendering import read_static_page_file

PICTURE = encode_demo_png(np.full((4, 4), 200, np.uint8))


def every_page(monitor="fruit", name='"pear"'):
    return [
        "/",
        f"/m/{monitor}",
        f"/m/{monitor}?verdict=unknown&q=p&page=2",
        f"/m/{monitor}/class?name={name}",
        f"/m/{monitor}/insight",
        f"/m/{monitor}/review",
        f"/m/{monitor}/review?verification=1",
        f"/m/{monitor}/verifications",
        *(
            f"/m/{monitor}/verifications?state={state}"
            for state in ("disputed", "open", "answered", "skipped", "overdue")
        ),
        f"/m/{monitor}/verifications?before=3",
        f"/m/{monitor}/verifications?q=id-1",
        f"/m/{monitor}/settings",
        "/account",
        "/admin",
        "/admin/keys",
        "/admin/webhooks",
        "/admin/audit",
    ]


def show(service, monitor, number, payload, prediction="pear"):
    row = Prediction(f"shown-{number}", prediction, payload=payload)
    assert service.do(decide_predictions(service, monitor, [row], actor="test"))[0].verify
    with service.read() as tx:
        return tx.one("SELECT MAX(number) FROM verifications WHERE monitor = ?", monitor)[0]


@pytest.mark.parametrize("reviews", [1, 2])
def test_every_page_is_there_on_both_databases(service, browsers, reviews):
    monitor = make(service, 60, reviews=reviews, daily_cap=500, cap=900)
    for number in range(1, 31):
        say(service, monitor, number, "ann", correct=number % 3 > 0)
        say(service, monitor, number, "bob", correct=number % 4 > 0) if reviews > 1 else None
    say(service, monitor, 40, "ann", skipped=True)
    browser = browsers()
    for path in every_page():
        reply = browser.get(path)
        assert reply.status_code == 200, (path, reply.text)
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert set(re.findall(r'nonce="([^"]+)"', reply.text)) == set(re.findall(r"'nonce-([^']+)'", policy))
        assert "style=" not in reply.text
        assert not re.search(r"\son\w+=", reply.text)


def test_a_monitor_that_cannot_be_used_says_so_and_does_not_hide_the_others(service, browsers):
    make(service, 3, name="old"), make(service, 3, name="new")
    with service.storage.write() as tx:
        tx.run("UPDATE monitors SET rule = rule - 1 WHERE name = 'old'")
    browser = browsers()
    reply = browser.get("/")
    assert reply.status_code == 200
    assert "the version that created it" in reply.text
    assert "etag" not in reply.headers
    assert browser.get("/m/new").status_code == 200
    assert browser.get("/m/old").status_code == 503
    with service.storage.write() as tx:
        tx.run("UPDATE monitors SET rule = rule + 1 WHERE name = 'old'")
    assert "the version that created it" not in browser.get("/").text


def test_no_address_and_no_form_is_an_error_of_the_server(service, browsers):
    make(service, 3)
    browser = browsers()
    huge, odd = str(10**40), ("%00", "%ff%fe", "-1", "nan", "1e999", "%F0%9F%8D%8E", "a" * 5000, "%27%3B--")
    for value in (*odd, huge, "0", ""):
        for path in (
            *(f"/m/{value}", f"/m/{value}/review", f"/m/fruit/verifications/{value}/image", f"/static/x/{value}"),
            *(f"/m/fruit/review?verification={value}", f"/m/fruit/review?told={value}&about={value}"),
            *(
                f"/m/fruit/verifications?before={value}",
                f"/m/fruit/verifications?class={value}",
                f"/m/fruit/verifications?state={value}",
            ),
            *(f"/m/fruit/verifications?q={value}", f"/m/{value}/settings", f"/m/fruit/settings?saved={value}"),
            *(f"/m/fruit?page={value}", f"/m/fruit?q={value}", f"/m/fruit/class?name={value}"),
            *(f"/admin/audit?at={value}&id={value}", f"/admin/audit?at=1&id={value}", f"/signin?next={value}"),
        ):
            assert browser.get(path).status_code < 500, path
    token = browser.form(browser.get("/"), "/signout")
    for value in ("\0", "\r\n", huge, "-1", "é" * 300, "{", "[" * 3000, "<b>"):
        names = ("name", "tolerance", "confidence", "daily_cap", "reviews", "labels", "days", "scope", "monitor", "url")
        names += ("event", "do", "verification", "revision", "answer", "label", "code", "password", "next")
        for path in (
            *("/admin/monitors", "/admin/keys", "/admin/webhooks", "/admin/reviewers"),
            *("/m/fruit/review", "/m/fruit/settings", "/m/fruit/archive"),
        ):
            reply = browser.post(path, token | dict.fromkeys(names, value), follow=False)
            assert reply.status_code < 500, (path, value)
        for path in ("/admin/keys/x", "/admin/webhooks/x", "/admin/reviewers/x", "/start", "/signin"):
            for do in (value, "rotate", "revoke", "disable", "enable", "link", "scopes"):
                reply = browser.post(path, token | dict.fromkeys(names, value) | {"do": do}, follow=False)
                assert reply.status_code < 500, (path, value)
                if path in ("/start", "/signin"):
                    break


@SQLITE
def test_every_page_needs_somebody_who_signed_in(service, stranger):
    make(service, 1)
    for path in [*every_page(), "/m/fruit/verifications/1/image"]:
        reply = stranger.get(path, follow=False)
        assert reply.status_code == 303
        assert reply.headers["location"].startswith("/signin?next=")


@SQLITE
def test_pages_need_their_scopes(service, browsers):
    make(service, 1)
    answering, reporting = browsers("Ann", "answer"), browsers("Bob", "report")
    for browser, seen, hidden in (
        (answering, ["/", "/m/fruit/review"], ["/m/fruit", "/m/fruit/verifications", '/m/fruit/class?name="pear"']),
        (reporting, ["/", "/m/fruit", "/m/fruit/verifications"], ["/m/fruit/review", "/m/fruit/verifications/1/image"]),
    ):
        assert [browser.get(path).status_code for path in seen] == [200] * len(seen)
        assert [browser.get(path).status_code for path in hidden] == [403] * len(hidden)
        for path in ("/admin", "/admin/keys", "/admin/webhooks", "/admin/audit"):
            assert browser.get(path).status_code == 403
    token = reporting.form(reporting.get("/"), "/signout")
    assert reporting.post("/m/fruit/review", token | {"answer": "next"}).status_code == 403
    assert reporting.post("/admin/keys", token | {"name": "x", "scope": "admin"}).status_code == 403


@SQLITE
def test_monitors_of_others_do_not_exist(service, browsers):
    make(service, 1)
    make(service, 1, name="secret")
    browser = browsers("Ann", "answer", "report", only=["fruit"])
    assert "secret" not in browser.get("/").text
    for path in ("/m/secret", "/m/secret/review", "/m/secret/verifications", "/m/nowhere"):
        assert browser.get(path).status_code == 404


@SQLITE
def test_hostile_strings_are_only_text(service, browsers):
    browser = browsers()
    names = [one for one in HOSTILE if one.strip()]
    row = service.do(monitors.create_served_monitor("fruit", {"tolerance": 0.05, "labels": list(LABELS)}, actor="test"))
    for n, text in enumerate(HOSTILE):
        for m, kind in enumerate((inputs.TEXT, inputs.JSON, inputs.LINK)):
            content = json.dumps({text: text, "list": [text]}) if kind == inputs.JSON else text
            one = Prediction(f"{text[:190]}-{n}-{m}", text, payload=Payload(kind, content.encode()))
            service.do(decide_predictions(service, row.id, [one], actor=text))
        say(service, row.id, 3 * n + 1, f"reviewer:{text[:100]}", label=text if text in LABELS else LABELS[0])
        service.do(create_key(text, text, ["decide"]))
    for text in names:
        browser.submit("/admin", "/admin/reviewers", name=text, scope="answer")
    pages = [*every_page(name='"x"'), *(f"/m/fruit/review?verification={n}" for n in range(1, 3 * len(HOSTILE) + 1))]
    pages += [f"/m/fruit?q={quote(text)}" for text in HOSTILE]
    for text in HOSTILE:
        reply = browser.runner.run(browser.client.get("/m/fruit/class", params={"name": json.dumps(text)}))
        assert reply.status_code == 200
        assert str(escape(text)) in reply.text
        _harmless(reply.text)
    for path in pages:
        reply = browser.get(path)
        assert reply.status_code in (200, 404), (path, reply.text)
        _harmless(reply.text)


def _harmless(text):
    """Check that of the hostile strings nothing became markup."""
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "<svg/onload" not in text
    assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', text))
    assert not re.search(r'(href|src|action)="\s*javascript:', text)
    assert ">49" not in text


@SQLITE
def test_pictures_come_from_their_own_address_where_nothing_can_run(service, browsers):
    monitor = make(service, 0)
    number = show(service, monitor, 1, Payload("image/png", PICTURE))
    browser = browsers("Ann", "answer")
    assert f'src="/m/fruit/verifications/{number}/image"' in browser.get(f"/m/fruit/review?verification={number}").text
    reply = browser.get(f"/m/fruit/verifications/{number}/image")
    assert reply.content == PICTURE
    assert reply.headers["content-type"] == "image/png"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-security-policy"] == "default-src 'none'; sandbox"
    text = show(service, monitor, 2, Payload(inputs.TEXT, b"<b>no picture</b>"))
    for path in (
        f"/m/fruit/verifications/{text}/image",
        "/m/fruit/verifications/99/image",
        f"/m/fruit/verifications/{1 << 80}/image",
    ):
        assert browser.get(path).status_code == 404


@SQLITE
@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("https://img.example/a.png", True),
        ("https://IMG.example/a.png", True),
        ("http://img.example/a.png", False),
        ("https://img.example:444/a.png", False),
        ("https://evil.example/a.png", False),
        ("https://img.example.evil.example/a.png", False),
        ("https://evil.example/img.example", False),
    ],
)
def test_images_of_other_sites_only_from_listed_hosts(service, browsers, link, shown):
    monitor = make(service, 0, image_hosts=["img.example", "bad host; script-src *"])
    number = show(service, monitor, 1, Payload(inputs.LINK, link.encode()))
    reply = browsers("Ann", "answer").get(f"/m/fruit/review?verification={number}")
    policy = re.search(r"img-src ([^;]*);", reply.headers["content-security-policy"])[1]
    assert policy == ("'self' https://img.example" if shown else "'self'")
    assert ("<img" in reply.text) == shown
    assert 'rel="noreferrer noopener"' in reply.text
    if shown:
        assert 'referrerpolicy="no-referrer"' in reply.text


@SQLITE
def test_reviewing_by_forms_alone(service, browsers):
    monitor = make(service, 3, labels=["pear", "plum"])
    browser = browsers("Ann", "answer", "report")
    page = browser.submit("/m/fruit/review", "/m/fruit/review", answer="next")
    assert page.url.query == b"verification=1"
    for answer in ({"answer": "right"}, {"answer": "wrong"}, {"label": "plum"}):
        form = browser.form(page, "/m/fruit/review")
        page = browser.post("/m/fruit/review", form | answer)
    assert "Nothing to review" in page.text
    with service.read() as tx:
        rows = tx.all("SELECT correct, label FROM verifications ORDER BY number")
    assert rows == [(1, None), (0, None), (0, '"plum"')]
    undo = browser.get(re.search(r'href="([^"]*)"[^>]*>Undo', page.text)[1])
    assert "Your answer stands until you replace or withdraw it" in undo.text
    page = browser.post("/m/fruit/review", browser.form(undo, "/m/fruit/review") | {"answer": "right"})
    assert service.report(monitor).classes[0].errors == 1
    undo = browser.get("/m/fruit/review?verification=3")
    page = browser.post("/m/fruit/review", browser.form(undo, "/m/fruit/review") | {"answer": "withdraw"})
    assert "was withdrawn" in page.text
    assert service.report(monitor).classes[0].verified == 2


@SQLITE
def test_an_answer_that_came_too_late_is_told_and_reviewing_goes_on(service, browsers):
    monitor = make(service, 2)
    ann = browsers("Ann", "answer")
    page = ann.submit("/m/fruit/review", "/m/fruit/review", answer="next")
    say(service, monitor, 1, "bob", correct=True)
    page = ann.post("/m/fruit/review", ann.form(page, "/m/fruit/review") | {"answer": "wrong"})
    assert "Someone else has settled verification 1" in page.text
    assert page.url.params["verification"] == "2"
    assert service.report(monitor).classes[0].errors == 0


@SQLITE
def test_items_say_who_reviews_them_now(service, browsers):
    monitor = make(service, 3, reviews=2)
    service.do(claim_verifications(monitor, "bob", count=3))
    browser = browsers()
    assert browser.get("/m/fruit/verifications").text.count("bob</b>: is reviewing") == 3
    service.do(record_answers(monitor, [AnswerTo("id-1", correct=True)], actor="key:night"))
    assert browser.get("/m/fruit/verifications").text.count("bob</b>: is reviewing") == 2

    class End:
        monitors = ()
        keys = verification_keys = ()

        def run(self, work):
            work.writing().run("UPDATE slots SET lease_until = ? WHERE verification = 2", work.now - 1)

    service.do(End())
    assert browser.get("/m/fruit/verifications").text.count("bob</b>: is reviewing") == 1


@SQLITE
def test_a_team_of_two_settles_on_the_page(service, browsers):
    monitor = make(service, 1, reviews=2)
    ann, bob = browsers("Ann", "answer", "settle", "report"), browsers("Bob", "answer")
    for browser, answer in ((ann, "right"), (bob, "wrong")):
        page = browser.submit("/m/fruit/review", "/m/fruit/review", answer="next")
        page = browser.post("/m/fruit/review", browser.form(page, "/m/fruit/review") | {"answer": answer})
    assert "disagree on verification 1" in page.text
    assert "disagreement" in ann.get("/m/fruit/verifications").text
    assert "reviewers disagree on 1 of 1 open verification" in ann.get("/m/fruit").text
    page = ann.get("/m/fruit/review?verification=1")
    assert "Ann</b>: right" in page.text
    assert "Bob</b>: wrong" in page.text
    ann.post("/m/fruit/review", ann.form(page, "/m/fruit/review") | {"answer": "wrong"})
    assert service.report(monitor).classes[0].errors == 1


@SQLITE
def test_a_hidden_prediction_is_on_no_page_of_a_reviewer(service, browsers):
    monitor = make(service, 4, prediction="quince", blind=True, labels=["apple", "plum", "quince"], reviews=2)
    ann, bob = browsers("Ann", "answer", "settle", "report"), browsers("Bob", "answer", "report")
    for browser, labels in ((ann, ("apple", "quince", "plum", "apple")), (bob, ("apple", "plum", "plum", "apple"))):
        page = browser.submit("/m/fruit/review", "/m/fruit/review", answer="next")
        for label in labels:
            assert page.text.count("quince") == 2  # the button with this label
            page = browser.post("/m/fruit/review", browser.form(page, "/m/fruit/review") | {"label": label})
            assert "quince" not in str(page.url)
    pages = [f"/m/fruit/review?verification={n}" for n in range(1, 5)]
    for path in [
        *pages,
        "/m/fruit/verifications",
        "/m/fruit/verifications?class=%22quince%22",
        "/m/fruit/verifications?state=answered",
    ]:
        page = ann.get(path)
        # It is a label to choose from, and what Ann chose for the second verification.
        chosen = "verification=2" in path or ("verifications" in path and "answered" not in path)
        assert page.text.count("quince") == 2 * page.text.count('value="quince"') + chosen, path
        assert not re.search(r"\b(right|wrong)\b", page.text), path
    assert service.report(monitor).classes[0].verified == 3


@SQLITE
def test_a_page_that_did_not_change_is_304_and_one_that_did_is_not(service, browsers):
    monitor = make(service, 3)
    browser = browsers()
    for path in ("/", "/m/fruit", '/m/fruit/class?name="pear"', "/m/fruit/verifications"):
        first = browser.get(path)
        tag = first.headers["etag"]
        assert f'data-etag="{html.escape(tag).replace("&quot;", "&#34;")}"' in first.text
        again = browser.get(path, If_None_Match=tag)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    tags = {path: browser.get(path).headers["etag"] for path in ("/", "/m/fruit", "/m/fruit/verifications")}
    say(service, monitor, 1, "bob", correct=True)
    for path, tag in tags.items():
        assert browser.get(path, If_None_Match=tag).status_code == 200
    tag = browser.get("/m/fruit").headers["etag"]
    other = browsers("Ann", "report")
    assert other.get("/m/fruit", If_None_Match=tag).status_code == 200


@SQLITE
def test_the_dashboard_says_what_it_cost(service, browsers):
    monitor = make(service, 40, policy="sequential", patience=5, daily_cap=100)
    for number in range(1, 31):
        say(service, monitor, number, "ann", correct=number > 3)
    ask(service, monitor, 5, start=40)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", browsers().get("/m/fruit").text))
    for words in ("budget for today 45 / 100", "of 45 predictions", "answer rate", "10 % (", "waiting"):
        assert words in html.unescape(text), text


@SQLITE
def test_many_classes_come_in_pages_that_can_be_searched(service, browsers):
    row = service.do(monitors.create_served_monitor("fruit", {"tolerance": 0.1}, actor="test"))
    rows = [Prediction(f"id-{n}", f"class-{n:03d}") for n in range(250)]
    service.do(decide_predictions(service, row.id, rows, actor="test"))
    browser = browsers()
    pages = [browser.get(f"/m/fruit?page={n}").text for n in (1, 2, 3)]
    names = [re.findall(r">(class-\d+)</a></th>", text) for text in pages]
    assert [len(one) for one in names] == [100, 100, 50]
    assert len({name for one in names for name in one}) == 250
    assert browser.get("/m/fruit?page=99").text.count("</a></th>") == 50
    assert re.findall(r">(class-\d+)</a></th>", browser.get("/m/fruit?q=CLASS-24").text) == [
        f"class-{n}" for n in range(240, 250)
    ]
    assert "No class matches" in browser.get("/m/fruit?verdict=above").text
    assert browser.get("/m/fruit?page=x").status_code == 400


@SQLITE
def test_administration_by_forms(service, browsers, stranger):
    admin = browsers()
    page = admin.submit("/", "/admin/monitors", name="fruit", tolerance="0,05", labels="pear, plum", blind="1")
    assert page.url.path == "/m/fruit"
    assert admin.submit("/", "/admin/monitors", name="Bad Name", tolerance="0.05").status_code == 422
    assert admin.submit("/", "/admin/monitors", name="x", tolerance="much").status_code == 422
    assert admin.submit("/", "/admin/monitors", name="fruit", tolerance="0.1").status_code == 409
    page = admin.submit("/admin/keys", "/admin/keys", name="prod", scope="decide", monitor="fruit", days="30")
    key = re.search(r'id="secret">(sl_[^<]+)<', page.text)[1]
    sent = {"id": "a", "prediction": "pear"}
    call = stranger.client.post("/v1/monitors/fruit/decisions", json=sent, headers={"Authorization": f"Bearer {key}"})
    assert stranger.runner.run(call).json()["verify"] is True
    assert key not in admin.get("/admin/keys").text
    id = re.search(r'action="/admin/keys/([^"]+)"', page.text)[1]
    admin.submit("/admin/keys", f"/admin/keys/{id}", do="rotate")
    admin.submit("/admin/keys", f"/admin/keys/{id}", do="revoke")
    page = admin.submit("/admin", "/admin/reviewers", name="Ann", scope="answer")
    code = re.search(r"/start#([\w-]+)<", page.text)[1]
    reply = stranger.submit("/start", "/start", code=code, name="", password="long enough to keep")
    assert "Ann" in reply.text
    assert admin.submit("/admin", "/admin/reviewers", name="Ann", scope="answer").status_code == 409
    assert admin.submit("/admin", "/admin/reviewers", name="Bob").status_code == 422
    page = admin.submit("/admin/webhooks", "/admin/webhooks", url="https://example.com/x", event="verdict.changed")
    assert "whsec_" in page.text
    id = re.search(r'action="/admin/webhooks/([^"]+)"', page.text)[1]
    assert "No webhooks yet" in admin.submit("/admin/webhooks", f"/admin/webhooks/{id}", do="remove").text
    pager = {"url": "https://events.example/x", "event": "verdict.changed", "format": "pagerduty"}
    page = admin.submit("/admin/webhooks", "/admin/webhooks", **pager, routing_key="r" * 32)
    assert 'data-name="Format">pagerduty<' in page.text
    assert "rrrr" not in page.text
    assert admin.submit("/admin/webhooks", "/admin/webhooks", **pager).status_code == 422
    assert admin.submit("/admin/webhooks", "/admin/webhooks", url="ftp://x", event="verdict.changed").status_code == 422
    audit = admin.get("/admin/audit").text
    for words in (
        "key created",
        "key rotated",
        "key revoked",
        "reviewer invited",
        "password chosen",
        "webhook created",
    ):
        assert words in audit


def test_marks_of_direction_turn_nothing_else_around():
    assert (
        "*, *::before, *::after { box-sizing: border-box; unicode-bidi: isolate; }"
        in read_static_page_file("sidelight.css").decode()
    )
