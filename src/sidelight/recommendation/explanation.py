"""Explain a recommendation in words."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from sidelight.recommendation.similarity import distance_in_words
from sidelight.table import Cell, Column, Table
from sidelight.text import count, thousands

if TYPE_CHECKING:
    from sidelight.recommendation.recommendation import Recommendation
    from sidelight.recommendation.scores import Score

_SHOWN = 6  # candidates
_GAMES = 8
_WIDTH = 80
_FAR = 5.0  # a horizon so many times another is said to be far away


def explain_recommendation(found: Recommendation) -> str:
    """Explain what to play, and on which evidence."""
    facts = found.facts
    size = f"{count(facts.actions, 'action')}, {count(facts.outcomes, 'outcome')}"
    pairs = f"{count(facts.pairs, 'pair')} of neighbors"
    yours = f"The game: {facts.kind}, {size}, {pairs}."
    play = f"Play {strategy_call(found.strategy, found.parameters)}."
    if found.measured is None:
        action = found.parameters["action"]
        why = f"The game is trivial: action {action} is best whatever the law, and there is nothing to learn."
        return "\n".join(_wrapped([play, yours, why]))
    lines = [play, yours, _neighbors(found), _contexts(found), _horizon(found), _evidence(found), _caution(found)]
    return (
        "\n".join(_wrapped(lines))
        + "\n\n"
        + table(found).to_text(_WIDTH)
        + "\n\n"
        + "\n".join(_wrapped([_source(found)]))
    )


def strategy_call(strategy: str, parameters: Any) -> str:
    """Return the Python call that makes a strategy."""
    given = "".join(f", {name}={value!r}" for name, value in parameters.items())
    return f"{strategy}(game{given})"


def table(found: Recommendation) -> Table:
    """Return the best candidates side by side."""
    columns = [
        Column("strategy"),
        Column("relative regret", "{:.2f}".format),
        Column("99 % tail", "{:.2f}".format),
        Column("linear", lambda share: f"{100 * share:.1f} %"),
        Column("ns a round", lambda value: thousands(round(value))),
        Column("runs", str),
    ]
    rows = [_row(score) for score in found.candidates[:_SHOWN]]
    return Table(columns, rows)


def _row(score: Score) -> tuple[Any, ...]:
    relative = Cell(score.score, after=score.interval)
    return score.player.label, relative, score.tail, score.linear, score.nanoseconds, score.runs


def _neighbors(found: Recommendation) -> str:
    if found.near[0].game.digest == found.facts.digest:
        return f"The benchmark has this very game ({found.near[0].game.label})."
    listed = [
        f"{near.game.label} ({distance_in_words(near.distance)}, distance {near.distance:.1f})"
        for near in found.near[:_GAMES]
    ]
    more = f" and {len(found.near) - _GAMES} more" if len(found.near) > _GAMES else ""
    return f"The nearest {found.facts.kind} games of the benchmark: {', '.join(listed)}{more}."


def _contexts(found: Recommendation) -> str:
    if not found.dimension:
        return ""
    sizes = " and ".join(map(str, found.dimensions))
    return f"Its contexts have {sizes} numbers, yours {found.dimension}."


def _horizon(found: Recommendation) -> str:
    if found.measured is None or found.horizon is None:
        return ""
    ratio = max(found.horizon / found.measured, found.measured / found.horizon)
    far = " That is far away, and the order of strategies may be another one." if ratio > _FAR else ""
    if found.horizon == found.measured:
        return ""
    return f"The benchmark has {thousands(found.measured)} rounds, nearest to your {thousands(found.horizon)}.{far}"


def _evidence(found: Recommendation) -> str:
    best = found.candidates[0]
    rounds = thousands(found.measured or 0)
    # Who is told the horizon may be better than the best of those who are not, whom all are measured against.
    among = " among strategies that are not told the horizon" if best.player.knows_horizon else ""
    tail = (
        ""
        if best.tail is None
        else f" The worst 1 % of its runs began at {best.tail:.2f} times the lowest such regret{among and ' of these'}."
    )
    return (
        f"After {rounds} rounds of these, with {best.runs} runs in each world, its mean regret was {best.score:.2f} "
        f"times the lowest one{among} (95 % interval {best.interval[1:-1]}), at worst {best.worst:.1f} times "
        f"({best.worst_game}, {best.worst_world}).{tail} {100 * best.linear:.1f} % of its runs had linear regret. A "
        f"round took some {thousands(round(best.nanoseconds))} ns."
    )


def _caution(found: Recommendation) -> str:
    best, others = found.candidates[0], found.candidates[1:]
    close = [score.player.label for score in others if (score.low or score.score) <= (best.high or best.score)][:3]
    return f"Within chance as good: {', '.join(close)}." if close else ""


def _source(found: Recommendation) -> str:
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


def _wrapped(lines: list[str]) -> list[str]:
    return [textwrap.fill(line, _WIDTH, subsequent_indent="  ") for line in lines if line]
