"""Many results, filtered and grouped without reading more than is asked for."""

import pytest

from sidelight.errors import SidelightError
from sidelight.results import Labels, ResultSet

from .making import make


@pytest.fixture
def read():
    return []


@pytest.fixture
def found(read):
    def item(world, label, horizon=10):
        def load():
            read.append((world, label))
            return make(name=label)

        return Labels("apples", world, label, horizon, label, limit=label == "Best"), load

    return ResultSet([item("calm", "A"), item("calm", "Best"), item("wild", "A"), item("wild", "RandA")])


def test_nothing_is_read_before_it_is_asked_for(found, read):
    few = found.filter(world="wild", label=["Rand*"])
    assert [labels.label for labels in few.labels] == ["RandA"]
    assert (len(found), read) == (4, [])
    assert few[0].label == "RandA"
    assert read == [("wild", "RandA")]
    assert [each.label for each in found[2:]] == ["A", "RandA"]
    assert len(few.read().filter(horizon=10)) == 1


def test_groups_and_their_comparison(found):
    groups = {labels.world: group for labels, group in found.group_by("game", "world")}
    assert [len(group) for group in groups.values()] == [2, 2]
    (first, ours), (second, best) = groups["calm"].compare()
    assert (first.label, ours.limit_ratio, second.limit, best.strict_wins) == ("A", 1.0, True, None)
    assert groups["calm"].compare("f1") == []


def test_plain_results_and_unknown_labels():
    (labels,) = ResultSet([make()]).labels
    assert labels == Labels("apples", "IID", "A", 10, "A")
    with pytest.raises(SidelightError, match="no label 'player': there are game, world, label, horizon"):
        ResultSet().filter(player="A")
