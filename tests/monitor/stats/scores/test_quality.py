"""What reports say about scores: ranking, calibration, two values, and warnings."""

import math
import random

import numpy as np
import pytest

from sidelight.monitor import ClassifierMonitor, Report
from sidelight.monitor.report.wording import word_score_quality_of_report


def watched(draw, count=3000, tolerance=0.1, lost=None, **settings):
    """Return the report on a class; `draw` returns whether a prediction is wrong, and its score."""
    monitor, source = ClassifierMonitor(tolerance, drift=False, confidence=0.999, **settings), random.Random(7)
    for place in range(count):
        wrong, score = draw(source)
        if monitor.decide("a", id=place, score=score).verify:
            if lost and lost(score):
                monitor.answer(place, skipped=True)
            else:
                monitor.answer(place, correct=not wrong)
    return monitor.report()


def binormal(shift, rate=0.09):
    def draw(source):
        wrong = source.random() < rate
        return wrong, source.gauss(shift * wrong, 1)

    return draw


def test_the_area_under_the_curve_is_that_of_the_scores_however_they_are_sampled():
    areas = [watched(binormal(shift))["a"].score for shift in (1.81, 0.0, -1.81)]
    for score, area in zip(areas, (0.9, 0.5, 0.1), strict=True):
        assert score.auc_interval[0] < area < score.auc_interval[1]
        assert score.auc_interval[1] - score.auc_interval[0] < 0.12
    good, useless, turned = areas
    assert good.warning is None
    assert good.saved > 200
    assert "hardly" in useless.warning
    assert "score_is='confidence'" in turned.warning
    assert abs(useless.saved) < 150


def test_bins_hold_their_error_rates():
    score = watched(lambda source: ((x := source.random()) * 0.2 > source.random(), x), 2500)["a"].score
    assert sum(part.share for part in score.bins) == pytest.approx(1.0)
    for part in score.bins:
        assert part.interval[0] <= 0.2 * part.high + 0.02
        assert part.interval[1] >= 0.2 * part.low - 0.02


def test_two_values_have_true_and_false_positive_rates():
    def judge(source):
        wrong = source.random() < 0.1
        return wrong, float(source.random() < (0.8 if wrong else 0.05))

    score = watched(judge, 4000)["a"].score
    assert score.found[0] < 0.8 < score.found[1]
    assert score.alarmed[0] < 0.05 < score.alarmed[1]
    assert score.found[1] - score.found[0] < 0.5
    assert score.alarmed[1] - score.alarmed[0] < 0.1


def test_losses_that_depend_on_the_score_are_told():
    source = random.Random(1)
    unfair = watched(binormal(1.8), lost=lambda score: score > 0.5 and source.random() < 0.5)["a"]
    assert "losses that depend on the score" in unfair.score.warning
    fair = watched(binormal(1.8), lost=lambda score: source.random() < 0.3)["a"]
    assert fair.score.warning is None
    assert "Warning" in word_score_quality_of_report(unfair.score)


def test_a_report_with_scores_survives_json_and_has_a_page():
    report = watched(binormal(1.8), 600)
    assert Report.from_dict(report.to_dict()) == report
    assert "What scores say" in report.to_html()
    assert "larger score" in str(report)
    assert not np.isnan(report["a"].score.auc)
    none = watched(lambda source: (False, math.nan), 30)["a"]
    assert none.score is None
