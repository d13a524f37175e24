"""Which strategy to use: the one that did best in those games of the benchmark that are most like yours."""

from __future__ import annotations

import functools
import inspect
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidelight import strategies
from sidelight.analysis import analyze
from sidelight.errors import SidelightError, WrongTypeError
from sidelight.game import Game
from sidelight.recommendation import records
from sidelight.recommendation.explanation import explain_recommendation
from sidelight.recommendation.records import CONTEXTS, LAWS, Benchmark, GameFacts
from sidelight.recommendation.scores import FEW, BenchmarkScore, score_benchmark_players
from sidelight.recommendation.similarity import Near, facts_for_game_similarity, nearest_benchmark_games
from sidelight.strategies import Strategy
from sidelight.strategies.base import check_whole

STORED = Path(__file__).parent / "benchmark.json"
"""The results that come with the library."""
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Recommendation:
    """A strategy for a game, and the evidence for it.

    Parameters
    ----------
    game
        The game that it is for.
    facts
        Its kind and size.
    strategy, parameters
        What to play: the name of a strategy and the parameters that are not at their defaults.
    horizon
        The rounds that were asked for; None if that is not known.
    measured
        The horizon of the benchmark that the evidence is of; None if none is needed.
    near
        The games of the benchmark that are most like this one, with their distances.
    candidates
        Everybody who can play the game, the best first.
    refused
        Who cannot play it, and why.
    facts_of_benchmark
        Which benchmark this is: study, versions, day, and how much of it was run.
    dimensions
        How many numbers the benchmark's contexts have.
    """

    game: Game
    facts: GameFacts
    strategy: str
    parameters: Mapping[str, Any]
    horizon: int | None
    dimension: int
    measured: int | None = None
    near: tuple[Near, ...] = ()
    candidates: tuple[BenchmarkScore, ...] = ()
    refused: Mapping[str, str] | None = None
    facts_of_benchmark: Mapping[str, Any] | None = None
    dimensions: tuple[int, ...] = ()

    def make(self, seed: int = 0) -> Strategy:
        """Return the recommended strategy, ready to play."""
        kind: type[Strategy] = getattr(strategies, self.strategy)
        return kind(self.game, **self.parameters, seed=seed)

    def explain(self) -> str:
        """Explain what to play, and on which evidence."""
        return explain_recommendation(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "strategy": self.strategy,
            "parameters": dict(self.parameters),
            "game": self.facts._asdict(),
            "horizon": self.horizon,
            "dimension": self.dimension,
            "dimensions_measured": list(self.dimensions),
            "measured_at": self.measured,
            "nearest": [{**near.game._asdict(), "distance": round(near.distance, 3)} for near in self.near],
            "candidates": [_plain_benchmark_score(score) for score in self.candidates],
            "refused": dict(self.refused or {}),
            "benchmark": dict(self.facts_of_benchmark or {}),
        }

    def __str__(self) -> str:
        return self.explain()


def recommend(
    game: Game, horizon: int | None = None, dimension: int = 0, *, benchmark: Benchmark | None = None
) -> Recommendation:
    """Say which strategy to use for a game, from the benchmark that comes with the library.

    The benchmark's games of the same kind that are nearest in their numbers of outcomes, actions and pairs of neighbors
    stand for yours, or the game itself if it is there. Among the strategies that accept your game and played those
    often enough, the one with the lowest relative regret in them is recommended; `explain()` shows the others, too, and
    how near the games are.

    Parameters
    ----------
    game
        The game.
    horizon
        How many rounds will be played, if that is known; strategies that use it are then considered, too.
    dimension
        How many numbers a context has; 0 if there are no contexts.
    benchmark
        Another benchmark than the stored one.

    Raises
    ------
    SidelightError
        The game is hopeless: no strategy learns to play it well.
    """
    if not isinstance(game, Game):
        raise WrongTypeError(f"game is {game!r}, not of the class Game: load or make one first")
    if horizon is not None:
        check_whole("horizon", horizon, least=1, most=_LARGEST)
    check_whole("dimension", dimension, least=0)
    facts = facts_for_game_similarity("", game.name or "", game)
    if facts.kind == "hopeless":
        raise SidelightError(
            "the game is hopeless: two neighboring actions cannot be told apart by what any action shows, so every "
            "strategy has linear regret under some law; `sl.analyze(game).explain()` shows which two, and an action "
            "that shows more would help"
        )
    if facts.kind == "trivial":
        best = {"action": analyze(game).pareto[0]}
        return Recommendation(game, facts, "FixedAction", best, horizon, dimension)
    known = read_stored_benchmark() if benchmark is None else benchmark
    return _recommend_from_benchmark(game, facts, horizon, dimension, known)


@functools.cache
def read_stored_benchmark() -> Benchmark:
    """Read the results that come with the library."""
    return records.read_benchmark(STORED)


def _recommend_from_benchmark(
    game: Game, facts: GameFacts, horizon: int | None, dimension: int, benchmark: Benchmark
) -> Recommendation:
    """Recommend the strategy that did best in the nearest games of the benchmark."""
    group = CONTEXTS if dimension else LAWS
    measured = _nearest_benchmark_horizon(benchmark, horizon)
    played = score_benchmark_players(benchmark, measured, group)
    same = [Near(each, 0.0) for each in played.games if each.digest == facts.digest]
    near = same or nearest_benchmark_games(facts, played.games)
    if not near:
        raise SidelightError(f"the benchmark has no {facts.kind} game with contexts: compare strategies with simulate")
    refused: dict[str, str] = {}
    candidates = []
    for score in score_benchmark_players(benchmark, measured, group, [each.game.label for each in near]).scores():
        whole = score.games == len(near) and score.fewest >= FEW
        if whole and (horizon is not None or not score.player.knows_horizon):
            given = _parameters_of_candidate(score, horizon, dimension)
            if reason := _refusal_of_candidate(game, score.player.strategy, given):
                refused[score.player.label] = reason
            else:
                candidates.append(score)
    if not candidates:
        raise SidelightError("no strategy of the benchmark accepts this game: compare strategies with simulate")
    best = candidates[0]
    given = _parameters_of_candidate(best, horizon, dimension)
    sizes = sorted({world.dimension for world in benchmark.worlds if world.group == CONTEXTS}) if dimension else ()
    evidence = (measured, tuple(near), tuple(candidates), refused, benchmark.facts, tuple(sizes))
    return Recommendation(game, facts, best.player.strategy, given, horizon, dimension, *evidence)


def _parameters_of_candidate(score: BenchmarkScore, horizon: int | None, dimension: int) -> dict[str, Any]:
    """Return the constructor's arguments of a candidate for this game."""
    told = {"horizon": horizon} if score.player.knows_horizon and horizon is not None else {}
    takes = inspect.signature(getattr(strategies, score.player.strategy)).parameters
    sized = {"dimension": dimension} if dimension and "dimension" in takes else {}
    return {**score.player.parameters, **told, **sized}


def _refusal_of_candidate(game: Game, name: str, given: Mapping[str, Any]) -> str:
    """Return why a strategy refuses a game, or an empty text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of guarantees that are missing: the evidence speaks
            getattr(strategies, name)(game, **given)
    except SidelightError as error:
        return str(error)
    return ""


def _nearest_benchmark_horizon(benchmark: Benchmark, horizon: int | None) -> int:
    """Return the benchmark's horizon that is nearest on a logarithmic scale; the longest if none is given."""
    if horizon is None:
        return benchmark.horizons[-1]
    return min(benchmark.horizons, key=lambda each: abs(math.log(each / horizon)))


def _plain_benchmark_score(score: BenchmarkScore) -> dict[str, Any]:
    rest = {name: value for name, value in score._asdict().items() if name != "player"}
    digits = {name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in rest.items()}
    return {"label": score.player.label, "strategy": score.player.strategy, **digits}
