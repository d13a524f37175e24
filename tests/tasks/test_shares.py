"""Shares of a list of tasks: written as i/n, disjoint, and together everything."""

import pytest

from sidelight import SidelightError
from sidelight.tasks import Share


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/2/3", "-1/2", "", "1/0", "1.5/2"])
def test_texts_that_are_not_shares(text):
    with pytest.raises(SidelightError, match="write i/n"):
        Share.parse(text)


def test_a_share():
    assert Share.parse("2/8") == Share(2, 8)
    assert str(Share(2, 8)) == "2/8"


@pytest.mark.parametrize("count", [1, 3, 10, 30])
def test_shares_are_disjoint_and_make_up_the_whole(count):
    tasks = list(range(10))
    shares = [Share(k, count) for k in range(1, count + 1)]
    for parts in ([share.of(tasks) for share in shares], [tasks[share.part(10)] for share in shares]):
        assert sorted(task for part in parts for task in part) == tasks
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_tasks_that_follow_one_another_go_to_different_shares():
    assert Share(1, 3).of("aabbcc") == "ab"
    assert Share(2, 3).part(6) == slice(2, 4)
