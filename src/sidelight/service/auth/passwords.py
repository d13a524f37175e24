"""Passwords, hashed with Argon2id, at most two at once; and how often somebody may try to sign in.

One hash takes 64 MB and about a tenth of a second, which makes guessing expensive; the limit of two bounds the load
that strangers can cause at the sign-in form.

Tries are counted by address, and by address and name, and slowed down rather than refused: the right password works
after a few seconds, even from an address where somebody guesses. Nothing counts by name alone, because then anybody
could lock out anybody else. Names that nobody has count like others, so that no one learns which exist.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import threading
import time
import unicodedata
from collections.abc import Awaitable, Callable, Iterator

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from starlette.requests import Request

from sidelight.service.auth.reviewers import normalize_reviewer_name
from sidelight.service.limits import SIGN_IN_PATIENCE, SIGN_INS, SIGN_INS_AS, RateLimit, rate_limit_key_of_address
from sidelight.service.problems import Problem, unavailable_problem

LEAST_LENGTH, MOST_LENGTH = 10, 200
_AT_ONCE, _MOST_WAITING = 2, 16
_slots = threading.BoundedSemaphore(_AT_ONCE)
_line = threading.BoundedSemaphore(_MOST_WAITING)
_hasher = PasswordHasher()
_NOBODY = f"$argon2id$v=19$m=65536,t=3,p=4${'A' * 22}${'A' * 43}"
"""What a password is compared with if there is no account, so that this takes as long."""


def hash_password(password: str) -> str:
    """Hash a password for storage."""
    check_password(password)
    with _await_hashing_turn():
        return _hasher.hash(_normalize_password(password))


def password_matches(password: str, stored: str | None) -> bool:
    """Say whether a password matches the stored one; without a stored one, it takes as long and says no."""
    if len(password) > MOST_LENGTH:
        return False
    with _await_hashing_turn(), contextlib.suppress(VerificationError, InvalidHashError):
        return _hasher.verify(stored or _NOBODY, _normalize_password(password))
    return False


def is_outdated_hash(stored: str) -> bool:
    """Say whether a password should be hashed again, because hashes are made differently now."""
    return _hasher.check_needs_rehash(stored)


def check_password(password: str) -> None:
    """Refuse a password that is too short or too long."""
    if not LEAST_LENGTH <= len(password) <= MOST_LENGTH:
        wanted = f"give from {LEAST_LENGTH} to {MOST_LENGTH}"
        raise Problem("invalid", f"the password has {len(password)} characters: {wanted}")


def _normalize_password(password: str) -> bytes:
    # Keyboards compose accents and letters differently; RFC 8265 requires NFC.
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


@contextlib.contextmanager
def _await_hashing_turn() -> Iterator[None]:
    """Wait until one of the two concurrent hashes is free; refuse with 503 if too many callers wait."""
    if not _line.acquire(blocking=False):
        raise unavailable_problem("too many passwords are being checked: try again in a few seconds", 5)
    try:
        with _slots:
            yield
    finally:
        _line.release()


_WORDS = "too many tries to sign in: try again in {wait:.0f} s"


class SignInDoor:
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
        waits = [self._all.take(_client_address_at_sign_in(request))]
        if name is not None:
            waits.append(self._named.take(_sign_in_key(request, name)))
        await self._sleep(max(waits))

    def welcome(self, request: Request, name: str) -> None:
        """Forget the tries of somebody who knew the password."""
        self._named.forget(_sign_in_key(request, name))


def _client_address_at_sign_in(request: Request) -> str:
    """Return the address of the client; behind a trusted proxy, the forwarded one."""
    return "" if request.client is None else rate_limit_key_of_address(request.client.host)


def _sign_in_key(request: Request, name: str) -> str:
    text = f"{_client_address_at_sign_in(request)}\n{normalize_reviewer_name(name)}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
