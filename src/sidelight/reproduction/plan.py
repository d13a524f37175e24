"""From a choice of experiments to the study that runs them, and to its cells."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from sidelight.reproduction.experiment import (
    HORIZON,
    SLOW_HORIZON,
    Condition,
    Experiment,
    GameSetting,
    Player,
    Protocol,
    Section,
)
from sidelight.reproduction.published import RUNS
from sidelight.reproduction.use_case import published_policy
from sidelight.reproduction.worlds import world
from sidelight.simulation.checkpoints import logarithmic
from sidelight.studies import Game, Study, World
from sidelight.studies import Player as StudyPlayer
from sidelight.studies.plan import NO_GAME, Cell
from sidelight.studies.study import called

_BLOCK = 48
_PATIENCE = 3600.0  # seconds; nothing here hangs, and some strategies are slow
_EVEN, _LOGARITHMIC = 100, 40
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
        """Return how many runs it gets if it looks different; a slow strategy gets no more."""
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
    """Return everything that has to be simulated, each condition once, even if several tables show it."""
    found = (
        line.condition
        for experiment in experiments
        for protocol in protocols
        for line in lines(experiment, protocol, profile)
    )
    return list(dict.fromkeys(found))


def study(experiments: Sequence[Experiment], protocols: Sequence[Protocol], profile: Profile) -> Study:
    """Return the study whose cells are what these experiments need."""
    games: dict[Game, None] = {}
    worlds: dict[World, list[str]] = {}
    players: dict[StudyPlayer, list[Cell]] = {}
    for condition in conditions(experiments, protocols, profile):
        one = cell(condition, profile)
        if one.game != NO_GAME:
            games[one.game] = None
            worlds.setdefault(one.world, []).append(one.game.label)
        worlds.setdefault(one.world, [])
        players.setdefault(one.player, []).append(one)
    return Study(
        "paper",
        games=tuple(games),
        worlds=tuple(replace(each, games=_once(labels)) for each, labels in worlds.items()),
        players=tuple(_placed(player, found) for player, found in players.items()),
        horizons=(HORIZON,),
        runs=profile.runs,
        seeds=(profile.seed,),
        checkpoints=checkpoints(HORIZON),
        patience=_PATIENCE,
        title="Randomized Confidence Bounds for Stochastic Partial Monitoring",
    )


def _placed(player: StudyPlayer, found: Sequence[Cell]) -> StudyPlayer:
    """Return a player with the games, worlds, horizon and runs that it has in the paper."""
    first = found[0]
    return replace(
        player,
        games=() if player.policy else _once(each.game.label for each in found),
        worlds=_once(each.world.label for each in found),
        horizons=() if player.policy else (first.horizon,),
        runs=first.runs,
        block=first.block,
        checkpoints=first.checkpoints,
    )


def _once(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels))


@functools.lru_cache(maxsize=4096)
def cell(condition: Condition, profile: Profile) -> Cell:
    """Return what is simulated for a condition; several conditions may share it."""
    setting = condition.setting
    if isinstance(setting, GameSetting):
        game, place = Game(setting.game), world(setting.world, condition.protocol)
        # A slow player's runs depend on the protocol, and so does its name.
        label = f"{called(condition.strategy, condition.parameters)}{f', {condition.protocol}' * condition.slow}"
        player = StudyPlayer(condition.strategy, condition.parameters, label=label)
    else:
        given = dict(condition.parameters)
        game, place = NO_GAME, World("classifiers", setting.case, {"tolerance": setting.tolerance, **given})
        player = _policy(condition.strategy, setting.tolerance, condition.protocol)
    return Cell(
        game=game,
        world=place,
        player=player,
        horizon=condition.horizon,
        runs=profile.runs_of(condition),
        seed=profile.seed,
        checkpoints=checkpoints(condition.horizon),
        block=1 if condition.slow else _BLOCK,
        patience=_PATIENCE,
    )


def checkpoints(horizon: int) -> tuple[int, ...]:
    """Return the rounds at which regret is kept.

    They are evenly spaced for linear axes and dense at the beginning for logarithmic ones. The published contextual
    numbers are those one round before the horizon (20 000 or 7 500), so these are among them.
    """
    rounds = {horizon * k // _EVEN for k in range(1, _EVEN + 1)}
    rounds |= set(logarithmic(horizon, _LOGARITHMIC)) if horizon else set()
    rounds |= {end - before for end in (SLOW_HORIZON, HORIZON) for before in (0, 1)}
    return tuple(sorted(r for r in rounds if 1 <= r <= horizon))


def _policy(name: str, tolerance: float, protocol: str) -> StudyPlayer:
    policy: Any = published_policy(name, tolerance, protocol)
    given = {field.name: getattr(policy, field.name) for field in fields(policy)}
    return StudyPlayer(name, tuple(given.items()), policy=True, label=called(name, given))


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
