"""The two clients, one that waits for its replies and one for asyncio, with their settings and monitors."""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import os
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar
from urllib.parse import urlsplit

from sidelight._version import __version__
from sidelight.client.batches import DeferredBatches, Promise
from sidelight.client.calls import ClientCalls, Limits, call_to_create_monitor, prediction_row_to_send
from sidelight.client.exchange import Send, ServiceHealth, ServiceReply, Steps, Wait
from sidelight.errors import SidelightError
from sidelight.monitor.types import Decision

try:
    import httpx
except ModuleNotFoundError as error:
    raise SidelightError("the client needs httpx: run `pip install httpx`") from error

_TOO_LATE = "no complete reply in time"


class ClientSettings:
    """What `Client` and `AsyncClient` share; `Client` explains the parameters."""

    _kind: Any
    """The client of httpx."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 2.0,
        patience: float = 30.0,
        retries: int = 3,
        transport: Any = None,
    ) -> None:
        for name, value in (("timeout", timeout), ("patience", patience)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
                raise SidelightError(f"{name} is {value!r}: give a number of seconds above 0")
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise SidelightError(f"retries is {retries!r}: give a whole number, 0 or more")
        self.url = _check_service_address_for_client(url)
        self._headers = _request_headers_of_client(os.environ.get("SIDELIGHT_KEY") if key is None else key)
        self._limits = Limits(float(timeout), float(patience), retries)
        self._health, self._transport = ServiceHealth(), transport
        self._monitors: dict[str, Any] = {}
        self._connect()

    def _connect(self) -> None:
        """Open connections of this process; for this machine, a proxy from the environment is ignored."""
        self._process = os.getpid()
        self._http = self._kind(
            headers=self._headers,
            transport=self._transport,
            trust_env=not _is_loopback_for_client(self.url),
            follow_redirects=False,
        )

    @property
    def unreachable(self) -> int:
        """How many predictions have passed because no decision could be obtained."""
        return self._health.unreachable

    def _request(self, step: Send) -> dict[str, Any]:
        """Return the arguments of httpx's `stream`."""
        headers = {} if step.body is None else {"Content-Type": "application/json"}
        url = self.url + step.path
        return {"method": step.method, "url": url, "content": step.body, "headers": headers, "timeout": step.timeout}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.url}>"  # without the key


def _describe_client_failure(error: Exception) -> str:
    """Return in words why there was no reply."""
    name = type(error).__name__
    return f"{name}: {error}" if str(error) else name


def _check_service_address_for_client(url: str) -> str:
    """Return the address without a slash at its end, checked."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except (ValueError, TypeError, AttributeError):
        good = False
    if not good or parts.username is not None or parts.query or parts.fragment:
        raise SidelightError(
            "this is not the address of a service: give one like 'http://127.0.0.1:8765', without a user"
        )
    return url.rstrip("/")


def _request_headers_of_client(key: str | None) -> dict[str, str]:
    key = key.strip() if isinstance(key, str) else ""
    if not key:
        raise SidelightError(
            "there is no key: give key=... or set SIDELIGHT_KEY; create one with `sidelight admin key create`"
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SidelightError("the key contains characters that no key has: copy the whole key again, and nothing else")
    return {
        "Authorization": f"Bearer {key}",
        "Accept": "application/json",
        "User-Agent": f"sidelight/{__version__}",
    }


def _is_loopback_for_client(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


T = TypeVar("T")
P = ParamSpec("P")


class Client(ClientSettings):
    """A client that waits for its replies; threads may share it.

    Parameters
    ----------
    url
        Where the service is, as `sidelight serve` prints it, "http://127.0.0.1:8765" say.
    key
        A key from `sidelight admin key create`; by default, the environment variable SIDELIGHT_KEY.
    timeout
        Maximum seconds for a decision, retries included; then the prediction passes.
    patience
        The same for everything else; then an `UnreachableError` is raised.
    retries
        How often a request is sent again, with the same ids, so that nothing counts twice.
    transport
        An httpx transport instead of the usual one, for your own certificates or sockets, and for tests.
    """

    _kind = httpx.Client

    def monitor(self, name: str) -> Monitor:
        """Return the monitor with this name; whether it exists is checked when it is used."""
        found: Monitor = self._monitors.setdefault(name, Monitor(self, name))
        return found

    def create(self, name: str, **settings: Any) -> Monitor:
        """Create a monitor with the arguments of `ClassifierMonitor` and return it; the key needs the scope admin."""
        self._run(call_to_create_monitor(name, settings, self._limits))
        return self.monitor(name)

    def close(self) -> None:
        """Send deferred predictions, and close the connections."""
        for monitor in list(self._monitors.values()):
            monitor.flush()
        self._http.close()

    def _run(self, steps: Steps[T]) -> T:
        """Run a call to its end."""
        given: ServiceReply | str | None = None
        try:
            while True:
                step = steps.send(given)
                if isinstance(step, Wait):
                    time.sleep(step.seconds)
                given = self._send(step) if isinstance(step, Send) else None
        except StopIteration as end:
            result: T = end.value
            return result

    def _send(self, step: Send) -> ServiceReply | str:
        if self._process != os.getpid():  # a fork must not use the connections of its parent
            self._connect()
        end, content = time.monotonic() + step.timeout, b""
        try:
            with self._http.stream(**self._request(step)) as response:
                for part in response.iter_bytes():
                    content += part
                    if time.monotonic() > end:  # httpx's own limit is for each part
                        return _TOO_LATE
        except httpx.RequestError as error:
            return _describe_client_failure(error)
        return ServiceReply(response.status_code, response.headers, content)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _blocking_client_method(
    steps: Callable[Concatenate[ClientCalls, P], Steps[T]],
) -> Callable[Concatenate[Monitor, P], T]:
    """Return the method of `Monitor` that runs a call to its end."""

    @functools.wraps(steps)
    def call_and_wait(self: Monitor, /, *given: P.args, **named: P.kwargs) -> T:
        return self._run(steps(self._calls, *given, **named))

    return call_and_wait


def _awaiting_client_method(
    steps: Callable[Concatenate[ClientCalls, P], Steps[T]],
) -> Callable[Concatenate[AsyncMonitor, P], Awaitable[T]]:
    """Return the same method of `AsyncMonitor`."""

    @functools.wraps(steps)
    async def call_and_await(self: AsyncMonitor, /, *given: P.args, **named: P.kwargs) -> T:
        return await self._run(steps(self._calls, *given, **named))

    return call_and_await


class _AnyClientMonitor(Generic[Promise]):
    """What both kinds of monitors share."""

    def __init__(self, client: Any, name: str, promise: Callable[[], Promise]) -> None:
        self.name, self._run = name, client._run
        self._calls = ClientCalls(name, client._limits, client._health)
        self._batches: DeferredBatches[Promise] = DeferredBatches(self._calls, client._health, self._start, promise)

    def _start(self, work: Steps[None]) -> None:
        """Run a call in the background."""
        raise NotImplementedError

    def decide_later(self, prediction: Any, id: Any = None, time: Any = None, **about: Any) -> Promise:
        """Decide in the background, many predictions to a request, and return at once.

        The decision is the result of the future, which may be ignored: reviewers find the prediction in their queue. If
        more than 10 000 wait, the prediction passes as unreachable. `flush` and `client.close` send what is waiting.
        `about` is what `decide` takes besides: payload, score, segment, version and others. With asyncio, a running
        loop is needed.
        """
        return self._batches.add(prediction_row_to_send(prediction, id, time, **about))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class Monitor(_AnyClientMonitor[Future[Decision]]):
    """A monitor of the service; get it from `Client.monitor`."""

    decide = _blocking_client_method(ClientCalls.decide)
    decide_many = _blocking_client_method(ClientCalls.decide_many)
    answer = _blocking_client_method(ClientCalls.answer)
    answer_many = _blocking_client_method(ClientCalls.answer_many)
    pending = _blocking_client_method(ClientCalls.pending)
    report = _blocking_client_method(ClientCalls.report)
    true_classes = _blocking_client_method(ClientCalls.true_classes)

    def __init__(self, client: Client, name: str) -> None:
        super().__init__(client, name, Future)

    def _start(self, work: Steps[None]) -> None:
        threading.Thread(target=self._run, args=(work,), name="sidelight-client").start()

    def verifications(
        self, prediction: Any = None, state: str | None = None, since: Any = None, until: Any = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the verifications as rows, in the order requested; `pandas.DataFrame` takes them.

        Only those of a predicted class, in a state ("open", "overdue", "answered", "skipped", "forgotten", "deleted")
        or with the time of the prediction from `since` on and before `until`. They are read page by page, so new ones
        may come while you read, and a row shows the state at the time of its page. The key needs the scope report.
        """
        after: int | None = 0
        while after is not None:
            rows, after = self._run(self._calls.verification_page(after, prediction, state, since, until))
            yield from rows

    def flush(self) -> None:
        """Wait until everything deferred has been decided."""
        self._batches.flush()


class AsyncClient(ClientSettings):
    """A client for asyncio; the parameters are those of `Client`."""

    _kind = httpx.AsyncClient

    def monitor(self, name: str) -> AsyncMonitor:
        """Return the monitor with this name; whether it exists is checked when it is used."""
        found: AsyncMonitor = self._monitors.setdefault(name, AsyncMonitor(self, name))
        return found

    async def create(self, name: str, **settings: Any) -> AsyncMonitor:
        """Create a monitor with the arguments of `ClassifierMonitor` and return it; the key needs the scope admin."""
        await self._run(call_to_create_monitor(name, settings, self._limits))
        return self.monitor(name)

    async def close(self) -> None:
        """Send deferred predictions, and close the connections."""
        for monitor in list(self._monitors.values()):
            await monitor.flush()
        await self._http.aclose()

    async def _run(self, steps: Steps[T]) -> T:
        """Run a call to its end."""
        given: ServiceReply | str | None = None
        try:
            while True:
                step = steps.send(given)
                if isinstance(step, Wait):
                    await asyncio.sleep(step.seconds)
                given = await self._send(step) if isinstance(step, Send) else None
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            steps.close()  # also if the task is canceled

    async def _send(self, step: Send) -> ServiceReply | str:
        try:
            async with asyncio.timeout(step.timeout):
                response = await self._http.request(**self._request(step))
        except httpx.RequestError as error:
            return _describe_client_failure(error)
        except TimeoutError:
            return _TOO_LATE
        return ServiceReply(response.status_code, response.headers, response.content)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncMonitor(_AnyClientMonitor[asyncio.Future[Decision]]):
    """A monitor of the service, for asyncio; get it from `AsyncClient.monitor`. The methods are those of `Monitor`."""

    decide = _awaiting_client_method(ClientCalls.decide)
    decide_many = _awaiting_client_method(ClientCalls.decide_many)
    answer = _awaiting_client_method(ClientCalls.answer)
    answer_many = _awaiting_client_method(ClientCalls.answer_many)
    pending = _awaiting_client_method(ClientCalls.pending)
    report = _awaiting_client_method(ClientCalls.report)
    true_classes = _awaiting_client_method(ClientCalls.true_classes)

    def __init__(self, client: AsyncClient, name: str) -> None:
        super().__init__(client, name, lambda: asyncio.get_running_loop().create_future())
        self._task: asyncio.Task[None] | None = None

    def _start(self, work: Steps[None]) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run(work))

    async def verifications(
        self, prediction: Any = None, state: str | None = None, since: Any = None, until: Any = None
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the verifications as rows, see `Monitor.verifications`; `[row async for row in ...]` lists them."""
        after: int | None = 0
        while after is not None:
            rows, after = await self._run(self._calls.verification_page(after, prediction, state, since, until))
            for row in rows:
                yield row

    async def flush(self) -> None:
        """Wait until everything deferred has been decided."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])
