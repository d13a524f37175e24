"""Parts of the traffic, such as customers, languages or versions of the model: which predictions belong to them.

A prediction belongs to one value of each key that it names. Combinations of values have numbers, *tags*, which the
verifications of a class keep. Memory is bounded: after 500 values or 10 000 combinations new ones are "(other)".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sidelight.monitor.engine.class_state import ClassState

Segment = tuple[tuple[str, str], ...]
"""Keys and values, sorted by key."""
Tallies = dict[ClassState, Counter[tuple[int, int]]]
OTHER = "(other)"
VERSION = "version"
"""The key of the version of the model."""
_MOST_VALUES, _MOST_TAGS = 500, 10_000


class Segments:
    """The combinations of values so far, and how many predictions each of them had in each class."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], int] = {}
        """Pairs of key and value, with the place of each among the values of its key, from 0."""
        self.tags: dict[Segment, int] = {}
        self.predictions: dict[ClassState, Counter[int]] = {}

    def enter(self, state: ClassState, segment: Segment) -> int:
        """Count a prediction; return the tag of its segment."""
        known = tuple(pair if self._known(pair) else (pair[0], OTHER) for pair in segment)
        if known not in self.tags and len(self.tags) >= _MOST_TAGS:
            known = tuple((key, OTHER) for key, _ in segment)
        for pair in known:
            self.values.setdefault(pair, sum(key == pair[0] for key, _ in self.values))
        tag = self.tags.setdefault(known, len(self.tags) + 1)
        self.predictions.setdefault(state, Counter())[tag] += 1
        return tag

    def _known(self, pair: tuple[str, str]) -> bool:
        return pair in self.values or len(self.values) < _MOST_VALUES

    def tallies(self) -> Tallies:
        """Return what the answers of each class say, by tag; see `sidelight.monitor.engine.line.Line.tally`."""
        return {
            state: state.line.tally(None if state.rounds is None else state.rounds.fair) for state in self.predictions
        }

    def counts(self, key: str, value: str, tallies: Tallies) -> Iterator[tuple[ClassState, int, int, int]]:
        """Yield for each class of a segment its predictions, the answers that count, and errors among them."""
        tags = {tag for segment, tag in self.tags.items() if (key, value) in segment}
        for state, predictions in self.predictions.items():
            seen = sum(predictions[tag] for tag in tags)
            if seen:
                tally = tallies[state]
                counted = sum(count for (tag, _), count in tally.items() if tag in tags)
                yield state, seen, counted, counted - sum(tally[tag, 0] for tag in tags)

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
        for key, value in data["values"]:
            self.values[key, value] = sum(one == key for one, _ in self.values)
        self.tags = {tuple((key, value) for key, value in one): k + 1 for k, one in enumerate(data["tags"])}
        for place, tag, count in data["predictions"]:
            self.predictions.setdefault(states[place], Counter())[tag] = count
