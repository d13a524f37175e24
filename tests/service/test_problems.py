import json

import pytest

from sidelight.errors import SidelightError
from sidelight.service.problems import TITLES, Problem, place, unavailable_now


def test_a_problem_says_what_where_and_what_to_do():
    problem = Problem(
        "conflict", "this id was decided for 'cat': use another id", places=[place(["predictions", 3, "id"], "x")]
    )
    assert isinstance(problem, SidelightError)
    assert str(problem) == "this id was decided for 'cat': use another id"
    assert problem.to_dict() == {
        "type": "urn:sidelight:problem:conflict",
        "title": TITLES["conflict"][1],
        "status": 409,
        "detail": "this id was decided for 'cat': use another id",
        "errors": [{"detail": "x", "pointer": "#/predictions/3/id"}],
    }


def test_without_places_there_are_no_errors_listed():
    assert "errors" not in Problem("gone", "forgotten").to_dict()


@pytest.mark.parametrize(
    ("path", "pointer"),
    [([], "#"), (["a/b", "m~n"], "#/a~1b/m~0n"), (["é", " "], "#/%C3%A9/%20"), (["\ud800"], "#/%3F"), ([""], "#/")],
)
def test_pointers_are_those_of_rfc_6901(path, pointer):
    assert place(path, "wrong")["pointer"] == pointer


def test_unavailable_rounds_up_to_whole_seconds():
    assert unavailable_now("busy", 0.2).headers == {"Retry-After": "1"}
    assert unavailable_now("busy", 2.1).headers == {"Retry-After": "3"}


def test_every_kind_is_an_error_status_and_serializes_as_ascii():
    for kind, (status, _) in TITLES.items():
        text = json.dumps(Problem(kind, "\ud800").to_dict())
        assert 400 <= status < 600
        assert text.isascii()
