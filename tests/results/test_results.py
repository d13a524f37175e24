"""The Results object: what it holds, what it refuses, and that nobody can change it."""

import copy
import pickle
import re
import subprocess
import sys
from datetime import datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest

from sidelight.errors import SidelightError

from .making import APPLES, make


def test_it_holds_what_it_was_given():
    results = make([1, 2, 4], seconds=1.5)
    assert results.regret.tolist() == [[0.5, 1.0], [1.0, 2.0], [2.0, 4.0]]
    assert results.final.tolist() == [1, 2, 4]
    assert results.rounds.tolist() == [5, 10]
    assert results.plays.tolist() == [[10, 0], [9, 1], [8, 2]]
    assert results.mean_plays.tolist() == [9, 1]
    assert (results.n_runs, results.seed, results.seconds) == (3, 0, 1.5)
    assert (results.regret_kind, results.game) == ("pseudo-regret", APPLES)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": np.zeros(0, int)}, "one checkpoint or more"),
        ({"rounds": [5, 5]}, "rounds is [5, 5]: give one checkpoint or more, from 1 on, in increasing order"),
        ({"rounds": [5.0, 10.0]}, "type float64: give whole numbers"),
        ({"rounds": [[5, 10]]}, "rounds has shape (1, 2)"),
        (
            {"regret": [[1.0], [2.0], [3.0]]},
            "regret has shape (3, 1): give a row per run, at least one, and a column for each of 2",
        ),
        ({"regret": [[1.0, 2.0], [1.0]]}, "regret has rows of different lengths"),
        ({"regret": [["a", "b"]]}, "give numbers"),
        ({"regret": np.zeros((0, 2))}, "a row per run, at least one"),
        ({"regret": [[1, 2], [3, np.nan], [0, 0]]}, "regret of run 1 at checkpoint 1 is nan"),
        ({"plays": [[1, 2], [3, 4]]}, "plays has shape (2, 2) and least entry 0: give a row for each of 3 runs"),
        ({"regret_kind": "regret"}, "one of 'pseudo-regret', 'hindsight'"),
        ({"strategy": {"parameters": {}}}, "strategy has the name None"),
        ({"strategy": "RandCBP"}, "strategy is 'RandCBP': give a dictionary"),
        ({"environment": {"name": "IID", "law": object}}, "environment cannot be written as JSON"),
        ({"seed": object()}, "seed cannot be written as JSON"),
        ({"seconds": -1}, "seconds is -1"),
        ({"game": "apples"}, "give a sidelight.Game"),
    ],
)
def test_it_refuses_what_does_not_fit(changes, message):
    with pytest.raises(SidelightError, match=re.escape(message)):
        make(**changes)


def test_its_arrays_are_copies_that_cannot_be_written():
    regret, rounds, plays = np.ones((1, 2)), np.array([1, 2]), np.array([[1, 1]])
    results = make(regret=regret, rounds=rounds, plays=plays)
    for array in (regret, rounds, plays):
        array[...] = 7
    assert (results.regret == 1).all()
    assert results.rounds.tolist() == [1, 2]
    for array in (results.regret, results.rounds, results.plays, results.final):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_its_dictionaries_and_attributes_cannot_be_changed():
    strategy = {"name": "A", "parameters": {"weights": [1, 2]}}
    results = make(strategy=strategy)
    strategy["parameters"]["weights"].append(3)
    results.strategy["name"] = "B"
    results.environment["law"].append(1)
    results.manifest["created"] = "never"
    assert results.strategy == {"name": "A", "parameters": {"weights": [1, 2]}}
    assert results.environment == {"name": "IID", "law": [0.3, 0.7]}
    assert results.manifest["created"] != "never"
    with pytest.raises(AttributeError, match="cannot be changed"):
        results.seed = 1
    with pytest.raises(AttributeError, match="cannot be changed"):
        del results._seed
    with pytest.raises(AttributeError, match="cannot be changed"):
        results.note = "new"


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_copies_are_equal_and_as_immutable(twin):
    results = make(seconds=2.0, manifest={"workers": 3})
    other = twin(results)
    assert other == results
    assert hash(other) == hash(results)
    assert other.manifest == results.manifest
    assert not other.regret.flags.writeable


def test_equality_is_about_the_experiment_and_its_numbers():
    assert make(seconds=1.0) == make(seconds=2.0, manifest={"created": "long ago"})
    assert make() != make([1, 2, 5])
    assert make() != make(seed=1)
    assert make() != make(name="B")
    assert make() != make(environment={"name": "IID", "law": [0.7, 0.3]})
    assert make() != make(rounds=[5, 11])
    assert make() != "results"
    assert make(seed=float("nan")) == make(seed=float("nan"))


@pytest.mark.parametrize(
    ("strategy", "label"),
    [
        ({"name": "RandCBP"}, "RandCBP"),
        ({"name": "RandCBP", "parameters": {"bins": 5}, "defaults": {"bins": 5}}, "RandCBP"),
        (
            {"name": "RandCBP", "parameters": {"bins": 10, "sigma": 1.0}, "defaults": {"bins": 5, "sigma": 1.0}},
            "RandCBP(bins=10)",
        ),
        ({"name": "FixedAction", "parameters": {"action": 1}, "defaults": {}}, "FixedAction(action=1)"),
        (
            {"name": "CBP", "parameters": {"observers": "half-range", "alpha": 2.0}},
            "CBP(observers='half-range', alpha=2.0)",
        ),
        ({"name": "CBP", "parameters": {"lower": None}, "defaults": {"lower": 0}}, "CBP(lower=None)"),
        ({"name": "CBP", "parameters": {"on": True}, "defaults": {"on": 1}}, "CBP(on=True)"),
        ({"name": "CBP", "parameters": {"w": list(range(99))}}, "CBP(w=[0, 1, 2, 3, 4, 5, 6, 7, 8,...)"),
    ],
)
def test_the_label_shows_what_is_not_default(strategy, label):
    assert make(strategy=strategy).label == label


def test_numpy_and_exact_numbers_in_descriptions_become_plain():
    parameters = {
        "a": np.int64(3),
        "b": np.float64(0.5),
        "c": np.array([1, 2]),
        "d": Fraction(1, 3),
        "e": (1, np.bool_(True)),
    }
    described = make(strategy={"name": "A", "parameters": parameters}).strategy["parameters"]
    assert described == {"a": 3, "b": 0.5, "c": [1, 2], "d": "1/3", "e": [1, True]}


def test_the_manifest_says_where_results_come_from():
    manifest = make(seconds=3.0, manifest={"workers": 4, "numpy": "0.0", "seed": "ignored", "game": "ignored"}).manifest
    assert (manifest["format"], manifest["format_version"]) == ("sidelight results", 1)
    assert manifest["python"] == ".".join(map(str, sys.version_info[:3]))
    assert (manifest["workers"], manifest["numpy"]) == (4, "0.0")
    assert (manifest["seed"], manifest["seconds"], manifest["regret_kind"]) == (0, 3.0, "pseudo-regret")
    assert manifest["game"]["loss"] == [[1, 0], [0, 1]]
    assert manifest["game"]["feedback"] == [["?", "?"], ["rotten", "good"]]
    assert manifest["symbols_as_text"] == []
    assert manifest["platform"]
    assert make().manifest["numpy"] == np.__version__
    created = datetime.fromisoformat(manifest["created"])
    assert created.utcoffset() == timedelta(0)


def test_results_in_one_line():
    results = make([1, 2, 6])
    # std = sqrt((4 + 1 + 9) / 2) = 2.6458, divided by sqrt(3) = 1.5275
    assert repr(results) == "<Results A on apples: 3 runs to round 10, mean pseudo-regret 3 (standard error 1.53)>"


def test_the_line_of_one_run_says_nothing_about_spread():
    results = make([3], name="A\nB", regret_kind="hindsight")
    assert repr(results) == "<Results A B on apples: 1 run to round 10, mean regret in hindsight 3>"


def test_importing_results_loads_no_heavy_library():
    code = (
        "import sys, sidelight.results; "
        "sys.exit(' '.join({'scipy', 'pandas', 'polars', 'pyarrow', 'numba'} & sys.modules.keys()) or 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr == ""
