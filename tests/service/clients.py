"""Both clients in one shape, so that each test drives both."""

import asyncio

import pytest

from service.fake import KEY
from sidelight.client import AsyncClient, Client

URL = "http://127.0.0.1:8765"
OPEN = []


@pytest.fixture(autouse=True)
def closing():
    """Close the connections of all clients after each test."""
    yield
    while OPEN:
        OPEN.pop().close()


class Blocking:
    """The blocking client, in the shape in which the tests drive both."""

    def __init__(self, url=URL, key=KEY, **options):
        self.client = Client(url, key, **options)
        OPEN.append(self.client)

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

    def run(self, conversation):
        """Run a coroutine and close its connections, which cannot outlive their loop."""

        async def main():
            try:
                return await conversation
            finally:
                await self.client._http.aclose()
                self.client._connect()

        return asyncio.run(main())

    def call(self, method, *arguments, monitor="digits", **named):
        return self.run(getattr(self.client.monitor(monitor), method)(*arguments, **named))

    def create(self, name, **settings):
        return self.run(self.client.create(name, **settings))

    def later(self, rows):
        async def run():
            futures = [self.client.monitor("digits").decide_later(*row) for row in rows]
            await self.client.monitor("digits").flush()
            assert all(future.done() for future in futures)
            return [future.exception() or future.result() for future in futures]

        return self.run(run())


BOTH = pytest.mark.parametrize("kind", [Blocking, Async])
