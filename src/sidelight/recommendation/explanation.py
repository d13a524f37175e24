"""Explain a recommendation in words."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from sidelight.table import Cell, Column, Table
from sidelight.text import count, list_some, thousands

if TYPE_CHECKING:
    from sidelight.recommendation.recommendation import Recommendation

_SHOWN = 6  # candidates
_WIDTH = 80
_FAR = 5.0  # a horizon so many times another is said to be far away


def explain_recommendation(found: Recommendation) -> str:
    """Explain what to play, and on which evidence."""
    facts = found.facts
    size = f"{count(facts.actions, 'action')}, {count(facts.outcomes, 'outcome')}"
    yours = f"The game: {facts.kind}, {size}, {count(facts.pairs, 'pair')} of neighbors."
    play = f"Play {python_call_of_recommendation(found.strategy, found.parameters)}."
    if found.measured is None:
        action = found.parameters["action"]
        why = f"The game is trivial: action {action} is best whatever the law, and there is nothing to learn."
        return _wrap_recommendation(play, yours, why)
    evidence = (_word_nearest_games(found), _word_benchmark_differences(found), _word_benchmark_evidence(found))
    table = table_of_recommendation(found).to_text(_WIDTH)
    parts = (_wrap_recommendation(play, yours, *evidence), table, _wrap_recommendation(_word_benchmark_source(found)))
    return "\n\n".join(parts)


def python_call_of_recommendation(strategy: str, parameters: Any) -> str:
    """Return the Python call that makes a strategy."""
    given = "".join(f", {name}={value!r}" for name, value in parameters.items())
    return f"{strategy}(game{given})"


def table_of_recommendation(found: Recommendation) -> Table:
    """Return the best candidates side by side."""
    columns = [
        Column("strategy"),
        Column("relative regret", "{:.2f}".format),
        Column("99 % tail", "{:.2f}".format),
        Column("linear", lambda share: f"{100 * share:.1f} %"),
        Column("ns a round", lambda value: thousands(round(value))),
        Column("runs", str),
    ]
    rows = [
        (each.player.label, Cell(each.score, after=each.interval), each.tail, each.linear, each.nanoseconds, each.runs)
        for each in found.candidates[:_SHOWN]
    ]
    return Table(columns, rows)


def _word_nearest_games(found: Recommendation) -> str:
    if found.near[0].game.digest == found.facts.digest:
        return f"The benchmark has this very game ({found.near[0].game.label})."
    listed = list_some([f"{near.game.label} (distance {near.distance:.1f})" for near in found.near])
    return f"The nearest {found.facts.kind} games of the benchmark: {listed}."


def _word_benchmark_differences(found: Recommendation) -> str:
    """Say how the contexts and the horizon of the benchmark differ from those that were asked for."""
    words = f"Its contexts have {' and '.join(map(str, found.dimensions))} numbers, yours {found.dimension}. "
    measured, wanted = found.measured or 1, found.horizon or found.measured or 1
    far = " That is far away, and the order of strategies may be another one."
    rounds = f"The benchmark has {thousands(measured)} rounds, nearest to your {thousands(wanted)}."
    rounds += far * (max(wanted / measured, measured / wanted) > _FAR)
    return words * bool(found.dimension) + rounds * (wanted != measured)


def _word_benchmark_evidence(found: Recommendation) -> str:
    best = found.candidates[0]
    rounds = thousands(found.measured or 0)
    # Who is told the horizon may be better than the best of those who are not, whom all are measured against.
    among = " among strategies that are not told the horizon" if best.player.knows_horizon else ""
    end = best.high or best.score
    close = [each.player.label for each in found.candidates[1:] if (each.low or each.score) <= end]
    return (
        f"After {rounds} rounds of these, with {best.runs} runs in each world, its mean regret was {best.score:.2f} "
        f"times the lowest one{among} (95 % interval {best.interval[1:-1]}), at worst {best.worst:.1f} times "
        f"({best.worst_game}, {best.worst_world}). {100 * best.linear:.1f} % of its runs had linear regret."
        + (f" Within chance as good: {', '.join(close[:3])}." if close else "")
    )


def _word_benchmark_source(found: Recommendation) -> str:
    facts = found.facts_of_benchmark or {}
    made, study = facts.get("made", {}), facts.get("study", {})
    part = ""
    if facts.get("cases_run") != facts.get("cases_planned"):
        part = f", {thousands(facts['cases_run'])} of {thousands(facts['cases_planned'])} cases in full"
    return (
        "Relative regret: to the lowest mean of each world among strategies that are not told the horizon; geometric "
        "mean over worlds and games. Evidence: benchmark "
        f"version {study.get('version', '?')}, run {str(made.get('created', '?'))[:10]} with sidelight "
        f"{made.get('sidelight', '?')}{part}. To compare strategies on your own game, use simulate."
    )


def _wrap_recommendation(*lines: str) -> str:
    return "\n".join(textwrap.fill(line, _WIDTH, subsequent_indent="  ") for line in lines if line)
