"""Plausible sets against brute force, and every fact that was learned checked by itself.

The twin is exact and needs no solver: a closed cell or border is cut by the closed half-spaces of the decided signs
(`naive.cut`), and it meets the open set D if and only if each of these signs is strict at some corner of what is left,
since then all of them are strict at the mean of the corners. Larger games have too many corners; there each answer of
the library is accepted with its proof only, which is checked here.
"""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from naive import cut, dot, minus
from random_games import seeded_game, spell

import sidelight as sl
from sidelight.analysis.alternative import Possible, decide_alternative
from sidelight.analysis.analysis import Analysis
from sidelight.strategies.confidence_bounds import plausible_sets as plausible
from sidelight.strategies.confidence_bounds.plausible import (
    EMPTY,
    UNKNOWN,
    Differences,
    answer_from_plausible_pools,
    choose_pooled_plausible_action,
    collect_plausible_actions,
    look_up_plausible_actions,
    rule_out_plausible_regions,
    sign_mask_of,
)
from sidelight.strategies.confidence_bounds.plausible_sets import PlausibleSets, shared_plausible_sets

TABLE, INTERVALS, POOLS = range(3)


class Truth:
    """The same questions, by brute force."""

    def __init__(self, analysis, cells):
        self.loss = analysis.game.loss
        self.pairs = analysis.neighbors
        self.walls = [minus(self.loss[i], self.loss[j]) for i, j in self.pairs]
        self.regions = [self.region(i, j) for i, j in self.pairs] + [self.region(i, i) for i in cells]
        self.regions.append(self.everything())
        self.meets = cache(self._meets)

    def everything(self):
        """Corners of the simplex."""
        outcomes = range(len(self.loss[0]))
        return {tuple(Fraction(m == k) for k in outcomes): frozenset(outcomes) - {m} for m in outcomes}

    def region(self, i, j):
        """Corners of C_i n C_j, with the walls that each touches."""
        outcomes = range(len(self.loss[0]))
        points = self.everything()
        rows = [minus(row, self.loss[i]) for row in self.loss]
        if i != j:
            rows.append(minus(self.loss[i], self.loss[j]))
        for number, row in enumerate(rows, start=len(outcomes)):
            if any(row):
                points = cut(points, row, number)
        return points

    def _meets(self, target, signs):
        points = self.regions[target]
        rows = [tuple(sign * value for value in self.walls[e]) for e, sign in enumerate(signs) if sign]
        for number, row in enumerate(rows, start=1_000):
            points = cut(points, row, number)
            if not any(dot(row, point) > 0 for point in points):
                return False
        return all(any(dot(row, point) > 0 for point in points) for row in rows)


class Proven(Truth):
    """The same questions for larger games: a point, or multipliers, which are checked against all loss rows."""

    def everything(self):
        return [], None

    def region(self, i, j):
        rows = [minus(row, self.loss[i]) for row in self.loss if row not in (self.loss[i], self.loss[j])]
        equal = None if i == j else tuple(map(int, minus(self.loss[i], self.loss[j])))
        return [tuple(map(int, row)) for row in rows], equal

    def _meets(self, target, signs):
        weak, equal = self.regions[target]
        strict = [tuple(int(sign * value) for value in self.walls[e]) for e, sign in enumerate(signs) if sign]
        if not strict:
            return True
        answer = decide_alternative(strict, weak, equal)
        zero = (0,) * len(strict[0])
        if isinstance(answer, Possible):
            assert min(answer.point) >= 0
            assert all(dot(row, answer.point) > 0 for row in strict)
            assert all(dot(row, answer.point) >= 0 for row in weak)
            assert dot(equal or zero, answer.point) == 0
            return True
        assert sum(answer.strict) == 1
        assert min(*answer.strict, *answer.weak, 0) == 0
        rows, weights = [*strict, *weak, equal or zero], [*answer.strict, *answer.weak, answer.equal]
        assert all(dot(weights, column) <= 0 for column in zip(*rows, strict=True))
        return False


class Lab:
    """A game, what is learned about it, and the truth."""

    def __init__(self, game, monkeypatch, mode=None, truth=Truth):
        if mode is not None:
            monkeypatch.setattr(plausible, "_MOST_TABLE_PAIRS", 100 if mode == TABLE else 0)
        self.analysis = Analysis(game)
        self.pairs = self.analysis.neighbors
        # Sets that differ from the neighborhoods, so that one cannot stand in for the other.
        self.observers = tuple(tuple({i, (i + j) % game.n_actions, game.n_actions - 1}) for i, j in self.pairs)
        self.sets = PlausibleSets(self.analysis, self.observers)
        self.truth = truth(self.analysis, self.sets._cells)
        self.scratch = self.sets.scratch()

    def ask(self, facts, signs):
        """Return what is known: (allowed, observing), EMPTY or UNKNOWN."""
        row = (
            self.pooled(facts, signs) if facts.mode == POOLS else look_up_plausible_actions(facts, signs, self.scratch)
        )
        if row < 0:
            return row
        if row < facts.rows:
            return facts.allowed[row].tolist(), facts.observing[row].tolist()
        return self.scratch.allowed.tolist(), self.scratch.observing.tolist()

    def pooled(self, facts, signs):
        """Do what `look_up` does, from the pools."""
        scratch = self.scratch
        sign_mask_of(signs, scratch.wanted)
        rule_out_plausible_regions(facts, signs, scratch.alive)
        sure, alive = set(), scratch.alive
        for target in np.flatnonzero(alive[:-1]):
            answer = 1 if target in sure else answer_from_plausible_pools(facts, target, scratch.wanted, scratch.hints)
            if answer == UNKNOWN:
                return UNKNOWN
            alive[target] = answer
            if answer and target < len(signs):  # a border's point lies in both cells
                sure |= {len(signs) + facts.first[target], len(signs) + facts.second[target]}
        collect_plausible_actions(facts, alive, scratch.allowed, scratch.observing)
        return facts.rows if alive[len(signs) : -1].any() else EMPTY

    def answer(self, signs):
        """Return the answer, learning it if need be."""
        given = self.ask(self.sets.snapshot(), signs)
        return self.ask(self.sets.learn(signs), signs) if given == UNKNOWN else given

    def expected(self, signs):
        """Return the same by brute force."""
        signs = tuple(signs.tolist())
        cells = [c for n, c in enumerate(self.sets._cells) if self.truth.meets(len(self.pairs) + n, signs)]
        if not cells:
            return EMPTY
        loss = self.analysis.game.loss
        everyone = range(len(loss))
        allowed = {k for k in everyone for c in cells if loss[k] == loss[c]}
        observing = set()
        for e, pair in enumerate(self.pairs):
            if self.truth.meets(e, signs):
                allowed |= set(self.analysis.neighborhood(*pair))
                observing |= set(self.observers[e])
        return [int(a in allowed) for a in everyone], [int(a in observing) for a in everyone]

    def questions(self, count, seed=0):
        """Yield sign vectors: all zero, those of random laws and of ties, partly undecided, some reversed."""
        rng = np.random.default_rng(seed)
        size = len(self.pairs)
        yield np.zeros(size, np.int64)
        ties = [self.analysis.action_certificate(i).point for i in self.analysis.pareto]
        ties += [self.analysis.neighbor_certificate(*pair).point for pair in self.pairs]
        for n in range(count):
            law = rng.dirichlet(np.full(self.analysis.game.n_outcomes, 0.5))
            if n % 2:
                mixed = [ties[k] for k in rng.integers(len(ties), size=1 + n % 3)]
                law = [sum(values, Fraction(0)) for values in zip(*mixed, strict=True)]
            signs = np.array([int(np.sign(float(dot(wall, law)))) for wall in self.truth.walls], np.int64)
            signs[rng.random(size) < rng.choice([0.0, 0.3, 0.7])] = 0
            signs[rng.random(size) < rng.choice([0.0, 0.1, 0.5])] *= -1
            yield signs

    def check(self, count, seed=0):
        """Compare all answers; return how many different ones there were."""
        seen = set()
        for signs in self.questions(count, seed):
            answer = self.answer(signs)
            assert answer == self.expected(signs), signs
            assert self.answer(signs) == answer
            seen.add(str(answer))
        return seen

    def masks(self, pool):
        """Yield every stored fact as (target, signs that it speaks of)."""
        facts = self.sets.snapshot()
        entries, counts = getattr(facts, pool), getattr(facts, f"n_{pool}")
        for target, count in enumerate(counts):
            assert not entries[target, count:].any()
            for entry in entries[target, :count]:
                number = sum(int(word) << (64 * w) for w, word in enumerate(entry))
                assert number < 1 << 2 * len(self.pairs)
                yield (
                    target,
                    [(number >> 2 * e & 1) - (number >> 2 * e + 1 & 1) for e in range(len(self.pairs))],
                    number,
                )

    def check_facts(self):
        """Check that points satisfy, in their region, all signs they claim, and that certificates exclude theirs."""
        found = {"points": 0, "certificates": 0}
        for pool in found:
            for target, signs, number in self.masks(pool):
                assert number.bit_count() == sum(map(abs, signs)), "a fact speaks of both signs of a pair"
                assert self.truth.meets(target, tuple(signs)) is (pool == "points")
                found[pool] += 1
        return found


def interesting(actions, outcomes, count, least=2):
    """Return seeded games with enough pairs of neighbors."""
    found, seed = [], 0
    while len(found) < count:
        game = seeded_game(seed, actions, outcomes)
        seed += 1
        if len(Analysis(game).neighbors) >= least:
            found.append(game)
    return found


GAMES = [
    *interesting(6, 3, 4, least=4),
    *interesting(6, 4, 3, least=5),
    *interesting(5, 5, 2, least=4),
]


@pytest.mark.parametrize("mode", [TABLE, POOLS])
@pytest.mark.parametrize("number", range(len(GAMES)))
def test_random_games(number, mode, monkeypatch):
    lab = Lab(GAMES[number], monkeypatch, mode)
    assert lab.sets.snapshot().mode == mode
    assert len(lab.check(60, seed=number)) > 3
    found = lab.check_facts()
    assert found["points"] > len(lab.pairs)


@pytest.mark.parametrize("mode", [TABLE, INTERVALS])
@pytest.mark.parametrize("number", range(6))
def test_games_of_two_outcomes(number, mode, monkeypatch):
    game = interesting(9, 2, number + 1)[number]
    lab = Lab(game, monkeypatch, mode)
    assert lab.sets.snapshot().mode == mode
    assert len(lab.check(80, seed=number)) > 3
    assert lab.sets.solved == 0


def test_a_long_row_of_cells(monkeypatch):
    # Tangents of a parabola: fourteen cells in a row, so that the mode is not forced.
    loss = [[4 * s * s - 8 * s * end for end in (-14, 14)] for s in (3, -5, 1, 0, 7, -2, 5, -7, 2, -3, 6, -1, 4, -6)]
    lab = Lab(sl.Game(loss, [["a", "b"]] * len(loss)), monkeypatch)
    assert lab.sets.snapshot().mode == INTERVALS
    assert len(lab.pairs) == 13
    lab.check(150)


@pytest.mark.parametrize("name", ["bartok", "cops-and-robbers", "dueling-bandit", "three-class-label-efficient"])
@pytest.mark.parametrize("mode", [TABLE, POOLS])
def test_catalogue_games_with_all_sign_vectors(name, mode, monkeypatch):
    lab = Lab(sl.games.load(name), monkeypatch, mode)
    answers = set()
    for number in range(3 ** len(lab.pairs)):
        signs = np.array([number // 3**e % 3 - 1 for e in range(len(lab.pairs))], np.int64)
        answer = lab.answer(signs)
        assert answer == lab.expected(signs), signs
        answers.add(str(answer))
    assert len(answers) > 3
    lab.check_facts()


def test_pools_of_dynamic_pricing(monkeypatch):
    lab = Lab(sl.games.load("dynamic-pricing", prices=6), monkeypatch, truth=Proven)
    assert lab.sets.snapshot().mode == POOLS
    lab.check(40)
    assert lab.sets.solved > 0
    lab.check_facts()


def test_masks_of_more_than_one_word(monkeypatch):
    # 36 pairs, 72 bits.
    lab = Lab(sl.games.load("dynamic-pricing", prices=9), monkeypatch, truth=Proven)
    assert len(lab.sets.scratch().wanted) == 2
    for signs in lab.questions(6):
        assert lab.answer(signs) == lab.expected(signs)


def test_contradictory_signs_are_empty(monkeypatch):
    # With three guesses, 0 better than 1, 1 better than 2 and 2 better than 0 cannot be.
    game = sl.games.load("full-information")
    for mode in (TABLE, POOLS):
        lab = Lab(game, monkeypatch, mode)
        assert lab.pairs == ((0, 1), (0, 2), (1, 2))
        assert lab.answer(np.array([-1, 1, -1])) == EMPTY
        assert lab.answer(np.array([1, -1, 1])) == EMPTY
        assert lab.answer(np.array([-1, -1, 1])) != EMPTY


def test_touching_is_not_meeting(monkeypatch):
    # Where action 1 is strictly better than 0, the cell of 0 and all its borders are out, though they touch D.
    game = spell([[0, 2, 2], [2, 0, 2], [2, 2, 0]], ["abc"] * 3)
    for mode in (TABLE, POOLS):
        lab = Lab(game, monkeypatch, mode)
        allowed, _ = lab.answer(np.array([1, 0, 0]))
        assert allowed == [0, 1, 1]


def playing(lab, rng, signs):
    """Return estimates of a round that decided these signs, scores with ties up to rounding, and who may explore."""
    size, actions = len(signs), lab.analysis.game.n_actions
    delta = np.where(signs == 0, rng.normal(size=size), signs * rng.integers(1, 4, size))  # several equally certain
    scores = rng.integers(1, 4, actions) * rng.choice([1.0, 1.0 + 2e-16, 1.0 - 1e-16], actions)
    found = Differences(delta, np.ones(size), np.ones(size), signs.copy())
    return found, scores, (rng.random(actions) < 0.5).astype(np.uint8)


def best_of_all(lab, found, scores, explorable):
    """Withdraw contradictory signs one by one, then choose among everything that may be played."""
    signs = found.signs.copy()
    while (answer := lab.expected(signs)) == EMPTY:
        decided = np.flatnonzero(signs)
        certainty = np.abs(found.delta[decided]) / found.reach[decided]
        signs[decided[np.argmin(certainty)]] = 0
    allowed, observing = (np.array(flags, bool) for flags in answer)
    chosen = -1
    for a in np.flatnonzero(allowed | (observing & (explorable == 1))):
        if chosen < 0 or scores[a] > scores[chosen] * (1 + 1e-14):
            chosen = int(a)
    return chosen, signs.tolist()


@pytest.mark.parametrize("number", range(len(GAMES) + 1))
def test_asking_the_best_action_first_chooses_as_asking_everything(number, monkeypatch):
    if number < len(GAMES):
        lab = Lab(GAMES[number], monkeypatch, POOLS)
    else:
        lab = Lab(sl.games.load("dynamic-pricing", prices=6), monkeypatch, truth=Proven)
    rng = np.random.default_rng(number)
    withdrawn, chosen = 0, set()
    for signs in lab.questions(60, seed=20 + number):
        found, lab.scratch.score[:], lab.scratch.explorable[:] = playing(lab, rng, signs)
        expected = best_of_all(lab, found, lab.scratch.score, lab.scratch.explorable)
        facts = lab.sets.answer(found, lab.scratch, 1e-14)
        assert (choose_pooled_plausible_action(facts, found, lab.scratch, 1e-14), found.signs.tolist()) == expected
        withdrawn += (found.signs != signs).sum()
        chosen.add(expected[0])
    assert withdrawn > 0
    assert len(chosen) > 2
    facts = lab.check_facts()
    assert min(facts.values()) > 0


def test_numbers_beyond_64_bits_are_answered_in_fractions(monkeypatch):
    large = [[value * 10**25 + (i * 7 + j) % 3 for j, value in enumerate(row)] for i, row in enumerate(GAMES[0].loss)]
    lab = Lab(sl.Game(large, GAMES[0].feedback), monkeypatch, POOLS)
    assert lab.sets._program.exact_enough == 0
    rng = np.random.default_rng(5)
    for signs in lab.questions(20, seed=1):
        found, lab.scratch.score[:], lab.scratch.explorable[:] = playing(lab, rng, signs)
        expected = best_of_all(lab, found, lab.scratch.score, lab.scratch.explorable)
        facts = lab.sets.answer(found, lab.scratch, 1e-14)
        assert choose_pooled_plausible_action(facts, found, lab.scratch, 1e-14) == expected[0]


def test_the_order_of_learning_changes_no_answer(monkeypatch):
    forth, back = (Lab(GAMES[6], monkeypatch, POOLS) for _ in range(2))
    questions = list(forth.questions(40, seed=3))
    answers = [forth.answer(signs) for signs in questions]
    assert [back.answer(signs) for signs in reversed(questions)] == answers[::-1]


def test_a_snapshot_does_not_change_while_others_learn(monkeypatch):
    for mode in (TABLE, POOLS):
        lab = Lab(GAMES[1], monkeypatch, mode)
        questions = list(lab.questions(50, seed=4))
        for signs in questions[:10]:
            lab.answer(signs)
        old = lab.sets.snapshot()
        before = [lab.ask(old, signs) for signs in questions]
        for signs in questions:
            lab.answer(signs)
        after = [lab.ask(old, signs) for signs in questions]
        # A shared table may say more than before to an old reader, never something else.
        for first, second, signs in zip(before, after, questions, strict=True):
            assert second == first or (first == UNKNOWN and second == lab.expected(signs))
        if mode == POOLS:
            assert after == before


def test_full_pools_forget_and_stay_right(monkeypatch):
    lab = Lab(sl.games.load("dynamic-pricing", prices=6), monkeypatch, truth=Proven)
    capacity = 4
    facts = lab.sets.snapshot()
    small = {pool: getattr(facts, pool)[:, :capacity].copy() for pool in ("points", "certificates")}
    lab.sets._facts = facts._replace(**small)
    kept = []
    keep = PlausibleSets._append
    monkeypatch.setattr(PlausibleSets, "_append", lambda *args: kept.append(args[1:3]) or keep(*args))
    for round_, signs in enumerate(lab.questions(200, seed=6)):
        answer = lab.answer(signs)
        if round_ % 8 == 0:
            assert answer == lab.expected(signs)
    assert max(map(kept.count, set(kept))) > capacity, "no pool has overflown, so the test shows nothing"
    facts = lab.sets.snapshot()
    assert facts.points.shape[1] == facts.certificates.shape[1] == capacity
    assert max(facts.n_points.max(), facts.n_certificates.max()) <= capacity
    lab.check_facts()


@pytest.mark.parametrize(
    "game",
    [
        spell([[0, 0, 0], [1, 1, 1]], ["abc", "abc"]),
        spell([[0, 0], [1, 0]], ["ab", "ab"]),
        spell([[0], [1]], ["a", "a"]),
        spell([[0, 1, 2, 3]], ["abcd"]),
    ],
)
def test_trivial_games(game):
    sets = shared_plausible_sets(Analysis(game))
    assert sets.solved == 0
    strategy = sl.strategies.RandCBP(game)
    assert [strategy.act() for _ in range(3)] == [0, 0, 0]
