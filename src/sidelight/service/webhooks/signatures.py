"""Signatures of Standard Webhooks 1.0 (standardwebhooks.com): receivers check who sent a message, and when."""

from __future__ import annotations

import base64
import secrets
from datetime import UTC, datetime

from standardwebhooks import Webhook


def new_secret() -> str:
    """Return a secret of 256 random bits, as receivers enter it."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode("ascii")


def signed_headers(secret: str, id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the three headers of a message."""
    signature = Webhook(secret).sign(id, datetime.fromtimestamp(timestamp, UTC), body.decode("ascii"))
    return {"webhook-id": id, "webhook-timestamp": str(timestamp), "webhook-signature": signature}
