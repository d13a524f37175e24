"""Where the outcomes of a setting come from, under each protocol."""

from __future__ import annotations

from sidelight.errors import SidelightError
from sidelight.reproduction.streams import DIMENSION
from sidelight.studies import World

_STREAMS = "sidelight.reproduction.streams"


def world(kind: str, protocol: str) -> World:
    """Return a kind of world ("imbalanced", "balanced" or "contexts") under a protocol.

    In the paper's text the first outcome has the probability p(x) = 0.1 (x1 + ... + x10), given a context x.
    """
    label = f"{kind}, {protocol}"
    if kind in ("imbalanced", "balanced"):
        if protocol == "published":
            return World("environment", f"{_STREAMS}:PublishedStreams", {"kind": kind}, label)
        return World("laws", kind, label=label)
    if kind == "contexts":
        if protocol == "published":
            return World("environment", f"{_STREAMS}:PublishedContexts", label=label)
        return World("contexts", "linear", {"d": DIMENSION}, label)
    raise SidelightError(f"there is no world {kind!r}: there are 'imbalanced', 'balanced' and 'contexts'")
