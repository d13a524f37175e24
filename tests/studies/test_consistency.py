"""What the parts of a study say about each other."""

import pytest

from sidelight.studies import (
    FigureEntry,
    GameEntry,
    PlayerEntry,
    Study,
    StudyError,
    TableEntry,
    WorldEntry,
)

POLICY = {
    "games": (),
    "worlds": (WorldEntry("classifiers", 1, {"tolerance": 0.05}),),
    "players": (PlayerEntry("sequential", policy=True),),
}


def study(**changes):
    parts = {
        "games": (GameEntry("apple-tasting"),),
        "worlds": (WorldEntry("laws", "balanced"),),
        "players": (PlayerEntry("CBP"),),
    }
    return Study("mine", **parts | changes)


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"measures": ("f1",)}, ("measures",), "no 'f1' here: choose from regret"),
        (
            {"measures": ("regret", "f1"), **POLICY},
            ("measures",),
            "no 'regret' here: choose from verifications, f1",
        ),
        (
            {"tables": (TableEntry(measure="plays"),)},
            ("tables", 0, "measure"),
            "no 'plays' here: choose from regret, verifications",
        ),
        ({"tables": (TableEntry(measure="f1"),)}, ("tables", 0, "measure"), "no 'f1' here"),
        (
            {"tables": (TableEntry(), TableEntry(measure="verifications"))},
            ("tables", 1, "measure"),
            'write measures = ["regret", "verifications"]',
        ),
        ({"figures": (FigureEntry("regret", "verifications"),)}, ("figures", 0, "measure"), 'write kind = "quartiles"'),
        (
            {"figures": (FigureEntry(horizons=(7,)),)},
            ("figures", 0, "horizons"),
            "nobody plays 7 rounds: choose from 20000",
        ),
        (
            {"players": (PlayerEntry("CBP"), PlayerEntry("CBP"))},
            ("players", 1, "label"),
            "two players are called 'CBP'",
        ),
        ({"players": (PlayerEntry("CBP", games=("pear*",)),)}, ("players", 0, "games"), "names games 'pear*'"),
    ],
)
def test_what_can_never_give_anything_is_refused(changes, place, words):
    with pytest.raises(StudyError) as caught:
        study(**changes)
    assert caught.value.places == (place,)
    assert words in caught.value.problems[0]


def test_wishes_that_can_be_met_are_accepted():
    own = (PlayerEntry("CBP", horizons=(7,)), PlayerEntry("Uniform"))
    assert study(figures=(FigureEntry(horizons=(7,)), FigureEntry("quartiles", "verifications")), players=own)
    assert study(measures=("regret", "verifications"), tables=(TableEntry(measure="verifications"),))
    assert study(**POLICY)  # regret is the default, whoever plays
    assert study(measures=("verifications", "f1"), tables=(TableEntry(measure="f1"),), **POLICY)


def test_more_work_than_can_be_listed_is_refused():
    with pytest.raises(StudyError, match=r"these are 900.000.000 pieces of work") as caught:
        study(runs=900_000_000, block=1)
    assert caught.value.places == (("runs",),)
