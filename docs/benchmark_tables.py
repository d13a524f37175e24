"""The tables of a benchmark: who is how good, game by game, and where each strategy fails."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sidelight.recommendation.records import TAIL_RUNS
from sidelight.recommendation.scores import FEW, BenchmarkBoard, BenchmarkScore
from sidelight.table import Cell, Column, Table
from sidelight.text import thousands


class Ranked(NamedTuple):
    """A score with its rank, the interval of that, and the regret relative to Bayes-optimal play, if they are known."""

    score: BenchmarkScore
    rank: int | None
    low: int
    high: int
    bayes: float | None


def ranked(board: BenchmarkBoard) -> list[Ranked]:
    """Rank the players that play everything often enough and are not told the horizon; the others come last."""
    scores = board.scores()
    places = {player.label: k for k, player in enumerate(board.players)}
    rivals = [
        score
        for score in scores
        if score.games == len(board.games) and score.fewest >= FEW and not score.player.knows_horizon
    ]
    drawn = board.drawn[:, [places[score.player.label] for score in rivals]]
    ranks = 1 + drawn.argsort(axis=1).argsort(axis=1)
    found = []
    for score in scores:
        rank = rivals.index(score) if score in rivals else None
        low, high = (0, 0) if rank is None else np.quantile(ranks[:, rank], [0.025, 0.975]).astype(int).tolist()
        place = None if rank is None else rank + 1
        found.append(Ranked(score, place, low, high, _bayes(board, places[score.player.label])))
    return sorted(found, key=lambda each: each.rank is None)


def _bayes(board: BenchmarkBoard, player: int) -> float | None:
    """Return the geometric mean of the regret relative to Bayes-optimal play, where that is known."""
    limits = {(case.game, case.world): case.mean for case in board.cases if board.benchmark.player[case.player].limit}
    found = []
    for column, (game, world) in enumerate(board.places):
        mean, span = board.means[player, column], board.benchmark.game[game].span
        if (game, world) in limits and np.isfinite(mean):
            found.append(math.log(max(mean, span) / max(limits[game, world], span)))
    return math.exp(sum(found) / len(found)) if found else None


def ranking(board: BenchmarkBoard) -> Table:
    """Return how all players did, the best first."""
    columns = [
        Column("strategy"),
        Column("rank", str),
        Column("regret relative to the best", "{:.2f}".format, key="relative"),
        Column("relative to Bayes", "{:.2f}".format, key="bayes"),
        Column("99 % tail, relative", "{:.2f}".format, key="tail"),
        Column("linear", _percent),
        Column("worst case", _times, key="worst"),
        Column("games", str),
        Column("runs", str),
        Column("ns a round", _whole, key="nanoseconds"),
    ]
    rows = [_row(each, len(board.games)) for each in ranked(board)]
    return Table(columns, rows, none="")


def matrix(board: BenchmarkBoard) -> Table:
    """Return the geometric mean of the relative regret over the worlds of each game: games by players."""
    players = [each.score.player for each in ranked(board)]
    order = [board.players.index(player) for player in players]
    rows = []
    for k, game in enumerate(board.games):
        values = board.by_game[order, k]
        sizes = f"{game.kind}, {game.actions} x {game.outcomes}"
        rows.append((Cell(game.label), sizes, *(None if math.isnan(value) else value for value in values)))
    columns = [Column("game"), Column("class, size"), *(Column(player.label, _ratio) for player in players)]
    return Table(columns, rows, none="")


def tails(board: BenchmarkBoard) -> Table:
    """Return the 99 % quantile of regret over all runs of a game: games by players, where there are enough runs."""
    players = [each.score.player for each in ranked(board) if each.score.tail is not None]
    rows = []
    for game in board.games:
        pools = [board.pool(game.label, player.label) for player in players]
        rows.append((game.label, *(None if pool is None else pool.q99 for pool in pools)))
    return Table([Column("game"), *(Column(player.label, _regret) for player in players)], rows, none="")


def linear(board: BenchmarkBoard) -> Table:
    """Return the share of runs with linear regret: games by players."""
    players = [each.score.player for each in ranked(board)]
    rows = []
    for game in board.games:
        pools = [board.pool(game.label, player.label) for player in players]
        rows.append((game.label, *(None if pool is None else pool.linear for pool in pools)))
    return Table([Column("game"), *(Column(player.label, _percent) for player in players)], rows, none="")


def about() -> list[str]:
    """Return what a reader has to know about the tables."""
    return [
        "Relative regret is a strategy's mean regret divided by the lowest mean in the same world, where means below "
        "one loss count as one loss. Tables show its geometric mean over the worlds of a game and then over games, "
        "with a 95 % bootstrap interval over families of games and over runs. Strategies that are told the horizon, "
        f"and means of fewer than {FEW} runs, do not compete for the lowest mean and have no rank. Nor has a strategy "
        "that cannot play all games.",
        f"The 99 % tail is the quantile over all runs of a game, if there are at least {TAIL_RUNS}, relative to the "
        "lowest one. A run has linear regret if its second half cost at least nine tenths of what its first half did "
        "(and all of it more than a thousandth of the span of losses a round). The time of a round is that of the "
        "world in which it was shortest, as a busy machine only adds to it; the median over games.",
        "Bayes-optimal play is told the horizon and how laws are drawn, which no strategy is; it is known for games of "
        "two outcomes with exactly one action that shows which, and for laws that are dirichlet, balanced, imbalanced "
        "or rare.",
    ]


def _row(each: Ranked, games: int) -> tuple[Any, ...]:
    score = each.score
    rank = None if each.rank is None else f"{each.rank} ({each.low} to {each.high})"
    return (
        score.player.label,
        rank,
        Cell(score.score, after=score.interval),
        each.bayes,
        score.tail,
        score.linear,
        Cell(score.worst, after=f"({score.worst_game}, {score.worst_world})"),
        f"{score.games} of {games}",
        score.runs,
        score.nanoseconds,
    )


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _times(value: float) -> str:
    return f"{value:.1f} x" if value < 100 else f"{thousands(round(value))} x"


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else thousands(round(value))


def _regret(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else thousands(round(value))


def _whole(value: float) -> str:
    return thousands(round(value))
