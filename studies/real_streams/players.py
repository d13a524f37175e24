"""What people do today around a classifier, one class a rule, and ours around the same classifiers, for studies.

    [[strategies]]
    name = "real_streams/players.py:Epsilon"
    model = ["forest", "kernel", "logistic"]

All rules keep the symbols that they were shown and fit their model anew when these grew by a quarter. It predicts the
symbol from the context and the action: whether a customer buys, from what is known of the customer and the price. The
law of outcomes is that which fits its predictions for all actions best, and the action with the least expected loss
under it is played. Rules differ in when they *look*, that is, play an action to be shown something:
one of those that show something, drawn at random if there are several. The constant of a rule is the best of four on
streams other than those that are reported.
"""

from __future__ import annotations

import warnings
from collections import deque
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import sidelight as sl
from sidelight.game_arrays import loss_matrix, signal_indices
from sidelight.simulation import players
from sidelight.strategies import Strategy
from sidelight.strategies.any_model.beliefs.clones import Told
from sidelight.strategies.any_model.beliefs.trees import asked, grown

START = 20  # looks with which every rule begins
GROWTH = 1.25  # of symbols between two fits


class Logistic(LogisticRegression):
    """Logistic regression on standardized features, or on random Fourier features of these if `features` is not 0.

    It is scikit-learn's. The pipeline of the same steps would take 1 ms for a row, most of it to check the row.
    """

    def __init__(self, features: int = 0, random_state: int = 0) -> None:
        super().__init__(max_iter=100, tol=1e-3, random_state=random_state)
        self.features = features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Logistic:
        """Fit to rows and labels."""
        rng = np.random.default_rng(self.random_state)
        self.mean_, self.scale_ = X.mean(axis=0), X.std(axis=0) + 1e-9
        self.waves_ = rng.normal(size=(X.shape[1], self.features)) / np.sqrt(X.shape[1])
        self.shifts_ = rng.uniform(0, 2 * np.pi, self.features)
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            return super().fit(self._seen(X), y, sample_weight)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class."""
        scores = self._seen(X) @ self.coef_.T + self.intercept_
        if scores.shape[1] == 1:
            scores = np.hstack([np.zeros_like(scores), scores])
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)

    def _seen(self, X: Any) -> np.ndarray:
        standard = (np.asarray(X, float) - self.mean_) / self.scale_
        if not self.features:
            return standard
        return np.cos(standard @ self.waves_ + self.shifts_) * np.sqrt(2 * 25 / self.features)


class Forest(BaseEstimator):
    """Sixteen extremely randomized trees; those of scikit-learn are as good and take five times as long."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Forest:
        """Fit to rows and labels."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        told = Told(np.ascontiguousarray(X, float), codes, weights)
        self.forest_ = grown([told], 16, len(self.classes_), np.random.default_rng(self.random_state))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the mean of the trees."""
        return asked(self.forest_, np.asarray(X, float), 1)[0]


MODELS: dict[str, BaseEstimator] = {
    "forest": Forest(),
    "kernel": Logistic(features=100),
    "logistic": Logistic(),
}


class Rule(Strategy):
    """What was shown, fits and expected losses, which all rules share."""

    members = 1
    """How many clones of the model are fitted, if several each to its own weights of the labels, drawn from Exp(1)."""
    chosen = 0.0
    """The constant, if none is given."""

    def __init__(
        self, game: sl.Game, dimension: int, model: str = "forest", constant: float | None = None, seed: Any = 0
    ) -> None:
        super().__init__(game, seed=seed)
        self.dimension, self.model, self.constant = dimension, model, constant
        self._c = self.chosen if constant is None else constant
        self._loss = loss_matrix(game)
        self._looks = [a for a in range(game.n_actions) if game.informative(a)]
        self._most = max(len(game.symbols(a)) for a in self._looks)
        signals = [np.eye(self._most)[shown].T for shown in signal_indices(game)[self._looks]]
        self._solve = np.linalg.pinv(np.vstack([*signals, np.ones(game.n_outcomes)]))

    def decide(self, costs: np.ndarray, t: int) -> int | None:
        """Return the action of round t, or None to look, by the costs of actions under each member."""
        raise NotImplementedError

    def _start(self) -> dict[str, Any]:
        return {"round": 0, "rows": [], "symbols": [], "next": 1.0, "models": []}

    def _act(self, context: np.ndarray) -> int:
        state = self.state
        state["round"] += 1
        if len(state["symbols"]) >= state["next"]:
            state["next"] = GROWTH * len(state["symbols"])
            self._fit(np.array(state["rows"]), np.array(state["symbols"]))
        action = None
        if state["round"] > START:
            action = self.decide(self._laws(context) @ self._loss.T, state["round"])
        return int(self.rng.choice(self._looks)) if action is None else int(action)

    def _observe(self, action: int, symbol: int, context: np.ndarray) -> None:
        if action in self._looks:
            self.state["rows"].append([*context, action])
            self.state["symbols"].append(symbol)

    def _fit(self, rows: np.ndarray, symbols: np.ndarray) -> None:
        """Fit all members, once two symbols have been shown."""
        if (symbols == symbols[0]).all():
            return
        self.state["models"] = []
        for member in range(self.members):
            weights = self.rng.exponential(size=len(rows)) if self.members > 1 else None
            made = clone(MODELS[self.model]).set_params(random_state=member)
            self.state["models"].append(made.fit(rows, symbols, sample_weight=weights))

    def _laws(self, context: np.ndarray) -> np.ndarray:
        """Return the probability of each outcome under each member, (members, outcomes)."""
        rows = np.array([[*context, action] for action in self._looks])
        shown = np.full((max(1, len(self.state["models"])), len(rows), self._most), 1 / self._most)
        for member, model in zip(shown, self.state["models"], strict=False):
            member[:] = 0.0
            member[:, model.classes_] = model.predict_proba(rows)
        flat = shown.reshape(len(shown), -1)
        laws = np.maximum(np.hstack([flat, np.ones((len(flat), 1))]) @ self._solve.T, 1e-9)
        return laws / laws.sum(axis=1, keepdims=True)


class Greedy(Rule):
    """Never look again: what many systems do that learn from their own decisions."""

    def decide(self, costs: np.ndarray, t: int) -> int | None:
        """Play the best action."""
        return costs[0].argmin()


class Epsilon(Rule):
    """Look in round t with the probability constant * t^(-1/3)."""

    chosen = 0.25

    def decide(self, costs: np.ndarray, t: int) -> int | None:
        """Look now and then, whatever the context."""
        return None if self.rng.random() < self._c * t ** (-1 / 3) else costs[0].argmin()


class Threshold(Rule):
    """Look where the second best action would cost at most `constant` more: uncertainty sampling."""

    chosen = 0.05

    def decide(self, costs: np.ndarray, t: int) -> int | None:
        """Look where the choice is close."""
        best, second = np.partition(costs[0], 1)[:2]
        return None if second - best < self._c else costs[0].argmin()


class LabelFirst(Rule):
    """Look in the first `constant` rounds and then never again: a training set, and then production."""

    chosen = 50.0

    def decide(self, costs: np.ndarray, t: int) -> int | None:
        """Look at first."""
        return None if t <= self._c else costs[0].argmin()


class Committee(Rule):
    """Look where more than the share `constant` of the members prefer another action than their mean does."""

    members = 8
    chosen = 0.375

    def decide(self, costs: np.ndarray, t: int) -> int | None:
        """Look where members differ."""
        best = costs.mean(axis=0).argmin()
        return None if (costs.argmin(axis=1) != best).mean() > self._c else best


class Thompson(Rule):
    """Play what a member prefers, another one in each round.

    If their mean prefers something else and the action would show nothing, look: in games where looks cost, no member
    ever prefers a look.
    """

    members = 8

    def decide(self, costs: np.ndarray, t: int) -> int | None:
        """Follow one member."""
        best, own = costs.mean(axis=0).argmin(), costs[self.rng.integers(len(costs))].argmin()
        return None if own != best and own not in self._looks else own


class InverseGap(Rule):
    """Play action a with probability 1 / (K + gamma (cost of a - least cost)), gamma = constant sqrt(K t).

    With the rest of the probability, play the best action.

    D. Foster and A. Rakhlin, "Beyond UCB: optimal and efficient contextual bandits with regression oracles", ICML 2020
    (SquareCB).
    """

    chosen = 32.0

    def decide(self, costs: np.ndarray, t: int) -> int | None:
        """Draw an action."""
        gaps = costs[0] - costs[0].min()
        chances = 1 / (len(gaps) + self._c * np.sqrt(len(gaps) * t) * gaps)
        chances[gaps.argmin()] += 1 - chances.sum()
        return self.rng.choice(len(gaps), p=chances)


class Prospect(sl.strategies.ProspectModel):
    """ProspectModel around one of these classifiers."""

    def __init__(self, game: sl.Game, model: str = "forest", seed: Any = 0) -> None:
        super().__init__(game, MODELS[model], seed=seed)


class Late(Strategy):
    """Any player whose symbols arrive `delay` rounds late, or together after every `batch` rounds."""

    def __init__(
        self, game: sl.Game, dimension: int, player: str, model: str = "", delay: int = 0, batch: int = 1, seed: Any = 0
    ) -> None:
        super().__init__(game, seed=seed)
        self.dimension, self.player, self.model, self.delay, self.batch = dimension, player, model, delay, batch
        kind = globals()[player] if player in globals() else players.find_player_class(player)
        given = {"model": model} if model else {}
        self._inner = kind(game, **players.complete_player_parameters(kind, given, 0, dimension))

    def _start(self) -> dict[str, Any]:
        inner = self._inner.clone().reset(self.rng.bit_generator.random_raw())
        return {"round": 0, "player": inner, "waiting": deque()}

    def _act(self, context: np.ndarray) -> int:
        state = self.state
        while state["waiting"] and state["waiting"][0][0] <= state["round"]:
            _, symbol, action, seen = state["waiting"].popleft()
            state["player"].observe(symbol, action=action, context=seen)
        state["round"] += 1
        return state["player"].act(context)

    def _observe(self, action: int, symbol: int, context: np.ndarray) -> None:
        due = -(-(self.state["round"] + self.delay) // self.batch) * self.batch
        self.state["waiting"].append((due, self.game.symbols(action)[symbol], action, context.copy()))
