"""What routes are given beside the body: who asks, the service, and the monitor in the address."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Path, Request

from sidelight.service.identity.callers import Gate
from sidelight.service.identity.keys import Caller
from sidelight.service.service import Service

_NAME = Path(description="The name of the monitor.", examples=["digits"])


class Asked(NamedTuple):
    """A request by somebody who may make it."""

    service: Service
    caller: Caller
    state: Any


class AskedOf(NamedTuple):
    """A request about one monitor, by somebody who may make it."""

    service: Service
    caller: Caller
    state: Any
    name: str
    monitor: str
    """Its id."""


class _Asking(Gate):
    """Gives a route the service and who asks."""

    async def __call__(self, request: Request) -> Asked:
        """Return them."""
        state = request.app.state
        return Asked(state.service, await self.admit(request), state)


class _AskingOf(Gate):
    """Gives a route the monitor in its address, too."""

    async def __call__(self, request: Request, monitor: Annotated[str, _NAME]) -> AskedOf:
        """Return them."""
        state, who = request.app.state, await self.admit(request)
        return AskedOf(state.service, who, state, monitor, await state.names.find(who, monitor))


def asked(scope: str, *, everywhere: bool = False) -> Any:
    """Return the dependency of a route on a scope; with `everywhere` it must hold for all monitors."""
    return Depends(_Asking(scope, everywhere))


def asked_of(scope: str) -> Any:
    """Return the dependency of a route on a scope for the monitor in its address."""
    return Depends(_AskingOf(scope))
