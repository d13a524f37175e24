"""How a client talks to the service and reads its replies: written once, for blocking clients and for asyncio.

A call is a generator. It yields `Send` and `Wait`, receives a `ServiceReply` or a text that says why there was none,
and returns the result; its driver does the network work. So retries and errors are the same for both clients. Decisions
fail open, and callers are spared the wait while the service is down (`ServiceHealth`).
"""

from __future__ import annotations

import contextlib
import json
import logging
import random
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

from sidelight.errors import SidelightError
from sidelight.text import one_line, printable_line

T = TypeVar("T")

_TRANSIENT = frozenset((HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS))
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_LONGEST_TEXT, _MOST_PLACES = 300, 5
_STATUSES = frozenset(HTTPStatus)


class Send(NamedTuple):
    """Send a request, and wait at most this many seconds for the whole reply; the driver adds address and headers."""

    method: str
    path: str
    body: bytes | None
    timeout: float


class Wait(NamedTuple):
    """Do nothing for this many seconds."""

    seconds: float


class ServiceReply(NamedTuple):
    """What came back, headers by lower-case names."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def words(self) -> str:
        """The status and the kind of content."""
        status = f"{self.status} {HTTPStatus(self.status).phrase}" if self.status in _STATUSES else str(self.status)
        kind = _shorten_reply(self.headers.get("content-type", "")) or "no content type"
        return f"{status} with {kind}, {len(self.content)} bytes"


Steps = Generator[Send | Wait, ServiceReply | str | None, T]


class ServiceError(SidelightError):
    """The service refused; the message says what and where, and nothing has changed.

    Parameters
    ----------
    message
        What happened, in words.
    status
        The HTTP status: 401 and 403 point to the key, 404 to the monitor's name, 409 to an id that is used for
        something else, 422 to the data, 413 to their size.
    problem
        The body of the reply (RFC 9457): `type`, `title`, `detail`, and `errors` where parts of the request are wrong.
    """

    def __init__(self, message: str, status: int | None = None, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status, self.problem = status, dict(problem or {})


class UnreachableError(ServiceError, ConnectionError):
    """No service answered in time, or something else did; whether anything has changed is unknown.

    Asking again with the same id is safe.
    """


class NotTheServiceError(UnreachableError):
    """Something answered, but not the service: a proxy's page, say, or a damaged reply."""


def exchange_with_service(
    method: str,
    path: str,
    body: bytes | None,
    seconds: float,
    retries: int,
    clock: Callable[[], float] = time.monotonic,
) -> Steps[Any]:
    """Send a request until it is answered, with at most `retries` repeats and within `seconds` in total.

    Pauses double and are randomized, so that clients that failed together do not return together. A `Retry-After` is
    respected if there is time.
    """
    end = clock() + seconds
    for attempt in range(retries + 1):
        came = yield Send(method, path, body, max(end - clock(), 0.001))
        if isinstance(came, ServiceReply) and not _is_transient_reply(came.status):
            return _result_of_reply(came)
        pause = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE) * (0.5 + random.random() / 2)
        if isinstance(came, ServiceReply):
            pause = max(pause, _retry_after_of_reply(came))
        if attempt == retries or clock() + pause >= end:
            raise _client_gave_up_error(came, attempt + 1)
        yield Wait(pause)
    raise AssertionError("the last attempt returns or raises")


def _is_transient_reply(status: int) -> bool:
    """Say whether the same request may be answered a moment later."""
    return status >= 500 or status in _TRANSIENT


def _retry_after_of_reply(reply: ServiceReply) -> float:
    text = reply.headers.get("retry-after", "")
    return float(text) if re.fullmatch(r"\d{1,6}", text) else 0.0


def _client_gave_up_error(came: ServiceReply | str | None, attempts: int) -> UnreachableError:
    tried = f"the service is unreachable{'' if attempts == 1 else f' after {attempts} attempts'}"
    if not isinstance(came, ServiceReply):
        return UnreachableError(f"{tried}: {came}")
    problem = _problem_in_reply(came)
    if not problem:
        return NotTheServiceError(f"{tried}: {came.words}, not from the service: a proxy, perhaps", came.status)
    return UnreachableError(f"{tried}: {_describe_problem_in_reply(came.status, problem)}", came.status, problem)


def _result_of_reply(reply: ServiceReply) -> Any:
    """Return the JSON of a good reply, or raise the error that it means."""
    if 200 <= reply.status < 300:
        try:
            return json.loads(reply.content)
        except ValueError:
            raise _reply_from_elsewhere_error(reply.words) from None
    problem = _problem_in_reply(reply)
    if problem:
        raise ServiceError(_describe_problem_in_reply(reply.status, problem), reply.status, problem)
    where = reply.headers.get("location")
    to = "" if where is None else f", to {_shorten_reply(where)}, which is not followed because of the key"
    raise ServiceError(f"{reply.words}{to}: something else answered, check the address", reply.status)


@contextlib.contextmanager
def expect_service_reply(what: str) -> Iterator[None]:
    """Turn errors from reading a reply into one that says that the service would never give it."""
    try:
        yield
    except ServiceError:
        raise
    except (SidelightError, LookupError, TypeError, AttributeError, ValueError, ArithmeticError, OSError) as error:
        raise _reply_from_elsewhere_error(
            f"{what} expected, but {type(error).__name__}: {_shorten_reply(str(error))}"
        ) from None


def _reply_from_elsewhere_error(what: str) -> NotTheServiceError:
    return NotTheServiceError(f"the reply does not come from the service ({what}): check the address")


def _problem_in_reply(reply: ServiceReply) -> dict[str, Any]:
    """Return the problem that a reply describes (RFC 9457), or nothing."""
    try:
        found = json.loads(reply.content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("title"), str) else {}


def _describe_problem_in_reply(status: int, problem: Mapping[str, Any]) -> str:
    """Return a problem in words, with its first errors."""
    parts = [f"{status} {problem['title']}"]
    if isinstance(problem.get("detail"), str) and problem["detail"] != problem["title"]:
        parts.append(problem["detail"])
    places = problem.get("errors")
    rows = [one for one in places if isinstance(one, dict)] if isinstance(places, list) else []
    for one in rows[:_MOST_PLACES]:
        parts.append(f"{one.get('pointer', '#')}: {one.get('detail', 'wrong')}")
    if len(rows) > _MOST_PLACES:
        parts.append(f"and {len(rows) - _MOST_PLACES} more")
    return "; ".join(_shorten_reply(part) for part in parts)


def _shorten_reply(text: str) -> str:
    """Return a text from the server, shortened and escaped so that it cannot fill a log or move a terminal's cursor."""
    line = printable_line(one_line(text))
    return line if len(line) <= _LONGEST_TEXT else f"{line[:_LONGEST_TEXT]}..."


_FAILURES, _REST, _LOG_EVERY = 3, 5.0, 60.0
_log = logging.getLogger("sidelight.client")


class ServiceHealth:
    """Tracks whether the service answers: counts what passed without it, and spares callers the wait while it is down.

    After three failures in a row decisions pass at once for five seconds; then one call tries again.
    """

    def __init__(self) -> None:
        self.unreachable, self._counting = 0, threading.Lock()
        self._failures, self._until, self._silent_until = 0, 0.0, 0.0

    @property
    def resting(self) -> bool:
        """Whether to let predictions pass without a request; only the first call after the pause tries again."""
        now = time.monotonic()
        if self._failures < _FAILURES:
            return False
        if now < self._until:
            return True
        self._until = now + _REST
        return False

    def failed(self, decisions: int, why: str) -> None:
        """Count decisions that could not be obtained."""
        self._failures += 1
        self._until = time.monotonic() + _REST
        self.passed(decisions, why)

    def passed(self, decisions: int, why: str | None = None) -> None:
        """Count predictions that pass without a decision; a reason is logged, once a minute at most."""
        now = time.monotonic()
        with self._counting:
            self.unreachable += decisions
        if why is not None and now >= self._silent_until:
            self._silent_until = now + _LOG_EVERY
            _log.warning("%s; predictions pass without a decision, %d so far", why, self.unreachable)

    def refused(self, predictions: int, error: Exception) -> None:
        """Log that predictions in the background were refused: nobody may look at the errors in their futures."""
        _log.error("%d predictions were refused in the background: %s", predictions, error)

    def worked(self) -> None:
        """Record that the service replied."""
        if self._failures:
            _log.warning("the service answers again; %d predictions passed without a decision", self.unreachable)
        self._failures, self._silent_until = 0, 0.0
