"""Texts of a body that are refused by name."""

from __future__ import annotations

from typing import Any

from sidelight.service.inputs import text_fault
from sidelight.service.problems import Problem, place


def check_text(name: str, value: Any) -> str:
    """Return the text, or refuse it as the member `name` of the body."""
    fault = text_fault(value)
    if fault is not None:
        raise Problem("invalid", f"{name} is not allowed: {fault}", places=[place([name], fault)])
    return str(value)
