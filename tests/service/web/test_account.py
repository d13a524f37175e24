"""Accounts: the own password, the scopes of people and keys, and whom a link is for."""

from __future__ import annotations

import html
import re

from service.api.conftest import SQLITE
from service.web.browsing import PASSWORD, Browser
from sidelight.service.auth import reviewers
from sidelight.service.auth.keys import create_key
from sidelight.service.journal import audit

pytestmark = SQLITE
NEW = "another horse, another battery"


def change(browser, old, new):
    form = browser.form(browser.get("/account"), "/account")
    return browser.post("/account", form | {"old": old, "password": new})


def test_the_own_password_is_changed_by_who_knows_the_old_one(service, app, browsers):
    browser, elsewhere = browsers("Ann", "answer"), Browser(app)
    elsewhere.sign_in("Ann")
    invited = service.do(reviewers.renew_password_link("test", next(one.id for one in _people(service))))
    assert "Ann" in browser.get("/account").text
    assert change(browser, "not the one", NEW).status_code == 403
    assert change(browser, PASSWORD, "short").status_code == 422
    assert elsewhere.get("/", follow=False).status_code == 200
    before = browser.client.cookies["sidelight"]
    assert "is changed" in change(browser, PASSWORD, NEW).text
    assert browser.client.cookies["sidelight"] != before
    assert browser.get("/", follow=False).status_code == 200
    assert elsewhere.get("/", follow=False).status_code == 303
    assert elsewhere.sign_in("Ann").status_code == 403
    assert elsewhere.sign_in("Ann", NEW).status_code == 200
    old = elsewhere.post("/start", {"code": invited.code, "name": "", "password": PASSWORD})
    assert old.status_code == 403
    with service.read() as tx:
        assert audit.read_audit_log(tx)[1].action == "password changed"
    elsewhere.close()


def _people(service):
    with service.read() as tx:
        return reviewers.list_reviewers(tx)


def test_scopes_of_people_and_keys_are_changed_on_the_page(service, browsers):
    admin, ann = browsers(), browsers("Ann", "answer")
    key = service.do(create_key("test", "nightly", ["answer"]))
    person = next(one for one in _people(service) if one.name == "Ann")
    assert ann.get("/admin").status_code == 403
    for page, action in (("/admin", f"/admin/reviewers/{person.id}"), ("/admin/keys", f"/admin/keys/{key.id}")):
        shown = re.search(rf'<form method="post" action="{action}">.*?</form>', admin.get(page).text, re.DOTALL)[0]
        assert re.findall(r'value="(\w+)" checked', shown) == ["answer"]
        form = admin.form(admin.get(page), action) | {"do": "scopes"}
        assert admin.post(action, form).status_code == 422
        assert admin.post(action, form | {"scope": ["settle", "answer"]}).status_code == 200
        assert "answer, settle" in admin.get(page).text
        assert (
            ann.post(action, ann.form(ann.get("/"), "/signout") | {"do": "scopes", "scope": "admin"}).status_code == 403
        )


def test_a_link_says_whom_it_is_for_and_stays_usable(service, stranger):
    invited = service.do(reviewers.invite_reviewer("test", "Ann <b>", ["answer"]))
    page = stranger.get("/start").text
    assert "readonly" not in page
    assert page.index("Continue</button>") < page.index('name="look"')  # Enter presses the first button
    look = stranger.post("/start", {"code": invited.code, "look": "1"})
    assert (look.status_code, 'readonly value="Ann &lt;b&gt;"' in look.text) == (200, True)
    short = stranger.post("/start", {"code": invited.code, "password": "short"})
    assert (short.status_code, 'readonly value="Ann &lt;b&gt;"' in short.text) == (422, True)
    wrong = stranger.post("/start", {"code": "x" * 32, "look": "1"})
    assert (wrong.status_code, "readonly" in wrong.text) == (403, False)
    done = stranger.post("/start", {"code": invited.code, "name": "Ann <b>", "password": PASSWORD})
    assert done.status_code == 200
    assert "Ann <b>" in html.unescape(done.text)


def test_the_link_of_the_first_administrator_asks_for_a_name(service, stranger):
    from sidelight.service.auth.sessions import make_administrator_link

    look = stranger.post("/start", {"code": service.do(make_administrator_link()), "look": "1"})
    assert (look.status_code, "readonly" in look.text) == (200, False)
