"""True classes: the confusion matrix and recall hold what they should, and say what cannot be known."""

import json
import random

import pytest

from sidelight.errors import NoEntryError, SidelightError
from sidelight.monitor import ClassifierMonitor

TRUE = {"cat": 0.5, "dog": 0.3, "fox": 0.2}
FOUND = {"cat": {"cat": 0.9, "dog": 0.1}, "dog": {"dog": 0.95, "cat": 0.05}, "fox": {"dog": 0.6, "fox": 0.4}}


def watched(count, seed=0, told=1.0, scored=False, **settings):
    source, monitor = random.Random(seed), ClassifierMonitor(0.1, **{"confidence": 0.9, "drift": False} | settings)
    for place in range(count):
        true = source.choices(list(TRUE), list(TRUE.values()))[0]
        predicted = source.choices(list(FOUND[true]), list(FOUND[true].values()))[0]
        score = source.gauss(2 * (true != predicted), 1) if scored else None
        if monitor.decide(predicted, id=place, score=score).verify:
            if source.random() < told:
                monitor.answer(place, label=true)
            else:
                monitor.answer(place, correct=true == predicted)
    return monitor


@pytest.mark.parametrize("options", [{}, {"scored": True}, {"told": 0.7}])
def test_recall_and_cells_hold_the_truth(options):
    missed = 0
    for run in range(25):
        found = watched(800, run, **options).true_classes()
        missed += sum(not found[name].interval[0] <= FOUND[name][name] <= found[name].interval[1] for name in TRUE)
        for cell in found.cells:
            assert cell.interval[0] <= cell.share <= cell.interval[1] + 1e-9
    assert missed <= 7  # 75 intervals at 90 %


def test_the_matrix_counts_answers():
    monitor = watched(3000, policy="explore", verifications=3000)
    found = monitor.true_classes()
    cells = {(one.predicted, one.true): one.answers for one in found.cells}
    assert sum(cells.values()) == 3000
    assert cells["dog", "fox"] > cells["dog", "cat"]
    assert found["fox"].recall == pytest.approx(0.4, abs=0.05)
    assert found["fox"].found + found["fox"].missed == sum(n for (_, true), n in cells.items() if true == "fox")
    assert found.untold == 0
    copy = ClassifierMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
    assert copy.true_classes() == found


def test_a_corrected_answer_moves_its_cell():
    monitor = ClassifierMonitor(0.1)
    monitor.decide("cat", id=1)
    monitor.answer(1, label="dog")
    assert [(one.true, one.answers) for one in monitor.true_classes().cells] == [("dog", 1)]
    monitor.answer(1, label="fox")
    assert [(one.true, one.answers) for one in monitor.true_classes().cells] == [("fox", 1)]
    monitor.answer(1, correct=True)
    assert [(one.true, one.answers) for one in monitor.true_classes().cells] == [("cat", 1)]
    monitor.answer(1, correct=False)
    assert monitor.true_classes().untold == 1


def test_what_cannot_be_known_is_said():
    monitor = ClassifierMonitor(0.1)
    monitor.decide("cat", id=1)
    monitor.answer(1, label="fox")
    found = monitor.true_classes()
    assert "never predicted" in found["fox"].note
    assert found["fox"].interval == (0.0, 0.0)
    with pytest.raises(NoEntryError, match="'bird'"):
        found["bird"]
    with pytest.raises(SidelightError, match="window"):
        ClassifierMonitor(0.1, window=10).true_classes()
