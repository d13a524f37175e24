"""Predictions and answers are checked when they are made, whether from JSON or by a program."""

import pytest
from pydantic import ValidationError

from sidelight.service.domain.inputs import AnswerTo, Prediction


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (("", "a"), "id"),
        (("x" * 201, "a"), "id"),
        (("nul\0", "a"), "id"),
        (("half\ud800", "a"), "id"),
        ((7, "a"), "id"),
        (("b", ""), "prediction"),
        (("b", "nul\0"), "prediction"),
        (("b", float("nan")), "prediction"),
        (("b", 1 << 70), "prediction"),
        (("b", None), "prediction"),
        (("b", ["a"]), "prediction"),
        (("b", "a", "2026-01-31"), "time"),
        (("b", "a", True), "time"),
        (("b", "a", float("inf")), "time"),
        (("b", "a", None, {"image": "no"}), "payload"),
        (("b", "a", None, [float("inf")]), "payload"),
    ],
)
def test_a_prediction_is_refused_where_it_is_wrong(given, field):
    with pytest.raises(ValidationError) as caught:
        Prediction(*given)
    assert [one["loc"][0] for one in caught.value.errors()] == [list(Prediction.__annotations__).index(field)]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"correct": True, "skipped": True},
        {"correct": True, "label": "a"},
        {"correct": 1},
        {"label": "nul\0"},
        {"label": float("inf")},
        {"skipped": "yes"},
    ],
)
def test_an_answer_says_one_thing(given):
    with pytest.raises(ValidationError):
        AnswerTo("p1", **given)
