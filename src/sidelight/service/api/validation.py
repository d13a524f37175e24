"""Errors of pydantic in our words: every place and what to do there, without repeating what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field

from sidelight.service.limits import PLACES
from sidelight.service.problems import Problem, place

BATCHES = ("one", "many")
"""Names of shapes that pydantic adds to places, but that bodies do not contain."""
_WORDS = {
    "missing": "this field is required",
    "extra_forbidden": "this field is unknown: leave it out",
    "string_type": "give text",
    "int_type": "give a whole number",
    "float_type": "give a number",
    "bool_type": "give true or false",
    "list_type": "give an array",
    "dict_type": "give an object",
    "model_type": "give an object",
    "model_attributes_type": "give an object",
    "dataclass_type": "give an object",
    "unexpected_keyword_argument": "this field is unknown: leave it out",
    "union_tag_invalid": "give an object",
    "union_tag_not_found": "give an object",
}


class Page(BaseModel):
    """Which rows of a long list to return."""

    model_config = ConfigDict(extra="forbid")

    after: Annotated[int, Field(ge=0, le=(1 << 63) - 1, description="Only those with a larger number.")] = 0
    limit: Annotated[int, Field(ge=1, le=1_000, description="Maximum number of rows.")] = 1_000


def batch_discriminator(name: str) -> Discriminator:
    """Return the discriminator between a batch, which is an object with the field `name`, and a single row."""
    return Discriminator(lambda value: BATCHES[isinstance(value, dict) and name in value])


def problem_of(errors: Sequence[Any], *source: str) -> Problem:
    """Return the refusal; `source` says what was validated, unless each error does."""
    places = [_error_place(one, [*source, *one["loc"]]) for one in errors[:PLACES]]
    more = f" (the first {PLACES} of {len(errors)} are listed)" if len(errors) > PLACES else ""
    return Problem("invalid", f"some values are not allowed{more}; nothing changed", places=places)


def _error_place(error: Mapping[str, Any], steps: Sequence[str | int]) -> dict[str, Any]:
    source, *path = steps
    if path and path[0] in BATCHES:
        del path[0]
    kind, context = error["type"], error.get("ctx", {})
    words = _WORDS.get(kind) or _limit_words(kind, context) or _own_words(error["msg"])
    return place(path, words) if source == "body" else place([], words, **{"in": str(source), "name": str(path[-1])})


def _limit_words(kind: str, context: Mapping[str, Any]) -> str | None:
    """Return the words for a limit that a value exceeds."""
    for limit, words in (("max_length", "at most"), ("min_length", "at least")):
        if limit in context:
            of = "of them" if kind in ("too_long", "too_short") else "characters"
            return f"give {words} {context[limit]} {of}"
    for limit, words in (("ge", "at least"), ("gt", "more than"), ("le", "at most"), ("lt", "less than")):
        if limit in context:
            return f"give {words} {context[limit]}"
    return None


def _own_words(text: str) -> str:
    """Return pydantic's message, or ours if a validator raised one, as ASCII."""
    return text.removeprefix("Value error, ").encode("ascii", "replace").decode("ascii")
