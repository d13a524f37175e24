"""Recorded outcomes, played back."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import Environment, baseline, checked_law_of_runs, checked_numbers, cost, draw, gaps
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot

LAW, HINDSIGHT, OUTCOME = 0, 1, 2


class ReplayWorld(NamedTuple):
    """One recorded run; `position` and `counts` (of each outcome so far) move with it."""

    outcomes: Integers
    contexts: Floats
    position: Integers
    counts: Floats
    measure: int  # what regret is measured against
    gaps: Floats  # (1 or rounds, actions)
    loss: Floats


@implements(draw, ReplayWorld)
def _draw(world: ReplayWorld, context: Floats, rng: np.random.Generator) -> int:
    t = world.position[0]
    for k in range(world.contexts.shape[1]):
        context[k] = world.contexts[t, k]
    outcome = world.outcomes[t]
    world.counts[outcome] += 1.0
    world.position[0] = t + 1
    return outcome


@implements(cost, ReplayWorld)
def _cost(world: ReplayWorld, action: int, outcome: int) -> float:
    if world.measure == LAW:
        return world.gaps[min(world.position[0], world.gaps.shape[0]) - 1, action]
    if world.measure == HINDSIGHT:
        return world.loss[action, outcome]
    least = world.loss[0, outcome]
    for a in range(1, world.loss.shape[0]):
        least = min(least, world.loss[a, outcome])
    return world.loss[action, outcome] - least


@implements(baseline, ReplayWorld)
def _baseline(world: ReplayWorld) -> float:
    if world.measure != HINDSIGHT:
        return 0.0
    least = 0.0
    for a in range(world.loss.shape[0]):
        total = dot(world.loss[a], world.counts)
        if a == 0 or total < least:
            least = total
    return least


class Replay(Environment):
    """Recorded outcomes, with or without the law they came from.

    Parameters
    ----------
    outcomes
        Indices of outcomes: (T,), the same for all runs, or (runs, T).
    contexts
        What a contextual strategy sees before each round: (T, d) or (runs, T, d).
    law
        The law that the outcomes were drawn from, (M,) or (runs, M): regret is then measured against the best action
        under it. "outcome" measures it against the best action for the outcome of each round, as if that had been
        certain. Without a law, it is measured against the best fixed action in hindsight.
    laws
        Instead of one law, that of each round, (T, M) or (runs, T, M): regret is then measured against the best action
        of each round, which may depend on the context.
    """

    def __init__(self, outcomes: Any, contexts: Any = None, law: Any = None, laws: Any = None) -> None:
        try:
            recorded = np.asarray(outcomes)
        except ValueError:
            raise SidelightError("outcomes: rows differ in length: give (T,) or (runs, T)") from None
        if recorded.ndim not in (1, 2) or 0 in recorded.shape:
            raise SidelightError(f"outcomes have shape {recorded.shape}: give (T,) or (runs, T), not empty")
        if not np.issubdtype(recorded.dtype, np.integer):
            raise SidelightError(f"outcomes must be indices (integers from 0), not {recorded.dtype}")
        self.outcomes = recorded.astype(np.int64)
        self.contexts = None if contexts is None else self._contexts(contexts)
        self.dimension = 0 if self.contexts is None else self.contexts.shape[-1]
        self.law = None
        self.measure = HINDSIGHT if law is None else LAW
        if isinstance(law, str):
            if law != "outcome":
                raise SidelightError(f"the law is {law!r}: give probabilities, 'outcome', or nothing")
            self.measure = OUTCOME
        elif law is not None:
            self.law = checked_law_of_runs(law)
        self.laws = None if laws is None else self._laws(laws)
        if self.laws is not None:
            if law is not None:
                raise SidelightError("give one law, or the laws of all rounds, not both")
            self.measure = LAW
        self.regret_kind = "hindsight" if law is None and laws is None else "pseudo-regret"

    def _laws(self, laws: Any) -> Floats:
        rows = checked_numbers("laws", laws)
        length = self.outcomes.shape[-1]
        if rows.ndim not in (2, 3) or rows.shape[-2] != length:
            raise SidelightError(f"laws have shape {rows.shape}: give ({length}, M) or (runs, {length}, M)")
        if not (np.isfinite(rows).all() and (rows >= 0).all() and (abs(rows.sum(axis=-1) - 1) <= 1e-9).all()):
            raise SidelightError("laws hold a row that is not a law: probabilities are at least 0 and sum to 1")
        return rows

    def _contexts(self, contexts: Any) -> Floats:
        seen = checked_numbers("contexts", contexts)
        length = self.outcomes.shape[-1]
        if seen.ndim not in (2, 3) or seen.shape[-2] != length or seen.shape[-1] == 0:
            raise SidelightError(f"contexts have shape {seen.shape}: give ({length}, d) or (runs, {length}, d)")
        if not np.isfinite(seen).all():
            raise SidelightError("contexts hold a value that is not finite")
        return seen

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise an error unless there are enough outcomes, and all belong to this game."""
        if self.outcomes.shape[-1] < horizon:
            raise SidelightError(f"{self.outcomes.shape[-1]} rounds were recorded, but the horizon is {horizon}")
        for what, array, shared in (
            ("outcomes", self.outcomes, 1),
            ("contexts", self.contexts, 2),
            ("law", self.law, 1),
            ("laws", self.laws, 2),
        ):
            if array is not None and array.ndim > shared and len(array) < runs:
                raise SidelightError(f"{what}: {len(array)} runs were recorded, but {runs} were asked for")
        low, high = int(self.outcomes.min()), int(self.outcomes.max())
        if low < 0 or high >= game.n_outcomes:
            wrong = low if low < 0 else high
            raise SidelightError(
                f"the recording holds outcome {wrong}: this game has outcomes 0 to {game.n_outcomes - 1}"
            )
        for known in (self.law, self.laws):
            if known is not None and known.shape[-1] != game.n_outcomes:
                raise SidelightError(f"the law has {known.shape[-1]} entries, but the game {game.n_outcomes} outcomes")

    def start(self, game: Game, run: int, rng: np.random.Generator) -> ReplayWorld:
        """Return the world of one run."""
        outcomes = self.outcomes if self.outcomes.ndim == 1 else self.outcomes[run]
        if self.contexts is None:
            contexts = np.zeros((1, 0))
        else:
            contexts = self.contexts if self.contexts.ndim == 2 else self.contexts[run]
        return ReplayWorld(
            outcomes=np.ascontiguousarray(outcomes),
            contexts=np.ascontiguousarray(contexts),
            position=np.zeros(1, np.int64),
            counts=np.zeros(game.n_outcomes),
            measure=self.measure,
            gaps=self._gaps(game, run),
            loss=loss_matrix(game),
        )

    def _gaps(self, game: Game, run: int) -> Floats:
        """Return the gap of each action, one row for all rounds or a row for each."""
        if self.laws is not None:
            expected = (self.laws if self.laws.ndim == 2 else self.laws[run]) @ loss_matrix(game).T
            return np.asarray(expected - expected.min(axis=1, keepdims=True))
        if self.law is None:
            return np.zeros((1, game.n_actions))
        return gaps(game, self.law if self.law.ndim == 1 else self.law[run])[None, :]

    def _environment_argument(self, name: str) -> Any:
        """Return a constructor argument for printing; `law` is "outcome" if regret is measured against each outcome."""
        return "outcome" if name == "law" and self.measure == OUTCOME else super()._environment_argument(name)

    def describe(self) -> dict[str, Any]:
        """Return the shape and a digest of the recording."""
        digest = hashlib.sha256(self.outcomes.tobytes())
        for part in (self.contexts, self.law if self.laws is None else self.laws):
            digest.update(b"-" if part is None else part.tobytes())
        against = ("law", "hindsight", "outcome")[self.measure]
        return {"name": self.name, "regret": against, "shape": list(self.outcomes.shape), "sha256": digest.hexdigest()}
