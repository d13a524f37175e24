"""What clients say: predictions and answers, checked where they are made, whether from JSON or by a program.

Each error of a validator becomes one place in the problem that is answered, see `sidelight.service.api.routing`.
Payloads, what reviewers see of a prediction, are stored as type and bytes:

- text, or {"text": ...}: plain text, shown as it is
- {"image": ...}: a picture in base64; its type is read from its first bytes, because a stated type may be wrong
- {"link": ...}: an address, which the server never fetches
- any other JSON
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictFloat,
    StrictInt,
    WithJsonSchema,
    model_validator,
)
from pydantic.dataclasses import dataclass

from sidelight.service.journal.entry import journal_json
from sidelight.service.limits import BATCH
from sidelight.service.problems import MOST_CHARACTERS, request_label_fault, request_text_fault

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


def encode_prediction_payload(value: Any) -> Payload:
    """Return a payload that was sent as JSON; a `ValueError` says why it cannot be stored."""
    kind, inner = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else (None, None)
    if isinstance(value, str):
        found = TEXT, value.encode("utf-8")
    elif not isinstance(inner, str):
        found = JSON, journal_json(value).encode("ascii")
    elif kind == "text":
        found = TEXT, inner.encode("utf-8")
    elif kind == "image":
        found = _decode_picture_payload(inner)
    elif kind == "link":
        found = LINK, _encode_link_payload(inner)
    else:
        found = JSON, journal_json(value).encode("ascii")
    if len(found[1]) > LARGEST:
        raise ValueError(f"give a payload of at most {LARGEST} bytes, or a link to a larger one")
    return Payload(*found)


def _decode_picture_payload(text: str) -> tuple[str, bytes]:
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


def _encode_link_payload(text: str) -> bytes:
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        good = False
    if not good or len(text) > _LONGEST_LINK or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("give a link that begins with https:// or http://, encoded in ASCII")
    return text.encode("ascii")


_TEXT = {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS, "pattern": r"^[^\x00]+$"}
_LARGEST = (1 << 63) - 1
_LABEL = {
    "anyOf": [_TEXT, {"type": "number", "minimum": -_LARGEST, "maximum": _LARGEST}, {"type": "boolean"}],
}
TIME_SCHEMA = {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "number"}, {"type": "null"}]}


def _validator_from_fault(fault: Callable[[Any], str | None]) -> PlainValidator:
    """Return a validator that accepts every value in which `fault` finds nothing wrong."""

    def refuse_faulty_input(value: Any) -> Any:
        wrong = fault(value)
        if wrong is not None:
            raise ValueError(wrong)
        return value

    return PlainValidator(refuse_faulty_input)


def seconds_of_input_time(value: Any) -> float | None:
    """Return a time in seconds since 1970; None for now."""
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            return moment.timestamp()
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError("give a time with a zone, like 2026-01-31T09:30:00Z, seconds since 1970, or null for now")


def _payload_of_prediction_input(value: Any) -> Payload | None:
    return value if value is None or isinstance(value, Payload) else encode_prediction_payload(value)


Text = Annotated[str, _validator_from_fault(request_text_fault), WithJsonSchema(_TEXT)]
Label = Annotated[str | int | float | bool, _validator_from_fault(request_label_fault), WithJsonSchema(_LABEL)]
Names = Annotated[list[str], Field(max_length=BATCH)]


class Shape(BaseModel):
    """The body or query of a request: exact types, and no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


@dataclass(config=ConfigDict(extra="forbid"), frozen=True, slots=True)
class Prediction:
    """One prediction to decide about."""

    id: Text
    prediction: Label
    time: Annotated[
        float | None,
        PlainValidator(seconds_of_input_time),
        WithJsonSchema(TIME_SCHEMA),
        Field(description="Which day's cap applies; from 24 hours ago to 5 minutes ahead."),
    ] = None
    payload: Annotated[
        Payload | None,
        PlainValidator(_payload_of_prediction_input),
        WithJsonSchema({}),
        Field(
            description='What reviewers see: text, {"image": base64}, {"link": address}, or any JSON; at most 64 KB.'
        ),
    ] = None
    score: Annotated[
        StrictFloat | StrictInt | None,
        Field(description="A number that is larger where an error is more likely; see the setting score_is."),
    ] = None
    segment: Annotated[
        dict[str, Text] | None,
        Field(max_length=8, description='The parts of the traffic it belongs to, as in {"customer": "acme"}.'),
    ] = None
    version: Annotated[Text | None, Field(description="The version of the model that made it.")] = None
    others: Annotated[
        dict[str, Label] | None, Field(description="What other versions predict about the same item.")
    ] = None


@dataclass(config=ConfigDict(extra="forbid"), frozen=True, slots=True)
class AnswerTo:
    """One answer: exactly one of `correct`, `label` and `skipped`."""

    id: Text
    correct: StrictBool | None = None
    label: Annotated[Label | None, Field(description="The true class.")] = None
    skipped: StrictBool = False
    replace: Annotated[StrictBool, Field(description="Whether to replace a different answer.")] = False

    @model_validator(mode="after")
    def _say_one_thing(self) -> AnswerTo:
        if (self.correct is not None) + (self.label is not None) + self.skipped != 1:
            raise ValueError("give exactly one of correct, label and skipped")
        return self
