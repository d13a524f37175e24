"""Signing in: links, passwords, cookies, and requests from other sites."""

from __future__ import annotations

import dataclasses

import httpx
import pytest

from service.api.conftest import SQLITE
from service.running import running
from service.web.browsing import PASSWORD, Browser, add_person
from sidelight.service.auth import passwords, reviewers, sessions
from sidelight.service.auth.passwords import SignInDoor
from sidelight.service.problems import Problem
from sidelight.service.server.app import make_app

pytestmark = SQLITE


def cookie_header(reply):
    return reply.headers["set-cookie"]


def test_the_first_link_makes_an_administrator_once(service, stranger):
    code = service.do(sessions.make_administrator_link())
    assert stranger.get("/start").status_code == 200  # whoever only looks uses nothing up
    reply = stranger.submit("/start", "/start", code=code, name="Ada", password=PASSWORD)
    assert reply.url.path == "/"
    assert "Ada" in reply.text
    assert stranger.get("/admin").status_code == 200
    assert service.do(sessions.make_administrator_link()) is None
    again = stranger.submit("/start", "/start", code=code, name="Eve", password=PASSWORD)
    assert again.status_code == 403
    assert "used already" in again.text


def test_a_link_ends_after_fifteen_minutes(service, stranger):
    code = service.do(sessions.make_administrator_link())

    class Age:
        monitors = ()
        keys = verification_keys = ()

        def run(self, work):
            row = work.writing().one("SELECT expires_at - created_at FROM sessions WHERE kind = 'link'")
            work.writing().run("UPDATE sessions SET expires_at = ?", work.now)
            return row[0]

    assert service.do(Age()) == pytest.approx(15 * 60)
    assert stranger.submit("/start", "/start", code=code, name="Ada", password=PASSWORD).status_code == 403


def test_codes_cookies_and_passwords_are_stored_as_hashes(service, stranger):
    code = service.do(sessions.make_administrator_link())
    stranger.submit("/start", "/start", code=code, name="Ada", password=PASSWORD)
    cookie = stranger.client.cookies["sidelight"]
    with service.read() as tx:
        stored = repr([tx.all(f"SELECT * FROM {table}") for table in ("sessions", "reviewers", "audit")])
    for secret in (code, cookie, PASSWORD):
        assert secret not in stored
    assert "$argon2id$" in stored


def test_a_password_that_is_too_short_keeps_the_link(service, stranger):
    code = service.do(sessions.make_administrator_link())
    reply = stranger.submit("/start", "/start", code=code, name="Ada", password="short")
    assert reply.status_code == 422
    assert "from 10 to 200" in reply.text
    assert stranger.submit("/start", "/start", code=code, name="", password=PASSWORD).status_code == 422
    assert stranger.submit("/start", "/start", code=code, name="Ada", password=PASSWORD).status_code == 200


def test_recovery_gives_an_old_account_all_scopes_and_ends_its_sessions(service, app, browsers, stranger):
    old = browsers("Ada", "answer")
    assert old.get("/admin").status_code == 403
    code = service.do(sessions.make_administrator_link(only_first=False))
    assert stranger.submit("/start", "/start", code=code, name="Ada", password=PASSWORD).status_code == 200
    assert stranger.get("/admin").status_code == 200
    assert old.get("/admin", follow=False).status_code == 303


def test_signing_in_does_not_depend_on_how_a_keyboard_composes_letters(service):
    accent = "\N{COMBINING ACUTE ACCENT}"
    service.do(reviewers.invite_reviewer("test", f"A{accent}da", ["answer"]))
    with pytest.raises(Problem, match="this name is taken"):
        service.do(reviewers.invite_reviewer("test", "\N{LATIN CAPITAL LETTER A WITH ACUTE}da", ["answer"]))
    with service.read() as tx:
        assert sessions.find_password_account(tx, "\N{LATIN CAPITAL LETTER A WITH ACUTE}da") is not None
    stored = passwords.hash_password(f"cafe{accent} au lait")
    assert passwords.password_matches("caf\N{LATIN SMALL LETTER E WITH ACUTE} au lait", stored)
    assert not passwords.password_matches("cafe au lait", stored)


def test_signing_in_gives_a_new_cookie_and_ends_the_old_session(service, app):
    add_person(service, "Ada", "answer")
    browser = Browser(app)
    browser.client.cookies.set("sidelight", "chosen-by-an-attacker")
    first = browser.sign_in("Ada", follow=False)
    assert "httponly" in cookie_header(first).lower()
    assert "samesite=lax" in cookie_header(first).lower()
    assert "secure" not in cookie_header(first).lower()
    one = browser.client.cookies.get("sidelight", domain="localhost.local") or first.cookies["sidelight"]
    assert one != "chosen-by-an-attacker"
    browser.client.cookies.clear()
    browser.client.cookies.set("sidelight", one)
    second = browser.sign_in("Ada", follow=False)
    assert second.cookies["sidelight"] != one
    with service.read() as tx:
        assert sessions.find_session(tx, one) is None
        assert sessions.find_session(tx, second.cookies["sidelight"]).name == "Ada"
    browser.close()


def test_with_tls_the_cookie_is_secure_and_bound_to_the_host(service):
    service.options = dataclasses.replace(service.options, url="https://watch.example")
    add_person(service, "Ada", "answer")
    browser = Browser(make_app(service), base="https://watch.example")
    header = cookie_header(browser.sign_in("Ada", follow=False))
    assert header.startswith("__Host-sidelight=")
    assert "; secure" in header.lower()
    assert "domain" not in header.lower()
    browser.close()


def test_behind_a_proxy_the_address_that_users_know_is_the_own_one(service):
    service.options = dataclasses.replace(service.options, url="https://watch.example")
    add_person(service, "Ada", "answer")
    browser = Browser(make_app(service), base="http://localhost")
    assert browser.sign_in("Ada", origin="https://watch.example", follow=False).status_code == 303
    assert browser.sign_in("Ada", origin="https://evil.example", follow=False).status_code == 403
    browser.close()


@pytest.mark.parametrize("name", ["Ada", "Nobody"])
def test_a_wrong_password_tells_nothing_about_names(service, stranger, name):
    add_person(service, "Ada", "answer")
    reply = stranger.sign_in(name, "wrong password!")
    assert reply.status_code == 403
    assert "The name or password is wrong" in reply.text


class Time:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def time(app):
    """The time at the door."""
    time = Time()
    app.state.door = SignInDoor(time, time.sleep)
    return time


@pytest.fixture
def at(app):
    """Return a function that returns a browser at an address."""
    opened = []

    def open_at(address):
        opened.append(Browser(app, address=address))
        return opened[-1]

    yield open_at
    for one in opened:
        one.close()


@pytest.fixture
def quick(monkeypatch):
    """Replace the slow hash."""
    monkeypatch.setattr(
        passwords, "password_matches", lambda password, stored: password == PASSWORD and stored is not None
    )


@pytest.mark.parametrize("name", ["Ada", "Nobody"])
def test_guessing_gets_slow_and_tells_nothing_about_names(service, at, time, quick, name):
    add_person(service, "Ada", "answer")
    jobs = service.writer.jobs
    for _ in range(12):
        assert at("192.0.2.1").sign_in(name, "wrong password!").status_code == 403
    assert time.slept == [0.0] * 5 + [4.0] * 7
    assert service.writer.jobs == jobs  # storing the failures would take longer for names that exist


def test_nobody_is_locked_out_by_others(service, at, time, quick):
    add_person(service, "Ada", "answer")
    for _ in range(12):
        at("192.0.2.1").sign_in("Ada", "wrong password!")
    assert at("192.0.2.2").sign_in("Ada").status_code == 200
    assert time.slept[-1] == 0.0
    assert at("192.0.2.1").sign_in("Ada").status_code == 200  # from the same address it takes a moment
    assert time.slept[-1] == 4.0
    assert at("192.0.2.1").sign_in("Ada").status_code == 200
    assert time.slept[-1] == 0.0


def test_many_names_from_one_address_get_slow_as_well(service, at, time, quick):
    for n in range(40):
        address = f"2001:db8::{n:x}" if n % 2 else f"2001:db8::ffff:{n:x}"  # one network
        assert at(address).sign_in(f"person {n}", "wrong password!").status_code == 403
    assert time.slept == [0.0] * 20 + [1.0] * 20
    at("2001:db8:0:1::1").sign_in("person", "wrong password!")
    assert time.slept[-1] == 0.0


def test_who_does_not_wait_is_refused_and_told_when_to_come_again(service, app, at, quick):
    add_person(service, "Ada", "answer")
    time = Time()

    async def at_once(seconds):  # as if all came in the same moment
        time.slept.append(seconds)

    app.state.door = SignInDoor(time, at_once)
    replies = [at("192.0.2.1").sign_in("Ada", "wrong password!") for _ in range(9)]
    assert [one.status_code for one in replies] == [403] * 7 + [429] * 2
    assert time.slept == [0.0] * 5 + [4.0, 8.0]
    assert replies[-1].headers["retry-after"] == "2"
    assert "try again in" in replies[-1].text


def test_behind_a_proxy_the_forwarded_address_counts(service, app, time, quick):
    add_person(service, "Ada", "answer")

    def waits(proxies, *forwarded):
        app.state.door = SignInDoor(time, time.sleep)
        with running(app, proxies=proxies) as base, httpx.Client(base_url=base, trust_env=False) as client:
            for one in forwarded:
                headers = {"Origin": base, "X-Forwarded-For": one}
                form = {"name": "Ada", "password": "wrong password!"}
                assert client.post("/signin", data=form, headers=headers).status_code == 403
        return time.slept[-len(forwarded) :]

    ten = [f"192.0.2.{n}" for n in range(10)]
    slow = [0.0] * 5 + [4.0] * 5
    assert waits("127.0.0.1", *ten) == [0.0] * 10
    assert waits("127.0.0.0/8", *(f"{one}, 198.51.100.7" for one in ten)) == slow  # what clients add does not count
    assert waits("127.0.0.1", *["198.51.100.7"] * 10) == slow
    assert waits("", *ten) == slow
    assert waits("192.0.2.200", *ten) == slow


def test_a_wrong_code_costs_neither_a_hash_nor_a_commit(service, at, time, monkeypatch):
    service.do(sessions.make_administrator_link())
    jobs = service.writer.jobs
    monkeypatch.setattr(passwords, "hash_password", None)
    replies = [at("192.0.2.1").post("/start", {"code": "wrong", "password": PASSWORD}) for _ in range(30)]
    assert {one.status_code for one in replies} == {403}
    assert time.slept == [0.0] * 20 + [1.0] * 10
    assert service.writer.jobs == jobs


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://localhost:81"]
)
def test_forms_of_other_sites_are_refused(browsers, origin):
    browser = browsers()
    fields = browser.form(browser.get("/"), "/admin/monitors") | {"name": "x", "tolerance": "0.1"}
    assert browser.post("/admin/monitors", fields, origin=origin).status_code == 403
    assert browser.post("/admin/monitors", fields, follow=False).status_code == 303


def test_a_session_calls_the_interface_only_from_the_own_site(service, browsers):
    browser = browsers()
    assert browser.get("/v1/monitors").status_code == 200

    def make(**headers):
        body = {"name": "x", "settings": {"tolerance": 0.1}}
        return browser.runner.run(browser.client.post("/v1/monitors", json=body, headers=headers)).status_code

    assert make(Origin="https://evil.example") == make(Origin="null") == make(**{"Sec-Fetch-Site": "same-site"}) == 403
    assert make(Origin="http://localhost") == 201


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/m/x?verdict=above", "/m/x?verdict=above"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/x\r\nSet-Cookie: a=b", "/"),
        ("", "/"),
    ],
)
def test_signing_in_leads_nowhere_else(service, stranger, target, expected):
    add_person(service, "Ada", "answer")
    reply = stranger.post("/signin", {"name": "Ada", "password": PASSWORD, "next": target}, follow=False)
    assert reply.headers["location"] == expected


def test_whoever_is_disabled_is_out_at_once(service, browsers):
    admin, ada = browsers(), browsers("Ada", "answer", "report")
    page = admin.get("/admin")
    with service.read() as tx:
        id = tx.one("SELECT id FROM reviewers WHERE name = 'Ada'")[0]
    fields = admin.form(page, f"/admin/reviewers/{id}")
    admin.post(f"/admin/reviewers/{id}", fields | {"do": "disable"})
    assert ada.get("/", follow=False).status_code == 303
    assert ada.sign_in("Ada").status_code == 403
    admin.post(f"/admin/reviewers/{id}", fields | {"do": "enable"})
    assert ada.sign_in("Ada").status_code == 200


def test_the_last_administrator_stays(service, browsers):
    admin = browsers()
    with service.read() as tx:
        id = tx.one("SELECT id FROM reviewers")[0]
    fields = admin.form(admin.get("/admin"), f"/admin/reviewers/{id}")
    for change in ({"do": "disable"}, {"do": "scopes", "scope": "answer"}):
        reply = admin.post(f"/admin/reviewers/{id}", fields | change)
        assert reply.status_code == 409
        assert "This would leave no administrator" in reply.text
    assert admin.get("/admin").status_code == 200


def test_a_form_that_is_too_long_or_unreadable_is_refused(stranger):
    headers = {"Origin": "http://localhost", "Content-Type": "application/x-www-form-urlencoded"}
    call = stranger.client.post
    bodies = {b"name=" + b"a" * 70_000: 413, b"name=%ff%fe": 400, b"&".join([b"a=1"] * 2_000): 400}
    for body, status in bodies.items():
        assert stranger.runner.run(call("/signin", content=body, headers=headers)).status_code == status
    wrong = headers | {"Content-Type": "application/json"}
    assert stranger.runner.run(call("/signin", content=b"{}", headers=wrong)).status_code == 415
