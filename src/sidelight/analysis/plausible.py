"""Which cells and borders can the outcome law still be in? Answered for millions of rounds with a handful of solves.

A strategy that decides the sign of some loss differences d_e p (one per pair e of neighbors) confines p to the open set
D = {p : sign_e d_e p > 0 for decided e}. Each round it asks which cells, and which borders between neighbors, meet D.

- Few pairs: a table over all sign vectors, filled as they are met.
- Two outcomes: cells are intervals in a row, and the decided signs leave a stretch of them: no solver at all.
- Otherwise: per cell and border a pool of points (with the signs each satisfies) and a pool of certificates (few signs
  that cannot hold together there), as bit masks. A point that satisfies all decided signs means yes, a certificate that
  is contained in them means no. Only a question that neither pool answers leaves the compiled loop.

Every fact in a pool is exact (see `alternative`), so what is known, in which order it was learnt and by which thread,
can change the time a question takes but never its answer.
"""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight._kernel import kernel
from sidelight.analysis.alternative import Possible, decide, propose_point
from sidelight.analysis.linear_algebra import Row, to_integers

if TYPE_CHECKING:
    from sidelight.analysis.analysis import Analysis, Pair

UNKNOWN, EMPTY = -1, -2
TABLE, _INTERVALS, _POOLS = 0, 1, 2
_MOST_TABLE_PAIRS = 10  # 3^10 entries
_POOL_WORDS = 1 << 22  # at most 32 MB of points, and as much of certificates
_MOST_POOL = 1024
_SEEDS = 40

Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]


class Plausible(NamedTuple):
    """What compiled code may know: a snapshot whose entries never change while it is in use."""

    mode: int
    table: npt.NDArray[np.int32]  # of sign vectors in base 3: a row of `allowed` and `observing`, or a negative code
    rows: int  # how many of those rows this snapshot may use
    allowed: Flags  # (rows, actions): P(t) u N+(t)
    observing: Flags  # (rows, actions): V(t)
    only: npt.NDArray[np.int64]  # (rows,): the one action that a row leaves, else -1
    rank: Integers  # of each pair's breakpoint along the interval of two-outcome games
    side: Integers  # 1 where a positive sign means right of the breakpoint, else -1
    points: Bits  # (borders then cells, pool, words)
    n_points: Integers
    certificates: Bits
    n_certificates: Integers
    first: Integers  # the cells (by position) on both sides of each pair
    second: Integers
    members: Flags  # (cells, actions): a cell's action and its duplicates
    neighborhood: Flags  # (pairs, actions): N+
    observers: Flags  # (pairs, actions): V


@kernel
def meets(facts: Plausible, target: int, wanted: Bits, hints: Integers) -> int:
    """Say whether a border or cell meets D, `wanted` being the mask of the decided signs: 1, 0 or UNKNOWN."""
    words = wanted.shape[0]
    count = facts.n_points[target]
    hint = hints[target, 0]
    for step in range(-1, count):
        which = hint if step < 0 else step
        if which < count:
            inside = True
            for w in range(words):
                if wanted[w] & ~facts.points[target, which, w] != 0:
                    inside = False
                    break
            if inside:
                hints[target, 0] = which
                return 1
    count = facts.n_certificates[target]
    hint = hints[target, 1]
    for step in range(-1, count):
        which = hint if step < 0 else step
        if which < count:
            outside = True
            for w in range(words):
                if facts.certificates[target, which, w] & ~wanted[w] != 0:
                    outside = False
                    break
            if outside:
                hints[target, 1] = which
                return 0
    return UNKNOWN


@kernel
def mask_of(signs: Integers, wanted: Bits) -> None:
    """Write the decided signs as bits: 2 e for a positive sign of pair e, 2 e + 1 for a negative one."""
    one = np.uint64(1)
    for w in range(wanted.shape[0]):
        wanted[w] = np.uint64(0)
    for e in range(signs.shape[0]):
        if signs[e] != 0:
            bit = 2 * e + (1 if signs[e] < 0 else 0)
            wanted[bit >> 6] |= one << np.uint64(bit & 63)


@kernel
def pooled(facts: Plausible, signs: Integers, wanted: Bits, hints: Integers, alive: Flags) -> int:
    """Mark in `alive` which borders (first) and cells meet D; return how many cells do, or UNKNOWN."""
    mask_of(signs, wanted)
    pairs, cells = signs.shape[0], facts.members.shape[0]
    for c in range(cells):
        alive[pairs + c] = 0
    for e in range(pairs):
        answer = meets(facts, e, wanted, hints)
        if answer == UNKNOWN:
            return UNKNOWN
        alive[e] = answer
        if answer == 1:  # a border's point lies in both cells
            alive[pairs + facts.first[e]] = 1
            alive[pairs + facts.second[e]] = 1
    count = 0
    for c in range(cells):
        if alive[pairs + c] == 0:
            answer = meets(facts, pairs + c, wanted, hints)
            if answer == UNKNOWN:
                return UNKNOWN
            alive[pairs + c] = answer
        count += alive[pairs + c]
    return count


@kernel
def between(facts: Plausible, signs: Integers, alive: Flags) -> int:
    """Do the same for a game of two outcomes, whose cells lie in a row with the breakpoints 0, 1, ... between them."""
    pairs = signs.shape[0]
    low, high = -1, pairs
    for e in range(pairs):
        if signs[e] * facts.side[e] > 0:
            low = max(low, facts.rank[e])
        elif signs[e] != 0:
            high = min(high, facts.rank[e])
    for e in range(pairs):
        alive[e] = 1 if low < facts.rank[e] < high else 0
    for c in range(pairs + 1):
        alive[pairs + c] = 1 if low < c <= high else 0
    return max(0, high - low)


@kernel
def look_up(
    facts: Plausible,
    signs: Integers,
    wanted: Bits,
    hints: Integers,
    alive: Flags,
    allowed: Flags,
    observing: Flags,
) -> int:
    """Find P(t) u N+(t) and V(t) for the decided signs.

    Returns a row of the table; or the number of rows, with the answer in `allowed` and `observing`; or EMPTY if no law
    has these signs; or UNKNOWN.
    """
    if facts.mode == TABLE:
        index = 0
        for e in range(signs.shape[0]):
            index = 3 * index + signs[e] + 1
        row = int(facts.table[index])
        return UNKNOWN if row >= facts.rows else row
    two = facts.mode == _INTERVALS
    count = between(facts, signs, alive) if two else pooled(facts, signs, wanted, hints, alive)
    if count <= 0:
        return UNKNOWN if count == UNKNOWN else EMPTY
    unite(facts, alive, allowed, observing)
    return facts.rows


@kernel
def unite(facts: Plausible, alive: Flags, allowed: Flags, observing: Flags) -> None:
    """Join the members of the cells and the neighborhoods and observers of the borders that meet D."""
    pairs, actions = facts.neighborhood.shape
    for a in range(actions):
        allowed[a] = 0
        observing[a] = 0
    for e in range(pairs):
        if alive[e] == 1:
            for a in range(actions):
                allowed[a] |= facts.neighborhood[e, a]
                observing[a] |= facts.observers[e, a]
    for c in range(facts.members.shape[0]):
        if alive[pairs + c] == 1:
            for a in range(actions):
                allowed[a] |= facts.members[c, a]


class PlausibleSets:
    """What has been learnt about one game, shared by all strategies, runs and threads that play it.

    `sets` are the observers V of each pair of neighbors, which a strategy may choose.
    """

    def __init__(self, analysis: Analysis, sets: tuple[tuple[int, ...], ...]) -> None:
        self._analysis = analysis
        self._lock = threading.Lock()
        self._pairs: tuple[Pair, ...] = analysis.neighbors
        self._cells = _row_of_cells(analysis) if analysis.game.n_outcomes == 2 else analysis.cells.pareto
        self.solved = 0
        """How many questions had to be put to a solver so far."""
        rows = [analysis.cells.difference(*pair) for pair in self._pairs]
        # By pair and sign: the row that is positive where the sign holds.
        self._signed = [{1: row, -1: tuple(-value for value in row)} for row in rows]
        self._differences = np.array(rows, dtype=object).reshape(len(rows), analysis.game.n_outcomes)
        self._facts = self._initial(sets)
        self._regions = [self._region(target) for target in range(self.sizes[1])]
        if self._facts.mode != _INTERVALS and analysis.game.n_outcomes > 2:
            self._seed()

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of scratch arrays: words of a mask, borders and cells, actions."""
        return self._facts.points.shape[2], self._facts.points.shape[0], self._analysis.game.n_actions

    def snapshot(self) -> Plausible:
        """Return what is known now."""
        with self._lock:
            return self._facts

    def learn(self, signs: Integers, leaning: npt.NDArray[np.float64] | None = None) -> Plausible:
        """Answer every open question about these signs and return a snapshot that holds the answers.

        `leaning` holds the estimates of all differences, decided or not: a point that agrees with all of their signs
        will answer many questions to come, so such points are looked for first.
        """
        with self._lock:
            alive = np.zeros(self.sizes[1], np.uint8)
            if self._analysis.game.n_outcomes == 2:
                between(self._facts, signs, alive)
            else:
                self._settle(signs, leaning, alive)
            if self._facts.mode == TABLE:
                self._tabulate(signs, alive)
            return self._facts

    def _settle(self, signs: Integers, leaning: Any, alive: Flags) -> None:
        """Find out which borders and cells meet D, from the pools or else from the solver."""
        wanted = np.zeros(self.sizes[0], np.uint64)
        mask_of(signs, wanted)
        decided = [(e, int(sign)) for e, sign in enumerate(signs) if sign]
        hoped = []
        if leaning is not None:
            hoped = [(e, 1 if leaning[e] > 0 else -1) for e, sign in enumerate(signs) if not sign and leaning[e]]
        for target in range(self.sizes[1]):
            answer = self._known(target, wanted)
            alive[target] = self._solve(target, decided, hoped) if answer is None else answer

    def _known(self, target: int, wanted: Bits) -> bool | None:
        """Do what `meets` does, for Python."""
        facts = self._facts
        points = facts.points[target, : facts.n_points[target]]
        if ((wanted & ~points) == 0).all(axis=1).any():
            return True
        certificates = facts.certificates[target, : facts.n_certificates[target]]
        return False if ((certificates & ~wanted) == 0).all(axis=1).any() else None

    def _solve(self, target: int, decided: list[tuple[int, int]], hoped: list[tuple[int, int]]) -> bool:
        """Put one question to the solver and keep the point or the certificate that it finds."""
        self.solved += 1
        weak, equal, inside = self._regions[target]
        rows = self._rows(decided)
        point = propose_point(rows, weak, equal, inside, self._rows([one for one in hoped if one[0] != target]))
        answer = decide(rows, weak, equal, inside) if point is None else Possible(point)
        if isinstance(answer, Possible):
            self._add_point(target, answer.point)
            return True
        self._keep("certificates", target, [bit(*decided[n]) for n, weight in enumerate(answer.strict) if weight])
        return False

    def _rows(self, signs: list[tuple[int, int]]) -> list[Row]:
        return [self._signed[e][sign] for e, sign in signs]

    def _tabulate(self, signs: Integers, alive: Flags) -> None:
        """Enter an answer into the table: its row first, so that no reader meets an index without a row."""
        facts, index = self._facts, 0
        for sign in signs:
            index = 3 * index + int(sign) + 1
        allowed, observing = np.zeros((2, self.sizes[2]), np.uint8)
        unite(facts, alive, allowed, observing)
        if not alive.any():
            facts.table[index] = EMPTY
            return
        known = np.flatnonzero((facts.allowed == allowed).all(axis=1) & (facts.observing == observing).all(axis=1))
        if not known.size:
            choice = np.flatnonzero(allowed | observing)
            self._facts = facts._replace(
                allowed=np.vstack([facts.allowed, allowed]),
                observing=np.vstack([facts.observing, observing]),
                only=np.append(facts.only, choice[0] if choice.size == 1 else -1),
                rows=facts.rows + 1,
            )
        facts.table[index] = known[0] if known.size else facts.rows

    def _region(self, target: int) -> tuple[list[Row], Row | None, Row]:
        """Describe a border or cell: weak rows, equation, and a point inside.

        A cell is bounded by its neighbors alone, and a border is the face of a cell.
        """
        cells = self._analysis.cells
        if target < len(self._pairs):
            i, j = self._pairs[target]
            equal: Row | None = cells.difference(i, j)
            point = cells.neighbor_certificate(i, j).point
        else:
            i = j = self._cells[target - len(self._pairs)]
            equal, point = None, cells.certificates[i].point
        assert point is not None
        rivals = [b if a == i else a for a, b in self._pairs if i in (a, b)]
        weak: list[Row] = [cells.difference(k, i) for k in rivals if k != j]
        return weak, equal, to_integers([point])[0][0]

    def _add_point(self, target: int, point: Row) -> None:
        """Keep a point: its mask has every sign that it satisfies."""
        values = self._differences @ np.array(point, dtype=object)
        bits = [bit(e, 1 if value > 0 else -1) for e, value in enumerate(values) if value]
        self._keep("points", target, bits)

    def _keep(self, pool: str, target: int, bits: list[int]) -> None:
        """Append a mask to a pool.

        Entries in use are never overwritten: a full pool is copied, and of the copy the middle half is dropped (the
        oldest facts are the most general ones, the newest those in demand).
        """
        entries: Bits = getattr(self._facts, pool)
        counts: Integers = getattr(self._facts, f"n_{pool}").copy()
        capacity = entries.shape[1]
        if counts[target] == capacity:
            entries = entries.copy()
            quarter = capacity // 4
            entries[target, quarter : 2 * quarter] = entries[target, capacity - quarter :]
            entries[target, 2 * quarter :] = 0
            counts[target] = 2 * quarter
        for b in bits:
            entries[target, counts[target], b >> 6] |= np.uint64(1 << (b & 63))
        counts[target] += 1
        changed: dict[str, Any] = {pool: entries, f"n_{pool}": counts}
        self._facts = self._facts._replace(**changed)

    def _seed(self) -> None:
        """Start the pools: what lies on the wrong side of one decided pair is out, and some points are known."""
        pairs = self._pairs
        for e, (i, j) in enumerate(pairs):
            self._keep("certificates", e, [bit(e, 1)])
            self._keep("certificates", e, [bit(e, -1)])
            for loser, sign in ((i, 1), (j, -1)):  # L_i - L_j > 0 rules i out
                self._keep("certificates", len(pairs) + self._cells.index(loser), [bit(e, sign)])
                for other, pair in enumerate(pairs):
                    if loser in pair and other != e:
                        self._keep("certificates", other, [bit(e, sign)])
        for target in range(self.sizes[1]):
            self._add_point(target, self._regions[target][2])
        self._scatter()

    def _scatter(self) -> None:
        """Add random points to the pools of the cells they lie in."""
        rng = np.random.default_rng(0)
        loss = self._analysis.cells.loss
        for q in rng.dirichlet(np.full(self._analysis.game.n_outcomes, 0.5), size=_SEEDS * len(self._cells)):
            point = [int(value) for value in np.rint(q * (1 << 30))]
            costs = [sum(a * b for a, b in zip(loss[i], point, strict=True)) for i in self._cells]
            best = min(costs)
            if costs.count(best) == 1:
                target = len(self._pairs) + costs.index(best)
                if self._facts.n_points[target] < min(_SEEDS, self._facts.points.shape[1] // 2):
                    self._add_point(target, point)

    def _initial(self, sets: tuple[tuple[int, ...], ...]) -> Plausible:
        analysis, pairs, cells = self._analysis, self._pairs, self._cells
        actions = analysis.game.n_actions
        few = len(pairs) <= _MOST_TABLE_PAIRS
        mode = TABLE if few else _INTERVALS if analysis.game.n_outcomes == 2 else _POOLS
        targets = len(pairs) + len(cells)
        words = max(1, -(-2 * len(pairs) // 64))
        # Room for the facts that the pools start with, and as much again.
        size = max(4 * (len(cells) + _SEEDS), min(_MOST_POOL, _POOL_WORDS // (targets * words)))
        rank, side = _breakpoints(analysis)
        position = {i: n for n, i in enumerate(cells)}
        return Plausible(
            mode=mode,
            table=np.full(3 ** len(pairs) if few else 1, UNKNOWN, np.int32),
            rows=0,
            allowed=np.zeros((0, actions), np.uint8),
            observing=np.zeros((0, actions), np.uint8),
            only=np.zeros(0, np.int64),
            rank=rank,
            side=side,
            points=np.zeros((targets, size, words), np.uint64),
            n_points=np.zeros(targets, np.int64),
            certificates=np.zeros((targets, size, words), np.uint64),
            n_certificates=np.zeros(targets, np.int64),
            first=np.array([position[i] for i, _ in pairs], np.int64),
            second=np.array([position[j] for _, j in pairs], np.int64),
            members=_flags([_members(analysis, i) for i in cells], actions),
            neighborhood=_flags([analysis.neighborhood(*pair) for pair in pairs], actions),
            observers=_flags(sets, actions),
        )


def bit(e: int, sign: int) -> int:
    """Return the place of pair e with this sign in a mask."""
    return 2 * e + (sign < 0)


def _members(analysis: Analysis, i: int) -> list[int]:
    return [k for k, r in enumerate(analysis.cells.representative) if r == i]


def _flags(sets: Any, actions: int) -> Flags:
    flags = np.zeros((len(sets), actions), np.uint8)
    for row, members in enumerate(sets):
        flags[row, list(members)] = 1
    return flags


def _breakpoints(analysis: Analysis) -> tuple[Integers, Integers]:
    """Return the order of the breakpoints of a two-outcome game along p_0, and the side of a positive sign.

    d_0 s + d_1 (1 - s) = 0 at s = d_1 / (d_1 - d_0), and the difference grows with s where d_0 > d_1.
    """
    if analysis.game.n_outcomes != 2:
        nothing = np.zeros(len(analysis.neighbors), np.int64)
        return nothing, nothing
    rows = [analysis.cells.difference(*pair) for pair in analysis.neighbors]
    breaks = [Fraction(d1, d1 - d0) for d0, d1 in rows]
    rank = np.array([sorted(breaks).index(value) for value in breaks], np.int64)
    return rank, np.array([1 if d0 > d1 else -1 for d0, d1 in rows], np.int64)


def _row_of_cells(analysis: Analysis) -> tuple[int, ...]:
    """Return the cells of a two-outcome game along p_0: right of a breakpoint lies the cell that is better there."""
    if not analysis.neighbors:
        return analysis.cells.pareto
    rank, side = _breakpoints(analysis)
    # Where d_ij p > 0, action j is better than action i.
    sides = [(i, j) if s > 0 else (j, i) for (i, j), s in zip(analysis.neighbors, side, strict=True)]
    ordered = [sides[e] for e in np.argsort(rank)]
    return (ordered[0][0], *(right for _, right in ordered))
