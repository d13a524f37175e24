"""docs/real-streams.md is made of what was measured, and its numbers are what it says they are."""

import json
import re
from pathlib import Path

import make_real_streams as script
import pytest

STORED = json.loads(script.STORED.read_text(encoding="utf-8"))
CASES = [script.Case(*row) for row in STORED["cases"]]


def test_the_page_is_made_of_what_was_measured():
    assert script.PAGE.read_text(encoding="utf-8") == script.page(STORED)


def test_everybody_of_the_study_was_measured():
    study = script.DOCS.parent / "studies" / "real-streams.toml"
    streams = set(re.findall(r'^stream = "(.*)"', study.read_text(encoding="utf-8"), re.MULTILINE))
    assert {case.stream for case in CASES} == streams
    pairs = {case.pair for case in CASES}
    for name in script.OUR_NAMES:
        assert {case.pair for case in CASES if case.player == name} == pairs


def test_ratios_are_to_the_best_of_each_pair():
    def case(stream, player, regret):
        return script.Case("game", stream, player, 100, regret, 0.5, 10.0)

    found = script.ratios([case("a", "x", 10), case("a", "y", 30), case("b", "x", 2), case("b", "y", -4)])
    assert found["x"] == {("a", "game"): 1, ("b", "game"): 1}  # below 5, differences are chance
    assert found["y"] == {("a", "game"): 3, ("b", "game"): 1}
    assert script.mean_of(found["y"].values()) == pytest.approx(3**0.5)
    assert script.near(found["y"].values()) == 1


def test_pairs_that_not_everybody_has_played_are_left_out():
    cases = [script.Case("game", stream, player, 9, 1.0, 1.0, 1.0) for stream, player in ("ax", "ay", "bx")]
    assert [case.stream for case in script.complete(cases)] == ["a", "a"]


def test_results_are_read_from_the_folder_of_a_study(tmp_path):
    row = {"setting": "label-efficient(cost=1), bananas, 2 000 rounds", "player": "Greedy(model=forest)"}
    regret = row | {"mean ± standard error": 12.34, "µs per round": 50.04}
    looks = row | {"mean ± standard error": 500.0, "µs per round": 50.04}
    tables = [
        {"title": f"{name} at the end", "rows": rows}
        for name, rows in (("Regret", [regret]), ("Verifications", [looks]))
    ]
    Path(tmp_path / "tables.json").write_text(json.dumps({"tables": tables}), encoding="utf-8")
    assert script.cases_in(tmp_path) == [("label-efficient(cost=1)", "bananas", row["player"], 2000, 12.3, 0.25, 50.0)]
