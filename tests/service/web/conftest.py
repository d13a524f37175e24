"""An application with pages, and people who look at them."""

from __future__ import annotations

import pytest

from service.web.browsing import Browser, add_person
from sidelight.service.server.app import make_app

SCOPES = ("answer", "settle", "report", "admin")


@pytest.fixture
def app(service):
    """The application."""
    return make_app(service)


@pytest.fixture
def browsers(service, app):
    """Return a function that signs somebody in, with some scopes, and returns their browser."""
    opened = []

    def open_for(name="admin", *scopes, only=None):
        browser = Browser(app)
        opened.append(browser)
        add_person(service, name, *(scopes or SCOPES), only=only)
        assert browser.sign_in(name).status_code == 200
        return browser

    yield open_for
    for one in opened:
        one.close()


@pytest.fixture
def stranger(app):
    """Somebody who has not signed in."""
    browser = Browser(app)
    yield browser
    browser.close()
