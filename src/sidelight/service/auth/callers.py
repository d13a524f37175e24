"""Callers: programs with a key, or reviewers who have signed in; and what they may do.

Routes depend on an `AuthGate`. Keys are looked up in the database and cached for at most 5 seconds, so that a revoked
key stops working everywhere within that time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cachetools import TLRUCache
from starlette.requests import Request

from sidelight.service.auth import keys
from sidelight.service.auth.keys import Caller
from sidelight.service.limits import RateLimit
from sidelight.service.problems import Problem

if TYPE_CHECKING:
    from sidelight.service.domain.service import Service

_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="sidelight"'}
SECONDS = 5.0
"""How long a key or a name is remembered: after that, every process sees what another one changed."""
_MOST_KNOWN = 10_000
_USED = 3600.0
"""The use of a key is stored at most once in this many seconds."""


_COMMAND = Caller("command", frozenset(keys.SCOPES), None)


class KeyRing:
    """Keys, at most a few seconds out of date; commands of this machine have one that is not stored."""

    def __init__(
        self, service: Service, command_key: str | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._service = service
        self._command_key = None if command_key is None else keys.key_digest(command_key)
        self._known: TLRUCache[bytes, tuple[float, Caller | None]] = TLRUCache(
            _MOST_KNOWN, ttu=lambda _, known, now: known[0], timer=clock
        )
        self._used: dict[str, float] = {}

    async def caller(self, text: str) -> Caller | None:
        """Return the caller with this key, or None if it does not work."""
        name = keys.key_digest(text)
        if name == self._command_key:
            return _COMMAND
        known = self._known.get(name)
        if known is None:
            begin = self._known.timer()  # before reading, so that changes made meanwhile are not seen too late
            found, seconds = await asyncio.to_thread(self._look_up_key, text)
            known = self._known[name] = begin + seconds, found
        return known[1]

    def used(self) -> list[tuple[str, float]]:
        """Return the keys whose use has to be stored, and when they were used."""
        used, self._used = self._used, {}
        return list(used.items())

    def _look_up_key(self, text: str) -> tuple[Caller | None, float]:
        """Return the caller with a key, and for how many seconds that holds."""
        with self._service.read() as tx:
            key, now = keys.find_key(tx, text), tx.now()
        if key is None or not key.live(now):
            return None, SECONDS
        if now - (key.used_at or 0.0) > _USED:
            self._used[key.id] = now
        return key.caller, SECONDS if key.expires_at is None else min(SECONDS, key.expires_at - now)


class AuthGate:
    """Admits callers with the scope; a route depends on one of its subclasses."""

    def __init__(self, scope: str, everywhere: bool = False) -> None:
        if scope not in keys.SCOPES:
            raise ValueError(f"{scope!r} is not one of {keys.SCOPES}")
        self.scope, self.everywhere = scope, everywhere

    async def admit(self, request: Request) -> Caller:
        """Return the caller, or refuse with 401, 403 or 429."""
        found = getattr(request.state, "caller", None)
        if found is None:
            found = await identify_caller(request)
            request.state.caller = found
        if self.scope not in found.scopes:
            raise Problem("forbidden", f"this needs the scope {self.scope}: use a key or an account that has it")
        if self.everywhere and found.monitors is not None:
            raise Problem("forbidden", f"this needs the scope {self.scope} for all monitors, not only for some")
        return found


async def identify_caller(request: Request) -> Caller:
    """Return the caller by the key, or else the session, of a request; count it against their rate."""
    state: Any = request.app.state
    header = request.headers.get("authorization")
    if header is None:
        found = await state.session_caller(request)
    else:
        kind, _, text = header.partition(" ")
        found = await state.keys.caller(text.strip() if kind.lower() == "bearer" else "")
    if found is None:
        raise Problem("unauthorized", "send a valid key as 'Authorization: Bearer KEY'", headers=_CHALLENGE)
    limit: RateLimit = state.rates
    limit.take(found.actor)
    return found
