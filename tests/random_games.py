"""Random games: strategies for Hypothesis, and games from a fixed seed."""

import random
from fractions import Fraction

from hypothesis import settings
from hypothesis import strategies as st

from sidelight.game import Game

HAIR = Fraction(1, 10**12)
PLANTS = ("duplicate", "middle", "mixture", "mean of three", "worse", "slightly worse", "slightly better", "no better")


def modest(max_examples):
    """Return Hypothesis settings: the same examples on every machine, and no stopwatch."""
    return settings(max_examples=max_examples, deadline=None, derandomize=True)


def spell(loss, words):
    """Return a game whose feedback rows are words, a letter for each outcome."""
    return Game(loss, [list(word) for word in words])


def plant(rows, kind, pick, weight, column):
    """Return a loss row made from earlier ones, so that ties and near misses occur which chance would never draw."""
    chosen = [rows[index % len(rows)] for index in pick]
    if kind == "duplicate":
        return chosen[0]
    if kind == "worse":
        return tuple(value + weight for value in chosen[0])
    if kind == "no better":
        return tuple(value + (weight if m == column else 0) for m, value in enumerate(chosen[0]))
    if kind == "mixture":
        return tuple(weight * a + (1 - weight) * b for a, b in zip(chosen[0], chosen[1], strict=True))
    if kind == "mean of three":
        return tuple(sum(values) / Fraction(3) for values in zip(*chosen, strict=True))
    middle = tuple((a + b) / Fraction(2) for a, b in zip(chosen[0], chosen[1], strict=True))
    shift = {"middle": 0, "slightly worse": HAIR, "slightly better": -HAIR}[kind]
    return tuple(value + (shift if m == column else 0) for m, value in enumerate(middle))


@st.composite
def games(draw, max_actions=6, max_outcomes=5, scales=True):
    """Small games: random rows, planted ones among them, feedback with few symbols; sometimes huge or odd numbers."""
    n_outcomes = draw(st.integers(1, max_outcomes))
    n_base = draw(st.integers(1, min(4, max_actions)))
    entries = draw(st.sampled_from([st.integers(0, 1), st.integers(-2, 3), st.fractions(-2, 2, max_denominator=6)]))
    rows = [tuple(draw(st.tuples(*[entries] * n_outcomes))) for _ in range(n_base)]
    for _ in range(draw(st.integers(0, max_actions - n_base))):
        kind = draw(st.sampled_from(PLANTS))
        pick = draw(st.lists(st.integers(0, len(rows) - 1), min_size=3, max_size=3))
        weight = draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(4, 5)]))
        rows.append(plant(rows, kind, pick, weight, draw(st.integers(0, n_outcomes - 1))))
    rows = draw(st.permutations(rows))
    if scales:
        factor = draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(10**9), Fraction(1, 10**9)]))
        shift = draw(st.sampled_from([Fraction(0), Fraction(10**9), Fraction(-1, 3)]))
        rows = [[factor * value + shift for value in row] for row in rows]
    symbols = st.tuples(*[st.sampled_from("abc")] * n_outcomes)
    blind = st.just(("x",) * n_outcomes)
    sighted = st.just(tuple(range(n_outcomes)))
    feedback = [draw(st.one_of(blind, symbols, symbols, sighted)) for _ in rows]
    return Game(rows, feedback)


def seeded_game(seed, n_actions, n_outcomes):
    """Return a game of the given size from a seed; a third of its rows, or more, are planted."""
    rng = random.Random(seed)
    n_base = max(1, rng.randint(n_actions // 2, 2 * n_actions // 3))
    rows = [tuple(Fraction(rng.randint(0, 3)) for _ in range(n_outcomes)) for _ in range(n_base)]
    while len(rows) < n_actions:
        pick = [rng.randrange(len(rows)) for _ in range(3)]
        weight = Fraction(rng.randint(1, 4), 5)
        rows.append(plant(rows, rng.choice(PLANTS), pick, weight, rng.randrange(n_outcomes)))
    rng.shuffle(rows)
    alphabets = rng.choices(rng.choice([["x", "ab"], ["ab", "abc"], ["x", "abcdef"], ["abcdef"]]), k=n_actions)
    return Game(rows, [[rng.choice(alphabet) for _ in range(n_outcomes)] for alphabet in alphabets])
