"""Learn which cells and borders can be plausible: the part of `plausible` that runs in Python, between rounds."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sidelight.analysis.alternative import Possible, decide_alternative
from sidelight.analysis.envelope import TwoOutcomeEnvelope
from sidelight.analysis.generating_outcomes import generating_outcomes
from sidelight.analysis.linear_algebra import Row, integer_matrix
from sidelight.kernels.arrays import Bits, Flags, Integers, new_arrays
from sidelight.strategies.confidence_bounds.plausible import (
    EMPTY,
    INTERVALS,
    POOLS,
    TABLE,
    UNKNOWN,
    Differences,
    Plausible,
    Pooled,
    Scratch,
    collect_plausible_actions,
    mark_plausible_interval,
    rule_out_plausible_regions,
    sign_mask_of,
)
from sidelight.strategies.confidence_bounds.plausible_program import (
    is_plausible_pool_full,
    new_plausible_program,
    settle_plausible_questions,
)

if TYPE_CHECKING:
    from sidelight.analysis.analysis import Analysis, Pair

_MOST_TABLE_PAIRS = 10  # 3^10 entries
_POOL_WORDS = 1 << 22  # at most 32 MB of points, and as much of certificates (more only if that leaves no room at all)
_LEAST_POOL, _MOST_POOL = 8, 1024
_lock = threading.Lock()


def shared_plausible_sets(analysis: Analysis, observers: tuple[tuple[int, ...], ...] | None = None) -> PlausibleSets:
    """Return what all strategies have learned about a game's plausible sets, for these observers of each pair."""
    sets = observers or tuple(analysis.observers(*pair) for pair in analysis.neighbors)
    with _lock:
        if (PlausibleSets, sets) not in analysis.learned:
            analysis.learned[PlausibleSets, sets] = PlausibleSets(analysis, sets)
        found: PlausibleSets = analysis.learned[PlausibleSets, sets]
        return found


class PlausibleSets:
    """The facts learned about one game, shared by all strategies, runs and threads that play it.

    `sets` are the observers V of each pair of neighbors, which a strategy may choose.
    """

    def __init__(self, analysis: Analysis, sets: Sequence[Iterable[int]]) -> None:
        self._analysis = analysis
        self._observers = tuple(map(tuple, sets))
        self._lock = threading.Lock()
        self._pairs: tuple[Pair, ...] = analysis.neighbors
        cells = analysis.cells
        self._two = isinstance(cells, TwoOutcomeEnvelope)
        self._cells = tuple(reversed(cells.pieces)) if isinstance(cells, TwoOutcomeEnvelope) else cells.pareto
        self.solved = 0
        """How many questions had to be put to a solver so far."""
        rows = [analysis.cells.difference(*pair) for pair in self._pairs]
        self._rows = np.array(rows, dtype=object).reshape(len(rows), analysis.game.n_outcomes)
        self._generating = None if self._two else generating_outcomes(self._rows)
        if self._generating is not None:
            self._rows = np.ascontiguousarray(self._rows[:, self._generating.kept])
        self._largest = max((abs(value) for value in self._rows.flat), default=1)
        self._program = new_plausible_program(self._rows)
        self._facts = self._initial(sets)
        if self._pairs and not self._two:
            for target in range(len(self._facts.points)):
                self._append("points", target, self.signs_of(self.inside(target)))

    def __reduce__(self) -> tuple[Any, ...]:
        # What was learned changes no answer and can be large: another process learns it again, and shares it there.
        return shared_plausible_sets, (self._analysis, self._observers)

    def scratch(self) -> Scratch:
        """Return arrays for one strategy to work with."""
        targets, _, words = self._facts.points.shape
        return new_arrays(Scratch, actions=self._analysis.game.n_actions, targets=targets, words=words)

    def sides(self, target: int) -> tuple[int, ...]:
        """Return the actions whose cells a border or cell lies in; none for the last target, which is all laws."""
        pairs = len(self._pairs)
        return self._pairs[target] if target < pairs else self._cells[target - pairs : target - pairs + 1]

    def inside(self, target: int) -> Row:
        """Return a point inside a border, a cell or all laws, in integers, over the outcomes that `_rows` has."""
        sides, cells = self.sides(target), self._analysis.cells
        whole: Row = [1] * self._analysis.game.n_outcomes
        if sides:
            point = cells.neighbor_certificate(*sides).point if len(sides) == 2 else cells.certificates[sides[0]].point
            assert point is not None
            whole = integer_matrix([point])[0][0]
        return whole if self._generating is None else self._generating.combine(whole)

    def signs_of(self, point: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return the signs of d_e q for all pairs, exactly, bit by bit."""
        fits = self._program.exact_enough and max(point) * self._largest * len(point) < 1 << 62
        rows, kind = (self._program.exact, np.int64) if fits else (self._rows, object)
        values: npt.NDArray[Any] = rows @ np.array(point, kind)
        return np.stack([values > 0, values < 0], axis=1).reshape(-1).astype(bool)

    def snapshot(self) -> Plausible:
        """Return a snapshot of the present facts."""
        with self._lock:
            return self._facts

    def answer(self, found: Differences, scratch: Scratch, slack: float) -> Plausible:
        """Answer the question of a round about these signs; return a snapshot that holds the answers.

        In a game with pools, contradictory signs are withdrawn on the way, as `choose_pooled_plausible_action` does.
        """
        if not isinstance(self._facts, Pooled):
            return self.learn(found.signs)
        with self._lock:
            while True:
                counts = self._facts.n_points.copy(), self._facts.n_certificates.copy()
                facts = self._facts._replace(n_points=counts[0], n_certificates=counts[1])
                action = settle_plausible_questions(facts, self._program, found, scratch, slack)
                self._facts = facts
                if action != UNKNOWN:
                    return facts
                target = int(scratch.asked[0])
                if is_plausible_pool_full(facts, target):
                    self._make_room(target)
                else:
                    self._solve(target, found.signs)

    def learn(self, signs: Integers) -> Plausible:
        """Answer every open question about these signs and return a snapshot that holds the answers."""
        with self._lock:
            alive = self._meeting(signs)
            if self._facts.mode == TABLE:
                self._tabulate(signs, alive)
            return self._facts

    def meeting(self, signs: Integers) -> Flags:
        """Return all borders and cells that meet D, also those that a round need not ask for."""
        with self._lock:
            return self._meeting(signs)

    def _meeting(self, signs: Integers) -> Flags:
        """Say which borders and cells meet D, asking the solver where the pools have no answer."""
        alive = np.zeros(len(self._facts.points), np.uint8)
        if self._two:
            mark_plausible_interval(self._facts, signs, alive)
            return alive
        wanted = np.zeros(self._facts.points.shape[2], np.uint64)
        sign_mask_of(signs, wanted)
        rule_out_plausible_regions(self._facts, signs, alive)
        pairs, sure = len(self._pairs), set()
        for target in map(int, np.flatnonzero(alive)):
            if target not in sure:
                answer = self._known(target, wanted)
                alive[target] = self._solve(target, signs) if answer is None else answer
            if target < pairs and alive[target]:  # a border's point lies in both cells
                sure |= {pairs + self._facts.first[target], pairs + self._facts.second[target]}
        return alive

    def _known(self, target: int, wanted: Bits) -> bool | None:
        """Look up in the pools whether a target meets D; None if they cannot tell."""
        facts = self._facts
        points = facts.points[target, : facts.n_points[target]]
        if ((wanted & ~points) == 0).all(axis=1).any():
            return True
        certificates = facts.certificates[target, : facts.n_certificates[target]]
        return False if ((certificates & ~wanted) == 0).all(axis=1).any() else None

    def _solve(self, target: int, signs: Integers) -> bool:
        """Put one question to the exact solver and keep the point or the certificate that it finds.

        Where i is better than j, d_ij q <= 0. A cell is bounded by its neighbors alone, and a border is a face of both
        cells, on which the difference of its own pair is 0.
        """
        self.solved += 1
        sides, pairs = self.sides(target), len(self._pairs)
        required = [(j in sides) - (i in sides) for i, j in self._pairs]
        weak: list[Row] = [[sign * value for value in self._rows[e]] for e, sign in enumerate(required) if sign]
        decided = [(e, int(sign)) for e, sign in enumerate(signs) if sign]
        strict: list[Row] = [[sign * value for value in self._rows[e]] for e, sign in decided]
        equation = list(self._rows[target]) if target < pairs else None
        answer = decide_alternative(strict, weak, equation, self.inside(target))
        if isinstance(answer, Possible):
            self._append("points", target, self.signs_of(answer.point))
            return True
        bits = np.zeros(2 * pairs, bool)
        bits[[2 * e + (sign < 0) for (e, sign), y in zip(decided, answer.strict, strict=True) if y]] = True
        self._append("certificates", target, bits)
        return False

    def _tabulate(self, signs: Integers, alive: Flags) -> None:
        """Enter an answer into the table: its row first, so that no reader meets an index without a row."""
        facts, index = self._facts, 0
        for sign in signs:
            index = 3 * index + int(sign) + 1
        allowed, observing = np.zeros((2, self._analysis.game.n_actions), np.uint8)
        collect_plausible_actions(facts, alive, allowed, observing)
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

    def _append(self, pool: str, target: int, bits: npt.NDArray[np.bool_]) -> None:
        """Append a mask, given bit by bit, to a pool."""
        padded = np.zeros(64 * self._facts.points.shape[2], bool)
        padded[: bits.size] = bits
        if is_plausible_pool_full(self._facts, target):
            self._make_room(target)
        counts: Integers = getattr(self._facts, f"n_{pool}").copy()
        getattr(self._facts, pool)[target, counts[target]] = np.packbits(padded, bitorder="little").view("<u8")
        counts[target] += 1
        changed: dict[str, Any] = {f"n_{pool}": counts}
        self._facts = self._facts._replace(**changed)

    def _make_room(self, target: int) -> None:
        """Drop the middle half of a target's full pools.

        The oldest facts are the most general, the newest the most used. Entries in use are never overwritten: other
        threads keep the arrays they have.
        """
        for pool in ("points", "certificates"):
            entries: Bits = getattr(self._facts, pool)
            counts: Integers = getattr(self._facts, f"n_{pool}").copy()
            capacity = entries.shape[1]
            if counts[target] == capacity:
                entries = entries.copy()
                quarter = capacity // 4
                entries[target, quarter : 2 * quarter] = entries[target, capacity - quarter :]
                entries[target, 2 * quarter :] = 0
                counts[target] = 2 * quarter
                changed: dict[str, Any] = {pool: entries, f"n_{pool}": counts}
                self._facts = self._facts._replace(**changed)

    def _initial(self, sets: Sequence[Iterable[int]]) -> Plausible:
        analysis, pairs, cells = self._analysis, self._pairs, self._cells
        actions, targets = analysis.game.n_actions, len(pairs) + len(cells) + 1
        few = len(pairs) <= _MOST_TABLE_PAIRS
        words = max(1, -(-2 * len(pairs) // 64))
        size = 1 if self._two else max(_LEAST_POOL, min(_MOST_POOL, _POOL_WORDS // (targets * words)))
        # Of two outcomes, the cells lie in a row along p_0, and where d_ij p > 0, action j is better than action i.
        position = {i: n for n, i in enumerate(cells)}
        rank = np.array([min(position[i], position[j]) for i, j in pairs], np.int64)
        side = np.array([1 if position[i] < position[j] else -1 for i, j in pairs], np.int64)
        members = [[k for k, r in enumerate(analysis.cells.representative) if r == i] for i in cells]
        near = [analysis.neighborhood(*pair) for pair in pairs]
        return (Plausible if few or self._two else Pooled)(
            TABLE if few else INTERVALS if self._two else POOLS,
            np.full(3 ** len(pairs) if few else 1, UNKNOWN, np.int32),
            0,
            np.zeros((0, actions), np.uint8),
            np.zeros((0, actions), np.uint8),
            np.zeros(0, np.int64),
            rank,
            side,
            np.zeros((targets, size, words), np.uint64),
            np.zeros(targets, np.int64),
            np.zeros((targets, size, words), np.uint64),
            np.zeros(targets, np.int64),
            np.array([position[i] for i, _ in pairs], np.int64),
            np.array([position[j] for _, j in pairs], np.int64),
            *_lay_out_plausible_action_lists(members),
            *_lay_out_plausible_action_lists(near),
            *_lay_out_plausible_action_lists(sets),
            np.array([position.get(analysis.cells.representative[k], -1) for k in range(actions)], np.int64),
            *_lay_out_plausible_action_lists(_invert_plausible_action_lists(near, actions)),
            *_lay_out_plausible_action_lists(_invert_plausible_action_lists(sets, actions)),
        )


def _lay_out_plausible_action_lists(groups: Sequence[Iterable[int]]) -> tuple[Integers, Integers]:
    """Lay lists of actions out one after the other: where each starts, and all of them."""
    rows = [list(group) for group in groups]
    return (
        np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        np.array([a for row in rows for a in row], np.int64),
    )


def _invert_plausible_action_lists(groups: Sequence[Iterable[int]], actions: int) -> list[list[int]]:
    """Invert lists of actions: for each action, the lists that contain it."""
    found: list[list[int]] = [[] for _ in range(actions)]
    for index, group in enumerate(groups):
        for a in group:
            found[a].append(index)
    return found
