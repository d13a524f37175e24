"""Parts of the traffic, such as customers, languages or versions of the model: which predictions belong to them.

A prediction belongs to one value of each key that it names. Combinations of values have numbers, *tags*, which the
verifications of a class keep. Memory is bounded: after 500 values or 10 000 combinations new ones are "(other)".
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from sidelight.monitor.engine.class_state import ClassState

Segment = tuple[tuple[str, str], ...]
"""Keys and values, sorted by key."""
Counts = dict[tuple[str, str], list[tuple[ClassState, int, int, int]]]
"""The classes of each key and value: the predictions that each has there, the answers that count, the errors."""
OTHER = "(other)"
VERSION = "version"
"""The key of the version of the model."""
_MOST_VALUES, _MOST_TAGS = 500, 10_000


class EngineSegments:
    """The combinations of values so far, and how many predictions each of them had in each class."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], None] = {}
        """Pairs of key and value, in the order of their appearance."""
        self.tags: dict[Segment, int] = {}
        self.predictions: dict[ClassState, Counter[int]] = {}

    def enter(self, state: ClassState, segment: Segment) -> int:
        """Count a prediction; return the tag of its segment."""
        known = tuple(pair if self._known(pair) else (pair[0], OTHER) for pair in segment)
        if known not in self.tags and len(self.tags) >= _MOST_TAGS:
            known = tuple((key, OTHER) for key, _ in segment)
        for pair in known:
            self.values.setdefault(pair)
        tag = self.tags.setdefault(known, len(self.tags) + 1)
        self.predictions.setdefault(state, Counter())[tag] += 1
        return tag

    def _known(self, pair: tuple[str, str]) -> bool:
        return pair in self.values or len(self.values) < _MOST_VALUES

    def counts(self) -> Counts:
        """Return the counts of each segment; see `VerificationLine.tally`."""
        segments = {tag: segment for segment, tag in self.tags.items()}
        found: dict[tuple[str, str], dict[ClassState, list[int]]] = {pair: {} for pair in self.values}
        for state, predictions in self.predictions.items():
            tally = state.line.tally(None if state.rounds is None else state.rounds.fair)
            for tag, seen in predictions.items():
                for pair in segments[tag]:
                    found[pair].setdefault(state, [0, 0, 0])[0] += seen
            for (tag, said), answers in tally.items():
                for pair in segments[tag] if tag else ():
                    found[pair][state][1] += answers
                    found[pair][state][2] += answers * bool(said)
        return {pair: [(state, *numbers) for state, numbers in rows.items()] for pair, rows in found.items()}  # type: ignore[misc]

    def plain(self, places: dict[ClassState, int]) -> dict[str, Any]:
        """Return everything as plain data for JSON; `places` numbers the classes."""
        return {
            "values": [list(pair) for pair in self.values],
            "tags": [[list(pair) for pair in segment] for segment in self.tags],
            "predictions": [
                [places[state], tag, count] for state, one in self.predictions.items() for tag, count in one.items()
            ],
        }

    def restore(self, data: dict[str, Any], states: list[ClassState]) -> None:
        """Restore saved values."""
        self.values = dict.fromkeys((key, value) for key, value in data["values"])
        self.tags = {tuple((key, value) for key, value in one): k + 1 for k, one in enumerate(data["tags"])}
        for place, tag, count in data["predictions"]:
            self.predictions.setdefault(states[place], Counter())[tag] = count
