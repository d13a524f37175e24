"""Deferred decisions: predictions are collected for a moment and sent together, in the background."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import threading
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from sidelight.client.calls import LARGEST_BATCH, Health, passed
from sidelight.client.exchange import ServiceError
from sidelight.monitor.types import Decision

Row = Mapping[str, Any]
Promise = Future[Decision] | asyncio.Future[Decision]
MOST_WAITING, EVERY = 10_000, 0.05
_FULL = f"{MOST_WAITING} predictions are waiting to be sent"
_ABOUT_DATA = (409, 413, 422)


class Batches:
    """A thread that sends collected predictions; it lives while something waits, so an ending program sends all."""

    def __init__(self, decide: Callable[[Sequence[Row]], list[Decision]], health: Health) -> None:
        self._decide, self._health = decide, health
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._waiting: list[tuple[Row, Promise]] = []
        self._unfinished, self._news, self._working = 0, threading.Condition(), False

    def add(self, row: Row) -> Future[Decision]:
        """Add a prediction to send later."""
        if self._process != os.getpid():  # after a fork, the thread and its work stay with the parent
            self._reset()
        future: Future[Decision] = Future()
        with self._news:
            if self._unfinished < MOST_WAITING:
                self._waiting.append((row, future))
                self._unfinished += 1
                self._news.notify_all()
                if not self._working:
                    threading.Thread(target=self._work, name="sidelight-client").start()
                    self._working = True
                return future
        self._health.passed(1, _FULL)
        future.set_result(passed(row))
        return future

    def flush(self) -> None:
        """Wait until everything deferred has been decided."""
        if self._process == os.getpid():
            with self._news:
                self._news.wait_for(lambda: not self._unfinished)

    def _work(self) -> None:
        while True:
            with self._news:
                if not self._waiting:
                    self._working = False
                    return
                self._news.wait_for(lambda: len(self._waiting) >= LARGEST_BATCH, EVERY)
                batch, self._waiting = self._waiting[:LARGEST_BATCH], self._waiting[LARGEST_BATCH:]
            asking = _settle(batch, self._health)
            with contextlib.suppress(StopIteration):
                rows = next(asking)
                while True:
                    rows = asking.send(self._attempt(rows))
            with self._news:
                self._unfinished -= len(batch)
                self._news.notify_all()

    def _attempt(self, rows: list[Row]) -> list[Decision] | Exception:
        try:
            return self._decide(rows)
        except Exception as error:  # goes to the futures; the thread continues
            return error


class AsyncBatches:
    """A task that sends collected predictions; it lives while something waits."""

    def __init__(self, decide: Callable[[Sequence[Row]], Awaitable[list[Decision]]], health: Health) -> None:
        self._decide, self._health = decide, health
        self._waiting: list[tuple[Row, Promise]] = []
        self._unfinished = 0
        self._task: asyncio.Task[None] | None = None

    def add(self, row: Row) -> asyncio.Future[Decision]:
        """Add a prediction to send later."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Decision] = loop.create_future()
        if self._unfinished >= MOST_WAITING:
            self._health.passed(1, _FULL)
            future.set_result(passed(row))
            return future
        self._waiting.append((row, future))
        self._unfinished += 1
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._work())
        return future

    async def flush(self) -> None:
        """Wait until everything deferred has been decided."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def _work(self) -> None:
        while self._waiting:
            if len(self._waiting) < LARGEST_BATCH:
                await asyncio.sleep(EVERY)
            batch, self._waiting = self._waiting[:LARGEST_BATCH], self._waiting[LARGEST_BATCH:]
            try:
                asking = _settle(batch, self._health)
                with contextlib.suppress(StopIteration):
                    rows = next(asking)
                    while True:
                        rows = asking.send(await self._attempt(rows))
            finally:  # also if the task is canceled
                self._unfinished -= len(batch)

    async def _attempt(self, rows: list[Row]) -> list[Decision] | Exception:
        try:
            return await self._decide(rows)
        except Exception as error:  # goes to the futures; the task continues
            return error


def _settle(
    batch: Sequence[tuple[Row, Promise]], health: Health
) -> Generator[list[Row], list[Decision] | Exception, None]:
    """Yield predictions to decide about and set their futures; a bad one is refused alone, not with its neighbors."""
    parts = [batch]
    while parts:
        part = parts.pop()
        came = yield [row for row, _ in part]
        if isinstance(came, ServiceError) and came.status in _ABOUT_DATA and len(part) > 1:
            middle = len(part) // 2
            parts += [part[middle:], part[:middle]]
        elif isinstance(came, Exception):
            health.refused(len(part), came)
            for _, future in part:
                _tell(future, came)
        else:
            for (_, future), decision in zip(part, came, strict=True):
                _tell(future, decision)


def _tell(future: Promise, said: Decision | Exception) -> None:
    """Set a future's result or exception, unless it was canceled."""
    with contextlib.suppress(concurrent.futures.InvalidStateError, asyncio.InvalidStateError):
        if isinstance(said, Exception):
            future.set_exception(said)
            future.exception()  # it was logged, so asyncio need not warn that it was never retrieved
        else:
            future.set_result(said)
