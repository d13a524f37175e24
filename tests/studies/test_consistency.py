"""What the parts of a study say about each other."""

import pytest

from sidelight.studies import Figure, Game, Player, Study, StudyError, Table, World, consistency

POLICY = {
    "games": (),
    "worlds": (World("classifiers", 1, {"tolerance": 0.05}),),
    "players": (Player("sequential", policy=True),),
}


def study(**changes):
    parts = {"games": (Game("apple-tasting"),), "worlds": (World("laws", "balanced"),), "players": (Player("CBP"),)}
    return Study("mine", **parts | changes)


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"measures": ("f1",)}, ("measures",), "'f1', which only policies of the monitor have"),
        ({"measures": ("regret", "f1"), **POLICY}, ("measures",), "'regret', which only strategies have"),
        ({"tables": (Table(measure="plays"),)}, ("tables", 0, "measure"), 'write measures = ["plays"] for tables'),
        ({"tables": (Table(measure="f1"),)}, ("tables", 0, "measure"), "none of the players has the measure 'f1'"),
        (
            {"tables": (Table(), Table(measure="verifications"))},
            ("tables", 1, "measure"),
            'write measures = ["regret", "verifications"]',
        ),
        ({"figures": (Figure("quartiles", "plays"),)}, ("figures", 0, "measure"), "here, choose from regret"),
        ({"figures": (Figure("regret", "verifications"),)}, ("figures", 0, "measure"), 'write kind = "quartiles"'),
        ({"figures": (Figure(horizons=(7,)),)}, ("figures", 0, "horizons"), "nobody plays 7 rounds: choose from 20000"),
        ({"players": (Player("CBP"), Player("CBP"))}, ("players", 1, "label"), "two players are called 'CBP'"),
        ({"players": (Player("CBP", games=("pear*",)),)}, ("players", 0, "games"), "names games 'pear*'"),
    ],
)
def test_what_can_never_give_anything_is_refused(changes, place, words):
    with pytest.raises(StudyError) as caught:
        study(**changes)
    assert caught.value.places == (place,)
    assert words in caught.value.problems[0]


def test_wishes_that_can_be_met_are_accepted():
    own = (Player("CBP", horizons=(7,)), Player("Uniform"))
    assert study(figures=(Figure(horizons=(7,)), Figure("quartiles", "verifications")), players=own)
    assert study(measures=("regret", "verifications"), tables=(Table(measure="verifications"),))
    assert study(**POLICY)  # regret is the default, whoever plays
    assert study(measures=("verifications", "f1"), tables=(Table(measure="f1"),), **POLICY)


def test_more_work_than_can_be_listed_is_refused():
    with pytest.raises(StudyError, match=r"these are 900.000.000 pieces of work") as caught:
        study(runs=900_000_000, block=1)
    assert caught.value.places == (("runs",),)
    players = (Player("CBP"), Player("Uniform", runs=10**9, block=10))
    with pytest.raises(StudyError, match="ask for fewer runs, fewer seeds or larger blocks") as caught:
        study(players=players)
    assert caught.value.places == (("players", 1, "runs"),)


def test_only_settings_that_are_met_count_as_work(monkeypatch):
    monkeypatch.setattr(consistency, "MOST_PIECES", 4)
    worlds = (World("laws", "balanced"), World("laws", "rare", games=("bartok",)), *POLICY["worlds"])
    games = (Game("apple-tasting"), Game("bartok"))
    players = (Player("CBP", games=("bartok",)), Player("Uniform", worlds=("rare",)), *POLICY["players"])
    assert study(games=games, worlds=worlds, players=players, runs=1)
    with pytest.raises(StudyError, match="these are 8 pieces"):
        study(games=games, worlds=worlds, players=players, runs=1, seeds=(0, 1))
