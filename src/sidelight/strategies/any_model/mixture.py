"""Several beliefs of ProspectModel as one, weighted by how well they predicted symbols before they were told them.

Every fit first asks each belief for the labels that are new to it. The shares of the beliefs and that of ignoring
contexts (see `context_free`) follow Bayes' rule: each is multiplied by the probability that it gave to the symbol, at
least a fifth of that without contexts, so that one bad prediction costs little. What the n-th label says counts as a
power n / (n + 20), for young beliefs predict badly. Contexts that say nothing so lose against that, at most like
n^(-d/2), d being the number of coefficients. After the n-th label 1 / (n + 2)^2 of everything is given to the beliefs
in equal parts: one that begins to predict well when it has learnt enough comes back at the price of 2 log n (tracking
the best expert).

The newer half of the predictions also decides the temperature at which a belief is used, for overconfident models are
the rule. One whose fit raises an error keeps its last fit; before its first, and while it predicts no probabilities, it
has no share.

Reference
---------
M. Herbster, M. Warmuth, "Tracking the best expert", Machine Learning 1998.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats
from sidelight.strategies.any_model.beliefs.belief import Belief, Labels, checked, tempered
from sidelight.strategies.any_model.stakes import Stakes

TEMPERATURES = (0.6, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0, 4.0, 6.0, 9.0)
_LEAST_LIKELIHOOD = 1e-3
_REMEMBERED = 2000  # predictions
_LEAST_RATIO = 0.2
_YOUNG = 20.0  # labels by which half of what a prediction says counts
_LEAST_IGNORING = 1e-6  # the share of ignoring contexts
_LEAST_SHARE = 1e-3  # with which a belief is asked
_FEW = 20  # labels, of which a model need not be able to learn


class Mixture:
    """Beliefs, their temperatures and their shares."""

    def __init__(self, stakes: Stakes, beliefs: Mapping[str, Belief]) -> None:
        self._stakes, self.names, self._beliefs = stakes, list(beliefs), list(beliefs.values())
        count = len(self._beliefs)
        self._at_pool: dict[int, Floats] = {}  # what each belief that can be used predicts there
        self._warned = False
        self.temperatures = [1.0] * count
        self.shares = np.zeros(count)  # what is missing to 1 is the share of ignoring contexts
        self._tried = np.zeros((0, count, len(TEMPERATURES)))  # log-likelihoods at all temperatures

    def fit(self, labels: Labels, pool: Any, new: int, plain: Floats) -> None:
        """Score the beliefs on the last `new` labels, then fit them to all; `plain`: their chances without contexts."""
        if new and self._at_pool:
            self._score(labels, new, plain)
        self._tried = self._tried[max(0, len(self._tried) - min(len(labels.actions), _REMEMBERED)) :]
        for place, belief in enumerate(self._beliefs):
            try:
                belief.fit(*labels, pool)
            except Exception as error:
                self._warn(place, error, len(labels.actions))
                if place not in self._at_pool:
                    continue
            try:
                predicted = np.asarray(belief.predict(pool), float)
                if not np.isfinite(predicted).all():
                    raise ValueError("it predicts values that are not finite")
                self._at_pool[place] = checked(predicted, len(pool), self._stakes.outcomes)
            except Exception as error:
                self._at_pool.pop(place, None)
                self._warn(place, error, len(labels.actions))
        self._set_temperatures()
        self._set_shares()

    def predict(self, contexts: Any) -> Floats:
        """Return what the members of all beliefs that have a share predict, (members, n, outcomes)."""
        asked = [self._ask(place, contexts) for place in self._asked()]
        return np.concatenate([np.zeros((0, len(contexts), self._stakes.outcomes)), *asked])

    def at_pool(self) -> Floats:
        """Return what these members predict at the pool of the last fit; there must be one."""
        return np.concatenate([tempered(self._at_pool[place], self.temperatures[place]) for place in self._asked()])

    @property
    def member_weights(self) -> tuple[Floats, float]:
        """The weights of members, and the sum of the squares of those that are drawn at random."""
        asked = self._asked()
        weights, noise, shares = [np.zeros(0)], 0.0, self.shares[asked]
        for place, share in zip(asked, shares / shares.sum() if asked else shares, strict=True):
            size = len(self._at_pool[place])
            weights.append(np.full(size, share / size))
            noise += 0.0 if getattr(self._beliefs[place], "exact", False) else share**2 / size
        return np.concatenate(weights), noise

    def to_plain(self) -> dict[str, Any]:
        """Return everything that a fit changed, as plain data."""
        for name, belief in zip(self.names, self._beliefs, strict=True):
            if not hasattr(belief, "to_plain"):
                raise SidelightError(f"{name} cannot be saved: give it to_plain and from_plain, as Belief describes")
        fitted: dict[int, Any] = {place: self._beliefs[place] for place in sorted(self._at_pool)}
        return {
            "temperatures": list(self.temperatures),
            "shares": self.shares,
            "tried": self._tried,
            "beliefs": {str(place): belief.to_plain() for place, belief in fitted.items()},
        }

    def from_plain(self, data: Any, labels: Labels, pool: Any) -> None:
        """Continue from what `to_plain` returned; the labels and the pool are those of the last fit."""
        self.temperatures, self.shares = list(data["temperatures"]), np.array(data["shares"], float)
        self._tried = np.array(data["tried"], float)
        for place, saved in data["beliefs"].items():
            belief: Any = self._beliefs[int(place)]
            belief.from_plain(saved, *labels, pool)
            self._at_pool[int(place)] = checked(belief.predict(pool), len(pool), self._stakes.outcomes)

    def _asked(self) -> list[int]:
        return [place for place in self._at_pool if self.shares[place] > _LEAST_SHARE * self.shares.max()]

    def _ask(self, place: int, contexts: Any) -> Floats:
        predicted = checked(self._beliefs[place].predict(contexts), len(contexts), self._stakes.outcomes)
        return tempered(predicted, self.temperatures[place])

    def _score(self, labels: Labels, new: int, plain: Floats) -> None:
        allowed = self._stakes.allowed(labels.actions[-new:], labels.symbols[-new:])
        tried = np.full((new, len(self._beliefs), len(TEMPERATURES)), np.log(_LEAST_LIKELIHOOD))
        ratios = np.ones((new, len(self._beliefs)))
        for place in self._at_pool:
            P = checked(self._beliefs[place].predict(labels.contexts[-new:]), new, self._stakes.outcomes)
            for k, temperature in enumerate(TEMPERATURES):
                likelihood = (tempered(P, temperature).mean(0) * allowed).sum(1)
                tried[:, place, k] = np.log(np.maximum(likelihood, _LEAST_LIKELIHOOD))
            used = tried[:, place, TEMPERATURES.index(self.temperatures[place])]
            ratios[:, place] = np.maximum(np.exp(used) / plain, _LEAST_RATIO)
        for n, ratio in enumerate(ratios, start=len(labels.actions) - new):
            ignoring = max(1.0 - self.shares.sum(), _LEAST_IGNORING)
            ratio = ratio ** (n / (n + _YOUNG))
            weights = self.shares * ratio / (ignoring + self.shares @ ratio)
            given_out = 1.0 / (n + 2.0) ** 2
            self.shares = (1.0 - given_out) * weights + given_out * 2.0 * self._prior()
        self._tried = np.concatenate([self._tried, tried])

    def _set_temperatures(self) -> None:
        newer = self._tried[len(self._tried) // 2 :]
        best = (newer.sum(0) - 0.5 * np.log(TEMPERATURES) ** 2).argmax(1)
        self.temperatures = [
            1.0 if getattr(belief, "calibrated", False) else TEMPERATURES[k]
            for belief, k in zip(self._beliefs, best, strict=True)
        ]

    def _prior(self) -> Floats:
        """Return the shares of beliefs that can be used before they predicted anything."""
        usable = np.array([place in self._at_pool for place in range(len(self._beliefs))])
        return np.asarray(0.5 * usable / max(1, usable.sum()))

    def _set_shares(self) -> None:
        """Let beliefs that cannot be used any more have no share, and those that now can their first one."""
        prior = self._prior()
        self.shares = np.where(prior > 0.0, np.where(self.shares > 0.0, self.shares, prior), 0.0)
        self.shares /= max(1.0, self.shares.sum() + 1e-12)

    def _warn(self, place: int, error: Exception, labels: int) -> None:
        """Say once that a model cannot be fitted, as soon as there are labels of which it could have learnt."""
        if not self._warned and labels >= _FEW:
            self._warned = True
            told = f"fitting {self.names[place]} raised {type(error).__name__} ({error})"
            warnings.warn(f"{told}; play goes on without it", stacklevel=2)
