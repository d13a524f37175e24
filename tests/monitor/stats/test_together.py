"""All classes together: levels that sum to α, and few runs with any wrong verdict."""

import math

import numpy as np
import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.stats.confidence import rate_test, share_of_alpha


@pytest.mark.parametrize("listed", [0, 1, 7])
def test_shares_sum_to_one(listed):
    total = sum(share_of_alpha(place, listed) for place in range(100_000))
    assert 0.999 < total < 1.0
    assert share_of_alpha(0, listed) == max(share_of_alpha(place, listed) for place in range(listed + 5))


def test_the_level_of_a_class_depends_on_the_order_of_appearance_alone():
    monitor = ClassifierMonitor(0.05, classes=["a", "b"], confidence=0.95, together=True)
    for name in "cabd":
        monitor.decide(name)
    tests = {name: state.test for name, state in monitor.engine.classes.items()}
    assert tests["a"] is tests["b"]
    assert tests["a"].limit == pytest.approx(-math.log(0.05 * 0.45 * 0.95))
    assert tests["c"].limit < tests["d"].limit
    loaded = ClassifierMonitor.from_dict(monitor.to_dict())
    assert {name: state.test for name, state in loaded.engine.classes.items()} == tests


def test_few_runs_have_any_wrong_verdict():
    """Twenty classes at 1.05 times their tolerance; 400 runs, four standard errors of slack; alone, far more err."""
    rng = np.random.default_rng(3)
    rate, runs, classes, alpha = 0.315, 400, 20, 0.2
    errors = np.cumsum(rng.random((runs, classes, 3000)) < rate, axis=2, dtype=np.int32)
    wrong = []
    for level in (alpha, alpha * share_of_alpha(0, classes)):
        few, many = rate_test(0.3, 1 - level).boundary(3000)
        below, above = errors <= np.array(few[1:]), errors >= np.array(many[1:])
        first = np.argmax(below | above, axis=2)
        wrong.append(np.take_along_axis(below, first[..., None], 2)[..., 0].any(axis=1).mean())
    alone, together = wrong
    assert together <= alpha + 4 * math.sqrt(alpha * (1 - alpha) / runs)
    assert alone > 2 * alpha


@pytest.mark.parametrize("bad", ["yes", None, 2, math.nan])
def test_what_is_not_a_truth_value_is_refused(bad):
    with pytest.raises(SidelightError, match=r"together is .*: give True or False"):
        ClassifierMonitor(0.05, together=bad)
    assert ClassifierMonitor(0.05, together=np.True_).engine.settings.together is True


def test_reports_say_so():
    text = ClassifierMonitor(0.05, together=True).report().guarantee
    assert text.startswith(
        "With 99 % confidence, the intervals of all classes contain their error rates at all times at once"
    )
    assert (
        "With at most k restarts of each class, the chance that any verdict was wrong is at most (k + 1) x 1 %" in text
    )
    assert "on the class" not in text
