"""What is allowed as ids, classes and labels."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

from sidelight.service.problems import Problem, place

MOST_CHARACTERS = 200
_LARGEST = 1 << 63
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
"""What databases or UTF-8 cannot store."""
_INVISIBLE = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
"""Categories of white space, control characters and marks of direction."""


def text_fault(value: Any) -> str | None:
    """Say what is wrong with a text, or return None."""
    if not isinstance(value, str) or not 1 <= len(value) <= MOST_CHARACTERS:
        return f"give a text of 1 to {MOST_CHARACTERS} characters"
    if _UNWRITABLE.search(value):
        return "give a text without NUL and without half of a surrogate pair"
    if not value[0].isalnum() and all(unicodedata.category(one) in _INVISIBLE for one in value):
        return "give a text that can be seen, not only white space"
    return None


def check_text(name: str, value: Any) -> str:
    """Return the text, or refuse it as the field `name` of a body."""
    fault = text_fault(value)
    if fault is not None:
        raise Problem("invalid", f"{name} is not allowed: {fault}", places=[place([name], fault)])
    return str(value)


def label_fault(value: Any) -> str | None:
    """Say what is wrong with a class, or return None."""
    if isinstance(value, str):
        return text_fault(value)
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < _LARGEST):
        return None
    if isinstance(value, float) and math.isfinite(value):
        return None
    return f"give a text of 1 to {MOST_CHARACTERS} characters or a number"
