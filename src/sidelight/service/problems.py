"""Why a request is refused, in the shape of RFC 9457, and what is allowed as ids, classes and labels."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from sidelight.errors import SidelightError

MEDIA_TYPE = "application/problem+json"
_TYPES = "urn:sidelight:problem:"

TITLES: dict[str, tuple[int, str]] = {
    "bad-request": (400, "The request cannot be read"),
    "unauthorized": (401, "A key or a session is needed"),
    "forbidden": (403, "Not allowed"),
    "not-found": (404, "This does not exist"),
    "method-not-allowed": (405, "This address does not support this method"),
    "timeout": (408, "The request took too long"),
    "conflict": (409, "This conflicts with stored data"),
    "gone": (410, "This is no longer available"),
    "too-large": (413, "The request is too large"),
    "media-type": (415, "The body has the wrong type"),
    "wrong-host": (421, "This server does not serve that host"),
    "invalid": (422, "Some values are not allowed"),
    "too-many": (429, "Too many requests"),
    "internal": (500, "The server failed"),
    "unavailable": (503, "The service cannot do this now"),
}
"""Each kind of problem with its status and title; `type` in the answer ends with the kind."""
_LONGEST_STEP, _LONGEST_TEXT = 64, 1_000


class Problem(SidelightError):  # noqa: N818, the word of RFC 9457
    """A refused request; nothing has changed.

    The `kind`, a key of `TITLES`, determines status, title and type. `detail` says what is wrong with this request, and
    what to do, and each of the `places`, see `problem_place`, where.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        places: Iterable[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        detail = _shorten_text_of_problem(detail, _LONGEST_TEXT)
        super().__init__(detail)
        self.kind = kind
        self.status, self.title = TITLES[kind]
        self.detail = detail
        self.places = [dict(one) for one in places]
        self.headers = dict(headers or {})

    @property
    def type(self) -> str:
        """The URI that identifies the kind of problem for programs."""
        return _TYPES + self.kind

    def to_dict(self) -> dict[str, Any]:
        """Return the body of the answer."""
        body: dict[str, Any] = {"type": self.type, "title": self.title, "status": self.status, "detail": self.detail}
        return body | {"errors": self.places} if self.places else body


def problem_place(path: Iterable[str | int], detail: str, **others: Any) -> dict[str, Any]:
    """Describe one error in the body: the keys and indices that lead to it, and what to do.

    The place is written as a JSON pointer in a fragment (RFC 6901, section 6), as in the example of RFC 9457.
    """
    steps = (_shorten_text_of_problem(str(step), _LONGEST_STEP).replace("~", "~0").replace("/", "~1") for step in path)
    pointer = "#" + "".join("/" + quote(step, safe="~", errors="replace") for step in steps)
    return {"detail": _shorten_text_of_problem(detail, _LONGEST_TEXT), "pointer": pointer} | others


def _shorten_text_of_problem(text: str, most: int) -> str:
    """Shorten a text that is too long; it may contain user input."""
    return text if len(text) <= most else f"{text[:most]}..."


def unavailable_problem(detail: str, seconds: float) -> Problem:
    """Return the refusal of a request that may be sent again, with the same ids, after this many seconds."""
    return Problem("unavailable", detail, headers=retry_after_header_of_problem(seconds))


def retry_after_header_of_problem(seconds: float) -> dict[str, str]:
    """Return the header that says when to try again, in whole seconds of at least 1."""
    return {"Retry-After": str(max(1, math.ceil(seconds)))}


@contextmanager
def relocate_problems_of_rows(batch: str | None) -> Iterator[None]:
    """Make problems with rows point to the body that contained the rows.

    `batch` is the field that holds the rows, or None if the body was a single row.
    """
    try:
        yield
    except Problem as problem:
        for one in problem.places:
            steps = one["pointer"].split("/")[1:]
            one["pointer"] = "/".join(["#", *(steps[1:] if batch is None else [batch, *steps])])
        raise


MOST_CHARACTERS = 200
_LARGEST = 1 << 63
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
"""What databases or UTF-8 cannot store."""
_INVISIBLE = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
"""Categories of white space, control characters and marks of direction."""


def request_text_fault(value: Any) -> str | None:
    """Return the fault of a text, or None."""
    if not isinstance(value, str) or not 1 <= len(value) <= MOST_CHARACTERS:
        return f"give a text of 1 to {MOST_CHARACTERS} characters"
    if _UNWRITABLE.search(value):
        return "give a text without NUL and without half of a surrogate pair"
    if not value[0].isalnum() and all(unicodedata.category(one) in _INVISIBLE for one in value):
        return "give a text that can be seen, not only white space"
    return None


def check_request_text(name: str, value: Any) -> str:
    """Return the text, or refuse it as the field `name` of a body."""
    fault = request_text_fault(value)
    if fault is not None:
        raise Problem("invalid", f"{name} is not allowed: {fault}", places=[problem_place([name], fault)])
    return str(value)


def request_label_fault(value: Any) -> str | None:
    """Return the fault of a class name, or None."""
    if isinstance(value, str):
        return request_text_fault(value)
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < _LARGEST):
        return None
    if isinstance(value, float) and math.isfinite(value):
        return None
    return f"give a text of 1 to {MOST_CHARACTERS} characters or a number"
