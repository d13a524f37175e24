"""studies/benchmark.toml: everything that the library has takes part, and the short form is the same but shorter."""

from pathlib import Path

import make_benchmark as script
import pytest

import sidelight as sl
from sidelight.environments import contexts_by_name
from sidelight.results.result_set import is_result_label_chosen
from sidelight.studies import read

ROOT = Path(__file__).parent.parent.parent
SLOW = {"ExpPM": 8, "BOBWLocal": 8, "VIDS": 24, "Mario": 24, "PMDMEDHinge": 1}  # and their runs in each world
STUDY = ROOT / "studies" / "benchmark.toml"


@pytest.fixture(scope="module")
def study():
    return read(STUDY)


def test_every_globally_observable_game_is_in_it(study):
    found = {game.name for game in study.games}
    assert found == {name for name in sl.games.names() if name != "hopeless"}
    for game in study.games:
        assert sl.analyze(sl.games.load(game.name, **dict(game.parameters))).kind != "hopeless", game.label


def test_every_strategy_is_in_it(study):
    assert {player.name for player in study.players} == set(sl.strategies.names())


def test_worlds_and_horizons(study):
    laws = [world for world in study.worlds if world.kind == "laws"]
    contexts = [world for world in study.worlds if world.kind == "contexts"]
    assert len(laws) == 8
    assert {world.value for world in contexts} == set(contexts_by_name.names_of_context_environments())
    assert any(dict(world.parameters).get("spread", 1) > 1 for world in contexts)
    assert study.horizons == (20_000,)
    assert study.checkpoints == (500, 1_000, 10_000, 20_000)


def test_there_are_runs_enough_for_tails_where_rounds_are_cheap(study):
    laws = sum(world.kind == "laws" for world in study.worlds)
    assert laws * study.runs >= 400
    for player in study.players:
        if "* contexts" in player.worlds and player.name not in ("PGTS", "PGTSMulti", "PGIDS", "ProspectModel"):
            assert 4 * player.runs >= 400, player.label
        elif "laws *" in player.worlds and player.name not in SLOW:
            assert player.runs is None, player.label


def test_slow_strategies_have_fewer_runs(study):
    assert {player.name: player.runs for player in study.players if player.name in SLOW} == SLOW


def test_the_slowest_strategy_plays_all_games_but_two(study):
    (hinge,) = (player for player in study.players if player.name == "PMDMEDHinge")
    missing = [game.label for game in study.games if not is_result_label_chosen(hinge.games, game.label)]
    assert missing == ["cops-and-robbers(arms=3)", "symbol-ladder(symbols=5)"]


def test_the_short_form_is_the_same_but_shorter(study):
    assert script.SHORT.read_text(encoding="utf-8") == script.short(STUDY.read_text(encoding="utf-8")), (
        "write it anew: .venv/bin/python docs/make_benchmark.py --short"
    )
    short = read(script.SHORT)
    assert short.games == study.games
    assert short.worlds == study.worlds
    assert {player.name for player in short.players} == {player.name for player in study.players}
    assert {horizon for player in short.players for horizon in player.horizons or short.horizons} == {1_000}
    assert short.runs == study.runs // 2
    assert all(player.runs <= 50 for player in short.players if player.runs)
