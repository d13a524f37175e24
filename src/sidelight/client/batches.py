"""Deferred decisions: predictions are collected for a moment and sent together, in the background.

The work is a call like any other (see `exchange_with_service`), which the blocking client runs in a thread and the
other as a task. It lives while something waits, so a program that ends sends everything first.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from sidelight.client.calls import LARGEST_BATCH, ClientCalls, decision_without_service
from sidelight.client.exchange import ServiceError, ServiceHealth, Steps, Wait
from sidelight.monitor.types import Decision

Row = Mapping[str, Any]
Promise = TypeVar("Promise", Future[Decision], asyncio.Future[Decision])
MOST_WAITING, EVERY = 10_000, 0.05
_FULL = f"{MOST_WAITING} predictions are waiting to be sent"
_ABOUT_DATA = (409, 413, 422)


class DeferredBatches(Generic[Promise]):
    """The predictions of a monitor that wait to be sent.

    `start` runs a call in the background, and `promise` makes a future for a decision.
    """

    def __init__(
        self,
        calls: ClientCalls,
        health: ServiceHealth,
        start: Callable[[Steps[None]], object],
        promise: Callable[[], Promise],
    ) -> None:
        self._calls, self._health, self._start = calls, health, start
        self._promise: Callable[[], Promise] = promise
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._waiting: list[tuple[Row, Promise]] = []
        self._news, self._working = threading.Condition(), False
        self.unfinished = 0
        """How many predictions are not decided yet."""

    def add(self, row: Row) -> Promise:
        """Add a prediction to send later."""
        if self._process != os.getpid():  # after a fork, the thread and its work stay with the parent
            self._reset()
        future = self._promise()
        with self._news:
            full, idle = self.unfinished >= MOST_WAITING, not self._working
            if not full:
                self._waiting.append((row, future))
                self.unfinished += 1
                self._working = True
        if full:
            self._health.passed(1, _FULL)
            future.set_result(decision_without_service(row))
        elif idle:
            self._start(self._work())
        return future

    def flush(self) -> None:
        """Wait until everything deferred has been decided."""
        if self._process == os.getpid():
            with self._news:
                self._news.wait_for(lambda: not self.unfinished)

    def _work(self) -> Steps[None]:
        """Send deferred predictions until none are left."""
        while True:
            batch: Sequence[tuple[Row, Promise]] = ()
            alive = False
            try:
                if len(self._waiting) < LARGEST_BATCH:
                    yield Wait(EVERY)
                with self._news:
                    batch, self._waiting = self._waiting[:LARGEST_BATCH], self._waiting[LARGEST_BATCH:]
                yield from self._settle(batch)
                alive = True
            finally:  # also if a task is canceled
                with self._news:
                    self.unfinished -= len(batch)
                    self._working = alive and bool(batch) and bool(self._waiting)
                    self._news.notify_all()
            if not self._working:
                return

    def _settle(self, batch: Sequence[tuple[Row, Promise]]) -> Steps[None]:
        """Decide about predictions and set their futures; a bad one is refused alone, not with its neighbors."""
        parts = [batch] if batch else []
        while parts:
            part = parts.pop()
            try:
                decisions = yield from self._calls.decided([row for row, _ in part])
            except Exception as error:  # goes to the futures; the work goes on
                if isinstance(error, ServiceError) and error.status in _ABOUT_DATA and len(part) > 1:
                    middle = len(part) // 2
                    parts += [part[middle:], part[:middle]]
                    continue
                self._health.refused(len(part), error)
                for _, future in part:
                    _set_deferred_future(future, error)
            else:
                for (_, future), decision in zip(part, decisions, strict=True):
                    _set_deferred_future(future, decision)


def _set_deferred_future(future: Future[Decision] | asyncio.Future[Decision], said: Decision | Exception) -> None:
    """Set a future's result or exception, unless it was canceled."""
    with contextlib.suppress(concurrent.futures.InvalidStateError, asyncio.InvalidStateError):
        if isinstance(said, Exception):
            future.set_exception(said)
            future.exception()  # it was logged, so asyncio need not warn that it was never retrieved
        else:
            future.set_result(said)
