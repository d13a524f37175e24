"""The cells of a game with two outcomes, by sorting.

Under the law (1 - q, q) an action with the loss row (a, b) loses a + q (b - a): a line over q. The Pareto-optimal
actions are the lines that make up the lower envelope over [0, 1], their cells its pieces, and neighbors meet where it
bends. So n log n steps answer what in general takes a linear program for each action and each pair.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from sidelight.analysis.cells import ActionCertificate, Cells, NeighborCertificate

_ONE = Fraction(1)


class TwoOutcomeEnvelope(Cells):
    """The cells of a game with two outcomes."""

    @cached_property
    def certificates(self) -> dict[int, ActionCertificate]:
        """The status of every class of duplicates, by its representative, with proof.

        The proof of a Pareto-optimal action is the middle of its cell.
        """
        ends = [Fraction(0), *self.bends, _ONE]
        middles = [(low + high) / 2 for low, high in pairwise(ends)]
        found = {
            i: ActionCertificate("pareto", _law_of_two_outcomes(q), None)
            for i, q in zip(self.pieces, middles, strict=True)
        }
        return {i: found[i] if i in found else self._above(i) for i in self.classes}

    @cached_property
    def neighbors(self) -> tuple[tuple[int, int], ...]:
        """The pairs of neighbors i < j, one action per class of duplicates."""
        return tuple(sorted(self._meeting))

    def on_line(self, i: int, j: int) -> tuple[int, ...]:
        """Return the actions whose loss rows lie on the line through those of i and j: those that are as good there."""
        q = self._meeting.get((min(i, j), max(i, j)))
        return super().on_line(i, j) if q is None else tuple(self._optimal[q])

    def _neighbor(self, i: int, j: int) -> NeighborCertificate:
        q = self._meeting.get((i, j))
        return (
            super()._neighbor(i, j)
            if q is None
            else NeighborCertificate(True, _law_of_two_outcomes(q), None, None, None)
        )

    def _slope(self, i: int) -> int:
        return self.loss[i][1] - self.loss[i][0]

    def _loss_at(self, i: int, q: Fraction) -> Fraction:
        return self.loss[i][0] + q * self._slope(i)

    def _crossing(self, i: int, j: int) -> Fraction:
        """Return the q at which two lines of different slopes cross."""
        return Fraction(self.loss[j][0] - self.loss[i][0], self._slope(i) - self._slope(j))

    @cached_property
    def pieces(self) -> list[int]:
        """The Pareto-optimal actions from q = 0 to q = 1, so with falling slopes."""
        pieces: list[int] = []
        starts: list[Fraction] = []  # where each piece begins; the first one before q = 0
        for i in sorted(self.classes, key=lambda i: (-self._slope(i), self.loss[i][0])):
            if pieces and self._slope(pieces[-1]) == self._slope(i):
                continue  # parallel, and above
            start = Fraction(0)
            while pieces:
                start = max(Fraction(0), self._crossing(pieces[-1], i))
                if start > starts[-1]:
                    break
                pieces.pop()
                starts.pop()
                start = Fraction(0)
            if start < 1:
                pieces.append(i)
                starts.append(start)
        return pieces

    @cached_property
    def bends(self) -> list[Fraction]:
        """The values of q at which the envelope changes its slope."""
        return [self._crossing(*pair) for pair in pairwise(self.pieces)]

    @cached_property
    def _meeting(self) -> dict[tuple[int, int], Fraction]:
        """The q at which neighbors i < j meet."""
        pairs = ((min(pair), max(pair)) for pair in pairwise(self.pieces))
        return dict(zip(pairs, self.bends, strict=True))

    @cached_property
    def _optimal(self) -> dict[Fraction, list[int]]:
        """The actions, duplicates included, that are optimal at each bend."""
        meeting: defaultdict[Fraction, set[int]] = defaultdict(set)
        for pair, q in self._meeting.items():
            meeting[q].update(pair)
        for i in self.classes:
            if self.status(i) == "degenerate":
                meeting[self._nearest(i)[0]].add(i)
        members: defaultdict[int, list[int]] = defaultdict(list)
        for k, first in enumerate(self.representative):
            members[first].append(k)
        return {q: sorted(k for i in group for k in members[i]) for q, group in meeting.items()}

    def _nearest(self, i: int) -> tuple[Fraction, dict[int, Fraction]]:
        """Return the q at which the line of an action is nearest to the envelope, and the mixture below it.

        The distance is convex. Its least value is at the bend where the envelope's slopes pass that of the line, and
        the two actions that meet there can be mixed to the same slope; or it is at an end.
        """
        place = bisect_left(self.pieces, -self._slope(i), key=lambda k: -self._slope(k))
        if place == 0:
            return Fraction(0), {self.pieces[0]: _ONE}
        if place == len(self.pieces):
            return _ONE, {self.pieces[-1]: _ONE}
        left, right = self.pieces[place - 1], self.pieces[place]
        share = Fraction(self._slope(i) - self._slope(right), self._slope(left) - self._slope(right))
        weights = {left: share, right: 1 - share}
        return self.bends[place - 1], {k: weight for k, weight in sorted(weights.items()) if weight}

    def _above(self, i: int) -> ActionCertificate:
        """Say whether an action that is not Pareto-optimal touches the envelope, with proof."""
        q, mixture = self._nearest(i)
        if self._loss_at(i, q) == self._loss_at(next(iter(mixture)), q):
            return ActionCertificate("degenerate", _law_of_two_outcomes(q), mixture)
        return ActionCertificate("dominated", None, mixture)


def _law_of_two_outcomes(q: Fraction) -> tuple[Fraction, Fraction]:
    return (1 - q, q)
