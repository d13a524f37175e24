"""Scores: the evidence against a slow twin, what cannot be valid is refused, and labels are saved."""

import json
import math
import random

import numpy as np
import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, Reason
from sidelight.monitor.stats.confidence import rate_test
from sidelight.monitor.stats.scores.bins import BINS, MISSING, score_bin_of


class Twin:
    """Keeps every round with its centre and propensity, and computes everything anew from them, term by term."""

    def __init__(self, test):
        self.test, self.rounds = test, []

    def blocks(self, answers, settled):
        """Yield the answered blocks up to the first verification that is not settled, as lists of (epoch, z)."""
        block = []
        for id, epoch, centre, chance in self.rounds:
            if id is None:
                block.append((epoch, centre))
            elif id not in settled:
                return
            else:
                if answers.get(id) is not None:
                    yield [*block, (epoch, centre + (answers[id] - centre) / chance)]
                block = []

    def evidence(self, blocks, side, rate):
        terms, start = [], 0 if side is self.test.many else len(self.test.many.mixture.weights)
        for k, weight in enumerate(side.mixture.weights):
            total = weight
            for epoch, z in (one for block in blocks for one in block):
                theta = epoch.excesses[start + k]
                factor = (1 + theta * z) / (1 + theta * rate)
                total += math.log(factor) if factor > 1e-300 else -1e6
            terms.append(total)
        largest = max(terms)
        return largest + math.log(sum(math.exp(one - largest) for one in terms))


def binormal(source, rate, shift=1.8):
    wrong = source.random() < rate
    return wrong, source.gauss(shift * wrong, 1)


@pytest.mark.parametrize("seed", range(3))
def test_evidence_is_that_of_the_slow_twin(seed):
    source = random.Random(seed)
    monitor = ClassifierMonitor(0.1, confidence=0.9999, drift=False, patience=80)
    twin, waiting, answers, settled = Twin(rate_test(0.1, 0.9999)), [], {}, set()
    for place in range(900):
        wrong, score = binormal(source, 0.09)
        score = math.nan if place % 11 == 5 else score
        rounds = monitor.engine.classes["a"].rounds if place else None
        number = 0 if rounds is None else rounds.now
        decision = monitor.decide("a", id=place, score=score)
        rounds = monitor.engine.classes["a"].rounds
        epoch = rounds.epochs[number]
        b = score_bin_of(rounds.edges[rounds.edges_of[number]], score) if number else 0
        if decision.reason in (Reason.OPEN, Reason.SPARED):
            assert decision.propensity == epoch.propensities[b]
            twin.rounds.append((place if decision.verify else None, epoch, epoch.centres[b], epoch.propensities[b]))
        if decision.verify:
            delay = source.choice((1, 3, 10, 60, None))
            if delay is not None:
                waiting.append((place + delay, place, wrong))
        for due, id, found in [one for one in waiting if one[0] <= place]:
            waiting.remove((due, id, found))
            monitor.answer(id, skipped=True) if source.random() < 0.05 else monitor.answer(id, correct=not found)
            if source.random() < 0.05:
                found = not found
                monitor.answer(id, correct=not found)
        ledger = monitor.engine.ledger.verifications
        answers = {id: {1: 0, 2: 1}.get(one.status) for id, one in ledger.items()}
        settled = {id for id, one in ledger.items() if one.status}
    state = monitor.engine.classes["a"]
    assert state.rounds.designed
    assert state.rounds.spared > 50
    blocks = list(twin.blocks(answers, settled))
    z = [one for block in blocks for _, one in block]
    assert state.estimate == pytest.approx(min(1, max(0, np.mean(z))), abs=1e-9)
    assert len(blocks) == state.n
    for side, part in ((twin.test.many, 0), (twin.test.few, 1)):
        sums = state.rounds.sums[state.rounds.sides.parts[part]]
        found = float(np.logaddexp.reduce(sums))
        assert found == pytest.approx(twin.evidence(blocks, side, 0.1), rel=1e-6, abs=1e-6)
    low, high = state.interval()
    assert twin.evidence(blocks, twin.test.many, low) == pytest.approx(twin.test.limit, abs=1e-3)
    assert twin.evidence(blocks, twin.test.few, high) == pytest.approx(twin.test.limit, abs=1e-3)


def watch(monitor, rate, count, seed=0, shift=1.8, scored=True, **more):
    source = random.Random(seed)
    for place in range(count):
        wrong, score = binormal(source, rate, shift)
        decision = monitor.decide("a", id=place, **({"score": score} if scored else {}))
        if decision.verify:
            monitor.answer(place, correct=not wrong)
    return monitor.report()["a"]


def test_scores_save_labels_and_none_changes_nothing():
    options = {"tolerance": 0.1, "confidence": 0.95, "drift": False}
    plain = watch(ClassifierMonitor(**options), 0.14, 2000, scored=False)
    scored = watch(ClassifierMonitor(**options), 0.14, 2000)
    assert plain.verdict == scored.verdict == "above"
    assert scored.verified < 0.8 * plain.verified
    without = ClassifierMonitor(**options)
    for place in range(100):
        without.decide("a", id=place, score=None)
    assert not without.engine.scores.early


def test_a_confidence_is_a_score_turned_round():
    first, second = ClassifierMonitor(0.1, drift=False), ClassifierMonitor(0.1, drift=False, score_is="confidence")
    source = random.Random(1)
    for place in range(600):
        wrong, score = binormal(source, 0.1)
        decisions = first.decide("a", place, score=score), second.decide("a", place, score=-score)
        assert decisions[0] == decisions[1]
        if decisions[0].verify:
            for one in (first, second):
                one.answer(place, correct=not wrong)
    assert first.engine.classes["a"].rounds.spared > 20


def test_saved_and_loaded_scores_go_on_alike_and_repeat_their_decisions():
    monitor = ClassifierMonitor(0.1)
    watch(monitor, 0.1, 700)
    copy = ClassifierMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
    assert copy.report() == monitor.report()
    for place in range(650, 800):
        assert copy.decide("a", id=place, score=place % 13) == monitor.decide("a", id=place, score=place % 13)
    assert copy.to_dict() == monitor.to_dict()


def test_batches_take_a_column_of_scores():
    one, many = ClassifierMonitor(0.1), ClassifierMonitor(0.1)
    watch(one, 0.1, 300)
    watch(many, 0.1, 300)
    scores = [0.1, math.nan, None, 3.0, -math.inf]
    ids = [f"x{k}" for k in range(5)]
    decided = many.decide_many(["a"] * 5, ids=ids, scores=scores)
    assert decided == [one.decide("a", id=id, score=score) for id, score in zip(ids, scores, strict=True)]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"policy": "randcbp"}, "the policy 'sequential'"),
        ({"window": 50}, "a window"),
        ({"tolerance": 0.6}, "at most 0.5"),
    ],
)
def test_scores_that_cannot_be_valid_are_refused_and_change_nothing(settings, words):
    monitor = ClassifierMonitor(**{"tolerance": 0.1} | settings)
    monitor.decide("a", id=1)
    before = monitor.to_dict()
    with pytest.raises(SidelightError, match=words):
        monitor.decide("a", id=2, score=0.5)
    with pytest.raises(SidelightError, match=words):
        monitor.decide_many(["a", "b"], scores=[0.5, 0.1])
    assert monitor.to_dict() == before
    monitor.decide("a", id=3, score=math.nan)


@pytest.mark.parametrize("score", ["high", True, [1.0]])
def test_scores_are_numbers(score):
    with pytest.raises(SidelightError, match="score is"):
        ClassifierMonitor(0.1).decide("a", score=score)


def test_the_fair_part_of_the_answers_notices_drift_and_no_other_change():
    monitor = ClassifierMonitor(0.1, drift_alarm_every=100_000, spot_checks=0.1)
    source = random.Random(5)
    for place in range(6000):
        wrong, score = binormal(source, 0.1 if place < 4000 else 0.45)
        if monitor.decide("a", id=place, score=score).verify:
            monitor.answer(place, correct=not wrong)
        if place == 3999:
            report = monitor.report()["a"]
            assert report.alarms == 0
            state = monitor.engine.classes["a"]
            assert state.errors / state.verified > 0.13  # answers themselves are no fair sample
            assert abs(state.fair[1] / state.fair[0] - 0.1) < 0.035
    assert monitor.report()["a"].alarms == 1
    assert monitor.report()["a"].verdict == "above"


def test_missing_scores_have_a_bin_of_their_own():
    assert score_bin_of([0.0] * 14, math.nan) == MISSING == BINS - 1
    assert [score_bin_of([0.0, 1.0], one) for one in (-5.0, 0.0, 0.5, 1.0)] == [0, 1, 1, 2]
