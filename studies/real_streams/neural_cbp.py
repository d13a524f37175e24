"""NeuralCBP, as an external reference for games in which one action shows the outcome.

M. Heuillet et al., "Neural active learning meets the partial monitoring framework", UAI 2024, as the authors' public
code has it, written anew: a network of 100 hidden units predicts the symbol, a second one predicts by how much the
first errs, from its gradient and hidden layer, and that is the confidence width of CBP. Networks are trained by Adam
after each of the first 50 rounds, then every 50 and from round 1 000 on every 500 rounds. What the code does and one
may not expect:

- the second network learns signed errors, and their largest may be negative. Then every comparison counts as certain,
  and a look is worth less than a blind action: exploration ends;
- an action counts as rarely played if dc V^(-1) V^(-1) dc' is large, the square of what theory asks for, where dc is
  the gradient of the first network in means of 51 entries, and its hidden layer;
- every action is played once at first, whatever the context.

Contexts are standardized here by what has been seen, where the authors' data come standardized.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import sidelight as sl
from sidelight.errors import SidelightError
from sidelight.game_arrays import loss_matrix
from sidelight.strategies import Strategy

HIDDEN, BLOCK, ALPHA = 100, 51, 1.01
EPOCHS, BATCH, RATE, ENOUGH = 40, 64, 0.001, 1e-3
LAWS = np.linspace(0, 1, 401)  # probabilities of the first outcome


class Network:
    """One hidden layer of rectified units, fitted by Adam to the mean squared error."""

    def __init__(self, inputs: int, outputs: int, rng: np.random.Generator) -> None:
        shapes = ((HIDDEN, inputs), (HIDDEN,), (outputs, HIDDEN), (outputs,))
        bounds = (inputs, inputs, HIDDEN, HIDDEN)
        self.weights = [rng.uniform(-1, 1, s) / np.sqrt(b) for s, b in zip(shapes, bounds, strict=True)]

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return outputs and the hidden layer, for rows."""
        first, bias, second, last = self.weights
        hidden = np.maximum(x @ first.T + bias, 0)
        return hidden @ second.T + last, hidden

    def gradient(self, x: np.ndarray, hidden: np.ndarray, slope: np.ndarray) -> list[np.ndarray]:
        """Return the gradient of sum(slope * outputs) in the weights."""
        inner = (slope @ self.weights[2]) * (hidden > 0)
        return [inner.T @ x, inner.sum(axis=0), slope.T @ hidden, slope.sum(axis=0)]

    def fit(self, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> None:
        """Train further."""
        means, squares = ([np.zeros_like(w) for w in self.weights] for _ in range(2))
        step = 0
        for _ in range(EPOCHS):
            order, lost = rng.permutation(len(x)), 0.0
            for rows in np.split(order, range(BATCH, len(x), BATCH)):
                outputs, hidden = self(x[rows])
                errors = outputs - y[rows]
                lost += (errors**2).mean()
                step += 1
                for w, g, m, s in zip(
                    self.weights,
                    self.gradient(x[rows], hidden, 2 * errors / errors.size),
                    means,
                    squares,
                    strict=True,
                ):
                    m += 0.1 * (g - m)
                    s += 0.001 * (g * g - s)
                    w -= RATE * (m / (1 - 0.9**step)) / (np.sqrt(s / (1 - 0.999**step)) + 1e-8)
            if lost / x.shape[1] <= ENOUGH:
                return


class NeuralCBP(Strategy):
    """CBP with the widths of a second network."""

    def __init__(self, game: sl.Game, dimension: int, seed: Any = 0) -> None:
        super().__init__(game, seed=seed)
        self.dimension = dimension
        looks = [a for a in range(game.n_actions) if game.informative(a)]
        if game.n_outcomes != 2 or len(looks) != 1:
            raise SidelightError("NeuralCBP is here for games of two outcomes in which one action shows which it was")
        self._look, analysis = looks[0], sl.analyze(game)
        loss = loss_matrix(game)
        self._pairs = [
            (pair, loss[pair[0]] - loss[pair[1]], analysis.neighborhood(*pair)) for pair in analysis.neighbors
        ]
        self._weight = max(np.abs(difference).max() for _, difference, _ in self._pairs)
        laws = np.column_stack([LAWS, 1 - LAWS])
        self._costs = laws @ loss.T
        self._apart = [laws @ difference for _, difference, _ in self._pairs]

    def _start(self) -> dict[str, Any]:
        size = -(-(HIDDEN * (self.dimension + 3) + 2) // BLOCK) + HIDDEN
        networks = Network(self.dimension, 2, self.rng), Network(size, 2, self.rng)
        inverses = [np.eye(size) for _ in range(self.game.n_actions)]
        return {"round": 0, "networks": networks, "inverses": inverses, "seen": [], "labels": [], "errors": []}

    def _act(self, context: np.ndarray) -> int:
        state = self.state
        state["round"] += 1
        state["seen"].append(context.copy())
        recent = np.array(state["seen"][-2000:])
        x = ((context - recent.mean(axis=0)) / (recent.std(axis=0) + 1e-6))[None]
        predicted, hidden = state["networks"][0](x)
        gradient = np.concatenate([g.ravel() for g in state["networks"][0].gradient(x, hidden, np.ones((1, 2)))])
        padded = np.pad(gradient, (0, -len(gradient) % BLOCK)).reshape(-1, BLOCK).mean(axis=1)
        features = np.concatenate([padded, hidden[0]])
        features /= np.linalg.norm(features) + 1e-12
        width = float(state["networks"][1](features[None])[0].max())
        action = self._chosen(predicted[0], width, features)
        inverse = state["inverses"][action]
        image = inverse @ features
        inverse -= np.outer(image, image) / (1 + features @ image)
        state["now"] = x[0], features, predicted[0]
        return action

    def _chosen(self, predicted: np.ndarray, width: float, features: np.ndarray) -> int:
        t = self.state["round"] - 1
        if t < self.game.n_actions:
            return t
        possible = np.ones(len(LAWS), bool)
        for (_, difference, _), apart in zip(self._pairs, self._apart, strict=True):
            gap = difference @ predicted
            if abs(gap) >= np.abs(difference).max() * width:
                possible &= np.sign(gap) * apart > 0
        if not possible.any():
            possible[:] = True
        best = self._costs[possible].min(axis=1, keepdims=True)
        playable = set(np.flatnonzero((self._costs[possible] <= best + 1e-9).any(axis=0)).tolist())
        close = []
        if len(playable) > 1:
            close = [near for (pair, _, near) in self._pairs if set(pair) <= playable]
        playable.update(action for near in close for action in near)
        rate = self._weight ** (2 / 3) * (t + 2) ** (2 / 3) * (ALPHA * np.log(t + 2)) ** (1 / 3)
        if close and ((self.state["inverses"][self._look] @ features) ** 2).sum() > 1 / rate:
            playable.add(self._look)
        return max(sorted(playable), key=lambda action: self._weight * width if action == self._look else 0.0)

    def _observe(self, action: int, symbol: int, context: np.ndarray) -> None:
        state = self.state
        if action == self._look:
            x, features, predicted = state["now"]
            label = np.eye(2)[symbol]
            state["labels"].append((x, label))
            state["errors"].append((features, label - predicted))
        t = state["round"] - 1
        due = t <= 50 or (t % 50 == 0 and t < 1000) or t % 500 == 0
        if due and t > self.game.n_actions and state["labels"]:
            for network, told in zip(state["networks"], (state["labels"], state["errors"]), strict=True):
                network.fit(*(np.array(part) for part in zip(*told, strict=True)), self.rng)
