"""The regressions of ProspectModel: with more coefficients than labels they are no surer than labels allow."""

import numpy as np

import sidelight as sl
from sidelight.strategies.any_model.beliefs.regression import Regression
from sidelight.strategies.any_model.stakes import stakes_of


def test_more_waves_than_labels_do_not_make_it_too_sure():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 10))
    outcomes = (rng.random(1200) > 1.0 / (1.0 + np.exp(-3.0 * X[:, 0]))).astype(np.int64)
    belief = Regression(stakes_of(sl.analyze(sl.games.load("label-efficient"))), "kernel", 16, 0)
    for known in range(20, 201, 10):  # as in play: precisions move at every fit
        belief.fit(X[:known], np.zeros(known, np.int64), outcomes[:known], X[:400])
    law = belief.predict(X[200:]).mean(0)
    surprise = -np.log(law[np.arange(1000), outcomes[200:]]).mean()
    assert surprise < 0.48  # 0.54 with precisions that the evidence alone decides; a coin's is 0.69
