"""The summary that comes with the library, and the page that is made of it."""

from pathlib import Path

import make_benchmark as script
import pytest
from benchmark_tables import ranked

import sidelight as sl
from sidelight.recommendation.recommendation import STORED, read_stored_benchmark
from sidelight.recommendation.scores import score_benchmark_players
from sidelight.studies import read

ROOT = Path(__file__).parent.parent.parent


def test_it_is_small_and_says_where_it_comes_from():
    assert STORED.stat().st_size <= 1.25 * 2**20
    facts = read_stored_benchmark().facts
    assert facts["study"]["name"] == "benchmark"
    assert facts["study"]["version"] == read(ROOT / "studies" / "benchmark.toml").version
    assert {"sidelight", "numpy", "scipy", "numba", "created"} <= set(facts["made"])
    assert facts["cases_run"] <= facts["cases_planned"]


def test_it_is_of_the_study():
    study = read(ROOT / "studies" / "benchmark.toml")
    assert {game.label for game in read_stored_benchmark().games} == {game.label for game in study.games}
    assert {world.label for world in read_stored_benchmark().worlds} == {world.label for world in study.worlds}
    assert read_stored_benchmark().horizons == (1_000, 20_000)


def test_quantiles_have_runs_enough():
    assert all(pool.runs >= 400 for pool in read_stored_benchmark().pools if pool.q99 is not None)
    assert any(pool.q99 is not None for pool in read_stored_benchmark().pools)


def test_the_page_is_made_of_the_summary():
    page = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert page == script.page(read_stored_benchmark()), "write it anew: .venv/bin/python docs/make_benchmark.py"


def test_what_learns_nothing_comes_last():
    """If a ranking did not say so, it would be wrong."""
    found = {
        each.score.player.label: each
        for each in ranked(score_benchmark_players(read_stored_benchmark(), 20_000, "laws"))
        if each.rank
    }
    assert {"Uniform", "FixedAction(action=0)"} <= set(list(found)[-3:])
    assert found["Uniform"].score.linear > 0.7


@pytest.mark.slow
def test_a_cell_played_again():
    """Within its standard error, since another machine may round otherwise."""
    game = sl.games.load("apple-tasting")
    world = sl.environments.IID(sl.environments.laws.load("near-tie", game))
    (case,) = (
        case
        for case in read_stored_benchmark().cases
        if (case.game, case.world, case.player, case.horizon) == ("apple-tasting", "laws near-tie", "CBP", 1_000)
    )
    seed = read_stored_benchmark().facts["study"]["seed"][0]
    again = sl.simulate(sl.strategies.CBP(game), world, 1_000, case.runs, seed, checkpoints=1)
    assert abs(again.final.mean() - case.mean) < 0.1 * case.error
