"""Members of ProspectModel that are clones of one classifier, each fitted to its own weights of the labels.

Every label has a weight drawn from Exp(1) for each member (the Bayesian bootstrap), and every member gets a few
invented labels at recent contexts, so that members differ where nothing is known. Symbols that do not
reveal the outcome are learnt as they are (see `by_symbol`).

References
----------
D. B. Rubin, "The Bayesian bootstrap", Annals of Statistics 1981. I. Osband et al., "Deep exploration via bootstrapped
DQN", NeurIPS 2016.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.any_model.rows import chosen_rows, joined_rows
from sidelight.strategies.any_model.stakes import Stakes

_INVENTED = 8  # labels
_INVENTED_WEIGHT = 4.0  # of all of them
_FLOOR = 0.005  # the least probability that a member may claim


class Told(NamedTuple):
    """What a member is fitted to."""

    rows: Any
    outcomes: Integers
    weights: Floats


class Clones:
    """A belief of clones of a classifier with `fit` and `predict_proba`, or of what a factory makes."""

    def __init__(self, stakes: Stakes, model: Any, members: int, seed: int) -> None:
        self._stakes, self._model, self._members, self._seed = stakes, model, members, seed
        self._fits = 0
        self._models: Any = []

    def fit(self, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Fit all members anew; if a fit raises an error, the old ones stay."""
        self._fits += 1
        rng = np.random.default_rng([self._seed, self._fits])
        told = (self._told(contexts, actions, symbols, pool, rng) for _ in range(self._members))
        self._models = self._fitted(told, rng)

    def predict(self, contexts: Any) -> Floats:
        """Return the probability of each outcome under each member."""
        P = np.zeros((len(self._models), len(contexts), self._stakes.outcomes))
        for member, model in zip(P, self._models, strict=True):
            member[:, np.asarray(model.classes_, int)] = _probabilities(model, contexts)
        return self._floored(P)

    def to_plain(self) -> dict[str, Any]:
        """Return what is needed to fit the same members again."""
        return {"seed": self._seed, "fits": self._fits}

    def from_plain(self, data: Any, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Fit the members as they were fitted last."""
        self._seed, self._fits = data["seed"], data["fits"] - 1
        self.fit(contexts, actions, symbols, pool)

    def _told(self, contexts: Any, actions: Integers, symbols: Integers, pool: Any, rng: np.random.Generator) -> Told:
        """Weigh the labels for a member, and invent some, not all alike: some classifiers refuse a single class."""
        outcomes, invented = self._stakes.outcomes, rng.integers(self._stakes.outcomes, size=_INVENTED)
        if (invented == invented[0]).all():
            invented[0] = (invented[0] + 1) % outcomes
        rows = joined_rows(contexts, chosen_rows(pool, rng.integers(len(pool), size=_INVENTED)))
        said = np.concatenate([self._stakes.allowed(actions, symbols).argmax(1), invented])
        weights = [rng.exponential(size=len(actions)), np.full(_INVENTED, _INVENTED_WEIGHT / _INVENTED)]
        return Told(rows, said, np.concatenate(weights))

    def _fitted(self, told: Iterable[Told], rng: np.random.Generator) -> Any:
        return [_fitted(self._model, *sample, rng) for sample in told]

    def _floored(self, P: Floats) -> Floats:
        return np.maximum(P, _FLOOR)


def _fitted(model: Any, rows: Any, labels: Integers, weights: Floats, rng: np.random.Generator) -> Any:
    """Return a clone of a model, fitted; one that takes no weights is given rows drawn by them."""
    clone = _clone(model)
    names = [name for name in _parameters(clone) if name.split("__")[-1] == "random_state"]
    if names:
        clone.set_params(**{name: int(rng.integers(2**31)) for name in names})
    if (name := _weight_name(clone)) is not None:
        return clone.fit(rows, labels, **{name: weights}) or clone
    drawn = rng.choice(len(labels), size=len(labels), p=weights / weights.sum())
    firsts = np.unique(labels, return_index=True)[1]  # every class is there
    drawn[: len(firsts)] = firsts[: len(drawn)]
    return clone.fit(chosen_rows(rows, drawn), labels[drawn]) or clone


def _probabilities(model: Any, contexts: Any) -> Floats:
    """Return `predict_proba`; for a forest the mean of its trees, which takes a twentieth of the time for one row."""
    ensemble = sys.modules.get("sklearn.ensemble")
    forests = (ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier) if ensemble else ()
    if type(model) not in forests or not isinstance(contexts, np.ndarray) or contexts.dtype != float:
        return np.asarray(model.predict_proba(contexts), float)
    if contexts.shape[1] != model.n_features_in_:
        raise ValueError(f"{contexts.shape[1]} features instead of {model.n_features_in_}")
    rows = contexts.astype(np.float32)
    total = sum(tree.tree_.predict(rows)[:, : len(model.classes_)] for tree in model.estimators_)
    return np.asarray(total / np.sum(total, axis=1, keepdims=True), float)


def _clone(model: Any) -> Any:
    if isinstance(model, type) or not hasattr(model, "fit"):
        return model()
    if not hasattr(model, "get_params"):
        return copy.deepcopy(model)
    from sklearn.base import clone

    return clone(model)


def _parameters(model: Any) -> list[str]:
    return list(model.get_params()) if hasattr(model, "get_params") else []


def _weight_name(model: Any) -> str | None:
    """Return the argument of `fit` that takes weights; that of the last step in a pipeline."""
    prefix = ""
    while getattr(model, "steps", None):
        name, model = model.steps[-1]
        prefix += f"{name}__"
    takes = "sample_weight" in inspect.signature(model.fit).parameters
    return f"{prefix}sample_weight" if takes else None
