"""Two versions of a model about the same items: where they disagree, an answer says which one is right.

A round of a pair is a prediction of the old version that came with one of the new version, while verifications are left
(whether they are does not depend on what the two predict). Where both agree nothing is asked. Where they disagree the
prediction is verified until it is certain whether the new version is worse by more than a margin. If the class of the
old prediction would not have asked by itself, the verification is put *aside*: it counts for the pair, not for the
class, whose sample it would bias. As everywhere, rounds count in the order of asking, and the agreements before a lost
answer are dropped with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.ledger import VerificationLedger
from sidelight.monitor.engine.line import PENDING
from sidelight.monitor.stats.paired import Differences, is_paired_difference_decided
from sidelight.monitor.types import Events, Id, Label

Others = tuple[tuple[str, Label], ...]
"""What other versions predict about the same item."""
BETTER, SAME, WORSE, UNCLEAR, LOST = range(5)
"""What an answer says about the new version, or that there is none."""
_MOST_PAIRS = 20


class EnginePairsAside(ClassState):
    """The verifications of one class that count for pairs only: there is no verdict from them."""

    def mark(self, place: int, status: int, cause: str) -> Events:
        """Note the new status of a verification."""
        self.line.marks[place - self.line.origin] = status
        return ()


@dataclass(slots=True)
class Item:
    """A prediction about which two versions disagree, and the agreements just before it."""

    agreed: int
    id: Id
    new: Label
    outcome: int | None = None


class EngineVersionPair:
    """All rounds of two versions; the first `counted` items are settled, and `counts` holds their differences."""

    def __init__(self) -> None:
        self.agreed = 0
        """Agreements since the last item."""
        self.items: list[Item] = []
        self.places: dict[Id, int] = {}
        self.counted = 0
        self.counts = Differences()

    def add(self, id: Id, new: Label) -> None:
        """Enter a disagreement."""
        self.places[id] = len(self.items)
        self.items.append(Item(self.agreed, id, new))
        self.agreed = 0

    def tell(self, id: Id, correct: bool | None, truth: Label | None) -> None:
        """Enter an answer about the old prediction, None if it is skipped, and the true class, if it was told."""
        place = self.places.get(id)
        if place is None:
            return
        item = self.items[place]
        if correct is None:
            item.outcome = LOST
        elif correct:
            item.outcome = WORSE
        else:
            item.outcome = UNCLEAR if truth is None else BETTER if truth == item.new else SAME
        if place < self.counted:
            self.counted, self.counts = 0, Differences()

    def count(self, ledger: VerificationLedger) -> Differences:
        """Return the differences of the settled beginning, with the agreements before each."""
        found = list(self.counts)
        while self.counted < len(self.items):
            item = self.items[self.counted]
            if item.outcome is None:
                entry = ledger.verifications.get(item.id)
                if entry is not None and entry.status == PENDING:
                    break
            elif item.outcome != LOST:
                found[item.outcome] += 1
                found[SAME] += item.agreed
            self.counted += 1
        self.counts = Differences(*found)
        return self.counts


class EngineVersionPairs:
    """The pairs of versions of a monitor, by the names of the old and the new one."""

    def __init__(self, confidence: float, margin: float) -> None:
        self.confidence, self.margin = confidence, margin
        self.pairs: dict[tuple[str, str], EngineVersionPair] = {}
        self.asides: dict[Label, EnginePairsAside] = {}

    def open(self, old: str, others: Others, ledger: VerificationLedger) -> Others:
        """Return the other versions of which it is not yet certain whether they are worse than the old one."""
        found = []
        for new, said in others:
            if (old, new) not in self.pairs and len(self.pairs) < _MOST_PAIRS:
                self.pairs[old, new] = EngineVersionPair()
            pair = self.pairs.get((old, new))
            if pair is not None and not is_paired_difference_decided(pair.count(ledger), self.confidence, self.margin):
                found.append((new, said))
        return tuple(found)

    def enter(self, old: str, others: Others, prediction: Label, id: Id) -> None:
        """Enter a round of each open pair: an agreement, or a disagreement, which is verified."""
        for new, said in others:
            if said == prediction:
                self.pairs[old, new].agreed += 1
            else:
                self.pairs[old, new].add(id, said)

    def aside(self, state: ClassState) -> EnginePairsAside:
        """Return where verifications of a class that count for pairs only are kept."""
        found = self.asides.get(state.name)
        if found is None:
            found = self.asides[state.name] = EnginePairsAside(state.name, state.settings, state.clock, 0)
        return found

    def tell(self, id: Id, correct: bool | None, truth: Label | None) -> None:
        """Enter an answer into all pairs that wait for it."""
        for pair in self.pairs.values():
            pair.tell(id, correct, truth)

    def plain(self) -> list[Any]:
        """Return the pairs as plain data for JSON."""
        return [
            [old, new, pair.agreed, [[item.agreed, item.id, item.new, item.outcome] for item in pair.items]]
            for (old, new), pair in self.pairs.items()
        ]

    def restore(self, data: list[Any]) -> None:
        """Restore saved pairs."""
        for old, new, agreed, items in data:
            pair = self.pairs[old, new] = EngineVersionPair()
            pair.items = [Item(*item) for item in items]
            pair.places = {item.id: place for place, item in enumerate(pair.items)}
            pair.agreed = agreed
