import json

import pytest

from sidelight.service.http import strict_json
from sidelight.service.http.strict_json import parse_json
from sidelight.service.limits import DEEPEST, PARTS, PLACES
from sidelight.service.problems import Problem


def refusal(body: bytes) -> Problem:
    with pytest.raises(Problem) as caught:
        parse_json(body)
    assert json.dumps(caught.value.to_dict()).isascii()
    return caught.value


@pytest.mark.parametrize("value", [None, True, 0, -1.5, "", "é\u0000😀", [], {}, {"a": [1, {"b": "c"}]}])
def test_what_json_can_say_is_read(value):
    assert parse_json(json.dumps(value).encode()) == value
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nul",
        b"{'a': 1}",
        b'{"a": 1,}',
        b"1 2",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'"\n"',
        b"NaN",
        b"[-Infinity]",
        b'{"a": 1e999}',
        b"[-1.5E+400]",
        b"9" * 5000,
        b'{"a": 1, "a": 1}',
        b"[" * 1000,
        b"[" * 100000,
        b'{"a":' * 20000,
    ],
)
def test_what_is_not_json_is_refused(body):
    problem = refusal(body)
    assert problem.status == 400
    assert ":" in problem.detail or ";" in problem.detail


def test_the_depth_has_a_limit_and_brackets_in_texts_do_not_count():
    assert parse_json(b"[" * DEEPEST + b"]" * DEEPEST)
    assert "deep" in refusal(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1)).detail
    assert parse_json(json.dumps(["[" * 1_000, [[]] * 100]).encode())


@pytest.mark.parametrize("text", ["[" * 60, "]" * 60, '"', "\\", '\\"[', "{}[]", "\\\\", '"":"":'])
def test_brackets_and_escapes_in_texts_do_not_count(text):
    value = {text: [text, {text: [[[text]]] * 60}]}
    assert parse_json(json.dumps(value).encode()) == value
    deep = json.dumps([text] * 60).encode() + b","
    assert "deep" in refusal(b"[" + deep + b"[" * DEEPEST + b"]" * DEEPEST + b"]").detail


@pytest.mark.parametrize("piece", [b"[],", b"{},", b'{"a":0},', b'[{"a":[0]}],'])
def test_many_tiny_parts_are_refused_before_they_are_read(piece, monkeypatch):
    count = PARTS // (piece.count(b"[") + piece.count(b"{") + piece.count(b":")) + 1
    monkeypatch.setattr(strict_json, "_DECODER", None)
    assert f"more than {PARTS}" in refusal(b"[" + piece * count + b"0]").detail


def test_a_body_of_lone_surrogates_is_refused_at_the_first_ones():
    problem = refusal(b"[" + rb'"\ud800",' * 5_000 + b"0]")
    assert len(problem.places) == PLACES
    problem = refusal(rb'{"' + b"a" * 10_000 + rb'\ud800": 0}')
    assert len(json.dumps(problem.to_dict())) < 1_000


def test_half_a_surrogate_pair_is_refused_where_it_is():
    problem = refusal(rb'{"a": ["x", "\ud800"], "b\udc00": {"c": "\uD83D\uDE00"}, "d": "\\ud800"}')
    assert problem.status == 422
    assert [one["pointer"] for one in problem.places] == ["#/a/1", "#/b%3F"]
