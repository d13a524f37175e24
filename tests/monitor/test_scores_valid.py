"""Scores keep verdicts valid in hostile settings, and save labels: small slices of `benchmarks/scores.py`."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    scores = importlib.import_module("scores")
finally:
    sys.path.pop(0)

RUNS, MOST_WRONG = 14, 6
"""Of 14 runs at most one in ten is wrong: more than 6 are with a chance of 1 in 5 000."""


@pytest.mark.parametrize("factor", [0.97, 1.03])
@pytest.mark.parametrize("stream", scores.STREAMS.values(), ids=scores.STREAMS)
def test_verdicts_are_valid_whatever_the_scores_are(stream, factor):
    assert scores.wrong_verdicts(stream, factor, RUNS, seed=5, length=600).sum() <= MOST_WRONG


@pytest.mark.parametrize("late", scores.DELAYS.values(), ids=scores.DELAYS)
def test_verdicts_are_valid_whenever_answers_come(late):
    stream = scores.STREAMS["AUC 0.9"]
    assert scores.wrong_verdicts(stream, 1.03, RUNS, seed=5, late=late, length=600).sum() <= MOST_WRONG


@pytest.mark.parametrize(("auc", "most"), [(0.5, 1.15), (0.95, 0.8)])
def test_labels_are_saved_where_scores_are_good_and_not_wasted_where_they_are_useless(auc, most):
    before = after = 0
    for run in range(12):
        wrong, values = scores.binormal(np.random.default_rng((6, run)), 0.13, auc, 15_000)
        before += scores.without_scores(wrong, 0.1, 0.95)
        after += scores.with_scores(wrong, values, 0.1, 0.95, run)[0]
    assert after < most * before
