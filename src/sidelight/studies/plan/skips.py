"""Summarize cases that cannot be played: one line for each player and reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidelight.studies.plan.cases import Case
from sidelight.studies.problems import StudyError
from sidelight.text import count, list_some

_NAMED = 4  # games


class SkippedCases(NamedTuple):
    """The games and worlds in which a player cannot play for one reason."""

    player: str
    games: tuple[str, ...]
    worlds: tuple[str, ...]
    why: str

    @property
    def where(self) -> str:
        """The games and worlds, in short."""
        games = self.games[0] if len(self.games) == 1 else f"{len(self.games)} games ({list_some(self.games, _NAMED)})"
        worlds = self.worlds[0] if len(self.worlds) == 1 else count(len(self.worlds), "world")
        return f"{games} in {worlds}"

    def __str__(self) -> str:
        return f"{self.player} cannot play {self.where}: {self.why}"


def group_skipped_cases(skipped: Mapping[Case, str]) -> list[SkippedCases]:
    """Group cases that cannot be played for the same reason.

    Two reasons are the same if they agree up to a semicolon: what follows is about a single game, and is told only if
    it is the same in all of them.
    """
    groups: dict[tuple[str, str], list[tuple[Case, str]]] = {}
    for case, text in skipped.items():
        why = text.removeprefix(f"{case.player.name}: ")
        groups.setdefault((case.player.label, why.partition(";")[0]), []).append((case, why))
    return [
        SkippedCases(
            player=player,
            games=tuple(dict.fromkeys(case.game.label for case, _ in found)),
            worlds=tuple(dict.fromkeys(case.world.label for case, _ in found)),
            why=found[0][1] if len({why for _, why in found}) == 1 else reason,
        )
        for (player, reason), found in groups.items()
    ]


def unplayable_study_error(skipped: Mapping[Case, str], where: str) -> StudyError:
    """Return the error that a study cannot be played as it is, with each reason once per player."""
    remedy = 'restrict them with games = [...] and worlds = [...], or write impossible = "skip"'
    return StudyError([*map(str, group_skipped_cases(skipped))], where, remedy)


def title_of_skipped_case(case: Case, seeds: Sequence[int]) -> str:
    """Return the title of a case, with its seed if the study has several."""
    return f"{case.title}, seed {case.seed}" if len(seeds) > 1 else case.title
