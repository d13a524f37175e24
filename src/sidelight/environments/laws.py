"""Outcome laws drawn at random, one per run."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

import numpy as np

from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats

Law = Floats

# For two outcomes: the intervals, each as likely, of which p is drawn from one, uniformly.
_INTERVALS = {
    "dirichlet": ((0.0, 1.0),),
    "uniform": ((0.0, 1.0),),
    "balanced": ((0.4, 0.6),),
    "imbalanced": ((0.0, 0.2), (0.8, 1.0)),
}


def names() -> tuple[str, ...]:
    """Return the names that `load` knows."""
    return tuple(_INTERVALS)


def intervals(name: str) -> tuple[tuple[float, float], ...]:
    """Return the intervals, each as likely, on which a kind of laws (p, 1 - p) has p uniform."""
    return _INTERVALS[name]


def load(name: str, outcomes: int) -> RandomLaws:
    """Return what draws outcome laws when it is called with a random generator.

    - dirichlet: uniform over all laws, for any number of outcomes;
    - uniform: (p, 1 - p) with p uniform on [0, 1];
    - balanced: p uniform on [0.4, 0.6];
    - imbalanced: p uniform on [0, 0.2] or, as likely, on [0.8, 1].

    The last two are the instances of the ICML 2024 paper; the last three are for two outcomes.
    """
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise SidelightError(f"unknown kind of laws {name!r}: {hint}choose from {', '.join(names())}")
    if name != "dirichlet" and outcomes != 2:
        raise SidelightError(f"{name!r} laws are for two outcomes, and the game has {outcomes}: use 'dirichlet'")

    return RandomLaws(name, outcomes)


@dataclass(frozen=True, repr=False)
class RandomLaws:
    """Draws outcome laws of one kind; what `load` returns."""

    kind: str
    outcomes: int

    @property
    def __name__(self) -> str:
        """The name of the kind, as a function has one."""
        return self.kind

    def __call__(self, rng: np.random.Generator) -> Law:
        """Draw a law."""
        if self.kind == "dirichlet":
            return rng.dirichlet(np.ones(self.outcomes))
        pieces = intervals(self.kind)
        p = rng.uniform(*pieces[0 if len(pieces) == 1 or rng.random() < 0.5 else 1])
        return np.array([p, 1.0 - p])

    def __repr__(self) -> str:
        return f"laws.load({self.kind!r}, {self.outcomes})"
