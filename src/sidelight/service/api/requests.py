"""What routes receive in addition to the body: the caller, the service, and the monitor in the address."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Path, Request

from sidelight.service.auth.callers import Gate
from sidelight.service.auth.keys import Caller
from sidelight.service.domain.service import Service

_NAME = Path(description="The name of the monitor.", examples=["digits"])


class Asked(NamedTuple):
    """A permitted request."""

    service: Service
    caller: Caller
    state: Any


class AskedOf(NamedTuple):
    """A permitted request about one monitor."""

    service: Service
    caller: Caller
    state: Any
    name: str
    monitor: str
    """The monitor's id."""


class _Asking(Gate):
    """Gives a route the service and the caller."""

    async def __call__(self, request: Request) -> Asked:
        """Return the checked request."""
        state = request.app.state
        return Asked(state.service, await self.admit(request), state)


class _AskingOf(Gate):
    """Also gives a route the monitor in its address."""

    async def __call__(self, request: Request, monitor: Annotated[str, _NAME]) -> AskedOf:
        """Return the checked request."""
        state, who = request.app.state, await self.admit(request)
        return AskedOf(state.service, who, state, monitor, await state.names.find(who, monitor))


def asked(scope: str, *, everywhere: bool = False) -> Any:
    """Return the dependency for a route that needs a scope; with `everywhere`, the scope must cover all monitors."""
    return Depends(_Asking(scope, everywhere))


def asked_of(scope: str) -> Any:
    """Return the dependency for a route that needs a scope for the monitor in its address."""
    return Depends(_AskingOf(scope))
