"""The published streams: known numbers, and that a run does not depend on how it is asked for."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.reproduction.streams import PublishedContexts, PublishedStreams, _published_standards

WEIGHTS = [0.1325, 0.2289, 0.0000, 0.0961, 0.0466, 0.0293, 0.0592, 0.1098, 0.1261, 0.1713]


def test_the_direction_is_the_authors():
    assert _published_standards(96)[0] == pytest.approx(WEIGHTS, abs=5e-5)


@pytest.mark.parametrize("kind", ["imbalanced", "balanced"])
def test_laws_and_outcomes_belong_together(kind):
    for run in (0, 5, 95, 96, 300):
        recording = PublishedStreams(kind).recording(run)
        p = recording.law[0]
        assert 0.4 <= p <= 0.6 if kind == "balanced" else p <= 0.2 or p >= 0.8
        share = np.mean(recording.outcomes == 0)
        assert abs(share - p) < 5 * np.sqrt(p * (1 - p) / 20_000) + 1e-9


def test_later_runs_do_not_change_earlier_ones():
    for make in (lambda: PublishedStreams("balanced"), PublishedContexts):
        before = make().recording(3)
        make().recording(500)
        after = make().recording(3)
        assert np.array_equal(before.outcomes, after.outcomes)
        assert before.law is None or np.array_equal(before.law, after.law)


def test_a_shorter_stream_is_the_beginning():
    for short, long in (
        (PublishedStreams("imbalanced", 50), PublishedStreams("imbalanced")),
        (PublishedContexts(50), PublishedContexts()),
    ):
        assert np.array_equal(short.recording(7).outcomes, long.recording(7).outcomes[:50])
    assert np.array_equal(PublishedContexts(50).recording(7).contexts, PublishedContexts().recording(7).contexts[:50])


def test_contexts_are_standardized_and_decide_the_outcome():
    recording = PublishedContexts().recording(2)
    assert recording.contexts.mean(axis=0) == pytest.approx(np.zeros(10), abs=0.05)
    assert recording.contexts.std(axis=0) == pytest.approx(np.ones(10), abs=0.05)
    direction, means, deviations = _published_standards(96)
    raw = recording.contexts * deviations[2] + means[2]
    assert np.array_equal(recording.outcomes, (raw @ direction >= 0.5).astype(int))


def test_mistakes():
    with pytest.raises(sl.SidelightError, match="kind is 'even'"):
        PublishedStreams("even")
    game = sl.games.load("apple-tasting")
    with pytest.raises(sl.SidelightError, match="20000 rounds, but the horizon is 20001"):
        sl.simulate(sl.strategies.CBP(game), PublishedStreams("balanced"), 20_001, 1)
    three = sl.games.load("bartok")
    with pytest.raises(sl.SidelightError, match="two outcomes, and the game has"):
        sl.simulate(sl.strategies.CBP(three), PublishedStreams("balanced"), 10, 1)
