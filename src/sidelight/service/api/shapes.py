"""The shapes of request bodies, and of answers in the OpenAPI description.

Each error of a validator becomes one place in the problem that is answered, see `validation`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, PlainValidator, Tag, WithJsonSchema, model_validator

from sidelight.errors import SidelightError
from sidelight.service.domain import payloads
from sidelight.service.domain.verifications import Payload
from sidelight.service.faults import MOST_CHARACTERS, label_fault, text_fault
from sidelight.service.limits import BATCH
from sidelight.service.settings import ALL_SCHEMA, CHANGEABLE_SCHEMA

_TEXT = {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS, "pattern": r"^[^\x00]+$"}
_LARGEST = (1 << 63) - 1
_FEW = 10
_LABEL = {
    "anyOf": [_TEXT, {"type": "number", "minimum": -_LARGEST, "maximum": _LARGEST}, {"type": "boolean"}],
}
_TIME = {"type": "string", "format": "date-time"}


def _checked(fault: Callable[[Any], str | None]) -> PlainValidator:
    """Return a validator that accepts every value in which `fault` finds nothing wrong."""

    def check(value: Any) -> Any:
        wrong = fault(value)
        if wrong is not None:
            raise ValueError(wrong)
        return value

    return PlainValidator(check)


def _moment(value: Any) -> float | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            return moment.timestamp()
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError("give a time with a zone, like 2026-01-31T09:30:00Z, or null for now")


def _payload(value: Any) -> Payload | None:
    if value is None:
        return None
    try:
        return Payload(*payloads.encode(value))
    except SidelightError as error:
        raise ValueError(str(error)) from None


Text = Annotated[str, _checked(text_fault), WithJsonSchema(_TEXT)]
Label = Annotated[str | int | float | bool, _checked(label_fault), WithJsonSchema(_LABEL)]
Moment = Annotated[float | None, PlainValidator(_moment), WithJsonSchema({"anyOf": [_TIME, {"type": "null"}]})]
Names = Annotated[list[str], Field(max_length=BATCH)]
Settings = Annotated[dict[Annotated[str, Field(max_length=64)], Any], Field(max_length=BATCH)]
PayloadIn = Annotated[Payload | None, PlainValidator(_payload), WithJsonSchema({})]


class Shape(BaseModel):
    """The body of a request: exact types, and no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_crowds(cls, value: Any) -> Any:
        """Refuse an object with many unknown fields before each of them becomes an error."""
        if isinstance(value, dict) and len(value) > len(cls.model_fields) + _FEW:
            raise ValueError(f"leave out all fields but {', '.join(cls.model_fields)}")
        return value


class PredictionIn(Shape):
    """One prediction to decide about."""

    id: Text
    prediction: Label
    time: Annotated[Moment, Field(description="Which day's cap applies; from 24 hours ago to 5 minutes ahead.")] = None
    payload: Annotated[
        PayloadIn,
        Field(
            description='What reviewers see: text, {"image": base64}, {"link": address}, or any JSON; at most 64 KB.'
        ),
    ] = None


class PredictionsIn(Shape):
    """Many predictions, all decided or none."""

    predictions: Annotated[list[PredictionIn], Field(max_length=BATCH)]


class AnswerIn(Shape):
    """One answer: exactly one of `correct`, `label` and `skipped`."""

    id: Text
    correct: bool | None = None
    label: Annotated[Label | None, Field(description="The true class.")] = None
    skipped: bool = False
    replace: Annotated[bool, Field(description="Whether to replace a different answer.")] = False


class AnswersIn(Shape):
    """Many answers; each gets its own result."""

    answers: Annotated[list[AnswerIn], Field(max_length=BATCH)]


def _either(name: str) -> Discriminator:
    """Return the discriminator between a batch, which is an object with the field `name`, and a single row."""
    return Discriminator(lambda value: "many" if isinstance(value, dict) and name in value else "one")


Decisions = Annotated[
    Annotated[PredictionIn, Tag("one")] | Annotated[PredictionsIn, Tag("many")], _either("predictions")
]
Answers = Annotated[Annotated[AnswerIn, Tag("one")] | Annotated[AnswersIn, Tag("many")], _either("answers")]


class MonitorIn(Shape):
    """A monitor to create."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$", max_length=64)]
    settings: Annotated[Settings, WithJsonSchema(ALL_SCHEMA)]


class SettingsIn(Shape):
    """Settings to change."""

    settings: Annotated[Settings, WithJsonSchema(CHANGEABLE_SCHEMA)]


class PruneIn(Shape):
    """How much of a journal to keep."""

    days: Annotated[float | None, Field(ge=0, description="Keep this many days; null for as long as retries work.")] = (
        None
    )


class PrunedOut(BaseModel):
    """How many entries were deleted."""

    deleted: int


class DecisionOut(BaseModel):
    """The decision about one prediction."""

    id: str
    verify: bool
    reason: str
    prediction: Label


class DecisionsOut(BaseModel):
    """Decisions in the order of the predictions."""

    decisions: list[DecisionOut]


class AnswerOut(BaseModel):
    """The result of one answer."""

    id: str
    status: Literal[
        "recorded", "unchanged", "corrected", "released", "withdrawn", "not chosen", "unknown", "conflict", "gone"
    ]
    verdict: str | None
    detail: str


class AnswersOut(BaseModel):
    """Results in the order of the answers."""

    answers: list[AnswerOut]


class MonitorOut(BaseModel):
    """A monitor."""

    name: str
    id: str
    settings: dict[str, Any]
    number: Annotated[int, Field(description="Number of the last journal entry.")]
    created_at: float
    archived_at: float | None


class MonitorsOut(BaseModel):
    """The monitors that the caller may see, by name."""

    monitors: list[MonitorOut]


class ReportOut(BaseModel):
    """The report on every class, as returned by `Report.to_dict` of the library."""

    model_config = ConfigDict(extra="allow")

    classes: list[dict[str, Any]]
    policy: str
    confidence: float
    verifications: int
    pending: int
    predictions: int
    saved: int
