"""How often somebody may try to sign in.

Tries are counted by address, and by address and name, and slowed down rather than refused: the right password works
after a few seconds, even from an address where somebody guesses. Nothing counts by name alone, because then anybody
could lock out anybody else. Names that nobody has count like others, so that no one learns which exist.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable

from starlette.requests import Request

from sidelight.service.auth.reviewers import spelled_name
from sidelight.service.limits import SIGN_IN_PATIENCE, SIGN_INS, SIGN_INS_AS
from sidelight.service.rates import RateLimit, neighborhood

_WORDS = "too many tries to sign in: try again in {wait:.0f} s"


class Door:
    """The tries of everybody, in this process."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._sleep = sleep
        self._all = RateLimit(*SIGN_INS, clock, patience=SIGN_IN_PATIENCE, words=_WORDS)
        self._named = RateLimit(*SIGN_INS_AS, clock, patience=SIGN_IN_PATIENCE, words=_WORDS)

    async def knock(self, request: Request, name: str | None = None) -> None:
        """Count a try, and let it wait or refuse it if there are too many."""
        waits = [self._all.take(_client_address(request))]
        if name is not None:
            waits.append(self._named.take(_sign_in_key(request, name)))
        await self._sleep(max(waits))

    def welcome(self, request: Request, name: str) -> None:
        """Forget the tries of somebody who knew the password."""
        self._named.forget(_sign_in_key(request, name))


def _client_address(request: Request) -> str:
    """Return the address of the client; behind a trusted proxy, the forwarded one."""
    return "" if request.client is None else neighborhood(request.client.host)


def _sign_in_key(request: Request, name: str) -> str:
    text = f"{_client_address(request)}\n{spelled_name(name)}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
