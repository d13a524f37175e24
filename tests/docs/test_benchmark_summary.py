"""From the runs of a study to the summary of a benchmark."""

from dataclasses import replace

import make_benchmark as script
import numpy as np
import pytest
from benchmark_summary import linear_share, summarize

import sidelight as sl
from sidelight.kernels import interpreted
from sidelight.recommendation.similarity import loss_span_for_game_similarity
from sidelight.results import concatenate
from sidelight.studies import parse, read, run
from sidelight.studies.plan.cases import plan_cases
from sidelight.studies.plan.tasks import split_cases_into_tasks

TEXT = """
name = "tiny"
version = "7"
horizons = [40]
checkpoints = [10, 20, 40]
runs = 6
impossible = "skip"

[[games]]
name = "apple-tasting"

[[games]]
name = "bartok"

[[worlds]]
laws = ["dirichlet", "near-tie"]
label = "laws"

[[worlds]]
contexts = "linear"
label = "linear contexts"
games = ["apple-tasting"]

[[strategies]]
name = "Uniform"
worlds = ["laws *"]

[[strategies]]
name = "Prospect"
label = "Prospect, T = 40 known"
horizon = 40
worlds = ["laws *"]

[[strategies]]
name = "CBPSide"
worlds = ["linear contexts"]
runs = 2

[[strategies]]
name = "BayesOptimal"
label = "Bayes-optimal, dirichlet"
prior = "dirichlet"
worlds = ["laws dirichlet"]
games = ["apple-tasting"]
limit = true
"""


@pytest.fixture(scope="module")
def played():
    """The study and the arrays of its cells."""
    study = parse(TEXT)
    with interpreted():
        return study, {cell: split_cases_into_tasks(cell)[0].perform() for cell in plan_cases(study)}


@pytest.fixture(scope="module")
def summary(played):
    study, arrays = played
    return summarize(study, arrays, arrays.get)


def test_who_played_what(summary):
    assert [(game.label, game.kind, game.actions, game.outcomes, game.pairs) for game in summary.games] == [
        ("apple-tasting", "easy", 2, 2, 1),
        ("bartok", "easy", 3, 3, 3),
    ]
    assert {(world.label, world.group, world.dimension) for world in summary.worlds} == {
        ("laws dirichlet", "laws", 0),
        ("laws near-tie", "laws", 0),
        ("linear contexts", "contexts", 10),
    }
    assert [(player.label, player.knows_horizon, player.limit) for player in summary.players] == [
        ("Uniform", False, False),
        ("Prospect, T known", True, False),
        ("Bayes-optimal", False, True),
        ("CBPSide", False, False),
    ]
    assert summary.facts["study"] == {"name": "tiny", "version": "7", "seed": [0]}
    assert summary.facts["cases_planned"] == summary.facts["cases_run"] == 10
    assert summary.facts["made"]["numpy"] == np.__version__


def test_means_and_errors_are_those_of_the_runs(played, summary):
    _, arrays = played
    for cell, found in arrays.items():
        if cell.player.name == "Uniform":
            for column, horizon in ((1, 20), (2, 40)):
                regret = found.regret[:, column]
                (kept,) = (
                    each
                    for each in summary.cases
                    if (each.game, each.world, each.player, each.horizon)
                    == (cell.game.label, cell.world.label, "Uniform", horizon)
                )
                assert kept.mean == pytest.approx(regret.mean(), rel=1e-3)
                assert kept.error == pytest.approx(regret.std(ddof=1) / np.sqrt(6), rel=1e-3)
                assert kept.runs == 6


def test_those_told_the_horizon_count_at_it_only(summary):
    assert {cell.horizon for cell in summary.cases if cell.player == "Uniform"} == {20, 40}
    assert {cell.horizon for cell in summary.cases if cell.player in ("Prospect, T known", "Bayes-optimal")} == {40}


def test_those_told_another_horizon_do_not_count(played):
    study, arrays = played
    told = [replace(cell, player=replace(cell.player, parameters={"horizon": 30})) for cell in arrays]
    results = dict(zip(told, arrays.values(), strict=True))
    assert not summarize(study, told, results.get).cases


def test_pools_have_the_runs_of_all_worlds_of_a_kind(summary):
    pools = {(pool.game, pool.group, pool.player, pool.horizon): pool for pool in summary.pools}
    assert pools["bartok", "laws", "Uniform", 40].runs == 12
    assert pools["apple-tasting", "contexts", "CBPSide", 40].runs == 2
    assert all(pool.q99 is None for pool in summary.pools)  # too few runs
    assert all(pool.nanoseconds > 0 for pool in summary.pools)
    assert pools["bartok", "laws", "Uniform", 40].linear > 0


def test_quantiles_need_400_runs(played):
    study, arrays = played
    many = {cell: concatenate([found] * 34, seed=0) for cell, found in arrays.items()}
    pools = summarize(study, many, many.get).pools
    assert {pool.q99 is not None for pool in pools if pool.runs >= 400} == {True}
    assert {pool.q99 is None for pool in pools if pool.runs < 400} == {True}
    assert any(pool.runs >= 400 for pool in pools)


def test_cells_that_were_not_run_are_counted(played):
    study, arrays = played
    found = summarize(study, arrays, lambda cell: arrays[cell] if cell.player.name == "Uniform" else None)
    assert (found.facts["cases_planned"], found.facts["cases_run"]) == (10, 4)
    assert (found.facts["runs_planned"], found.facts["runs_played"]) == (6 * 9 + 2, 6 * 4)
    assert [player.label for player in found.players] == ["Uniform"]


def test_a_cell_with_some_of_its_runs_is_shown_with_those(played):
    study, arrays = played
    half = {cell: found.first(3) for cell, found in arrays.items() if cell.runs == 6}
    found = summarize(study, arrays, half.get)
    assert found.facts["cases_run"] == 0
    assert {cell.runs for cell in found.cases} == {3}


@pytest.mark.parametrize(
    ("growth", "share"),
    [
        (lambda t: 0.1 * t, 1.0),
        (lambda t: 3.0 * t ** (2 / 3), 0.0),
        (lambda t: 9.0 * np.sqrt(t), 0.0),
        (lambda t: 50.0 * np.log(t), 0.0),
        (lambda t: 0.0 * t, 0.0),
        (lambda t: 0.0005 * t, 0.0),  # nothing that matters
        (lambda t: 500.0 + 0.0 * t, 0.0),  # all of it at the beginning
        (lambda t: np.maximum(0.0, 0.4 * (t - 10_000)), 1.0),  # all of it late
    ],
)
def test_linear_regret(growth, share):
    final, half = (np.full(3, growth(np.float64(t))) for t in (20_000, 10_000))
    assert linear_share(final, half, 20_000, 1.0) == share


def test_the_span_is_that_of_actions_that_can_be_optimal(summary):
    assert summary.game["apple-tasting"].span == 1.0
    game = sl.Game([[0, 1], [1, 0], [100, 100]], [["a", "b"], ["a", "b"], ["a", "b"]])
    assert loss_span_for_game_similarity(game) == 1.0


def test_the_folder_of_a_run_becomes_a_summary_and_a_page(tmp_path, monkeypatch):
    """Also one that was not finished."""
    study = tmp_path / "tiny.toml"
    study.write_text(TEXT.replace("runs = 6", "runs = 25"))  # fewer do not set a standard
    monkeypatch.setattr(script, "STUDY", study)
    with interpreted():
        run(read(study), tmp_path / "out", workers=1, share="1/2")
        part = script.summarized(tmp_path / "out")
        run(read(study), tmp_path / "out", workers=1)
        whole = script.summarized(tmp_path / "out")
    assert 0 < part.facts["cases_run"] < whole.facts["cases_run"] == whole.facts["cases_planned"] == 10
    assert "All 10 cases were run" in script.page(whole)
    assert f"**{part.facts['cases_run']} of 10 cases were run in full" in script.page(part)
    assert "| Uniform | 1 (1 to 1) |" in script.page(whole)


def test_whoever_writes_a_strategy_can_add_it(tmp_path, monkeypatch):
    """A study of it alone is run; all others keep their numbers."""
    (tmp_path / "newcomer.py").write_text(
        "from sidelight.strategies import Uniform\n\n\nclass Mine(Uniform):\n    pass\n"
    )
    study, entry = tmp_path / "tiny.toml", '[[strategies]]\nname = "newcomer.py:Mine"\nworlds = ["laws *"]\n'
    study.write_text(TEXT.replace("runs = 6", "runs = 25"))
    monkeypatch.setattr(script, "STUDY", study)
    with interpreted():
        run(read(study), tmp_path / "out", workers=1)
        former = script.summarized(tmp_path / "out")
        (tmp_path / "alone.toml").write_text(study.read_text().partition("[[strategies]]")[0] + entry)
        run(read(tmp_path / "alone.toml"), tmp_path / "more", workers=1)
        study.write_text(study.read_text() + "\n" + entry)
        found = script.summarized(tmp_path / "more", former=former)
    assert set(found.cases) > set(former.cases)
    assert "All 14 cases were run" in script.page(found)
    assert "| Mine | " in script.page(found)


def test_former_numbers_are_kept_where_there_are_none_or_fewer(played, summary):
    study, arrays = played
    former = replace(summary, facts={**summary.facts, "calls": [{"minutes": 1.0}]})
    some = {cell: result.first(3) for cell, result in arrays.items() if cell.player.name == "Uniform"}
    found = summarize(study, some, some.get)
    found = replace(found, facts={**found.facts, "calls": [{"minutes": 2.0}]})
    merged = script.kept(found, former, arrays)
    assert {each[:4]: each.runs for each in merged.cases} == {
        each[:4]: 3 if each.player == "Uniform" else each.runs for each in summary.cases
    }
    assert set(merged.pools) == set(summary.pools)  # they have more runs
    assert (set(merged.games), set(merged.worlds)) == (set(summary.games), set(summary.worlds))
    assert {each.label for each in merged.players} == {each.label for each in summary.players}
    assert (merged.facts["cases_run"], merged.facts["runs_played"]) == (6, 4 * 3 + 5 * 6 + 2)
    assert [each["minutes"] for each in merged.facts["calls"]] == [1.0, 2.0]


def test_former_numbers_of_what_is_no_longer_planned_are_dropped(played, summary):
    study, arrays = played
    former = replace(summary, facts={**summary.facts, "calls": []})
    planned = [cell for cell in arrays if cell.player.name == "Uniform" and cell.game.label == "bartok"]
    found = summarize(study, planned, arrays.get)
    merged = script.kept(replace(found, facts={**found.facts, "calls": []}), former, planned)
    assert {each[:3:2] for each in (*merged.cases, *merged.pools)} == {("bartok", "Uniform")}
    assert [each.label for each in (*merged.games, *merged.players)] == ["bartok", "Uniform"]
    assert {each.label for each in merged.worlds} == {"laws dirichlet", "laws near-tie"}
