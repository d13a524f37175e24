"""Several beliefs of ProspectModel as one, weighted by how well they predicted symbols before they were told them.

Every fit first asks each belief for the labels that are new to it. The newer half of these predictions decides, by
their log-likelihood, the temperature at which a belief is used (overconfident models are the rule) and its share. A
belief that ignores contexts is always among them, so that a poor model can do little harm. One whose fit raises an
error keeps its last fit; before its first, and while it predicts no probabilities, it has no share.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.any_model.belief import Belief, checked, tempered
from sidelight.strategies.any_model.stakes import Stakes

TEMPERATURES = (0.6, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0, 4.0, 6.0, 9.0)
_LEAST_LIKELIHOOD = 1e-3
_REMEMBERED = 2000  # predictions
_PATIENCE = 25.0  # labels for half of the trust in their likelihood
_LEAST_SHARE = 1e-3  # with which a belief is asked


class Mixture:
    """Beliefs, their temperatures and their shares."""

    def __init__(self, stakes: Stakes, beliefs: Mapping[str, Belief]) -> None:
        self._stakes, self.names, self._beliefs = stakes, list(beliefs), list(beliefs.values())
        count = len(self._beliefs)
        self._at_pool: dict[int, Floats] = {}  # what each belief that can be used predicts there
        self._warned = False
        self.temperatures = [1.0] * count
        self.shares = np.zeros(count)
        self._scores = np.zeros((0, count))
        self._at_temperatures = np.zeros((0, count, len(TEMPERATURES)))

    def fit(self, contexts: Any, actions: Integers, symbols: Integers, pool: Any, new: int) -> None:
        """Score the beliefs on the last `new` labels, then fit them to all."""
        if new and self._at_pool:
            self._score(contexts[-new:], self._stakes.allowed(actions[-new:], symbols[-new:]))
        kept = slice(len(self._scores) - min(len(self._scores), len(actions), _REMEMBERED), None)
        self._scores, self._at_temperatures = self._scores[kept], self._at_temperatures[kept]
        for place, belief in enumerate(self._beliefs):
            try:
                belief.fit(contexts, actions, symbols, pool)
            except Exception as error:
                self._warn(self.names[place], error, len(actions))
                if place not in self._at_pool:
                    continue
            try:
                predicted = np.asarray(belief.predict(pool), float)
                if not np.isfinite(predicted).all():
                    raise ValueError("it predicts values that are not finite")
                self._at_pool[place] = checked(predicted, len(pool), self._stakes.outcomes)
            except Exception as error:
                self._at_pool.pop(place, None)
                self._warn(self.names[place], error, len(actions))
        self._weigh()

    def predict(self, contexts: Any) -> Floats:
        """Return what the members of all beliefs that have a share predict, (members, n, outcomes)."""
        return np.concatenate([self._ask(place, contexts) for place in self._asked()])

    def at_pool(self) -> Floats:
        """Return what these members predict at the pool of the last fit."""
        return np.concatenate([tempered(self._at_pool[place], self.temperatures[place]) for place in self._asked()])

    @property
    def member_weights(self) -> tuple[Floats, float]:
        """The weights of members, and the sum of the squares of those that are drawn at random."""
        weights, noise = [], 0.0
        for place in self._asked():
            size = len(self._at_pool[place])
            weights.append(np.full(size, self.shares[place] / size))
            noise += 0.0 if getattr(self._beliefs[place], "exact", False) else self.shares[place] ** 2 / size
        together = np.concatenate(weights)
        return together / together.sum(), noise / together.sum() ** 2

    def to_plain(self) -> dict[str, Any]:
        """Return everything that a fit changed, as plain data."""
        for name, belief in zip(self.names, self._beliefs, strict=True):
            if not hasattr(belief, "to_plain"):
                raise SidelightError(f"{name} cannot be saved: give it to_plain and from_plain, as Belief describes")
        return {
            "temperatures": list(self.temperatures),
            "shares": self.shares,
            "scores": self._scores,
            "at_temperatures": self._at_temperatures,
            "beliefs": {str(place): self._plain(place) for place in sorted(self._at_pool)},
        }

    def from_plain(self, data: Any, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Continue from what `to_plain` returned; the labels and the pool are those of the last fit."""
        self.temperatures, self.shares = list(data["temperatures"]), np.array(data["shares"])
        self._scores, self._at_temperatures = np.array(data["scores"]), np.array(data["at_temperatures"])
        for place, saved in data["beliefs"].items():
            belief: Any = self._beliefs[int(place)]
            belief.from_plain(saved, contexts, actions, symbols, pool)
            self._at_pool[int(place)] = checked(belief.predict(pool), len(pool), self._stakes.outcomes)

    def _plain(self, place: int) -> Any:
        belief: Any = self._beliefs[place]
        return belief.to_plain()

    def _asked(self) -> list[int]:
        return [place for place, share in enumerate(self.shares) if share > _LEAST_SHARE * self.shares.max()]

    def _ask(self, place: int, contexts: Any) -> Floats:
        predicted = checked(self._beliefs[place].predict(contexts), len(contexts), self._stakes.outcomes)
        return tempered(predicted, self.temperatures[place])

    def _score(self, contexts: Any, allowed: Floats) -> None:
        scores = np.full((len(allowed), len(self._beliefs)), np.log(_LEAST_LIKELIHOOD))
        tried = np.full((*scores.shape, len(TEMPERATURES)), np.log(_LEAST_LIKELIHOOD))
        for place, belief in enumerate(self._beliefs):
            if place not in self._at_pool:
                continue
            P = checked(belief.predict(contexts), len(allowed), self._stakes.outcomes)
            for k, temperature in enumerate(TEMPERATURES):
                likelihood = (tempered(P, temperature).mean(0) * allowed).sum(1)
                tried[:, place, k] = np.log(np.maximum(likelihood, _LEAST_LIKELIHOOD))
            scores[:, place] = tried[:, place, TEMPERATURES.index(self.temperatures[place])]
        self._scores = np.concatenate([self._scores, scores])
        self._at_temperatures = np.concatenate([self._at_temperatures, tried])

    def _weigh(self) -> None:
        newer = slice(len(self._scores) // 2, None)
        around_one = 0.5 * np.log(TEMPERATURES) ** 2
        best = (self._at_temperatures[newer].sum(0) - around_one).argmax(1)
        self.temperatures = [
            1.0 if getattr(belief, "calibrated", False) else TEMPERATURES[k]
            for belief, k in zip(self._beliefs, best, strict=True)
        ]
        usable = [place in self._at_pool for place in range(len(self._beliefs))]
        # A few labels are no reason to drop a belief, for then it might never see those that speak for it.
        patience = len(self._scores) / (len(self._scores) + _PATIENCE)
        total = np.where(usable, patience * self._scores[newer].sum(0), -np.inf)
        self.shares = np.exp(total - total.max())
        self.shares /= self.shares.sum()

    def _warn(self, name: str, error: Exception, labels: int) -> None:
        """Say once that a model cannot be fitted, as soon as there are labels of which it could have learnt."""
        if not self._warned and labels >= 20:
            self._warned = True
            warnings.warn(
                f"fitting {name} raised {type(error).__name__} ({error}); play goes on without it", stacklevel=2
            )
