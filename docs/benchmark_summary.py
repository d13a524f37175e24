"""Make the stored summary of the benchmark from the runs of its study.

A run has *linear regret* at the horizon T if its second half cost at least nine tenths of what its first half did, and
the whole more than a thousandth of the game's span of losses per round: R(T) - R(T/2) >= 0.9 R(T/2) and
R(T) > 0.001 T span. Where regret grows like T^(2/3), the second half costs 0.59 of the first, like the square root of T
0.41, and like log T next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats
from sidelight.recommendation.records import (
    CONTEXTS,
    LAWS,
    TAIL_RUNS,
    Benchmark,
    CaseFacts,
    PlayerFacts,
    PoolFacts,
    WorldFacts,
)
from sidelight.recommendation.similarity import facts_for_game_similarity, loss_span_for_game_similarity
from sidelight.results import Results, statistics
from sidelight.results.provenance import collect_provenance
from sidelight.studies import model as studies
from sidelight.studies.build import objects
from sidelight.studies.plain_data import thaw_plain_data
from sidelight.studies.plan.cases import Case
from sidelight.tasks.versions import versions_on_worker

SECOND_HALF = 0.9
LEAST = 0.001


class Played(NamedTuple):
    """Runs of a player in a cell up to a horizon: regret there and at half of it, and seconds of a run."""

    cell: Case
    horizon: int
    final: Floats
    half: Floats
    nanoseconds: float


def summarize(study: studies.Study, cells: Iterable[Case], gather: Callable[[Case], Results | None]) -> Benchmark:
    """Return the summary of a study.

    `gather` returns the results of a cell, with fewer runs than planned if not all were played, or None if none was.
    """
    planned = runs = complete = played = 0
    done: list[Played] = []
    for cell in cells:
        planned, runs = planned + 1, runs + cell.runs
        results = gather(cell)
        if results is not None:
            found = results.n_runs
            complete, played = complete + (found >= cell.runs), played + found
            done += _played(cell, results)
    facts = {
        "study": {"name": study.name, "version": study.version, "seed": list(study.seeds)},
        "made": {**collect_provenance(), **{name: versions_on_worker()[name] for name in ("scipy", "sources")}},
        "cases_planned": planned,
        "cases_run": complete,
        "runs_planned": runs,
        "runs_played": played,
    }
    spans = {
        each.cell.game: loss_span_for_game_similarity(objects.build_study_game(each.cell.game, study.folder))
        for each in done
    }
    return Benchmark(
        facts,
        games=tuple(
            facts_for_game_similarity(entry.label, entry.name, objects.build_study_game(entry, study.folder))
            for entry in spans
        ),
        worlds=tuple(dict.fromkeys(_world(each.cell) for each in done)),
        players=_players(done),
        cases=tuple(_case(each) for each in done),
        pools=tuple(_pools(done, spans)),
    )


def linear_share(final: Floats, half: Floats, horizon: int, span: float) -> float:
    """Return the share of runs with linear regret."""
    second = final - half
    return float(np.mean((second >= SECOND_HALF * half) & (final > LEAST * horizon * span)))


def label_of(player: studies.PlayerEntry) -> str:
    """Return what a player is called: whoever is told the horizon has one name at all of them, and so has the limit."""
    if player.limit:
        return "Bayes-optimal"
    return f"{player.name}, T known" if _knows(player) else player.label


def _knows(player: studies.PlayerEntry) -> bool:
    return "horizon" in dict(player.parameters)


def _played(cell: Case, results: Results) -> list[Played]:
    """Return what a cell says about each horizon of which the regret at half time is known, too."""
    rounds = results.rounds.tolist()
    speed = float(np.median(results.measures["seconds"])) / cell.horizon * 1e9
    found = []
    told = dict(cell.player.parameters).get("horizon")
    for horizon in rounds:
        own = horizon == told if told else horizon == cell.horizon or not cell.player.limit
        if horizon % 2 == 0 and horizon // 2 in rounds and own:
            final, half = (results.values("regret", t) for t in (horizon, horizon // 2))
            found.append(Played(cell, horizon, final, half, speed))
    return found


def _world(cell: Case) -> WorldFacts:
    environment = objects.build_study_environment(cell.world, cell.game, cell.folder)
    return WorldFacts(cell.world.label, _group(cell), environment.dimension if _group(cell) == CONTEXTS else 0)


def _group(cell: Case) -> str:
    return CONTEXTS if cell.world.kind == "contexts" else LAWS


def _players(done: Iterable[Played]) -> tuple[PlayerFacts, ...]:
    found: dict[str, PlayerFacts] = {}
    for each in done:
        player = each.cell.player
        given = {name: thaw_plain_data(value) for name, value in player.parameters if name not in ("horizon", "prior")}
        label = label_of(player)
        found.setdefault(label, PlayerFacts(label, player.name, given, _knows(player), player.limit))
    return tuple(found.values())


def _case(each: Played) -> CaseFacts:
    over = statistics.summarize_sample(each.final)
    error = _rounded(over.standard_error) if over.runs > 1 else None
    place = (each.cell.game.label, each.cell.world.label, label_of(each.cell.player), each.horizon)
    return CaseFacts(*place, over.runs, _rounded(over.mean), error)


def _pools(done: Iterable[Played], spans: Mapping[studies.GameEntry, float]) -> Iterable[PoolFacts]:
    """Yield what all runs of a player in a game say together."""
    groups: dict[Any, list[Played]] = {}
    for each in done:
        key = (each.cell.game, _group(each.cell), label_of(each.cell.player), each.horizon)
        groups.setdefault(key, []).append(each)
    for (game, group, player, horizon), parts in groups.items():
        final, half = (np.concatenate([getattr(part, name) for part in parts]) for name in ("final", "half"))
        q99 = _rounded(statistics.summarize_sample(final).q99) if len(final) >= TAIL_RUNS else None
        linear = _rounded(linear_share(final, half, horizon, spans[game]))
        speed = _rounded(min(part.nanoseconds for part in parts), 3)  # a busy machine only adds to it
        yield PoolFacts(game.label, group, player, horizon, len(final), q99, linear, speed)


def _rounded(value: float, digits: int = 4) -> float:
    """Return a number with so many significant digits, as a file holds it."""
    return float(f"{value:.{digits}g}")
