"""A browser without scripts: it keeps cookies, follows redirects and fills in forms."""

from __future__ import annotations

from html.parser import HTMLParser

import httpx

from sidelight.service import sessions

PASSWORD = "correct horse battery"
BASE = "http://localhost"


class Forms(HTMLParser):
    """The forms of a page: where they go and what their fields hold."""

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

    def __init__(self, app, base=BASE):
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        self.client = httpx.AsyncClient(transport=transport, base_url=base)
        self.base = base

    async def get(self, path, **headers):
        return await self.client.get(path, headers=headers)

    async def post(self, path, data, origin=None, follow=True, **headers):
        headers = {"Origin": self.base if origin is None else origin} | headers
        return await self.client.post(path, data=data, headers=headers, follow_redirects=follow)

    async def submit(self, path, action, follow=True, **fields):
        """Open a page and submit its first form that goes to `action`, with these fields."""
        page = await self.get(path)
        form = next(one for one in Forms(page.text).forms if one["action"] == action)
        return await self.post(action, form["fields"] | fields, follow=follow)

    async def sign_in(self, name="admin", password=PASSWORD):
        return await self.post("/signin", {"name": name, "password": password, "next": "/"})


def add_person(service, name, *scopes, password=PASSWORD):
    """Add somebody with a password; return their actor."""
    from sidelight.service import passwords, reviewers

    invited = service.do(reviewers.InviteReviewer("test", name, scopes))
    service.do(sessions.FollowLink(invited.code, "", passwords.hashed(password)))
    return invited.reviewer.actor
