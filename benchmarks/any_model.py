"""ProspectModel: CPU time of a round, fits included, one context at a time.

    python benchmarks/any_model.py [ROUNDS]

Apple tasting with 20 features and a logistic law; 10 000 rounds. Forests have ten trees each and the default number of
members, and need scikit-learn. Linear algebra should have one thread (OPENBLAS_NUM_THREADS=1).
"""

import sys
import time

import numpy as np
from measuring import missed, report, seconds
from sklearn.ensemble import ExtraTreesClassifier

import sidelight as sl

ROUNDS = int(sys.argv[1]) if sys.argv[1:] else 10_000
GAME = sl.games.load("apple-tasting")
LIMITS = {"linear": ("linear", 100.0), "auto": ("auto", None), "forests": (ExtraTreesClassifier(10), 3000.0)}


def play(strategy, contexts, outcomes):
    for x, outcome in zip(contexts, outcomes, strict=True):
        strategy.observe(GAME.feedback[strategy.act(x)][outcome])


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    X = rng.normal(size=(ROUNDS, 20))
    y = (rng.random(ROUNDS) < 1.0 / (1.0 + np.exp(-X @ rng.normal(size=20)))).astype(int)
    for name, (model, most) in LIMITS.items():
        strategy = sl.strategies.ProspectModel(GAME, model)
        spent = seconds(lambda strategy=strategy: play(strategy, X, y), clock=time.process_time)
        report(f"ProspectModel, {name}, a round", 1e6 * spent / ROUNDS, most=most, unit="us")
    sys.exit(f"outside its limit: {', '.join(missed)}" if missed else 0)
