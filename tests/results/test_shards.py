"""Joining shards of one experiment."""

import pytest

from sidelight.errors import SidelightError
from sidelight.results import concatenate, paired

from .making import make


def test_runs_are_joined_in_order():
    whole = concatenate([make([1, 2], seed=0, seconds=1.0), make([3], seed=1, seconds=0.5)])
    assert whole.regret.tolist() == [[0.5, 1], [1, 2], [1.5, 3]]
    assert whole.plays.tolist() == [[10, 0], [9, 1], [10, 0]]
    assert whole.seconds == 1.5
    assert whole.seed == {"shards": [{"seed": 0, "runs": 2}, {"seed": 1, "runs": 1}]}
    assert whole.rounds.tolist() == [5, 10]


def test_joining_is_associative():
    a, b, c = (make([k, k + 1], seed=k) for k in range(3))
    whole = concatenate([a, b, c])
    other = concatenate([concatenate([a, b]), c])
    assert whole == other == concatenate([a, concatenate([b, c])])
    assert whole.manifest["parts"] == other.manifest["parts"]
    assert [part["seed"] for part in whole.manifest["parts"]] == [0, 1, 2]


def test_the_same_runs_are_not_counted_twice():
    with pytest.raises(SidelightError, match="two shards have the seed 0"):
        concatenate([make(), make()])
    with pytest.raises(SidelightError, match="two shards have the seed 0"):
        concatenate([concatenate([make(), make(seed=1)]), make()])


def test_disjoint_parts_of_one_seeded_experiment_keep_its_seed():
    assert concatenate([make([0, 0]), make([0, 0])], seed=0) == make([0] * 4, plays=[[10, 0], [9, 1]] * 2)


def test_joined_results_pair_when_their_shards_do():
    def joined(name, sizes, seeds=(0, 1)):
        return concatenate([make(range(n), name, seed=s) for n, s in zip(sizes, seeds, strict=True)])

    assert paired(joined("A", (3, 2)), joined("B", (3, 2))).statistic == 0
    with pytest.raises(SidelightError, match="different seeds"):
        paired(joined("A", (3, 2)), joined("B", (2, 3)))
    with pytest.raises(SidelightError, match="a seed is unknown"):
        paired(joined("A", (3, 2), (0, None)), joined("B", (3, 2), (0, None)))


def test_the_manifest_keeps_what_shards_agree_on():
    first = make(seed=0, seconds=1.0, manifest={"numpy": "2.0", "python": "3.12", "created": "then", "host": "x"})
    second = make(seed=1, manifest={"numpy": "2.1", "python": "3.12", "created": "later", "host": "y"})
    whole = concatenate([first, second])
    assert whole.seconds is None
    assert (whole.manifest["python"], whole.manifest["numpy"]) == ("3.12", None)
    assert "host" not in whole.manifest
    assert whole.manifest["created"] not in ("then", "later")
    assert [(part["numpy"], part["created"], part["seconds"]) for part in whole.manifest["parts"]] == [
        ("2.0", "then", 1.0),
        ("2.1", "later", None),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "B"}, "differ in the strategy"),
        ({"environment": {"name": "Replay"}}, "differ in the environment"),
        ({"rounds": [6, 10]}, "different checkpoints"),
        ({"rounds": [5, 20]}, "different rounds"),
        ({"regret_kind": "hindsight"}, "different kinds of regret"),
    ],
)
def test_shards_of_other_experiments_are_refused(changes, message):
    with pytest.raises(SidelightError, match=message):
        concatenate([make(), make(**{"seed": 1} | changes)])


def test_one_shard_and_none():
    one = make()
    assert concatenate([one]) is one
    assert concatenate(iter([one])) is one
    with pytest.raises(SidelightError, match="no results to join"):
        concatenate([])
