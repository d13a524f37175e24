"""Passwords are stored as scrypt hashes, and at most two are computed at once.

One hash takes 32 MB and about a tenth of a second, which makes guessing expensive; the limit of two bounds the load
that strangers can cause at the sign-in form.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
import unicodedata

from sidelight.errors import SidelightError

LEAST_LENGTH, MOST_LENGTH = 10, 200
_COST, _BLOCK, _PARALLEL, _LENGTH = 1 << 15, 8, 1, 32
_AT_ONCE, _MOST_WAITING = 2, 16
_slots = threading.BoundedSemaphore(_AT_ONCE)
_line = threading.BoundedSemaphore(_MOST_WAITING)


class PasswordError(SidelightError):
    """The password cannot be used; the message says why."""


class BusyError(SidelightError):
    """Too many passwords are being checked; the request may be repeated in a few seconds."""


def hashed(password: str) -> str:
    """Return what is stored for a password: scheme, parameters, salt and hash."""
    check(password)
    salt = secrets.token_bytes(16)
    return (
        f"scrypt${_COST}${_BLOCK}${_PARALLEL}${_text(salt)}${_text(_scrypt(password, salt, _COST, _BLOCK, _PARALLEL))}"
    )


def matches(password: str, stored: str | None) -> bool:
    """Say whether a password matches the stored one; without a stored one, it takes as long and says no."""
    scheme, cost, block, parallel, salt, digest = (stored or _NOBODY).split("$")
    if scheme != "scrypt" or len(password) > MOST_LENGTH:
        return False
    found = _scrypt(password, _bytes(salt), int(cost), int(block), int(parallel))
    return hmac.compare_digest(found, _bytes(digest)) and stored is not None


def check(password: str) -> None:
    """Refuse a password that is too short or too long."""
    if len(password) < LEAST_LENGTH:
        raise PasswordError(f"the password has {len(password)} characters: give at least {LEAST_LENGTH}")
    if len(password) > MOST_LENGTH:
        raise PasswordError(f"the password has {len(password)} characters: give at most {MOST_LENGTH}")


def _scrypt(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    # Keyboards compose accents and letters differently; RFC 8265 requires NFC.
    secret = unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
    if not _line.acquire(blocking=False):
        raise BusyError("too many passwords are being checked: try again in a few seconds")
    try:
        with _slots:
            memory = 256 * cost * block
            return hashlib.scrypt(secret, salt=salt, n=cost, r=block, p=parallel, maxmem=memory, dklen=_LENGTH)
    finally:
        _line.release()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)


_NOBODY = f"scrypt${_COST}${_BLOCK}${_PARALLEL}${_text(bytes(16))}${_text(bytes(_LENGTH))}"
