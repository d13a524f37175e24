"""docs/real-streams.md is made of what was measured, and its numbers are what it says they are."""

import json
import re
from pathlib import Path

import make_real_streams as script
import pyarrow.parquet
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
        return script.Case("game", stream, player, 100, [regret - 1, regret + 1], 0.5, 10.0)

    found = script.ratios([case("a", "x", 10), case("a", "y", 30), case("b", "x", 2), case("b", "y", -4)])
    assert found["x"] == {("a", "game"): 1, ("b", "game"): 1}  # below 5, differences are chance
    assert found["y"] == {("a", "game"): 3, ("b", "game"): 1}
    assert script.mean_of(found["y"].values()) == pytest.approx(3**0.5)
    assert script.near(found["y"].values()) == 1


def test_pairs_that_not_everybody_has_played_are_left_out():
    cases = [script.Case("game", stream, player, 9, [1.0], 1.0, 1.0) for stream, player in ("ax", "ay", "bx")]
    assert [case.stream for case in script.complete(cases)] == ["a", "a"]


def test_a_rival_is_judged_by_a_run_in_which_it_was_not_chosen():
    regrets = {script.AUTO: [20.0, 20.0], "lucky": [10.0, 40.0], "steady": [20.0, 20.0]}
    cases = [script.Case("game", "a", player, 100, own, 0.5, 10.0) for player, own in regrets.items()]
    # In the first run the choice is steady, for it is the lowest in the second; in the second it is lucky, with 40.
    assert script.fair_ratios(cases) == {("a", "game"): pytest.approx(20 / 30)}


def test_results_are_read_from_the_folder_of_a_study(tmp_path):
    setting, player = "label-efficient(cost=1), bananas, 2 000 rounds", "Greedy(model=forest)"
    row = {"setting": setting, "player": player, "µs per round": 50.04}
    tables = [
        {"title": f"{name} at the end", "rows": [row | {"mean ± standard error": value}]}
        for name, value in (("Regret", 12.34), ("Verifications", 500.0))
    ]
    Path(tmp_path / "tables.json").write_text(json.dumps({"tables": tables}), encoding="utf-8")
    names = {"game": "label-efficient(cost=1)", "world": "bananas", "player": player}
    kept = [
        ("regret", 0, 2000, 12.0),
        ("regret", 1, 2000, 13.04),
        ("regret", 1, 100, 3.0),
        ("verifications", 0, 2000, 9),
    ]
    runs = [names | {"measure": what, "run": k, "round": t, "value": float(value)} for what, k, t, value in kept]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(runs), tmp_path / "runs.parquet")
    (case,) = script.cases_in(tmp_path)
    assert case == (names["game"], "bananas", player, 2000, [12.0, 13.0], 0.25, 50.0)
