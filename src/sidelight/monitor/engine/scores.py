"""Scores of a whole monitor: the edges of the bins, and what classes learn from each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.stats.scores.bins import BINS, EDGES_AFTER, bin_of, edges_of, prior_from
from sidelight.monitor.types import Label


class Scores:
    """The first scores of a monitor, and the edges that were set from them.

    `edges` has one list of edges after 64 scores and two after 512; `early` holds the scores until then, each with its
    class.
    """

    def __init__(self, classes: Mapping[Label, ClassState]) -> None:
        self.classes = classes
        self.edges: list[list[float]] = []
        self.early: list[tuple[ClassState, float]] = []

    def note(self, state: ClassState, score: float) -> None:
        """Take in a score, NaN if it is missing; set the edges when there are enough of them."""
        if len(self.edges) == len(EDGES_AFTER) or score != score:
            return
        self.early.append((state, score))
        if len(self.early) < EDGES_AFTER[len(self.edges)]:
            return
        self.edges.append(edges_of(score for _, score in self.early))
        seen = {state: np.zeros(BINS) for state in self.classes.values()}
        for one, value in self.early:
            seen[one][bin_of(self.edges[-1], value)] += 1.0
        for one in self.classes.values():
            if one.rounds is not None:
                one.rounds.begin_map(seen[one])
        if len(self.edges) == len(EDGES_AFTER):
            self.early = []

    def plan(self, state: ClassState) -> None:
        """Choose new propensities for an open class, if it is time."""
        rounds = state.rounds
        if rounds is not None and state.verdict == "unknown" and rounds.due:
            others = (one.rounds.slope for one in self.classes.values() if one.rounds is not None and one is not state)
            state.redesign(prior_from(others))

    def plain(self, places: dict[ClassState, int]) -> dict[str, Any]:
        """Return everything as plain data for JSON; `places` numbers the classes."""
        return {"edges": self.edges, "early": [[places[state], score] for state, score in self.early]}

    def restore(self, data: dict[str, Any], states: list[ClassState]) -> None:
        """Restore saved values."""
        self.edges[:] = data["edges"]
        self.early = [(states[place], score) for place, score in data["early"]]
