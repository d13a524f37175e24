"""What routes receive besides query and body: the caller, the service, and the monitor in the address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Request

from sidelight.service.auth.callers import Gate
from sidelight.service.auth.keys import Caller
from sidelight.service.domain.service import Service
from sidelight.service.store.base import Reader
from sidelight.service.writer.unit import Job

T = TypeVar("T")
_NAME = Path(description="The name of the monitor.", examples=["digits"])


@dataclass(slots=True)
class Call:
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
        """Return what a function finds in the database."""

        def read() -> T:
            with self.service.read() as tx:
                return look(tx)

        return await asyncio.to_thread(read)


def prefers(accept: str, kind: str) -> bool:
    """Say whether an Accept header names this media type before JSON and before */*; weights are ignored."""
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    json = min((kinds.index(one) for one in ("application/json", "*/*") if one in kinds), default=len(kinds))
    return kind in kinds[:json]


class _Calling(Gate):
    """Gives a route the service and the caller."""

    async def __call__(self, request: Request) -> Call:
        """Return the checked request."""
        return Call(request.app.state, await self.admit(request), request)


class _CallingOf(Gate):
    """Also gives a route the monitor in its address."""

    async def __call__(self, request: Request, monitor: Annotated[str, _NAME]) -> Call:
        """Return the checked request."""
        state, who = request.app.state, await self.admit(request)
        return Call(state, who, request, monitor, await state.names.find(who, monitor))


def needs(scope: str, *, everywhere: bool = False) -> Any:
    """Return the dependency for a route that needs a scope; with `everywhere`, the scope must cover all monitors."""
    return Depends(_Calling(scope, everywhere))


def needs_on(scope: str) -> Any:
    """Return the dependency for a route that needs a scope for the monitor in its address."""
    return Depends(_CallingOf(scope))


Admin = Annotated[Call, needs("admin", everywhere=True)]
"""A request that changes or reads what belongs to no single monitor."""
