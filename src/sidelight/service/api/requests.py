"""What routes receive besides query and body: the caller, the service, and the monitor that the address names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from cachetools import TTLCache
from fastapi import Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from sidelight.service.auth.callers import SECONDS, AuthGate
from sidelight.service.auth.keys import Caller
from sidelight.service.domain import monitors
from sidelight.service.domain.service import Service
from sidelight.service.problems import Problem, request_text_fault
from sidelight.service.store.base import Reader
from sidelight.service.writer.unit import Job

T = TypeVar("T")
_MOST_KNOWN = 10_000
_NAME = Path(description="The name of the monitor.", examples=["digits"])


class MonitorNames:
    """Names of monitors, at most a few seconds out of date.

    If a name was given to another monitor meanwhile, no harm is done: an archived monitor cannot be changed.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._known: TTLCache[str, str] = TTLCache(_MOST_KNOWN, ttl=SECONDS)

    async def find(self, caller: Caller, name: str) -> str:
        """Return the id of a monitor that the caller may use."""
        id = self._known.get(name)
        if id is None:
            id = await asyncio.to_thread(self._query_monitor_id, name)
            if id is not None:
                self._known[name] = id
        if caller.monitors is not None and id not in caller.monitors:
            # The same whether or not the monitor exists, so that callers cannot find out names.
            raise Problem("forbidden", "this key or account has no access to this monitor: ask an administrator")
        if id is None:
            raise Problem("not-found", "there is no monitor with this name: list the monitors with GET /v1/monitors")
        return id

    def forget(self, name: str) -> None:
        """Look up a name again the next time."""
        self._known.pop(name, None)

    def _query_monitor_id(self, name: str) -> str | None:
        if request_text_fault(name) is not None:
            return None
        try:
            with self._service.read() as tx:
                return monitors.find_served_monitor(tx, name).id
        except Problem:
            return None


@dataclass(slots=True)
class ApiCall:
    """A permitted request."""

    state: Any
    caller: Caller
    request: Request
    name: str = ""
    """The monitor's name, if the address has one."""
    monitor: str = ""
    """Its id."""

    @property
    def service(self) -> Service:
        """The service that the request is for."""
        service: Service = self.state.service
        return service

    @property
    def base(self) -> str:
        """What links to this server begin with."""
        return self.state.options.url or f"{self.request.url.scheme}://{self.request.headers['host']}"

    async def do(self, job: Job[T]) -> T:
        """Return the result of a job once it is stored."""
        return await self.service.submit(job)

    async def read(self, look: Callable[[Reader], T]) -> T:
        """Run a reading function on the database."""

        def read_for_api_call() -> T:
            with self.service.read() as tx:
                return look(tx)

        return await asyncio.to_thread(read_for_api_call)


def prefers_media_type(accept: str, kind: str) -> bool:
    """Say whether an Accept header names this media type before JSON and before */*; weights are ignored."""
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    json = min((kinds.index(one) for one in ("application/json", "*/*") if one in kinds), default=len(kinds))
    return kind in kinds[:json]


class Page(BaseModel):
    """Which rows of a long list to return."""

    model_config = ConfigDict(extra="forbid")

    after: Annotated[int, Field(ge=0, le=(1 << 63) - 1, description="Only those with a larger number.")] = 0
    limit: Annotated[int, Field(ge=1, le=1_000, description="Maximum number of rows.")] = 1_000


class _Calling(AuthGate):
    """Gives a route the service and the caller."""

    async def __call__(self, request: Request) -> ApiCall:
        """Return the checked request."""
        return ApiCall(request.app.state, await self.admit(request), request)


class _CallingOf(AuthGate):
    """Also gives a route the monitor in its address."""

    async def __call__(self, request: Request, monitor: Annotated[str, _NAME]) -> ApiCall:
        """Return the checked request."""
        state, who = request.app.state, await self.admit(request)
        return ApiCall(state, who, request, monitor, await state.names.find(who, monitor))


def api_scope(scope: str, *, everywhere: bool = False) -> Any:
    """Return the dependency for a route that needs a scope; with `everywhere`, the scope must cover all monitors."""
    return Depends(_Calling(scope, everywhere))


def api_monitor_scope(scope: str) -> Any:
    """Return the dependency for a route that needs a scope for the monitor in its address."""
    return Depends(_CallingOf(scope))


Admin = Annotated[ApiCall, api_scope("admin", everywhere=True)]
"""A request that changes or reads what belongs to no single monitor."""
