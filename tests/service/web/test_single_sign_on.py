"""Signing in through a provider that signs real tokens, and the ways in which it must fail."""

from __future__ import annotations

import base64
import dataclasses
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwk

from service.api.conftest import SQLITE
from service.web import provider as fake
from service.web.browsing import Browser, add_person
from service.web.chromium import Window, program, serving
from sidelight.errors import SidelightError
from sidelight.service.auth import reviewers, sessions
from sidelight.service.auth.single_sign_on import SignInProvider, SignInTicket, SingleSignOn
from sidelight.service.journal import audit
from sidelight.service.problems import Problem
from sidelight.service.server.app import make_app
from sidelight.service.server.run import make_server_options

GROUPS = {"reviewers": ("answer", "report"), "owners": ("admin", "report")}


@pytest.fixture
def issuer():
    found = fake.Provider()
    yield found
    found.close()


@pytest.fixture
def with_provider(service, issuer):
    known = SignInProvider(issuer=issuer.issuer, client_id=fake.CLIENT, secret=fake.SECRET, groups=GROUPS)
    service.options = dataclasses.replace(service.options, provider=known)
    return service


@pytest.fixture
def browser(with_provider):
    found = Browser(make_app(with_provider))
    yield found
    found.close()


def leave(browser):
    """Go to the provider and return the address to which it sends the browser back."""
    there = browser.get("/signin/provider?next=/account", follow=False)
    assert there.status_code == 303
    back = httpx.get(there.headers["location"], trust_env=False).headers["location"]
    assert back.startswith("http://localhost/signin/callback?")
    return back


def sign_in(browser):
    return browser.get(leave(browser))


def test_the_first_sign_in_creates_a_reviewer_and_later_ones_find_them(browser, issuer, with_provider):
    page = sign_in(browser)
    assert (page.status_code, page.url.path) == (200, "/account")
    with with_provider.read() as tx:
        (ada,) = reviewers.list_reviewers(tx)
    assert (ada.name, set(ada.scopes), ada.ready) == ("ada", {"answer", "report"}, True)
    issuer.person |= {"groups": "owners", "preferred_username": "ada l."}
    assert sign_in(browser).status_code == 200
    with with_provider.read() as tx:
        (again,) = reviewers.list_reviewers(tx)
        actions = [one.action for one in audit.read_audit_log(tx)]
    assert (again.id, again.name, set(again.scopes)) == (ada.id, "ada", {"admin", "report"})
    assert "scopes changed by the provider" in actions
    assert "reviewer created by the provider" in actions


@SQLITE
@pytest.mark.parametrize("ways", [["client_secret_post"], ["client_secret_post", "client_secret_basic"], []])
def test_providers_differ(browser, issuer, ways):
    """Some take the secret in the form only, and some have keys of kinds that are not known here."""
    issuer.ways = ways
    issuer.other_keys = [{"kty": "EC", "crv": "brainpoolP256r1", "x": "AA", "y": "AA"}, {"kty": "AKP"}, 7]
    assert sign_in(browser).status_code == 200


@SQLITE
def test_a_name_that_is_taken_belongs_to_somebody_else(browser, with_provider):
    add_person(with_provider, "ada", "admin", "report")
    assert sign_in(browser).status_code == 200
    with with_provider.read() as tx:
        names = {one.name: set(one.scopes) for one in reviewers.list_reviewers(tx)}
    assert names.pop("ada") == {"admin", "report"}
    ((name, scopes),) = names.items()
    assert name.startswith("ada (")
    assert scopes == {"answer", "report"}


@SQLITE
def test_somebody_disabled_stays_out(browser, with_provider):
    sign_in(browser)
    with with_provider.read() as tx:
        (ada,) = reviewers.list_reviewers(tx)
    with_provider.do(reviewers.disable_reviewer("test", ada.id))
    page = sign_in(browser)
    assert page.status_code == 403
    assert "disabled" in page.text


OTHER = jwk.RSAKey.generate_key(2048, {"kid": "first"})
LIES = {
    "another issuer": {"lies": {"iss": "https://evil.example"}},
    "another audience": {"lies": {"aud": "somebody-else"}},
    "several audiences": {"lies": {"aud": [fake.CLIENT, "x"]}},
    "another nonce": {"lies": {"nonce": "guessed"}},
    "no nonce": {"lies": {"nonce": None}},
    "expired": {"lies": {"exp": int(time.time()) - 3600}},
    "no expiry": {"lies": {"exp": None}},
    "issued in the future": {"lies": {"iat": int(time.time()) + 86_400}},
    "no subject": {"lies": {"sub": None}},
    "unsigned": {"header": {"alg": "none"}},
    "signed by somebody else": {"signed_by": OTHER},
    "signed with the secret": {
        "header": {"alg": "HS256", "kid": "first"},
        "signed_by": jwk.OctKey.import_key(fake.SECRET.ljust(32)),
    },
    "an unknown key": {"header": {"alg": "RS256", "kid": "other"}, "signed_by": OTHER},
    "no group": {"person": {"sub": "u-1", "preferred_username": "ada", "groups": ["staff"]}},
    "groups that are a number": {"person": {"sub": "u-1", "groups": 7}},
    "a subject of spaces": {"lies": {"sub": "  "}},
    "a subject with NUL": {"lies": {"sub": "u\0"}},
    "a long subject": {"lies": {"sub": "u" * 256}},
    "groups of another kind": {"person": {"sub": "u-1", "groups": {"reviewers": True}}},
}


@SQLITE
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_what_must_not_be_believed(browser, issuer, with_provider, lie):
    for name, value in lie.items():
        setattr(issuer, name, value)
    assert sign_in(browser).status_code == 403
    assert browser.get("/account").url.path == "/signin"
    with with_provider.read() as tx:
        assert reviewers.list_reviewers(tx) == []


@SQLITE
def test_a_ticket_belongs_to_one_browser_and_works_once(browser, with_provider):
    back = leave(browser)
    stranger = Browser(make_app(with_provider))
    assert stranger.get(back).status_code == 403
    stranger.get("/signin/provider", follow=False)  # has a ticket, but of another state
    assert stranger.get(back).status_code == 403
    stranger.close()
    assert browser.get(back).status_code == 200
    assert browser.get(back).status_code == 403


@SQLITE
def test_a_stolen_code_is_useless_without_the_verifier(browser, with_provider, issuer):
    code = parse_qs(urlsplit(leave(browser)).query)["code"][0]
    thief = Browser(make_app(with_provider))
    own = parse_qs(urlsplit(leave(thief)).query)
    assert thief.get(f"/signin/callback?state={own['state'][0]}&code={code}").status_code == 403
    thief.close()


@SQLITE
def test_an_answer_in_the_name_of_another_provider(browser):
    back = leave(browser).rpartition("&iss=")[0] + "&iss=https%3A%2F%2Fevil.example"
    assert browser.get(back).status_code == 403


@SQLITE
def test_a_provider_that_changes_its_key_is_asked_again(browser, issuer):
    assert sign_in(browser).status_code == 200
    issuer.key = jwk.RSAKey.generate_key(2048, {"kid": "second"})
    issuer.header = {"alg": "RS256", "kid": "second"}
    assert sign_in(browser).status_code == 200


@SQLITE
def test_a_provider_that_is_down(browser, issuer):
    issuer.close()
    page = browser.get("/signin/provider", follow=False)
    assert page.status_code == 503
    assert "cannot be reached" in page.text


DESCRIPTION = "/.well-known/openid-configuration"


@SQLITE
@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("authorization_endpoint", "javascript:alert(1)"),
        ("authorization_endpoint", None),
        ("token_endpoint", "http://login.example/token"),
        ("token_endpoint", 7),
        ("jwks_uri", "https://[x"),
    ],
)
def test_secrets_go_to_safe_addresses_only(browser, issuer, end, said):
    right = issuer.answer("GET", DESCRIPTION, {}, {}, None)[1]
    issuer.said[DESCRIPTION] = (200, right | {end: said})
    page = browser.get("/signin/provider", follow=False)
    assert page.status_code == 503
    assert end in page.text


ODD = {
    "a page": ("/token", (200, b"<html>"), 503),
    "a list": ("/token", (200, []), 503),
    "another address": ("/token", (302, "https://evil.example/"), 503),
    "no token": ("/token", (200, {"access_token": "x"}), 403),
    "a token of another type": ("/token", (200, {"id_token": {"sub": "u-1"}}), 403),
    "a wrong secret": ("/token", (401, {"error": "invalid_client"}), 403),
    "keys that are a number": ("/jwks", (200, {"keys": 7}), 403),
    "no keys": ("/jwks", (200, {}), 403),
    "keys that are texts": ("/jwks", (200, {"keys": ["x"]}), 403),
    "keys without a type": ("/jwks", (200, {"keys": [{}]}), 403),
}


@SQLITE
@pytest.mark.parametrize(("path", "said", "status"), ODD.values(), ids=ODD)
def test_a_provider_that_answers_oddly(browser, issuer, path, said, status):
    issuer.said[path] = said
    assert sign_in(browser).status_code == status


@SQLITE
def test_a_provider_that_failed_is_left_alone_for_a_while(browser, issuer):
    issuer.said[DESCRIPTION] = (500, {})
    assert browser.get("/signin/provider", follow=False).status_code == 503
    issuer.said.clear()
    again = browser.get("/signin/provider", follow=False)
    assert (again.status_code, again.headers["retry-after"]) == (503, "5")


def test_a_slow_provider_holds_up_few_threads(issuer):
    gate, answer = threading.Event(), issuer.answer
    issuer.answer = lambda *asked: gate.wait(60) and answer(*asked)
    through = SingleSignOn(SignInProvider(issuer=issuer.issuer, client_id="c", secret="s", groups=GROUPS))
    with ThreadPoolExecutor(9) as pool:
        asked = [pool.submit(through.address, SignInTicket.new("/"), "http://localhost/") for _ in range(9)]
        refused = next(as_completed(asked))
        gate.set()
        assert "too many people" in str(refused.exception())
        assert sum(one.exception() is None for one in asked) == 8


@SQLITE
@pytest.mark.parametrize(
    ("given", "shown"),
    [("a\x1b[31mda\u202e", "a[31mda"), ("a\0", "a"), ("x" * 999, "x" * 100), (" \u200b", "u-1"), (["a"], "u-1")],
)
def test_names_are_cleaned(browser, issuer, with_provider, given, shown):
    issuer.person["preferred_username"] = given
    assert sign_in(browser).status_code == 200
    with with_provider.read() as tx:
        assert [one.name for one in reviewers.list_reviewers(tx)] == [shown]


@pytest.mark.parametrize(
    "cookie", [["s", "n", "v", 7], [7, "n", "v", "/"], ["s"], "s", 7, None, {"s": 1}], ids=lambda one: str(one)[:20]
)
def test_tickets_that_nobody_issued(cookie):
    with pytest.raises(Problem, match="did not ask"):
        SignInTicket.read(base64.urlsafe_b64encode(json.dumps(cookie).encode()).decode(), "s")


@SQLITE
def test_a_forged_ticket_does_not_lead_elsewhere(browser):
    back = leave(browser)
    jar = browser.client.cookies
    ticket = SignInTicket.read(jar["sidelight-ticket"].strip('"'), parse_qs(urlsplit(back).query)["state"][0])
    jar.clear()
    jar.set("sidelight-ticket", ticket._replace(next="https://evil.example/").cookie)
    assert browser.get(back, follow=False).headers["location"] == "/"


@SQLITE
def test_without_passwords(with_provider):
    add_person(with_provider, "old", "admin")
    with_provider.options = dataclasses.replace(with_provider.options, local_passwords=False)
    browser = Browser(make_app(with_provider))
    page = browser.get("/signin")
    assert "Sign in through your organization" in page.text
    assert 'type="password"' not in page.text
    assert browser.sign_in("old").status_code == 403
    assert browser.post("/start", {"code": "x", "name": "y", "password": "z" * 12}).status_code == 403
    assert sign_in(browser).status_code == 200
    browser.close()


@SQLITE
def test_sessions_that_began_with_a_password_end(browser, with_provider):
    add_person(with_provider, "old", "admin")
    other = Browser(make_app(with_provider))
    other.sign_in("old")
    sign_in(browser)
    assert other.get("/account").url.path == browser.get("/account").url.path == "/account"
    with_provider.do(sessions.end_password_sessions())
    assert other.get("/account").url.path == "/signin"
    assert browser.get("/account").url.path == "/account"
    other.close()


@SQLITE
@pytest.mark.slow
def test_in_a_real_browser(with_provider):
    sync_api = pytest.importorskip("playwright.sync_api")
    executable = program()
    with serving(with_provider) as base, sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        window = Window(chromium.new_context(), base)
        window.go("/account")
        window.page.click("text=Sign in through your organization")
        window.page.wait_for_url(f"{base}/account")
        assert "ada" in window.page.content()
        chromium.close()


OIDC = {"oidc_issuer": "https://x.example", "oidc_client_id": "c", "oidc_groups": ("a=answer",)}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"local_passwords": False}, "--no-passwords needs a provider"),
        ({"oidc_issuer": "https://x.example"}, "single sign-on needs --oidc-issuer"),
        (OIDC | {"oidc_groups": ()}, "at least one --oidc-group"),
        (OIDC | {"oidc_issuer": "http://x.example"}, "is not an address like https"),
        (OIDC | {"oidc_issuer": "https://"}, "is not an address like https"),
        (OIDC | {"oidc_issuer": "https://[x"}, "is not an address like https"),
        ({"oidc_groups": ("a=answer",)}, "single sign-on needs --oidc-issuer"),
        ({"oidc_secret_file": "empty", **OIDC}, "is empty"),
        ({"rate": float("inf")}, "must be a finite"),
        (OIDC | {"oidc_groups": ("answer",)}, "is not like reviewers=answer,report"),
        (OIDC | {"oidc_groups": ("a=everything",)}, "some scopes are unknown"),
        (OIDC | {"oidc_secret_file": "no-such-file"}, "cannot be read"),
    ],
)
def test_options_that_cannot_work(options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("s\n")
    (tmp_path / "empty").write_text("\n")
    secret = {"oidc_secret_file": str(tmp_path / "secret")} if "oidc_client_id" in options else {}
    with pytest.raises(SidelightError, match=said):
        make_server_options(**secret | options)
