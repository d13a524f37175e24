"""Worlds whose law changes: at given or random times, as a Markov chain, or because an adversary corrupts some rounds.

All of them hold a few laws, of which one is in force in each round. Regret is exact, not that of the outcomes that
happened to be drawn: with p_t the law in force in round t it is, after the actions a_1, ..., a_T,

    sum_t L_{a_t} p_t - sum_t min_a L_a p_t     against="round", the best action of each round, or
    sum_t L_{a_t} p_t - min_a sum_t L_a p_t     against="fixed", the best fixed action.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import (
    Environment,
    baseline,
    charges_gaps,
    checked_law,
    checked_laws,
    checked_whole,
    cost,
    draw,
    gaps,
)
from sidelight.environments.contextual import draw_outcome_in_context
from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_multiple

AGAINST = ("round", "fixed")


class ChangingWorld(NamedTuple):
    """Several laws; `now` holds the round, the law in force, and how many of the given changes happened."""

    laws: Floats
    charges: Floats  # (laws, actions): what an action costs under each law
    starts: Integers  # the rounds (from 0) in which the next law takes over
    chain: Floats  # (laws, laws): the probability that one law follows another, or empty
    fixed: int  # 1 if regret is measured against the best fixed action
    now: Integers
    totals: Floats  # by actions: what each would have cost so far


@implements(draw, ChangingWorld)
def _draw(world: ChangingWorld, context: Floats, rng: np.random.Generator) -> int:
    t, here, passed = world.now[0], world.now[1], world.now[2]
    if world.chain.shape[0] > 0 and t > 0:
        here = draw_outcome_in_context(world.chain[here], rng)
    if passed < world.starts.shape[0] and world.starts[passed] == t:
        passed += 1
        here = passed
    world.now[0], world.now[1], world.now[2] = t + 1, here, passed
    add_multiple(world.totals, 1.0, world.charges[here])
    return draw_outcome_in_context(world.laws[here], rng)


@implements(cost, ChangingWorld)
def _cost(world: ChangingWorld, action: int, outcome: int) -> float:
    return world.charges[world.now[1], action]


@implements(baseline, ChangingWorld)
def _baseline(world: ChangingWorld) -> float:
    if world.fixed == 0:
        return 0.0
    least = world.totals[0]
    for a in range(1, world.totals.shape[0]):
        least = min(least, world.totals[a])
    return least


class _Changing(Environment):
    """What worlds that change have in common."""

    def __init__(self, laws: Any, against: str) -> None:
        if not isinstance(against, str) or against not in AGAINST:
            raise ParameterError(f"against is {against!r}: give {' or '.join(map(repr, AGAINST))}", "against")
        self.against = against
        self.regret_kind = "hindsight" if against == "fixed" else "pseudo-regret"
        self.laws = laws if callable(laws) else checked_laws(laws)

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless the laws match the game's outcomes."""
        if not callable(self.laws):
            checked_law(self.laws[0], game.n_outcomes)

    def _world(self, game: Game, laws: Floats, starts: Any, chain: Any) -> ChangingWorld:
        expected = laws @ loss_matrix(game).T
        return ChangingWorld(
            laws=laws,
            charges=expected if self.against == "fixed" else np.array([gaps(game, law) for law in laws]),
            starts=np.array(starts, np.int64),
            chain=np.array(chain, float).reshape(-1, len(laws)),
            fixed=int(self.against == "fixed"),
            now=np.zeros(3, np.int64),
            totals=np.zeros(game.n_actions),
        )


class Switching(_Changing):
    """A law that jumps: outcomes are independent, and their law changes at given times or at random.

    Parameters
    ----------
    laws
        One law after another, (K, M); or a function that is given a random generator and returns a law, called for each
        run as often as needed (`sidelight.environments.laws` has the usual ones).
    times
        After how many rounds the law changes: increasing, one number less than there are laws.
    rate
        Instead of times: the probability that the law changes in a round; the first law follows the last one.
    against
        "round" measures regret against the best action of each round, "fixed" against the best fixed action; both are
        exact.
    """

    def __init__(
        self, laws: Any, times: Sequence[int] | None = None, rate: float | None = None, against: str = "round"
    ) -> None:
        super().__init__(laws, against)
        if (times is None) == (rate is None):
            raise SidelightError("say when the law changes: give either times or a rate")
        if rate is not None and (callable(laws) or not isinstance(rate, Real) or not 0.0 < float(rate) < 1.0):
            raise ParameterError(f"rate is {rate!r}: give a number between 0 and 1, and the laws themselves", "rate")
        self.rate = None if rate is None else float(rate)
        self.times = None
        if times is not None:
            if not isinstance(times, Sequence | np.ndarray):
                raise ParameterError(f"times is {times!r}: give a list of rounds", "times")
            self.times = [checked_whole("a time", t) for t in times]
            if any(s >= t for s, t in pairwise(self.times)):
                raise ParameterError(f"times are {times!r}: give increasing numbers of rounds from 1", "times")
            if not callable(laws) and len(self.laws) != len(self.times) + 1:
                raise SidelightError(f"{len(self.laws)} laws cannot change {len(self.times)} times: give one law more")

    def start(self, game: Game, run: int, rng: np.random.Generator) -> ChangingWorld:
        """Return the world of one run."""
        laws = self.laws
        if self.rate is not None or self.times is None:
            stay, move = np.eye(len(laws)), np.roll(np.eye(len(laws)), 1, axis=1)
            return self._world(game, laws, [], stay + (self.rate or 0.0) * (move - stay))
        if callable(laws):
            drawn = [laws(rng) for _ in range(len(self.times) + 1)]
            laws = np.array([checked_law(law, game.n_outcomes, f"a law drawn for run {run}") for law in drawn])
        return self._world(game, laws, self.times, [])


class Markov(_Changing):
    """A law that moves among several as a Markov chain, which the strategy does not see.

    Parameters
    ----------
    laws
        The laws, (K, M); the first one is in force in the first round.
    transition
        The probability that each law follows each, (K, K), rows summing to one.
    against
        As for `Switching`.
    """

    def __init__(self, laws: Any, transition: Any, against: str = "round") -> None:
        super().__init__(checked_laws(laws), against)
        self.transition = checked_laws(transition, "transition law")
        if self.transition.shape != (len(self.laws),) * 2:
            raise SidelightError(f"there are {len(self.laws)} laws, but the transition has {self.transition.shape}")

    def start(self, game: Game, run: int, rng: np.random.Generator) -> ChangingWorld:
        """Return the world of one run."""
        return self._world(game, self.laws, [], self.transition)


@charges_gaps
class CorruptedWorld(NamedTuple):
    """A law, and the one that replaces it in some rounds; `now` holds the round and which of them is in force."""

    laws: Floats  # (2, outcomes)
    gaps: Floats  # under the first one
    budget: int
    every: int
    now: Integers


@implements(draw, CorruptedWorld)
def _draw_corrupted(world: CorruptedWorld, context: Floats, rng: np.random.Generator) -> int:
    t = world.now[0]
    world.now[0], world.now[1] = t + 1, int(t % world.every == 0 and t // world.every < world.budget)
    return draw_outcome_in_context(world.laws[world.now[1]], rng)


class Corrupted(Environment):
    """One law, of which an adversary replaces some rounds; regret is measured under the law itself.

    Parameters
    ----------
    law
        The law of the outcomes, (M,).
    corruption
        The law, (M,), from which the outcomes of corrupted rounds are drawn; without one, the law turned round, so that
        the most likely outcome becomes the least likely one.
    budget
        How many rounds are corrupted.
    every
        Corrupt one of so many rounds; 1, the default, corrupts the first rounds, which mislead most.
    """

    def __init__(self, law: Any, corruption: Any = None, budget: int = 100, every: int = 1) -> None:
        self.law = checked_law(law)
        ranks = np.argsort(np.argsort(self.law, kind="stable"), kind="stable")
        turned = np.sort(self.law)[::-1][ranks]
        self.corruption = turned if corruption is None else checked_law(corruption, len(self.law), "the corruption")
        self.budget, self.every = checked_whole("budget", budget), checked_whole("every", every)

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless the law matches the game's outcomes."""
        checked_law(self.law, game.n_outcomes)

    def start(self, game: Game, run: int, rng: np.random.Generator) -> CorruptedWorld:
        """Return the world of one run."""
        laws = np.array([self.law, self.corruption])
        return CorruptedWorld(laws, gaps(game, self.law), self.budget, self.every, np.zeros(2, np.int64))
