"""Finding a game of the catalogue by what was typed."""

from __future__ import annotations

import difflib

from sidelight import games
from sidelight.errors import SidelightError


def entry(name: str, otherwise: str = "") -> games.Entry:
    """Return the entry of the game called `name`, or say which one may have been meant and what else could be done."""
    if name in games.names():
        return games.describe(name)
    near = nearest(name)
    hint = f"did you mean {near!r}? " if near else ""
    raise SidelightError(f"there is no game {name!r}: {hint}'sidelight games' lists the catalogue{otherwise}")


def nearest(name: str) -> str | None:
    """Return the name in the catalogue that is most like what was typed, the beginning of a name included."""
    typed = "-".join(name.lower().replace("_", " ").split())[:80]
    scores = {
        other: max(_likeness(typed, part) for part in (other, other[: len(typed) + 1])) for other in games.names()
    }
    best = max(scores, key=lambda other: scores[other])
    return best if scores[best] >= 0.6 else None


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()
