"""Both clients in one shape, so that each test drives both."""

import asyncio

import pytest

from service.fake import KEY
from sidelight.client import AsyncClient, Client

URL = "http://127.0.0.1:8765"


class Blocking:
    """The blocking client, in the shape in which the tests drive both."""

    def __init__(self, url=URL, key=KEY, **options):
        self.client = Client(url, key, **options)

    def call(self, method, *arguments, monitor="digits", **named):
        return getattr(self.client.monitor(monitor), method)(*arguments, **named)

    def create(self, name, **settings):
        return self.client.create(name, **settings)

    def later(self, rows):
        futures = [self.client.monitor("digits").decide_later(*row) for row in rows]
        self.client.monitor("digits").flush()
        assert all(future.done() for future in futures)
        return [future.exception() or future.result() for future in futures]


class Async:
    """The client for asyncio, each call in a loop of its own."""

    def __init__(self, url=URL, key=KEY, **options):
        self.client = AsyncClient(url, key, **options)

    def call(self, method, *arguments, monitor="digits", **named):
        return asyncio.run(getattr(self.client.monitor(monitor), method)(*arguments, **named))

    def create(self, name, **settings):
        return asyncio.run(self.client.create(name, **settings))

    def later(self, rows):
        async def run():
            futures = [self.client.monitor("digits").decide_later(*row) for row in rows]
            await self.client.monitor("digits").flush()
            assert all(future.done() for future in futures)
            return [future.exception() or future.result() for future in futures]

        return asyncio.run(run())


BOTH = pytest.mark.parametrize("kind", [Blocking, Async])
