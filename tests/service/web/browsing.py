"""A browser without scripts: it keeps cookies, follows redirects and fills in forms."""

from __future__ import annotations

import asyncio
from html.parser import HTMLParser

import httpx

from sidelight.service.auth import passwords, reviewers, sessions

PASSWORD = "correct horse battery"
BASE = "http://localhost"
# One hash for all: what passwords cost is tested elsewhere.
HASHED = passwords.hash_password(PASSWORD)


class Forms(HTMLParser):
    """The forms of a page: where they go and what their hidden fields hold."""

    def __init__(self, html):
        super().__init__()
        self.forms, self._open = [], None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "form":
            self._open = {"action": found.get("action", ""), "fields": {}}
            self.forms.append(self._open)
        elif tag == "input" and self._open is not None and found.get("type") == "hidden":
            self._open["fields"][found["name"]] = found.get("value", "")

    def handle_endtag(self, tag):
        if tag == "form":
            self._open = None


class Browser:
    """Somebody who looks at pages of an application."""

    def __init__(self, app, base=BASE, address="127.0.0.1"):
        self.base, self.runner = base, asyncio.Runner()
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app, client=(address, 1)), base_url=base)

    def get(self, path, follow=True, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.runner.run(self.client.get(path, headers=headers, follow_redirects=follow))

    def post(self, path, data, origin=None, follow=True, headers=None):
        given = {"Origin": self.base if origin is None else origin} | (headers or {})
        given |= {} if data else {"Content-Type": "application/x-www-form-urlencoded"}
        return self.runner.run(self.client.post(path, data=data, headers=given, follow_redirects=follow))

    def form(self, page, action):
        """Return the hidden fields of the first form on a page that goes to `action`."""
        return next(one["fields"] for one in Forms(page.text).forms if one["action"] == action)

    def submit(self, path, action, follow=True, **fields):
        """Open a page and submit its first form that goes to `action`, with these fields."""
        return self.post(action, self.form(self.get(path), action) | fields, follow=follow)

    def sign_in(self, name="admin", password=PASSWORD, **options):
        return self.post("/signin", {"name": name, "password": password, "next": "/"}, **options)

    def close(self):
        self.runner.run(self.client.aclose())
        self.runner.close()


def add_person(service, name, *scopes, only=None):
    """Add somebody who can sign in with `PASSWORD`; return their actor."""
    invited = service.do(reviewers.invite_reviewer("test", name, scopes, only))
    service.do(sessions.follow_password_link(invited.code, "", HASHED))
    return invited.reviewer.actor
