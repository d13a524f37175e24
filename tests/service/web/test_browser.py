"""Pages in a real browser: by keyboard, on a phone, without scripts, with several people at once."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from service.api.conftest import SQLITE
from service.reviews import ask, make, say, verification
from service.web.browsing import PASSWORD, add_person
from service.web.chromium import Window, program, serving
from service.web.hostile import HOSTILE, LABELS
from sidelight.service.auth import sessions
from sidelight.service.demo.worlds import draw_demo_digit
from sidelight.service.domain import inputs, monitors
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import Payload, Prediction
from sidelight.service.journal import entry as journal

pytestmark = [SQLITE, pytest.mark.slow]
EVERYTHING = ("answer", "settle", "report", "admin")


@pytest.fixture(scope="module")
def chromium():
    executable = program()
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def base(service):
    with serving(service) as base:
        yield base


@pytest.fixture
def window(service, base, chromium):
    """Open a window for somebody; at the end nothing must have gone wrong in any of them."""
    opened = []

    def open_for(name="admin", *scopes, signed_in=True, **options):
        context = chromium.new_context(viewport={"width": 1200, "height": 900}, **options)
        found = Window(context, base)
        opened.append((context, found))
        if signed_in:
            add_person(service, name, *(scopes or EVERYTHING))
            found.sign_in(name, PASSWORD)
        return found

    yield open_for
    for context, one in opened:
        faults = list(one.faults)
        context.close()
        assert faults == []


def pictures(service, monitor, verifications):
    """Send predictions with pictures."""
    import numpy as np

    shown = Payload("image/png", draw_demo_digit("7", np.random.default_rng(1)))
    rows = [Prediction(f"picture-{n}", "pear", payload=shown) for n in range(verifications)]
    service.do(decide_predictions(service, monitor, rows, actor="test"))


def answered(service, monitor):
    (one,) = service.report(monitor).classes
    return one.verified, one.errors, one.skipped


def item_on(page):
    return int(re.search(r"verification (\d+),", page.inner_text("main"))[1])


def test_the_first_start_leads_from_a_link_to_the_first_monitor(service, window):
    code = service.do(sessions.make_administrator_link())
    one = window(signed_in=False)
    page = one.go(f"/start#{code}")
    page.wait_for_selector("#code", state="hidden")
    assert page.url == f"{one.base}/start"
    page.fill("#name", "Ada")
    page.fill("#password", PASSWORD)
    page.click("button:has-text('Continue')")
    page.wait_for_url(f"{one.base}/")
    page.fill("#m-name", "digits")
    page.fill("#m-tolerance", "0.05")
    page.click("button:has-text('Create')")
    page.wait_for_url(f"{one.base}/m/digits")
    assert "No predictions yet" in page.inner_text("main")
    page.click("button:has-text('Sign out')")
    page.wait_for_url(f"{one.base}/signin")
    page.fill("#name", "Ada")
    page.fill("#password", "not the password")
    # Wrong passwords are answered with 403, which the console mentions.
    page.click("button:has-text('Sign in')")
    page.wait_for_selector("text=The name or password is wrong")
    one.faults[:] = [text for text in one.faults if "403" not in text]


def test_twenty_verifications_by_keyboard_alone_then_undo(service, window):
    monitor = make(service, 0, labels=["pear", "plum"])
    pictures(service, monitor, 22)
    one = window("Ann", "answer")
    page = one.go("/m/fruit/review")
    page.wait_for_selector("text=Start reviewing")
    one.press("Enter")
    for number in range(1, 21):
        page.wait_for_selector(f"text=verification {number},")
        shown = page.locator(".payload img").evaluate("image => image.decode().then(() => image.naturalWidth)")
        assert shown > 100
        key = "r" if number % 4 else "w" if number % 8 else "2"
        one.press("s" if number == 7 else key)
    page.wait_for_selector("text=verification 21,")
    assert answered(service, monitor) == (19, 5, 1)
    one.press("u")
    page.wait_for_selector("text=Your answer stands until you replace or withdraw it")
    assert item_on(page) == 20
    assert answered(service, monitor) == (19, 5, 1)
    one.press("r")
    page.wait_for_selector("text=verification 22,")
    assert answered(service, monitor) == (19, 4, 1)
    one.press("u")
    page.wait_for_selector("text=You said")
    one.press("x")
    page.wait_for_selector("text=was withdrawn")
    assert answered(service, monitor) == (18, 4, 2)


def test_what_is_typed_is_what_is_said_and_enter_says_nothing(service, window):
    labels = [*map(str, range(10)), "s", "S"]
    monitor = make(service, 8, labels=labels, prediction="7")
    one = window("Ann", "answer")
    page = one.go("/m/fruit/review?verification=1")
    for number, key in enumerate(("1", "0", "s", "S", "7", "/"), 1):
        page.wait_for_selector(f"text=verification {number},")
        assert page.evaluate("document.activeElement === document.body")
        one.press("Enter")
        one.press(key)
    page.wait_for_selector("text=verification 7,")
    found = [verification(service, monitor, number) for number in range(1, 8)]
    assert [(one.state, one.label) for one in found] == [
        *(("answered", label) for label in ("1", "0", "s", "S", None)),
        ("skipped", None),
        ("open", None),
    ]
    assert found[4].correct


def test_single_keys_can_be_switched_off(service, window):
    monitor = make(service, 3)
    one = window("Ann", "answer")
    page = one.go("/m/fruit/review?verification=1")
    page.click("text=Keyboard shortcuts: on")
    one.press("r")
    page.reload()
    page.wait_for_selector("text=Keyboard shortcuts: off")
    one.press("w")
    assert not page.locator("kbd").first.is_visible()
    assert answered(service, monitor) == (0, 0, 0)
    page.click("text=Keyboard shortcuts: off")
    page.locator("body").press("r")
    page.wait_for_selector("text=verification 2,")
    assert answered(service, monitor) == (1, 0, 0)


def test_typing_is_not_answering(service, window):
    monitor = make(service, 3)
    page = window().go("/m/fruit")
    page.fill("#q", "")
    page.locator("#q").press_sequentially("rws")
    assert page.input_value("#q") == "rws"
    assert answered(service, monitor) == (0, 0, 0)


def test_a_hidden_prediction_is_nowhere_in_the_browser(service, window):
    make(service, 3, prediction="quince", blind=True, labels=["apple", "plum"])
    one = window("Ann", "answer", "report")
    seen = []
    one.page.on("response", lambda response: seen.append((response.url, response)))
    page = one.go("/m/fruit/review")
    one.press("Enter")
    for number in (1, 2, 3):
        page.wait_for_selector(f"text=verification {number},")
        assert "quince" not in page.content()
        one.press(str(number % 2 + 1))
    page.wait_for_selector("text=Nothing to review")
    for url, response in seen:
        assert "quince" not in url
        if response.status == 200 and "/static/" not in url:
            assert "quince" not in str(response.headers)


def test_a_verdict_turns_while_the_page_is_open(service, window):
    monitor = make(service, 0, policy="sequential")
    ask(service, monitor, 1)
    page = window().go("/m/fruit")
    page.wait_for_selector("tbody .chip.unknown")
    for n in range(1, 30):
        say(service, monitor, n, "bob", correct=False)
        if service.report(monitor).classes[0].verdict == "above":
            break
        ask(service, monitor, 1, start=n)
    page.wait_for_selector("tbody .chip.above")
    assert page.locator(".tiles .what:has-text('above tolerance')").locator("xpath=..").locator("b").inner_text() == "1"


def all_pages(monitor="fruit", name="%22pear%22"):
    parts = (
        "",
        f"/class?name={name}",
        "/insight",
        "/review",
        "/review?verification=1",
        "/review?verification=2",
        "/verifications",
        "/settings",
    )
    admin = ("/admin", "/admin/keys", "/admin/webhooks", "/admin/audit")
    return ["/", *(f"/m/{monitor}{one}" for one in parts), "/account", *admin]


def filled(service):
    monitor = make(service, 0, labels=["pear", "plum", "kiwi"], reviews=2, daily_cap=500)
    pictures(service, monitor, 40)
    for number in range(2, 31):
        say(service, monitor, number, "ann", correct=number % 5 > 0)
        say(service, monitor, number, "bob", correct=number % 4 > 0)
    return monitor


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
def test_pages_are_accessible_and_fit(service, window, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    filled(service)
    one = window(color_scheme=scheme, bypass_csp=True)  # axe is a script that the pages would not load
    one.page.set_viewport_size({"width": width, "height": 800})
    found = []
    for path in [*all_pages(), "/signin", "/start"]:
        page = one.go(path)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert not one.wide(), path
        for problem in Axe().run(page).response["violations"]:
            if problem["impact"] in ("serious", "critical"):
                found.append((path, problem["id"], [node["html"] for node in problem["nodes"][:3]]))
    assert found == []


def test_no_page_loads_or_runs_what_its_policy_forbids(service, window):
    filled(service)
    one = window()
    one.page.add_init_script(
        "window.broken = [];document.addEventListener('securitypolicyviolation', e => window.broken.push(e.blockedURI))"
    )
    for path in all_pages():
        page = one.go(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.broken") == [], path
        assert page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") != "none"


def test_hostile_strings_run_nowhere(service, window):
    row = service.do(monitors.create_served_monitor("fruit", {"tolerance": 0.05, "labels": list(LABELS)}, actor="test"))
    for n, text in enumerate(HOSTILE):
        one = Prediction(
            f"{text[:190]}-{n}", text, payload=Payload(inputs.TEXT, text.encode()), segment={"key": text, text: "x"}
        )
        service.do(decide_predictions(service, row.id, [one], actor=text))
    one = window("<img src=x onerror=alert(1)>")
    dialogs = []
    one.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    for width in (1200, 400):
        one.page.set_viewport_size({"width": width, "height": 800})
        payloads_shown = (
            [f"/m/fruit/review?verification={n}" for n in range(2, len(HOSTILE) + 1)] if width == 400 else []
        )
        for path in [*all_pages(name=quote(journal.journal_json(HOSTILE[0]))), *payloads_shown]:
            one.go(path)
            assert not one.wide(), (path, width)
    assert dialogs == []


def test_a_phone_reviews_by_touch(service, window):
    monitor = make(service, 0, labels=["pear", "plum"])
    pictures(service, monitor, 2)
    one = window("Ann", "answer", has_touch=True, is_mobile=True)
    one.page.set_viewport_size({"width": 400, "height": 800})
    page = one.go("/m/fruit/review")
    page.tap("text=Start reviewing")
    for name in ("Right", "plum"):
        button = page.locator(f"button:has-text('{name}')")
        button.wait_for()
        assert button.bounding_box()["height"] >= 44
        with page.expect_navigation():  # both pages have these buttons: the second tap must not meet the first page
            button.tap()
    page.wait_for_selector("text=Nothing to review")
    assert answered(service, monitor) == (2, 1, 0)
