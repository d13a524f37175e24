"""The random numbers of a run are those of NumPy's seed sequences."""

import numpy as np
import pytest

from sidelight.simulation.streams import OWN, WORLD, Stream, seeds

SEEDS = [0, 5, 2**31, 2**32, 2**64 + 3, 2**127, 2**128, 2**200 + 17, 2**1000 + 9]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("stream", [WORLD, OWN])
@pytest.mark.parametrize("numbers", [range(4), range(2**32 - 3, 2**32)])
def test_seeds_of_many_runs_are_those_of_seed_sequences(seed, stream, numbers):
    sequences = [np.random.SeedSequence(seed, spawn_key=(r, stream)) for r in numbers]
    words = [sequence.generate_state(4, np.uint64).tolist() for sequence in sequences]
    assert seeds(seed, numbers, stream) == words
    one = Stream()
    for sequence, each in zip(sequences, words, strict=True):
        one.rng.random(3)
        one.seed(each)
        assert one.rng.bit_generator.state == np.random.default_rng(sequence).bit_generator.state


def test_a_copy_of_its_memory_is_the_whole_state_of_a_stream():
    one = Stream()
    assert one.memory is not None, "runs of few rounds are slow with this NumPy"
    one.rng.integers(0, 10, 3, dtype=np.int32)  # keeps half a word
    state, copy = one.rng.bit_generator.state, one.memory.copy()
    assert state["has_uint32"] == 1
    expected = one.rng.integers(0, 1000, 9, dtype=np.int32).tolist()
    one.rng.random(100)
    one.memory[:] = copy
    assert one.rng.bit_generator.state == state
    assert one.rng.integers(0, 1000, 9, dtype=np.int32).tolist() == expected
