"""Outcome laws drawn at random, one per run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels.arrays import Floats
from sidelight.text import did_you_mean

Law = Floats
_ATTEMPTS = 1_000  # to find two laws with different best actions
_HALVINGS = 50  # to find where the best action changes between them

# For two outcomes: p is drawn uniformly from one of these intervals, which are equally likely.
_INTERVALS = {
    "dirichlet": ((0.0, 1.0),),
    "uniform": ((0.0, 1.0),),
    "balanced": ((0.4, 0.6),),
    "imbalanced": ((0.0, 0.2), (0.8, 1.0)),
    "rare": ((0.0, 0.05), (0.95, 1.0)),
}
# For any number of outcomes: how much goes to the center of all laws, or to one outcome, before a uniform law shares
# the rest.
_MIDDLE = {"balanced": 0.8}
_VERTEX = {"imbalanced": (0.8, 0.8), "rare": (0.95, 0.95), "near-vertex": (0.7, 0.95)}
_SPARSE = 0.2
# How far a law lies from the border of two cells, as a share of the way to it.
_BORDER = {"near-border": (0.05, 0.3), "near-tie": (0.01, 0.05)}
_NAMES = tuple(dict.fromkeys((*_INTERVALS, *_VERTEX, "sparse", *_BORDER)))


def names() -> tuple[str, ...]:
    """Return the names that `load` knows."""
    return _NAMES


def priors() -> tuple[str, ...]:
    """Return the kinds that, for two outcomes, are uniform on intervals and so can serve as a prior."""
    return tuple(_INTERVALS)


def intervals(name: str) -> tuple[tuple[float, float], ...]:
    """Return the equally likely intervals on which a kind of law (p, 1 - p) has p uniform; see `priors`."""
    return _INTERVALS[name]


def load(name: str, outcomes: int | Game) -> RandomLaws:
    """Return an object that draws outcome laws when called with a random generator.

    With D uniform over all laws, the Dirichlet(1) law:

    - dirichlet: D, for any number of outcomes;
    - uniform: (p, 1 - p) with p uniform on [0, 1], for two outcomes;
    - balanced: 0.8 of the law that has all outcomes equally likely, and 0.2 of D; p uniform on [0.4, 0.6] for two;
    - imbalanced: 0.8 of one outcome, and 0.2 of D; for two outcomes p uniform on [0, 0.2] or, as likely, on [0.8, 1];
    - rare: the same with 0.95 and 0.05;
    - near-vertex: the same with a share that is uniform on [0.7, 0.95];
    - sparse: Dirichlet(0.2), which usually gives nearly all the probability to one or two outcomes;
    - near-border: 5 to 30 % back from where, between two laws with different best actions, the best action changes;
    - near-tie: the same, 1 to 5 % back.

    Balanced and imbalanced, for two outcomes, are the instances of the ICML 2024 paper. The last two need the game
    itself instead of the number of its outcomes.
    """
    if name not in names():
        hint = did_you_mean(name, names()) if isinstance(name, str) else ""
        raise SidelightError(f"unknown kind of laws {name!r}: {hint}choose from {', '.join(names())}")
    game = outcomes if isinstance(outcomes, Game) else None
    count = outcomes.n_outcomes if isinstance(outcomes, Game) else outcomes
    if name == "uniform" and count != 2:
        raise SidelightError(f"'uniform' laws are for two outcomes, and the game has {count}: use 'dirichlet'")
    if name in _BORDER and game is None:
        raise SidelightError(f"{name!r} laws depend on the game: write laws.load({name!r}, game)")
    return RandomLaws(name, count, game if name in _BORDER else None)


@dataclass(frozen=True, repr=False)
class RandomLaws:
    """Draws outcome laws of one kind; what `load` returns."""

    kind: str
    outcomes: int
    game: Game | None = None

    @property
    def __name__(self) -> str:
        """The name of the kind, as a function has one."""
        return self.kind

    def __call__(self, rng: np.random.Generator) -> Law:
        """Draw a law."""
        if self.game is not None:
            return _draw_law_near_border(loss_matrix(self.game), *_BORDER[self.kind], rng)
        if self.kind == "dirichlet":
            return rng.dirichlet(np.ones(self.outcomes))
        if self.kind == "sparse":
            return self._sparse(rng)
        if self.kind in _INTERVALS and self.outcomes == 2:
            pieces = intervals(self.kind)
            p = rng.uniform(*pieces[0 if len(pieces) == 1 or rng.random() < 0.5 else 1])
            return np.array([p, 1.0 - p])
        return self._mixed(rng)

    def _sparse(self, rng: np.random.Generator) -> Law:
        # Gamma variates as small as these may all underflow.
        law = rng.dirichlet(np.full(self.outcomes, _SPARSE))
        return law if np.isfinite(law).all() and law.sum() > 0.0 else np.eye(self.outcomes)[rng.integers(self.outcomes)]

    def _mixed(self, rng: np.random.Generator) -> Law:
        """Draw a mixture of a uniformly drawn law with the middle of the simplex or with one of its vertices."""
        count = self.outcomes
        if self.kind in _MIDDLE:
            share, point = _MIDDLE[self.kind], np.full(count, 1.0 / count)
        else:
            share, point = rng.uniform(*_VERTEX[self.kind]), np.eye(count)[rng.integers(count)]
        return share * point + (1.0 - share) * rng.dirichlet(np.ones(count))

    def __repr__(self) -> str:
        return f"laws.load({self.kind!r}, {self.outcomes if self.game is None else self.game.name or 'game'})"


def _draw_law_near_border(loss: Floats, least: float, most: float, rng: np.random.Generator) -> Floats:
    """Draw two laws with different best actions, and return one `least` to `most` back from where the best one changes.

    On the segment from the first law to the second, let b be the place (0 to 1) where the best action of the first
    stops being best. The law lies at b (1 - u) with u uniform between `least` and `most`. In a game where one action
    is always best, the law is uniform over all laws.
    """
    outcomes = loss.shape[1]
    if (loss == loss.min(axis=0)).all(axis=1).any():  # one action is always best: no attempt would find another
        return np.asarray(rng.dirichlet(np.ones(outcomes), size=(_ATTEMPTS, 2))[-1, 0])
    for _ in range(_ATTEMPTS):
        start, end = rng.dirichlet(np.ones(outcomes), size=2)
        if _best_action_under_law(loss, start) != _best_action_under_law(loss, end):
            break
    else:
        return start
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        same = _best_action_under_law(loss, (1.0 - middle) * start + middle * end) == _best_action_under_law(
            loss, start
        )
        low, high = (middle, high) if same else (low, middle)
    place = low * (1.0 - rng.uniform(least, most))
    return (1.0 - place) * start + place * end


def _best_action_under_law(loss: Floats, law: Floats) -> int:
    return int(np.argmin(loss @ law))
