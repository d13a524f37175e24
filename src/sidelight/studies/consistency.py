"""Check that the parts of a study fit together: labels, measures, tables and figures, and the amount of work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sidelight.results.result_set import is_result_label_chosen
from sidelight.studies.labels import unknown_study_label
from sidelight.studies.problems import Place, Problem
from sidelight.text import thousands

if TYPE_CHECKING:
    from sidelight.studies.model import PlayerEntry, Study, WorldEntry

MOST_PIECES = 10_000_000
_OF_STRATEGIES = ("regret", "plays", "verifications")
_OF_POLICIES = ("verifications", "f1")


def inconsistencies_of_study(study: Study) -> list[Problem]:
    """Return all problems, with places such as ("players", 2, "games")."""
    return [
        *_report_doubled_study_labels(study),
        *_report_unknown_study_labels(study),
        *_report_unknown_study_measures(study),
        *_report_unplayed_study_horizons(study),
        *_report_too_many_study_tasks(study),
    ]


def _report_doubled_study_labels(study: Study) -> Iterator[Problem]:
    """Report labels that are used twice."""
    for what in ("games", "worlds", "players"):
        places: dict[str, list[int]] = {}
        for index, each in enumerate(getattr(study, what)):
            places.setdefault(each.label, []).append(index)
        for label, (_, *more) in places.items():
            if more:
                yield Problem(
                    (what, more[0], "label"), f"two {what} are called {label!r}: give each a label of its own"
                )


def _report_unknown_study_labels(study: Study) -> Iterator[Problem]:
    """Report references to unknown labels."""
    labels = {kind: [other.label for other in getattr(study, kind)] for kind in ("games", "worlds", "players")}
    for what in ("worlds", "players", "tables", "figures"):
        for index, each in enumerate(getattr(study, what)):
            for kind in ("games", "worlds"):
                for wanted in getattr(each, kind, ()):
                    if not any(is_result_label_chosen(wanted, label) for label in labels[kind]):
                        title = getattr(each, "label", "") or getattr(each, "title", "") or each.kind
                        text = f"{what}: {title!r} names {kind} {wanted!r}, {unknown_study_label(wanted, labels[kind])}"
                        yield Problem((what, index, kind), text)
    for index, comparison in enumerate(study.comparisons):
        if comparison.against and comparison.against not in labels["players"]:
            missing = unknown_study_label(comparison.against, labels["players"])
            text = f"comparisons: against = {comparison.against!r}, {missing}"
            yield Problem(("comparisons", index, "against"), text)


def _measures_of_study_players(study: Study) -> list[str]:
    """Return the measures that the players of a study have, in the order of tables."""
    strategies = any(not player.policy for player in study.players)
    policies = any(player.policy for player in study.players)
    return list(dict.fromkeys((*_OF_STRATEGIES * strategies, *_OF_POLICIES * policies)))


def _report_unknown_study_measures(study: Study) -> Iterator[Problem]:
    """Report measures that no player has, or that cannot be shown where they are asked for."""
    if not study.players:
        return
    known = _measures_of_study_players(study)
    asked: list[tuple[Place, str]] = [(("measures",), each) for each in study.measures]
    asked = [] if study.measures == ("regret",) else asked  # the default, whoever plays
    for kind in ("tables", "figures"):
        asked += [((kind, index, "measure"), wish.measure) for index, wish in enumerate(getattr(study, kind))]
    for place, measure in asked:
        if measure not in known or (measure == "plays" and len(place) > 1):
            there = ", ".join(each for each in known if each != "plays" or len(place) == 1)
            yield Problem(place, f"{place[0]}: the players have no {measure!r} here: choose from {there}")
        elif place[0] == "tables" and measure not in study.measures:
            wanted = ", ".join(f'"{each}"' for each in (*study.measures, measure))
            yield Problem(place, f"tables: {measure!r} is not measured: write measures = [{wanted}]")
        elif place[0] == "figures" and measure != "regret" and study.figures[int(place[1])].kind == "regret":
            yield Problem(place, f'figures: one of kind "regret" does not show {measure}: write kind = "quartiles"')


def horizons_of_study_and_parts(study: Study, entries: Iterable[WorldEntry | PlayerEntry]) -> list[int]:
    """Return the horizons of the study and those of single worlds or players, in this order."""
    own = (horizon for entry in entries for horizon in entry.horizons)
    return list(dict.fromkeys((*study.horizons, *own)))


def _report_unplayed_study_horizons(study: Study) -> Iterator[Problem]:
    """Report horizons of tables and figures that no player plays."""
    if not study.players:
        return
    known = horizons_of_study_and_parts(study, (*study.worlds, *study.players))
    for kind in ("tables", "figures"):
        for index, wish in enumerate(getattr(study, kind)):
            for horizon in wish.horizons:
                if horizon not in known:
                    text = f"nobody plays {thousands(horizon)} rounds: choose from {', '.join(map(str, known))}"
                    yield Problem((kind, index, "horizons"), f"{kind}: {text}")


def _report_too_many_study_tasks(study: Study) -> Iterator[Problem]:
    """Report a study with too many tasks to list, if every player plays everywhere."""
    pieces = [-(-(player.runs or study.runs) // (player.block or study.block)) for player in study.players]
    lengths = horizons_of_study_and_parts(study, (*study.worlds, *study.players))
    settings = max(1, len(study.games)) * len(study.worlds) * max(1, len(lengths)) * len(study.seeds)
    if sum(pieces) * settings > MOST_PIECES:
        text = f"these are {thousands(sum(pieces) * settings)} pieces of work: ask for fewer runs or seeds, or larger"
        yield Problem(("runs",), f"{text} blocks, so that there are at most {thousands(MOST_PIECES)}")
