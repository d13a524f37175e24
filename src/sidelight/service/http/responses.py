"""Responses: JSON in ASCII, which every reader reads the same way, and problems."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

from sidelight.service.journal.entry import text_of
from sidelight.service.problems import MEDIA_TYPE, Problem

SAFE_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""Responses are private to the caller, and browsers must not guess their type."""


class ASCIIResponse(JSONResponse):
    """A JSON answer in ASCII, so that no reader can mistake its encoding."""

    def render(self, content: Any) -> bytes:
        """Return the bytes of the body."""
        return text_of(content).encode("ascii")


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> ASCIIResponse:
    """Return a JSON answer."""
    return ASCIIResponse(content, status, SAFE_HEADERS | (headers or {}))


def problem_response(problem: Problem) -> ASCIIResponse:
    """Return the answer to a refused request."""
    return ASCIIResponse(problem.to_dict(), problem.status, SAFE_HEADERS | problem.headers, MEDIA_TYPE)
