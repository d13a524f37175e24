"""A client of the service: the methods of `ClassifierMonitor` over HTTP, for programs that must not block.

>>> from sidelight.client import Client
>>> monitor = Client("http://127.0.0.1:8765", key="...").monitor("digits")
>>> decision = monitor.decide("7", id="req-812", payload={"text": "..."})  # doctest: +SKIP
>>> monitor.answer("req-812", label="1")  # doctest: +SKIP

Decisions fail open: if no one answers within the timeout, the prediction passes with the reason "unreachable", and
`client.unreachable` counts it. All other calls then raise `UnreachableError`. If the service refuses a request,
`ServiceError` says what is wrong. It needs httpx, which the extra `client` installs.
"""

from sidelight.client.calls import UNREACHABLE, Answer, Pending
from sidelight.client.clients import AsyncClient, AsyncMonitor, Client, Monitor
from sidelight.client.exchange import NotTheServiceError, ServiceError, UnreachableError
from sidelight.monitor.types import Decision

__all__ = [
    "UNREACHABLE",
    "Answer",
    "AsyncClient",
    "AsyncMonitor",
    "Client",
    "Decision",
    "Monitor",
    "NotTheServiceError",
    "Pending",
    "ServiceError",
    "UnreachableError",
]
