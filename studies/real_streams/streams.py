"""Streams of real and made data for studies: contexts, outcomes, and what a strong offline model would have lost.

    [[worlds]]
    environment = "real_streams/streams.py:Stream"
    stream = ["bananas", "segments"]

The data ship in the wheels of scikit-learn and river (extra "data") or are made by formulas. Each
run meets the rows in an order of its own. Regret is what was lost beyond an offline model that was given all other
labels.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn import datasets
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sidelight._storage import replacing_file
from sidelight.environments.base import Environment, cost, draw, subtracts_nothing
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements

FLIPPED = 0.05  # share of wrong labels in streams made by formulas
FOLDS = 5


class Data(NamedTuple):
    """The rows of a stream."""

    contexts: np.ndarray
    target: np.ndarray  # class 0 or 1, or a number, of which levels are made
    change: int = 0  # the row at which the world changes, if it does


# Streams, by the half that they belong to: constants of players are chosen on the first and reported on the second.


def phishing() -> Data:
    """Return web sites, of which 56 % are fraudulent."""
    return _river("Phishing")


def digits_odd() -> Data:
    """Return handwritten digits, half of them odd."""
    pixels, digit = datasets.load_digits(return_X_y=True)
    return Data(pixels, digit % 2)


def moons() -> Data:
    """Return two interleaved half-moons."""
    return _flipped(*datasets.make_moons(4000, noise=0.25, random_state=1))


def agrawal_2() -> Data:
    """Return loans that are granted by age and income."""
    return _agrawal(2, 4000, seed=7)


def linear() -> Data:
    """Return a logistic regression in ten dimensions, which linear models fit."""
    rng = np.random.default_rng(5)
    contexts = rng.normal(size=(4000, 10))
    slope = rng.normal(size=10)
    score = contexts @ slope * 3 / np.linalg.norm(slope) - 0.5
    return Data(contexts, (rng.random(4000) < 1 / (1 + np.exp(-score))).astype(int))


def bananas() -> Data:
    """Return two classes in the shape of bananas."""
    return _river("Bananas")


def segments() -> Data:
    """Return pieces of photographs, of which foliage, windows and cement are to be found."""
    data = _river("ImageSegments", classes=str)
    return data._replace(target=np.isin(data.target, ["foliage", "window", "cement"]).astype(int))


def digits_38() -> Data:
    """Return handwritten digits, of which the easily confused 3 and 8 are to be found."""
    pixels, digit = datasets.load_digits(return_X_y=True)
    return Data(pixels, np.isin(digit, [3, 8]).astype(int))


def cancer() -> Data:
    """Return tumours, 37 % of them malignant."""
    cells, benign = datasets.load_breast_cancer(return_X_y=True)
    return Data(cells, 1 - benign)


def shuttle() -> Data:
    """Return readings of a space shuttle, 8 % of them abnormal."""
    return _river("Shuttle", most=4000)


def hastie() -> Data:
    """Return points inside and outside a ball in ten dimensions."""
    contexts, sign = datasets.make_hastie_10_2(4000, random_state=1)
    return Data(contexts, (sign > 0).astype(int))


def clusters() -> Data:
    """Return four clusters a class among twenty features, most of them useless."""
    return Data(
        *datasets.make_classification(
            4000, 20, n_informative=6, n_redundant=4, n_clusters_per_class=4, flip_y=0.1, class_sep=1.2, random_state=3
        )
    )


def agrawal_6() -> Data:
    """Return loans that are granted by income, loan and age."""
    return _agrawal(6, 4000, seed=7)


def drift() -> Data:
    """Return loans whose rule changes half-way."""
    before, after = _agrawal(2, 1000, seed=8), _agrawal(4, 1000, seed=9)
    both = (np.concatenate(pair) for pair in zip(before[:2], after[:2], strict=True))
    return Data(*both, change=1000)


def friedman_1() -> Data:
    """Return a worth that is a smooth function of five of eight features."""
    return Data(*datasets.make_friedman1(4000, 8, noise=1.0, random_state=1))


def friedman_3() -> Data:
    """Return a worth that is the arc tangent of a ratio of features."""
    return Data(*datasets.make_friedman3(4000, noise=0.1, random_state=2))


def diabetes() -> Data:
    """Return patients and how far their illness went, which stands for what they would pay."""
    return Data(*datasets.load_diabetes(return_X_y=True))


def chicks() -> Data:
    """Return chickens, their age and diet, and their weight, which stands for their price."""
    return _river("ChickWeights", classes=float)


CHOOSE = (phishing, digits_odd, moons, agrawal_2, linear, friedman_1)
REPORT = (
    bananas,
    segments,
    digits_38,
    cancer,
    shuttle,
    hastie,
    clusters,
    agrawal_6,
    drift,
    friedman_3,
    diabetes,
    chicks,
)
STREAMS: dict[str, Callable[[], Data]] = {make.__name__.replace("_", "-"): make for make in (*CHOOSE, *REPORT)}


def _river(name: str, classes: Callable[[Any], Any] = int, most: int | None = None) -> Data:
    try:
        from river import datasets as rivers
    except ImportError:
        raise SidelightError("this stream ships with river: run `pip install river`") from None
    return _table(((row, classes(label)) for row, label in getattr(rivers, name)()), most)


def _agrawal(rule: int, rows: int, seed: int) -> Data:
    from river.datasets import synth

    made = _table(synth.Agrawal(classification_function=rule, seed=seed), rows)
    return _flipped(made.contexts, made.target)


def _table(rows: Iterable[tuple[dict[str, Any], Any]], most: int | None) -> Data:
    kept = [pair for _, pair in zip(range(most or 10**9), rows, strict=False)]
    return Data(np.array([list(row.values()) for row, _ in kept], float), np.array([label for _, label in kept]))


def _flipped(contexts: np.ndarray, labels: np.ndarray) -> Data:
    wrong = np.random.default_rng(12345).random(len(labels)) < FLIPPED
    return Data(contexts, np.where(wrong, 1 - labels, labels).astype(int))


@functools.cache
def load(name: str) -> Data:
    """Return the rows of a stream."""
    if name not in STREAMS:
        raise SidelightError(f"there is no stream {name!r}: there are {', '.join(STREAMS)}")
    return STREAMS[name]()


def outcomes_of(data: Data, game: Game) -> np.ndarray:
    """Return outcomes: class 1, the one to catch, is outcome 0; a number becomes one of equally frequent levels."""
    if data.target.dtype.kind == "f":
        cuts = np.quantile(data.target, np.arange(1, game.n_outcomes) / game.n_outcomes)
        return np.searchsorted(cuts, data.target, side="right").astype(np.int64)
    if game.n_outcomes != 2:
        raise SidelightError(f"this stream has two classes, and the game {game.n_outcomes} outcomes")
    return (1 - data.target).astype(np.int64)


def offline_models() -> dict[str, BaseEstimator]:
    """Return the models of which the best one on a stream and game, in hindsight, is what players are compared with."""
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "forest": ExtraTreesClassifier(200, min_samples_leaf=2, random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=80, max_leaf_nodes=15, random_state=0),
        "kernel": make_pipeline(
            StandardScaler(), Nystroem(n_components=300, random_state=0), LogisticRegression(C=10.0)
        ),
    }


def offline_probabilities(data: Data, outcomes: np.ndarray) -> np.ndarray:
    """Return the probabilities of outcomes (models, rows, outcomes), each from a model that did not see the row.

    They are kept in the user's cache. A stream that changes is two streams.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sidelight-streams"
    parts = (data.contexts, outcomes, np.array([data.change, FOLDS]))
    settings = f"{sklearn.__version__} {offline_models()}".encode()
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts) + settings)
    path = home / f"{digest.hexdigest()[:32]}.npy"
    if path.is_file():
        return np.load(path)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    found = np.zeros((len(offline_models()), len(outcomes), outcomes.max() + 1))
    for part in np.split(np.arange(len(outcomes)), [data.change] if data.change else []):
        for k, model in enumerate(offline_models().values()):
            x, y = data.contexts[part], outcomes[part]
            found[k, part] = cross_val_predict(model, x, y, cv=folds, method="predict_proba")
    with replacing_file(path) as draft:  # at once, since other threads and processes may read or write it
        np.save(draft, found)
    return found


def offline_losses(data: Data, game: Game) -> np.ndarray:
    """Return what the best offline model loses at each row."""
    loss, outcomes = loss_matrix(game), outcomes_of(data, game)
    actions = (offline_probabilities(data, outcomes) @ loss.T).argmin(axis=2)
    return min((loss[chosen, outcomes] for chosen in actions), key=np.sum)


class StreamWorld(NamedTuple):
    """One order of a stream; `position` moves with the rounds."""

    contexts: np.ndarray
    outcomes: np.ndarray
    offline: np.ndarray  # what the offline model loses in each round
    loss: np.ndarray
    position: np.ndarray


@implements(draw, StreamWorld)
def _draw(world, context, rng):
    t = world.position[0]
    for k in range(world.contexts.shape[1]):
        context[k] = world.contexts[t, k]
    world.position[0] = t + 1
    return world.outcomes[t]


@implements(cost, StreamWorld)
def _cost(world, action, outcome):
    return world.loss[action, outcome] - world.offline[world.position[0] - 1]


subtracts_nothing(StreamWorld)


class Stream(Environment):
    """The rows of a stream, in another order in each run; one that changes keeps its two parts apart."""

    name = "Stream"

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.dimension = load(stream).contexts.shape[1]

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise an error unless the stream is long enough and fits the game."""
        rows = len(outcomes_of(load(self.stream), game))
        if rows < horizon:
            raise SidelightError(f"{self.stream} has {rows} rows, but the horizon is {horizon}")

    def start(self, game: Game, run: int, rng: np.random.Generator) -> StreamWorld:
        """Return the world of one run."""
        data = load(self.stream)
        parts = np.split(np.arange(len(data.target)), [data.change] if data.change else [])
        order = np.concatenate([rng.permutation(part) for part in parts])
        return StreamWorld(
            np.ascontiguousarray(data.contexts[order]),
            outcomes_of(data, game)[order],
            offline_losses(data, game)[order],
            loss_matrix(game),
            np.zeros(1, np.int64),
        )

    def describe(self) -> dict[str, Any]:
        """Return the name of the stream and a digest of its rows."""
        data = load(self.stream)
        digest = hashlib.sha256(data.contexts.tobytes() + data.target.tobytes())
        return {"name": self.name, "stream": self.stream, "sha256": digest.hexdigest()}
