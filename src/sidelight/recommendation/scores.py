"""How good strategies are, relative to the best one of each world: scores with intervals, and worst cases.

The *relative regret* of a player in a world is max(m, s) / max(b, s), where m is its mean regret, b the lowest mean of
those that compete there, and s the span of losses of the game: a regret below one loss counts as one loss, because
nobody minds the difference. Players that are told the horizon, limits, and means of fewer than `FEW` runs do not
compete for b: the mean of few runs misses the rare bad ones, and looks better than it is. The score
of a player in a game is the geometric mean of its relative regret over the worlds of the game, and its score is the
geometric mean of that over games.

Intervals are those of a bootstrap with 1 000 repetitions: families of games are drawn with replacement (games of one
family differ in size only), and each mean is moved by a normal error of its standard error. Whoever has the lowest mean
in a world stays what the others are measured against there: the lowest of many moved means would be too low. As all
players meet the same outcomes, errors that they share are counted twice, and the intervals are rather too wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats, Integers
from sidelight.recommendation.records import Benchmark, CaseFacts, GameFacts, PlayerFacts, PoolFacts

FEW = 25
_REPETITIONS = 1_000
_SEED = 16


class BenchmarkScore(NamedTuple):
    """The score of one player."""

    player: PlayerFacts
    score: float
    low: float | None
    high: float | None
    """Ends of a 95 % interval; None if a world has a single run."""
    games: int
    """How many of the games it plays."""
    fewest: int
    most: int
    """Runs in a world."""
    tail: float | None
    """Geometric mean over games of the 99 % quantile relative to the lowest one."""
    linear: float
    """The share of runs with linear regret, mean over games."""
    nanoseconds: float
    """A round, median over games."""
    worst: float
    worst_game: str
    worst_world: str

    @property
    def interval(self) -> str:
        """The interval in brackets, if there is one."""
        return "" if self.low is None or self.high is None else f"({self.low:.2f} to {self.high:.2f})"

    @property
    def runs(self) -> str:
        """How many runs there are in a world."""
        return str(self.fewest) if self.fewest == self.most else f"{self.fewest} to {self.most}"


@dataclass(frozen=True)
class BenchmarkBoard:
    """All players in some games and worlds at one horizon."""

    benchmark: Benchmark
    horizon: int
    group: str
    games: tuple[GameFacts, ...]

    @cached_property
    def places(self) -> list[tuple[str, str]]:
        """The pairs of a game and a world, in the order of columns."""
        limits = {each.label for each in self.benchmark.players if each.limit}
        return list(dict.fromkeys((case.game, case.world) for case in self.cases if case.player not in limits))

    @cached_property
    def players(self) -> list[PlayerFacts]:
        """The players but for limits, in the order of rows."""
        playing = {case.player for case in self.cases}
        return [each for each in self.benchmark.players if each.label in playing and not each.limit]

    @cached_property
    def means(self) -> Floats:
        """Mean regret, (players, places); NaN where a player did not play."""
        return self._matrix(lambda case: case.mean)

    @cached_property
    def errors(self) -> Floats:
        """Standard errors, (players, places); NaN if there is only one run."""
        return self._matrix(lambda case: np.nan if case.error is None else case.error)

    @cached_property
    def runs(self) -> Floats:
        """How many runs, (players, places)."""
        return self._matrix(lambda case: case.runs)

    @cached_property
    def relative(self) -> Floats:
        """Relative regret, (players, places)."""
        return self._relative(self.means)

    @cached_property
    def by_game(self) -> Floats:
        """Geometric mean of the relative regret over the worlds of each game, (players, games)."""
        return np.asarray(np.exp(self._by_game(np.log(self.relative))))

    def pool(self, game: str, player: str) -> PoolFacts | None:
        """Return the pooled facts of all runs of a player in a game."""
        return self._pools.get((game, player))

    def scores(self) -> list[BenchmarkScore]:
        """Return the scores of all players that played some game in all of its worlds, best first."""
        shown = [k for k in range(len(self.players)) if np.isfinite(self.by_game[k]).any()]
        return sorted((self._score(k) for k in shown), key=lambda each: each.score)

    def _score(self, k: int) -> BenchmarkScore:
        player = self.players[k]
        pools = [pool for game in self.games if (pool := self.pool(game.label, player.label)) is not None]
        worst = int(np.nanargmax(self.relative[k]))
        played = self.runs[k][np.isfinite(self.runs[k])]
        known = np.isfinite(self.errors[k][np.isfinite(self.means[k])]).all()
        low, high = np.exp(np.nanquantile(self.drawn[:, k], [0.025, 0.975])).tolist() if known else (None, None)
        game, world = self.places[worst]
        return BenchmarkScore(
            player=player,
            score=float(np.exp(np.nanmean(np.log(self.by_game[k])))),
            low=low,
            high=high,
            games=int(np.isfinite(self.by_game[k]).sum()),
            fewest=int(played.min()),
            most=int(played.max()),
            tail=self._tail(player),
            linear=float(np.mean([pool.linear for pool in pools])),
            nanoseconds=float(np.median([pool.nanoseconds for pool in pools])),
            worst=float(self.relative[k][worst]),
            worst_game=game,
            worst_world=world,
        )

    def _tail(self, player: PlayerFacts) -> float | None:
        ratios = []
        for game in self.games:
            mine = self.pool(game.label, player.label)
            others = [self.pool(game.label, each.label) for each in self.players if not each.knows_horizon]
            known = [each.q99 for each in others if each is not None and each.q99 is not None]
            if mine is not None and mine.q99 is not None and known:
                ratios.append(np.log(max(mine.q99, game.span) / max(min(known), game.span)))
        return float(np.exp(np.mean(ratios))) if ratios else None

    @cached_property
    def cases(self) -> list[CaseFacts]:
        """The facts of all players, limits included, in these games and worlds."""
        wanted = {game.label for game in self.games}
        return [
            case
            for case in self.benchmark.cases
            if case.horizon == self.horizon
            and case.game in wanted
            and self.benchmark.world[case.world].group == self.group
        ]

    @cached_property
    def _pools(self) -> dict[tuple[str, str], PoolFacts]:
        return {
            (pool.game, pool.player): pool
            for pool in self.benchmark.pools
            if pool.horizon == self.horizon and pool.group == self.group
        }

    @cached_property
    def _game_of(self) -> Integers:
        """The place of each column's game among the games."""
        places = {game.label: k for k, game in enumerate(self.games)}
        return np.array([places[game] for game, _ in self.places], np.int64)

    def _matrix(self, value: Callable[[CaseFacts], float]) -> Floats:
        rows = {player.label: k for k, player in enumerate(self.players)}
        columns = {place: k for k, place in enumerate(self.places)}
        found = np.full((len(rows), len(columns)), np.nan)
        for case in self.cases:
            if case.player in rows:
                found[rows[case.player], columns[case.game, case.world]] = value(case)
        return found

    @cached_property
    def _best(self) -> Integers:
        """The row of the lowest mean in each place, among those that compete; -1 if there is none."""
        told = np.array([player.knows_horizon for player in self.players])[:, None]
        competing = np.isfinite(self.means) & ~told & (np.nan_to_num(self.runs) >= FEW)
        lowest = np.where(competing, np.nan_to_num(self.means), np.inf).argmin(axis=0)
        return np.where(competing.any(axis=0), lowest, -1)

    def _relative(self, means: Floats) -> Floats:
        """Divide means by those of the best player in each place."""
        floored = np.maximum(means, [self.games[k].span for k in self._game_of])
        best = np.where(self._best < 0, np.nan, floored[self._best, np.arange(len(self.places))])
        return np.asarray(floored / best)

    def _by_game(self, logs: Floats) -> Floats:
        """Return the mean over the worlds of each game; NaN if a player misses one of them."""
        parts = [logs[..., self._game_of == k].mean(axis=-1) for k in range(len(self.games))]
        return np.stack(parts, axis=-1)

    @cached_property
    def drawn(self) -> Floats:
        """Bootstrap repetitions of the logarithm of the scores, (repetitions, players)."""
        rng = np.random.default_rng(_SEED)
        families = sorted({game.name for game in self.games})
        family = np.array([families.index(game.name) for game in self.games])
        found = np.empty((_REPETITIONS, len(self.players)))
        for n in range(_REPETITIONS):
            # An error that all players share does not matter, so each has its own.
            moved = np.maximum(self.means + np.nan_to_num(self.errors) * rng.normal(size=self.means.shape), 0.0)
            logs = self._by_game(np.log(self._relative(moved)))
            counts = np.bincount(rng.integers(len(families), size=len(families)), minlength=len(families))
            weights = np.where(np.isfinite(logs), counts[family], 0.0)
            total = weights.sum(axis=1)
            sums = (np.nan_to_num(logs) * weights).sum(axis=1)
            found[n] = np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0)
        return found


def score_benchmark_players(
    benchmark: Benchmark, horizon: int, group: str, labels: Sequence[str] | None = None
) -> BenchmarkBoard:
    """Compare all players at one horizon, in these games or, by default, in all that are not trivial."""
    played = {case.game for case in benchmark.cases if benchmark.world[case.world].group == group}
    chosen = [game.label for game in benchmark.games if game.kind != "trivial"] if labels is None else labels
    games = tuple(game for game in benchmark.games if game.label in played and game.label in chosen)
    return BenchmarkBoard(benchmark, horizon, group, games)
