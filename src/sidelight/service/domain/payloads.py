"""Payloads, what reviewers see of a prediction: text, JSON, a small picture, or a link; stored as type and bytes.

- text, or {"text": ...}: plain text, shown as it is
- {"image": ...}: a picture in base64; its type is read from its first bytes, because a stated type may be wrong
- {"link": ...}: an address, which the server never fetches
- any other JSON
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sidelight.service.journal.entry import text_of

TEXT, JSON, LINK = "text/plain", "application/json", "text/uri-list"
LARGEST = 64 << 10
"""Maximum size of a payload in bytes."""
_LONGEST_LINK = 2_000
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class Payload(NamedTuple):
    """What a reviewer is shown."""

    media_type: str
    content: bytes


def encode_payload(value: Any) -> Payload:
    """Return a payload that was sent as JSON; a `ValueError` says why it cannot be stored."""
    kind, inner = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else (None, None)
    if isinstance(value, str):
        found = TEXT, value.encode("utf-8")
    elif not isinstance(inner, str):
        found = JSON, text_of(value).encode("ascii")
    elif kind == "text":
        found = TEXT, inner.encode("utf-8")
    elif kind == "image":
        found = _picture(inner)
    elif kind == "link":
        found = LINK, _link(inner)
    else:
        found = JSON, text_of(value).encode("ascii")
    if len(found[1]) > LARGEST:
        raise ValueError(f"give a payload of at most {LARGEST} bytes, or a link to a larger one")
    return Payload(*found)


def _picture(text: str) -> tuple[str, bytes]:
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("give the bytes of the image in base64") from None
    kinds = [kind for beginning, kind in _BEGINNINGS if content.startswith(beginning)]
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kinds.append("image/webp")
    if not kinds:
        raise ValueError("give an image in PNG, JPEG, GIF or WebP")
    return kinds[0], content


def _link(text: str) -> bytes:
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        good = False
    if not good or len(text) > _LONGEST_LINK or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("give a link that begins with https:// or http://, encoded in ASCII")
    return text.encode("ascii")
