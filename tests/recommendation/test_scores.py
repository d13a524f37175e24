"""Relative regret, ranks and intervals of benchmarks whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest
from benchmark_tables import linear, matrix, ranked, ranking, tails

from sidelight.recommendation.scores import score_benchmark_players

from .making import MEANS, summary


def scores(whole, horizon=1_000, group="laws", labels=None):
    return {score.player.label: score for score in score_benchmark_players(whole, horizon, group, labels).scores()}


def ranks(whole):
    return {each.score.player.label: each for each in ranked(score_benchmark_players(whole, 1_000, "laws"))}


def test_relative_regret_is_the_mean_over_the_lowest_mean():
    found = scores(summary())
    assert found["Prospect"].score == 1.0
    assert found["CBP"].score == pytest.approx(3.0)
    assert found["KLUCB"].score == pytest.approx(2.0)
    assert found["Prospect, T known"].score == pytest.approx(0.8)
    assert "Bayes-optimal" not in found
    assert "ProspectSide" not in found


def test_a_regret_below_one_loss_counts_as_one_loss():
    found = scores(summary(means=MEANS | {"Prospect": 0.01, "CBP": 0.5, "KLUCB": 4.0}, error=0.0))
    assert found["CBP"].score == found["Prospect"].score == 1.0
    assert found["KLUCB"].score == pytest.approx(4.0)


def test_trivial_games_do_not_count():
    whole = score_benchmark_players(summary(), 1_000, "laws")
    assert "trivial" not in [game.label for game in whole.games]
    assert scores(summary())["CBP"].games == 5


def test_only_those_that_play_everything_have_a_rank():
    found = ranks(summary())
    assert [found[name].rank for name in ("Prospect", "CBP", "KLUCB", "Prospect, T known")] == [1, 2, None, None]
    assert (found["CBP"].low, found["CBP"].high) == (2, 2)
    assert found["KLUCB"].score.games == 2
    assert list(found)[:2] == ["Prospect", "CBP"]


def test_intervals_are_wider_with_larger_errors_and_hold_the_score():
    narrow, wide = (scores(summary(error=error))["CBP"] for error in (0.1, 3.0))
    assert narrow.low < narrow.score < narrow.high
    assert wide.high - wide.low > 5 * (narrow.high - narrow.low)
    exact = scores(summary(error=0.0))["CBP"]
    assert exact.low == exact.high == pytest.approx(exact.score)


def test_near_equals_share_ranks():
    found = ranks(summary(means=MEANS | {"CBP": 10.05}, error=2.0))
    assert (found["CBP"].low, found["CBP"].high) == (1, 2)


def test_few_runs_do_not_set_the_standard():
    whole = summary()
    cases = tuple(
        case._replace(runs=4, mean=0.1 * case.mean, error=None) if case.player == "CBP" else case
        for case in whole.cases
    )
    lucky = replace(whole, cases=cases)
    found = scores(lucky)
    assert found["Prospect"].score == 1.0
    assert found["CBP"].score == pytest.approx(0.3)
    assert (found["CBP"].fewest, found["CBP"].most) == (4, 4)
    assert (ranks(lucky)["CBP"].rank, found["CBP"].low, found["CBP"].high) == (None, None, None)
    assert "| CBP |  | 0.30 |" in ranking(score_benchmark_players(lucky, 1_000, "laws")).to_markdown()


def test_bayes_tails_and_worst_cases():
    whole = summary()
    cases = list(whole.cases)
    place = next(
        k for k, case in enumerate(cases) if (case.player, case.game, case.horizon) == ("CBP", "bartok", 1_000)
    )
    cases[place] = cases[place]._replace(mean=900.0)
    found = scores(replace(whole, cases=tuple(cases)))
    assert (found["CBP"].worst, found["CBP"].worst_game, found["CBP"].worst_world) == (90.0, "bartok", "laws a")
    assert ranks(whole)["Prospect"].bayes == pytest.approx(2.0)
    assert found["Prospect"].tail == 1.0
    assert found["CBP"].tail == pytest.approx(3.0)
    assert found["CBP"].linear == 0.25


def test_a_player_that_misses_a_world_has_no_score_in_that_game():
    whole = summary()
    cases = tuple(c for c in whole.cases if (c.player, c.game, c.world) != ("CBP", "bartok", "laws b"))
    found = ranks(replace(whole, cases=cases))["CBP"]
    assert (found.score.games, found.rank) == (4, None)


def test_a_player_that_misses_a_world_in_every_game_is_not_shown():
    whole = summary()
    cases = tuple(case for case in whole.cases if (case.player, case.world) != ("CBP", "laws b"))
    found = ranks(replace(whole, cases=cases))
    assert "CBP" not in found
    assert found["Prospect"].rank == 1


def test_nobody_played():
    whole = summary()
    assert score_benchmark_players(type(whole)(whole.facts), 1_000, "laws").scores() == []


def test_tables_have_a_row_for_everybody():
    whole = score_benchmark_players(summary(), 20_000, "laws")
    text = ranking(whole).to_markdown()
    assert "| Prospect | 1 (1 to 1) | 1.00 (1.00 to 1.00) |" in text
    assert "| KLUCB |  | 2.00" in text
    assert "2 of 5" in text
    rows = matrix(whole).records()
    assert [row["game"] for row in rows] == [game.label for game in whole.games]
    assert rows[0]["CBP"] == pytest.approx(3.0)
    assert next(row for row in rows if row["game"] == "bartok")["KLUCB"] is None
    assert tails(whole).records()[0]["CBP"] == 90.0
    assert linear(whole).records()[0]["CBP"] == 0.25


def test_contexts_are_apart():
    found = scores(summary(), group="contexts")
    assert set(found) == {"ProspectSide", "CBPSide"}
    assert found["ProspectSide"].score == pytest.approx(2.0)
    assert np.isfinite(found["CBPSide"].score)
