"""What the parts of a study are called, and how they name each other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sidelight.studies.plain_data import Parameters, frozen
from sidelight.text import did_you_mean

_LONGEST = 60  # characters of a value in a label


def matches(pattern: str, label: str) -> bool:
    """Say whether a label is the one that is meant; * stands for anything."""
    return pattern == label or re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), label) is not None


def chosen(wanted: Sequence[str], label: str) -> bool:
    """Say whether a label is among those that are wanted; no wish means all."""
    return not wanted or any(matches(pattern, label) for pattern in wanted)


def called(name: str, parameters: Mapping[str, Any] | Parameters) -> str:
    """Return a name with its parameters, as tables show them: "RandCBP(bins=10)"."""
    given = ", ".join(f"{key}={_short(frozen(value))}" for key, value in dict(parameters).items())
    return f"{name}({given})" if given else name


def stem(path: str) -> str:
    """Return the name of a file without folders and ending, on any system."""
    return re.split(r"[\\/]", path)[-1].rpartition(".")[0] or path


def acceptable(name: str) -> str:
    """Return a name that a study can have, made of any text."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "study"


def is_acceptable(name: str) -> bool:
    """Say whether a study can have this name, which is also that of a folder."""
    return re.fullmatch(r"[\w][\w.-]*", name) is not None


def none_such(name: str, known: Sequence[str]) -> str:
    """Say that there is nothing of this name, and what there is."""
    return (
        f"but there is none: {did_you_mean(name, known)}there are {', '.join(map(repr, dict.fromkeys(known)))}"
        if known
        else "but there are none at all"
    )


def _short(value: Any) -> str:
    text = str(value) if not isinstance(value, tuple) else f"[{', '.join(map(_short, value))}]"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
