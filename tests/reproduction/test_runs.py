"""Damaged pieces of work and second looks, on small tables."""

import numpy as np
import pytest

from sidelight.reproduction.paper import CBP, LIMIT
from sidelight.reproduction.runs import SECOND_LOOK
from sidelight.studies import PlayerEntry
from sidelight.studies.running.study_run import crew_of

from .making import HERE, Silent, every_array, reproduction_of

PLAYERS = (CBP, PlayerEntry("RandCBP"))


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(every_array(one), every_array(other), strict=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Everything done in one go by one worker."""
    found = reproduction_of(tmp_path_factory.mktemp("whole"), *PLAYERS, runs=100)
    found.run(crew_of(cluster=None, workers=1), Silent())
    return found


def test_a_damaged_piece_is_done_again(whole, tmp_path):
    reproduction = reproduction_of(tmp_path, *PLAYERS, runs=100)
    reproduction.run(HERE, Silent())
    path = reproduction.store.path(reproduction.tasks()[1])
    content = path.read_bytes()
    path.write_bytes(content[:200] + bytes(50) + content[250:])
    display = Silent()
    reproduction.run(HERE, display)
    assert display.pending == 1
    assert display.notes == ("1 stored piece of work was damaged and will be done again",)
    assert same(whole, reproduction)


def test_the_second_look_is_at_what_looks_different(tmp_path, monkeypatch):
    """With nothing above doubt, the verdict on what is printed comes from 960 runs; what is not gets no more."""
    monkeypatch.setattr("sidelight.reproduction.verdicts.DOUBT", 0.0)
    reproduction = reproduction_of(tmp_path, CBP, LIMIT, runs=3)
    reproduction.run(HERE, Silent())
    assert [number.verdict for number in reproduction.tables()[0].numbers] == ["chance", "ours"]
    display = Silent()
    reproduction.look_again(HERE, display)
    assert display.pending == SECOND_LOOK // 48
    number = reproduction.tables()[0].numbers[0]
    assert (number.ours.runs, number.again.runs, number.verdict) == (3, SECOND_LOOK, "chance")
    reproduction.look_again(HERE, display)
    assert display.pending == SECOND_LOOK // 48  # nothing more was asked for
