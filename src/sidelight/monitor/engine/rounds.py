"""Predictions with scores: rounds of a class, the evidence from those that count, what classes learn from each other.

The predictions that the coin let pass since the last verification, and the verification that ends them, form a *block*.
A block counts, or is dropped when its answer is lost, as a whole, and blocks count in the order of asking, as in
`sidelight.monitor.engine.line`. A new design begins with a new block, so that all passes of a block have one design;
a verification that no coin was tossed for (a spot check, say) may end the block, with the propensity 1.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.monitor.engine.line import PENDING, RIGHT, WRONG, VerificationLine
from sidelight.monitor.stats.confidence import RateTest, Verdict
from sidelight.monitor.stats.randomness import uniform_number_of_key
from sidelight.monitor.stats.scores import bets
from sidelight.monitor.stats.scores.bins import (
    BINS,
    EDGES_AFTER,
    Array,
    Prior,
    Slope,
    fit_logits_of_score_bins,
    prior_of_score_slopes,
    quantile_edges_of_score_bins,
    score_bin_of,
)
from sidelight.monitor.stats.scores.design import optimal_propensity_design
from sidelight.monitor.stats.scores.quality import ScoreReport, score_quality_statistics
from sidelight.monitor.types import Label

if TYPE_CHECKING:
    from sidelight.monitor.engine.class_state import ClassState

_FIRST, _FEWEST_ERRORS, _GROWTH = 20, 2, 1.15
"""Answers and errors before the first design, and by how much answers grow between designs."""
_FAIR, _TOSSED = 1, 2
"""Whether a verification would have been made with any score, and whether a coin was tossed for it."""
_OUTCOMES = {RIGHT: bets.RIGHT, WRONG: bets.WRONG}


class EngineRounds:
    """What is known about the scores of one class; places are those of its `line`, from its origin on.

    Of each verification: its score (NaN if it has none), the number of the epoch of its block, where its passes end in
    `passes`, which holds their bins, and its kind. `verified`, `errors` and `seen` count answers and rounds by bin for
    the map from scores to errors, and `sums` are the sums of rows, see
    `sidelight.monitor.stats.scores.bets.BettingEpoch`, of all rounds that count.
    """

    def __init__(self, test: RateTest, line: VerificationLine, key: int, edges: Sequence[Sequence[float]]) -> None:
        self.line, self.key, self.edges = line, key, edges
        self.sides = bets.betting_sides_of_test(test)
        self.scores: array[float] = array("d", [math.nan] * len(line.marks))
        self.epochs_of: array[int] = array("H", [0] * len(line.marks))
        self.ends: array[int] = array("Q", [0] * len(line.marks))
        self.kinds: array[int] = array("B", [_FAIR] * len(line.marks))
        self.passes = bytearray()
        self.dropped = 0
        """Passes of blocks that are no longer kept."""
        self.epochs = [bets.betting_epoch_without_scores(self.sides)]
        self.edges_of = [-1]
        """Which edges the bins of each epoch have; -1 before there are any."""
        self.now = self.next = 0
        """The epoch of the block under way, and that of the one after it."""
        self.labels_per_nat = math.inf
        self.redesign_at = _FIRST
        self.slope = Slope()
        self.spared = 0
        self.verified, self.errors, self.seen = np.zeros(BINS), np.zeros(BINS), np.zeros(BINS)
        self.fair_n = self.fair_e = 0
        self.sums = self.sides.start()
        for i in range(line.counted):
            if line.marks[i] in _OUTCOMES:
                self._add(i, line.marks[i], 1)

    @property
    def designed(self) -> bool:
        """Whether some counted round was verified with a propensity below 1."""
        return any(one.rounds for one in self.epochs[1:])

    def chance(self, score: float) -> float:
        """Return the propensity of a prediction in the block under way."""
        return self.epochs[self.now].chances[self._bin(self.now, score)] if self.now else 1.0

    def toss(self, place: int, score: float) -> tuple[bool, float]:
        """Return whether to verify a prediction, which is the `place`-th of the class, and with which propensity."""
        chance = self.chance(score)
        return chance >= 1.0 or uniform_number_of_key(self.key, place) < chance, chance

    def spare(self, score: float) -> None:
        """Enter a prediction that the coin let pass."""
        self.passes.append(self._bin(self.now, score))
        self.spared += 1
        self._see(score)

    def ask(self, place: int, score: float, tossed: bool) -> None:
        """Enter a verification, which ends the block; it is the `place`-th prediction of the class."""
        fair = not tossed or self.now == 0 or uniform_number_of_key(self.key, place) < self.epochs[self.now].least
        self.scores.append(score)
        self.epochs_of.append(self.now)
        self.ends.append(self.dropped + len(self.passes))
        self.kinds.append(_FAIR * fair | _TOSSED * tossed)
        self.now = self.next
        self._see(score)

    def _see(self, score: float) -> None:
        if self.edges:
            self.seen[score_bin_of(self.edges[-1], score)] += 1.0

    def learn(self, i: int, before: int, after: int) -> None:
        """Count a changed answer for the map from scores to errors."""
        if self.edges:
            place = score_bin_of(self.edges[-1], self.scores[i])
            self.verified[place] += (after in _OUTCOMES) - (before in _OUTCOMES)
            self.errors[place] += (after == WRONG) - (before == WRONG)

    def begin_map(self, seen: Array) -> None:
        """Count everything again in new bins; `seen` are the rounds so far."""
        self.seen = seen
        self.verified, self.errors = np.zeros(BINS), np.zeros(BINS)
        for i, mark in enumerate(self.line.marks):
            self.learn(i, -1, mark)
        self.next = 0
        self.redesign_at = min(self.redesign_at, max(_FIRST, int(self.verified.sum())))

    @property
    def due(self) -> bool:
        """Whether it is time for a new design: without errors nothing beats a fair sample."""
        known = self.verified.sum()
        return bool(self.edges) and known >= self.redesign_at and self.errors.sum() >= _FEWEST_ERRORS

    def redesign(self, prior: Prior) -> None:
        """Fit error rates to the bins of scores, and choose each bin's propensity from the next block on."""
        known, tolerance = float(self.verified.sum()), self.sides.test.rate
        shares = (self.seen + 0.5) / (self.seen.sum() + 0.5 * BINS)
        logits, self.slope = fit_logits_of_score_bins(self.verified, self.errors, tolerance, prior)
        found = optimal_propensity_design(logits, shares, tolerance)
        self.labels_per_nat = found.labels
        self.redesign_at = max(int(known) + 1, int(_GROWTH * known))
        if found.propensities.min() >= 1.0:
            self.next = 0
            return
        for one in self.epochs[1:-1]:
            one.forget_rows()
        self.epochs.append(bets.BettingEpoch(self.sides, found.propensities, found.centres, shares))
        self.edges_of.append(len(self.edges) - 1)
        self.next = len(self.epochs) - 1

    def fair(self, i: int) -> bool:
        """Return whether a verification would have been made with any score: these are a fair sample of rounds."""
        return bool(self.kinds[i] & _FAIR)

    def count(self, i: int, status: int) -> None:
        """Count the answered block that ends with the verification at `i`."""
        self._add(i, status, 1)

    def change(self, i: int, before: int, after: int) -> None:
        """Replace the answer of a counted verification."""
        if before in _OUTCOMES:
            self._add(i, before, -1)
        if after in _OUTCOMES:
            self._add(i, after, 1)

    def _add(self, i: int, status: int, times: int) -> None:
        passes, own = self._epochs_at(i)
        row = self._row(i, status)
        self.sums += row if times > 0 else -row
        begin, end = self._block(i)
        passes.rounds += times * (end - begin)
        own.rounds += times
        if self.kinds[i] & _FAIR:
            self.fair_n += times
            self.fair_e += times * (status == WRONG)

    def _row(self, i: int, status: int) -> Array:
        """Return the row that a block adds to `sums`."""
        passes, own = self._epochs_at(i)
        row = self._row_of(own, self._bin(self.epochs_of[i], self.scores[i]), status)
        begin, end = self._block(i)
        if end > begin:
            row = row + passes.rows[np.frombuffer(self.passes[begin:end], dtype=np.uint8), bets.PASSED].sum(axis=0)
        return row

    @staticmethod
    def _row_of(epoch: bets.BettingEpoch, place: int, status: int) -> Array:
        row: Array = epoch.rows[place, _OUTCOMES[status]]
        return row

    def _epochs_at(self, i: int) -> tuple[bets.BettingEpoch, bets.BettingEpoch]:
        """Return the epoch of the passes of a block, and that of its verification."""
        passes = self.epochs[self.epochs_of[i]]
        return passes, passes if self.kinds[i] & _TOSSED else self.epochs[0]

    def _block(self, i: int) -> tuple[int, int]:
        return (self.ends[i - 1] if i else self.dropped) - self.dropped, self.ends[i] - self.dropped

    def _bin(self, epoch: int, score: float) -> int:
        edges = self.edges_of[epoch]
        return 0 if edges < 0 else score_bin_of(self.edges[edges], score)

    def verdict(self) -> Verdict:
        """Return the verdict of all rounds that count."""
        return self.sides.verdict(self.sums)

    def latest_verdict(self, start: int, end: int) -> Verdict:
        """Return the latest certain verdict at `end` or before it, going back to `start`."""
        sums, marks = self.sums.copy(), self.line.marks
        for i in range(self.line.counted, start - 1, -1):
            if i < self.line.counted and marks[i] in _OUTCOMES:
                sums -= self._row(i, marks[i])
            if i <= end and (found := self.sides.verdict(sums)) != "unknown":
                return found
        return "unknown"

    def interval(self, verdict: Verdict) -> tuple[float, float]:
        """Return the interval of the error rate."""
        return bets.betting_confidence_interval(self.sides, self.sums, self.epochs, verdict)

    def needed(self) -> int | None:
        """Estimate how many more answers the verdict takes with the design in force; None if there is none."""
        if not self.next:
            return None
        parts = self.sides.parts[:2]
        missing = self.sides.test.limit - max(bets.log_sum_of_bets(self.sums[part]) for part in parts)
        return max(1, math.ceil(missing * self.labels_per_nat))

    def worth(self) -> float:
        """Return how many answers without scores would tell as much as everything that counts."""
        return sum(one.rounds * one.worth for one in self.epochs)

    def quality(self) -> ScoreReport:
        """Return the quality of the scores."""
        scores = np.array(self.scores)
        marks = np.frombuffer(self.line.marks, dtype=np.uint8)
        settled = (marks != PENDING) & ~np.isnan(scores)
        answered = np.isin(marks, list(_OUTCOMES))[settled].astype(float)
        saved = self.spared, round(self.worth()) - self.line.n
        return score_quality_statistics(
            self.sides.test, self.seen, (self.verified, self.errors), saved, (scores[settled], answered)
        )

    def estimate(self) -> float | None:
        """Return the mean of z over the rounds that count; None if there are none."""
        rounds = sum(one.rounds for one in self.epochs)
        return min(1.0, max(0.0, float(self.sums[-1]) / rounds)) if rounds else None

    def latest_fair(self, most: int) -> bytes:
        """Return the last counted answers of the fair sample, 0 for right and 1 for wrong, in the order of asking."""
        places = (i for i in range(self.line.counted - 1, -1, -1) if self.fair(i) and self.line.marks[i] in _OUTCOMES)
        return bytes(self.line.marks[i] == WRONG for i in islice(places, most))[::-1]

    def restart(self, counted: int) -> None:
        """Begin anew after a change of the error rate, from the verification with this place on."""
        self.fold(counted)
        used = sorted({0, self.now, *self.epochs_of})
        self.epochs = [self.epochs[k] for k in used]
        self.edges_of = [self.edges_of[k] for k in used]
        self.epochs_of = array("H", map(used.index, self.epochs_of))
        self.now, self.next = used.index(self.now), 0
        for one in self.epochs:
            one.rounds = 0
        self.sums, self.slope, self.fair_n, self.fair_e = self.sides.start(), Slope(), 0, 0
        self.redesign_at, self.labels_per_nat = _FIRST, math.inf
        self.begin_map(np.zeros(BINS))

    def fold(self, i: int) -> None:
        """Forget the blocks before the verification at `i`, which can no longer change; their sums stay."""
        if i:
            end = self._block(i - 1)[1]
            del self.passes[:end]
            self.dropped += end
            for one in (self.scores, self.epochs_of, self.ends, self.kinds):
                del one[:i]

    def plain(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        return {name: getattr(self, name) for name in _SAVED} | {
            "scores": [None if one != one else one for one in self.scores],
            "epochs_of": self.epochs_of.tolist(),
            "ends": self.ends.tolist(),
            "kinds": self.kinds.tolist(),
            "passes": self.passes.hex(),
            "epochs": [
                [edges, one.rounds, *(getattr(one, name).tolist() for name in _DESIGN)]
                for edges, one in zip(self.edges_of, self.epochs, strict=True)
            ],
            "labels_per_nat": None if math.isinf(self.labels_per_nat) else self.labels_per_nat,
            "slope": list(self.slope),
            **{name: getattr(self, name).tolist() for name in _VECTORS},
        }

    def restore(self, data: dict[str, Any]) -> None:
        """Restore saved values."""
        for name in _SAVED:
            setattr(self, name, data[name])
        self.scores = array("d", [math.nan if one is None else one for one in data["scores"]])
        self.epochs_of, self.ends = array("H", data["epochs_of"]), array("Q", data["ends"])
        self.kinds, self.passes = array("B", data["kinds"]), bytearray.fromhex(data["passes"])
        self.edges_of, self.epochs = [], []
        for edges, rounds, *values in data["epochs"]:
            self.edges_of.append(edges)
            self.epochs.append(bets.BettingEpoch(self.sides, *map(np.array, values)))
            self.epochs[-1].rounds = rounds
        self.labels_per_nat = math.inf if data["labels_per_nat"] is None else data["labels_per_nat"]
        self.slope = Slope(*data["slope"])
        for name in _VECTORS:
            setattr(self, name, np.array(data[name]))


_SAVED = ("dropped", "now", "next", "redesign_at", "spared", "fair_n", "fair_e")
_VECTORS = ("verified", "errors", "seen", "sums")
_DESIGN = ("propensities", "centres", "shares")


class EngineScores:
    """The first scores of a monitor, and the edges that were set from them.

    `edges` has one list of edges after 64 scores and two after 512; `early` holds the scores until then, each with its
    class.
    """

    def __init__(self, classes: Mapping[Label, ClassState]) -> None:
        self.classes = classes
        self.edges: list[list[float]] = []
        self.early: list[tuple[ClassState, float]] = []

    def note(self, state: ClassState, score: float) -> None:
        """Count a score (NaN if it is missing); set the edges of bins when there are enough scores."""
        if len(self.edges) == len(EDGES_AFTER) or score != score:
            return
        self.early.append((state, score))
        if len(self.early) < EDGES_AFTER[len(self.edges)]:
            return
        self.edges.append(quantile_edges_of_score_bins(score for _, score in self.early))
        seen = {state: np.zeros(BINS) for state in self.classes.values()}
        for one, value in self.early:
            seen[one][score_bin_of(self.edges[-1], value)] += 1.0
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
            state.redesign(prior_of_score_slopes(others))

    def plain(self, places: dict[ClassState, int]) -> dict[str, Any]:
        """Return everything as plain data for JSON; `places` numbers the classes."""
        return {"edges": self.edges, "early": [[places[state], score] for state, score in self.early]}

    def restore(self, data: dict[str, Any], states: list[ClassState]) -> None:
        """Restore saved values."""
        self.edges[:] = data["edges"]
        self.early = [(states[place], score) for place, score in data["early"]]
