import pytest

from sidelight.errors import SidelightError
from sidelight.service.problems import TITLES, Problem, problem_place


def test_a_problem_says_what_where_and_what_to_do():
    problem = Problem(
        "conflict",
        "this id was decided for 'cat': use another id",
        places=[problem_place(["predictions", 3, "id"], "x")],
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


@pytest.mark.parametrize(
    ("path", "pointer"),
    [([], "#"), (["a/b", "m~n"], "#/a~1b/m~0n"), (["é", " "], "#/%C3%A9/%20"), (["\ud800"], "#/%3F"), ([""], "#/")],
)
def test_pointers_are_those_of_rfc_6901(path, pointer):
    assert problem_place(path, "wrong")["pointer"] == pointer
