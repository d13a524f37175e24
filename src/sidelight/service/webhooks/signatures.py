"""Signatures of Standard Webhooks 1.0 (standardwebhooks.com): receivers check who sent a message, and when.

signature = base64(HMAC-SHA256(secret, id + "." + timestamp + "." + body)), after "v1,"; spaces separate several.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Sequence

_PREFIX = "whsec_"


def new_secret() -> str:
    """Return a secret of 256 random bits, as receivers enter it."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(32)).decode("ascii")


def signed_headers(secrets: Sequence[str], id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the three headers of a message, signed with each secret (two while one replaces the other)."""
    text = f"{id}.{timestamp}.".encode("ascii") + body
    signatures = [
        base64.b64encode(hmac.digest(_bytes_of(one), text, hashlib.sha256)).decode("ascii") for one in secrets
    ]
    return {
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{one}" for one in signatures),
    }


def _bytes_of(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        raise ValueError("a stored secret is not base64") from None
