"""What the values of a study refuse, and what they make plain."""

import datetime
import json
import math
from pathlib import Path

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import SidelightError
from sidelight.studies import Comparison, GameEntry, PlayerEntry, Study, StudyError, TableEntry, WorldEntry


def study(**changes):
    parts = {
        "games": (GameEntry("apple-tasting"),),
        "worlds": (WorldEntry("laws", "balanced"),),
        "players": (PlayerEntry("CBP"),),
    }
    return Study(changes.pop("name", "mine"), **parts | changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"runs": 0}, "runs is 0: give a whole number of at least 1"),
        ({"runs": True}, "runs is True"),
        ({"horizons": (True,)}, "horizons is True"),
        ({"horizons": 50}, r"horizons is 50: give a list in brackets, as in \[50\]"),
        ({"horizons": ()}, r"horizons is \[\]: give one or more"),
        ({"horizons": (5, 5)}, r"horizons is \[5, 5\]: give one or more different ones"),
        ({"seeds": (-1,)}, "seeds is -1"),
        ({"measures": ("rgret",)}, "measures is 'rgret': did you mean 'regret'?"),
        ({"measures": ("regret", "regret")}, "measures is .*: give one or more different ones"),
        ({"impossible": "ignore"}, "impossible is 'ignore': choose from refuse, skip"),
        ({"patience": math.nan}, "patience is nan"),
        ({"checkpoints": (5, 2)}, "give increasing rounds"),
        ({"name": None}, "name is None: give a text"),
        ({"players": ("CBP",)}, "players holds 'CBP': give values of the type sidelight.studies.Player"),
        (
            {"games": (sl.games.load("apple-tasting"),)},
            "games holds Game.*: give values of the type sidelight.studies.GameEntry",
        ),
    ],
)
def test_a_study_refuses_what_is_none(changes, words):
    with pytest.raises(StudyError, match=words):
        study(**changes)


@pytest.mark.parametrize(
    ("kind", "arguments", "words"),
    [
        (PlayerEntry, {"name": "CBP", "runs": -2}, "PlayerEntry 'CBP': runs is -2"),
        (PlayerEntry, {"name": sl.strategies.CBP}, "PlayerEntry: name is the class CBP: give a text"),
        (PlayerEntry, {"name": "CBP", "parameters": ["bins"]}, r"parameters is \['bins'\]: give names with values"),
        (
            PlayerEntry,
            {"name": "CBP", "parameters": {"bins": datetime.date(1979, 5, 27)}},
            "bins is 1979-05-27: give a number",
        ),
        (
            PlayerEntry,
            {"name": "CBP", "games": "apple-tasting"},
            r"games is 'apple-tasting': give a list in .*\['apple-tasting'\]",
        ),
        (PlayerEntry, {"name": "CBP", "policy": "yes"}, "policy is 'yes': give true or false"),
        (WorldEntry, {"kind": ["law"], "value": [1]}, r"kind is \['law'\]: choose from law"),
        (WorldEntry, {"kind": "law", "value": print}, "a world cannot be <built-in"),
        (Comparison, {"test": "zzz"}, "test is 'zzz': choose from welch, paired"),
        (TableEntry, {"kind": "zzz"}, "kind is 'zzz': choose from comparison, matrix"),
    ],
)
def test_a_part_of_a_study_refuses_what_is_none(kind, arguments, words):
    with pytest.raises(StudyError, match=words):
        kind(**arguments)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "Study: None does not describe one"),
        ({}, "Study: it has no 'name'"),
        ({"name": "x", "rums": 1}, "a Study has no 'rums': did you mean 'runs'?"),
        ({"name": "x", "players": [{"label": "a"}]}, "it has no 'name'"),
        ({"name": "x", "worlds": [{"kind": "law", "vale": 1}]}, "did you mean 'value'?"),
    ],
)
def test_data_that_do_not_describe_a_study_are_refused(data, words):
    with pytest.raises(SidelightError, match=words):
        Study.from_dict(data)


def test_numbers_of_numpy_become_plain():
    found = study(
        runs=np.int64(4),
        horizons=np.array([50, 60]),
        seeds=[np.int32(3)],
        checkpoints=np.array([10, 20]),
        players=[PlayerEntry("CBP", {"alpha": np.float64(1.5)}, runs=np.int64(3))],
        folder=Path("here"),
    )
    assert Study.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert type(found.runs) is int
    assert isinstance(found.players, tuple)
    assert WorldEntry("law", np.array([0.3, 0.7])) == WorldEntry("law", [0.3, 0.7])
    assert hash(WorldEntry("law", np.array([[0.3, 0.7], [0.5, 0.5]])))
    assert GameEntry(file=Path("games/mine.toml")).label == "mine"


def test_all_problems_of_a_value_are_told_together():
    with pytest.raises(StudyError, match="study 'mine': 2 problems:") as caught:
        study(runs=0, block=0)
    assert caught.value.places == (("runs",), ("block",))


def test_a_remedy_is_told_and_not_counted():
    error = StudyError(["one\nproblem"], "here", remedy="do this")
    assert str(error) == "here: one problem\n  do this"
    assert error.problems == ("one problem",)
