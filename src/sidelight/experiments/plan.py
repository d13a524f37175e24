"""From a choice of experiments to the tasks that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidelight.experiments.experiment import (
    HORIZON,
    SLOW_HORIZON,
    Condition,
    Experiment,
    GameSetting,
    Player,
    Protocol,
    Section,
)
from sidelight.experiments.published import RUNS
from sidelight.experiments.work import Task

_BLOCK = 48
# In the standard profile; they cost some 20 seconds each.
_FEW = {"published": 4, "described": 2}

RERUN = 10 * RUNS
"""How many runs a cell gets that looks different, before anybody looks for a reason."""


class Profile(NamedTuple):
    """How much is run: by default 96 runs of everything but the slow strategies."""

    runs: int = RUNS
    slow: str = "few"
    """Slow strategies: "few" runs, "full" as many as the others up to round 7 500, "beyond" up to round 20 000."""
    seed: int = 0

    def runs_of(self, condition: Condition) -> int:
        """Return how many runs a condition gets."""
        return min(self.runs, _FEW[condition.protocol]) if condition.slow and self.slow == "few" else self.runs

    def rerun_of(self, condition: Condition) -> int:
        """Return how many runs it gets if it looks different; a slow strategy gets no more than it has."""
        runs = self.runs_of(condition)
        return runs if condition.slow else max(runs, RERUN)


class Line(NamedTuple):
    """A player in a section of an experiment, and what has to be simulated for it."""

    section: Section
    player: Player
    condition: Condition


def lines(experiment: Experiment, protocol: Protocol, profile: Profile) -> list[Line]:
    """Return all lines of an experiment under one protocol."""
    return [
        Line(section, player, _condition(section, player, protocol, profile))
        for section in experiment.sections
        for player in section.players
    ]


def conditions(experiments: Sequence[Experiment], protocols: Sequence[Protocol], profile: Profile) -> list[Condition]:
    """Return everything that has to be simulated, each once, whatever shows it."""
    found = (
        line.condition
        for experiment in experiments
        for protocol in protocols
        for line in lines(experiment, protocol, profile)
    )
    return list(dict.fromkeys(found))


def tasks(condition: Condition, runs: int, seed: int) -> Iterator[Task]:
    """Split the runs of a condition into tasks; more runs later begin with the same tasks."""
    block = 1 if condition.slow else _BLOCK
    for first in range(0, runs, block):
        yield Task(condition, first, min(block, runs - first), seed)


def _condition(section: Section, player: Player, protocol: Protocol, profile: Profile) -> Condition:
    game = isinstance(section.setting, GameSetting)
    horizon = HORIZON if not player.slow or profile.slow == "beyond" else SLOW_HORIZON
    return Condition(
        setting=section.setting,
        protocol=protocol,
        strategy=player.strategy,
        parameters=tuple(sorted(player.parameters(protocol).items())),
        horizon=horizon if game else 0,
        slow=player.slow,
    )
