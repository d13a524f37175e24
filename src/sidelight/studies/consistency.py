"""Check that the parts of a study fit together: labels, measures, tables and figures, and the amount of work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sidelight.results.result_set import is_chosen
from sidelight.studies.labels import unknown_label
from sidelight.studies.problems import Problem
from sidelight.text import thousands

if TYPE_CHECKING:
    from sidelight.studies.model import FigureEntry, PlayerEntry, Study, TableEntry, WorldEntry

MOST_PIECES = 10_000_000
_OF_STRATEGIES = ("regret", "plays", "verifications")
_OF_POLICIES = ("verifications", "f1")


def problems(study: Study) -> list[Problem]:
    """Return all problems, with places such as ("players", 2, "games")."""
    return [*_doubles(study), *_strangers(study), *_measures(study), *_wishes(study), *_work(study)]


def _doubles(study: Study) -> Iterator[Problem]:
    """Report labels that are used twice."""
    for what in ("games", "worlds", "players"):
        seen: set[str] = set()
        told: set[str] = set()
        for index, each in enumerate(getattr(study, what)):
            if each.label in seen and each.label not in told:
                told.add(each.label)
                text = f"two {what} are called {each.label!r}: give each a label of its own"
                yield Problem((what, index, "label"), text)
            seen.add(each.label)


def _strangers(study: Study) -> Iterator[Problem]:
    """Report references to unknown labels."""
    labels = {kind: [other.label for other in getattr(study, kind)] for kind in ("games", "worlds", "players")}
    for what in ("worlds", "players", "tables", "figures"):
        for index, each in enumerate(getattr(study, what)):
            for kind in ("games", "worlds"):
                for wanted in getattr(each, kind, ()):
                    if not any(is_chosen(wanted, label) for label in labels[kind]):
                        title = getattr(each, "label", "") or getattr(each, "title", "") or each.kind
                        text = f"{what}: {title!r} names {kind} {wanted!r}, {unknown_label(wanted, labels[kind])}"
                        yield Problem((what, index, kind), text)
    for index, comparison in enumerate(study.comparisons):
        if comparison.against and comparison.against not in labels["players"]:
            missing = unknown_label(comparison.against, labels["players"])
            yield Problem(
                ("comparisons", index, "against"), f"comparisons: against = {comparison.against!r}, {missing}"
            )


def _known_measures(study: Study) -> list[str]:
    """Return the measures that the players of a study have, in the order of tables."""
    strategies = any(not player.policy for player in study.players)
    policies = any(player.policy for player in study.players)
    return list(dict.fromkeys((*_OF_STRATEGIES * strategies, *_OF_POLICIES * policies)))


def _measures(study: Study) -> Iterator[Problem]:
    """Report measures that no player has."""
    known = _known_measures(study)
    if not study.players or study.measures == ("regret",):  # the default, whoever plays
        return
    for measure in study.measures:
        if measure not in known:
            who = "policies of the monitor" if measure in _OF_POLICIES else "strategies"
            text = f"measures has {measure!r}, which only {who} have, and there are none: choose from"
            yield Problem(("measures",), f"{text} {', '.join(known)}")


def horizons(study: Study, entries: Iterable[WorldEntry | PlayerEntry]) -> list[int]:
    """Return the horizons of the study and those of single worlds or players, in this order."""
    own = (horizon for entry in entries for horizon in entry.horizons)
    return list(dict.fromkeys((*study.horizons, *own)))


def _wishes(study: Study) -> Iterator[Problem]:
    """Report tables and figures that would be empty."""
    if not study.players:
        return
    known = horizons(study, (*study.worlds, *study.players))
    for kind in ("tables", "figures"):
        for index, wish in enumerate(getattr(study, kind)):
            for horizon in wish.horizons:
                if horizon not in known:
                    text = f"nobody plays {thousands(horizon)} rounds: choose from {', '.join(map(str, known))}"
                    yield Problem((kind, index, "horizons"), f"{kind}: {text}")
            if text := _unmet(study, wish, kind):
                yield Problem((kind, index, "measure"), f"{kind}: {text}")


def _unmet(study: Study, wish: TableEntry | FigureEntry, kind: str) -> str:
    """Return why a measure cannot be shown, or an empty text."""
    known = [measure for measure in _known_measures(study) if measure != "plays"]
    if wish.measure == "plays":
        return f'write measures = ["plays"] for tables of plays; here, choose from {", ".join(known)}'
    if wish.measure not in known:
        return f"none of the players has the measure {wish.measure!r}: choose from {', '.join(known)}"
    if kind == "tables" and wish.measure not in study.measures:
        wanted = ", ".join(f'"{measure}"' for measure in (*study.measures, wish.measure))
        return f"{wish.measure!r} is not among the measures of the study: write measures = [{wanted}]"
    if kind == "figures" and wish.kind == "regret" and wish.measure != "regret":
        return f'a figure of kind "regret" does not show {wish.measure}: write kind = "quartiles"'
    return ""


def _work(study: Study) -> Iterator[Problem]:
    """Report a study with too many tasks to list, if every player plays everywhere."""
    pieces = [-(-(player.runs or study.runs) // (player.block or study.block)) for player in study.players]
    lengths = horizons(study, (*study.worlds, *study.players))
    settings = max(1, len(study.games)) * len(study.worlds) * max(1, len(lengths)) * len(study.seeds)
    if sum(pieces) * settings > MOST_PIECES:
        most = pieces.index(max(pieces))
        place = ("players", most, "runs") if study.players[most].runs else ("runs",)
        text = f"these are {thousands(sum(pieces) * settings)} pieces of work: ask for fewer runs or seeds, or larger"
        yield Problem(place, f"{text} blocks, so that there are at most {thousands(MOST_PIECES)}")
