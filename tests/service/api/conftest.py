"""The application on both databases, called without a socket, with keys of every kind."""

from __future__ import annotations

import asyncio
import dataclasses
import ipaddress

import httpx
import pytest

from sidelight.service.auth.keys import SCOPES, create_key
from sidelight.service.options import Egress
from sidelight.service.server.app import make_app

LOOPBACK = Egress((ipaddress.ip_network("127.0.0.0/8"),))
"""Webhooks may go to this machine."""
SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""For tests that do not depend on the database."""


class Http:
    """Calls an application in its own event loop; errors of the server are answers, as for everybody else."""

    def __init__(self, app) -> None:
        self.app, self.runner = app, asyncio.Runner()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://localhost")

    def request(self, *arguments, **options) -> httpx.Response:
        return self.runner.run(self.client.request(*arguments, **options))

    def close(self) -> None:
        self.runner.run(self.client.aclose())
        self.runner.close()


class Caller:
    """A client with a key; `None` comes without one."""

    def __init__(self, http: Http, key: str | None) -> None:
        self.http, self.key = http, key

    def __call__(self, method: str, path: str, json=None, *, headers=None, **options) -> httpx.Response:
        given = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        return self.http.request(method, path, json=json, headers=given | (headers or {}), **options)


@pytest.fixture
def app(service):
    """The application."""
    service.options = dataclasses.replace(service.options, requests_per_second=1e6, egress=LOOPBACK)
    return make_app(service)


@pytest.fixture
def http(app):
    """What calls it."""
    http = Http(app)
    yield http
    http.close()


@pytest.fixture
def as_caller(service, http):
    """Make a client with a key of some scopes, for all monitors or for some."""

    def make(*scopes: str, only=None, seconds=None) -> Caller:
        new = service.do(create_key("test", "of a test", scopes, only, seconds))
        return Caller(http, new.key)

    return make


@pytest.fixture
def everyone(as_caller):
    """A client with all scopes."""
    return as_caller(*SCOPES)


@pytest.fixture
def digits(everyone):
    """A client with all scopes, and a monitor of the name digits."""
    reply = everyone("POST", "/v1/monitors", {"name": "digits", "settings": {"tolerance": 0.05}})
    assert reply.status_code == 201, reply.text
    return everyone
