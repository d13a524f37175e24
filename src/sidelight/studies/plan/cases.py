"""From a study to its cases: one player in one world of one game, for so many rounds and runs."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.results.result_set import is_result_label_chosen
from sidelight.simulation.arguments import check_simulated_players
from sidelight.simulation.checkpoints import rounds_of_checkpoints
from sidelight.studies import consistency
from sidelight.studies.build import objects
from sidelight.studies.file import checking
from sidelight.studies.model import GameEntry, PlayerEntry, Study, WorldEntry
from sidelight.text import thousands

_LONGEST = 80  # bytes of a label in the name of a file
NO_GAME = GameEntry(label="use case")
"""The game of cases in which policies watch classifiers."""


class CaseSetting(NamedTuple):
    """Where players meet: a game, a world and a horizon (0 for classifiers, whose streams have their own length)."""

    game: GameEntry
    world: WorldEntry
    horizon: int

    @property
    def title(self) -> str:
        """Its name in reports."""
        if self.world.kind == "classifiers":
            return self.world.label
        return f"{self.game.label}, {self.world.label}, {thousands(self.horizon)} rounds"


@dataclass(frozen=True)
class Case:
    """All runs of one player in one setting, from one seed."""

    game: GameEntry
    world: WorldEntry
    player: PlayerEntry
    horizon: int
    runs: int
    seed: int = 0
    checkpoints: Any = 200
    block: int = 48
    patience: float = 300.0
    folder: str = ""

    @property
    def setting(self) -> CaseSetting:
        """The game, world and horizon."""
        return CaseSetting(self.game, self.world, self.horizon)

    @property
    def title(self) -> str:
        """Its name in reports."""
        return f"{self.player.label} in {self.setting.title}"

    @property
    def place(self) -> str:
        """The folder of its files, shared with the other players of its game and world."""
        return f"{file_name_of_case_label(self.game.label)}/{file_name_of_case_label(self.world.label)}"

    @property
    def stem(self) -> str:
        """The beginning of the names of its files."""
        rounds = f"-{self.horizon}" if self.horizon else ""
        return f"{file_name_of_case_label(self.player.label)}{rounds}{f'-seed-{self.seed}' if self.seed else ''}"

    @functools.cached_property
    def definition(self) -> str:
        """A digest of all that the study says about the runs, wherever its files are."""
        game: Any = (self.game.name, self.game.parameters)
        if self.game.data:
            data = json.loads(self.game.data)
            game = data["loss"], data["feedback"]
        value = Path(self.world.value).name if self.world.kind == "replay" else self.world.value
        world = self.world.kind, value, self.world.parameters
        player = re.sub(r".*[\\/](?=[^\\/]*\.py:)", "", self.player.name), self.player.parameters, self.player.policy
        rounds = None if self.player.policy else self.checkpoints
        what = repr((game, world, player, self.horizon, rounds, self.seed))
        return hashlib.sha256(what.encode()).hexdigest()[:8]

    def rounds(self) -> Any:
        """Return the rounds after which regret is recorded; of a list, those up to the horizon."""
        if isinstance(self.checkpoints, tuple):
            return rounds_of_checkpoints(
                [each for each in self.checkpoints if each <= self.horizon] or [self.horizon], self.horizon
            )
        return rounds_of_checkpoints(self.checkpoints, self.horizon)


@functools.lru_cache(maxsize=4096)
def file_name_of_case_label(label: str) -> str:
    """Turn a label into a name that is safe in any file system and shell.

    What is not the label itself ends with a digest of it, so that no two labels have the same.
    """
    name = re.sub(r"[^\w.+-]+", "-", label.replace("=", "-")).strip("-.")
    short = name.encode()[:_LONGEST].decode(errors="ignore").strip("-.")
    if short and short == label:
        return label
    return f"{short or 'unnamed'}-{hashlib.sha256(label.encode()).hexdigest()[:6]}"


def settle_study_before_planning(study: Study) -> Study:
    """Check a study, read its game files and make its paths absolute, so that it does not depend on the current folder.

    Raises
    ------
    StudyError
        A name, a parameter, a law or a file is wrong, whatever is to happen to combinations that cannot be played.
    """
    folder = study.folder
    checking.check_study_file(study)
    games = tuple(
        replace(each, data=json.dumps(objects.build_study_game(each, folder).to_dict()))
        if each.file and not each.data
        else each
        for each in study.games
    )
    worlds = tuple(
        replace(each, value=str(Path(folder, each.value).absolute()), label=each.label)
        if each.kind == "replay"
        else each
        for each in study.worlds
    )
    return replace(study, games=games, worlds=worlds)


def plan_cases(study: Study) -> list[Case]:
    """Return all cases of a study, setting by setting."""
    worlds = {world: world.bare() for world in study.worlds}
    players = {player.label: player.bare() for player in study.players}
    return [
        Case(
            game=setting.game,
            world=worlds[setting.world],
            player=players[player.label],
            horizon=setting.horizon,
            runs=player.runs or study.runs,
            seed=seed,
            checkpoints=study.checkpoints if player.checkpoints is None else player.checkpoints,
            block=player.block or study.block,
            patience=study.patience,
            folder=study.folder,
        )
        for setting in plan_case_settings(study)
        for player in study.players
        if _player_meets_setting(player, setting, study)
        for seed in study.seeds
    ]


def plan_case_settings(study: Study) -> list[CaseSetting]:
    """Return all settings of a study; worlds that have no horizons of their own have those of study and players."""
    horizons = consistency.horizons_of_study_and_parts(study, study.players)
    found = []
    for game, world in product(study.games, study.worlds):
        if world.kind != "classifiers" and is_result_label_chosen(world.games, game.label):
            found += [CaseSetting(game, world, horizon) for horizon in world.horizons or horizons]
    found += [CaseSetting(NO_GAME, world, 0) for world in study.worlds if world.kind == "classifiers"]
    return found


def _player_meets_setting(player: PlayerEntry, setting: CaseSetting, study: Study) -> bool:
    if player.policy != (setting.world.kind == "classifiers") or not is_result_label_chosen(
        player.worlds, setting.world.label
    ):
        return False
    if player.policy:
        return True
    horizons = player.horizons or setting.world.horizons or study.horizons
    return is_result_label_chosen(player.games, setting.game.label) and setting.horizon in horizons


def find_unplayable_cases(found: Sequence[Case]) -> Iterator[tuple[Case, str]]:
    """Yield the cases that cannot be played, each with the reason."""
    reasons: dict[Any, str] = {}
    for case in found:
        key = (case.game, case.world, case.player, case.horizon, case.runs)
        if key not in reasons:
            reasons[key] = _reason_case_is_unplayable(case)
        if reasons[key]:
            yield case, reasons[key]


def _reason_case_is_unplayable(case: Case) -> str:
    """Return why a case cannot be played, or an empty text."""
    try:
        if case.player.policy:
            tolerance = dict(case.world.parameters)["tolerance"]
            with objects.word_errors_of_user_code(f"{case.player.name} has no rule for the tolerance {tolerance}"):
                objects.build_player_policy(case.player).rule(tolerance)
            return ""
        game = objects.build_study_game(case.game, case.folder)
        environment = objects.build_study_environment(case.world, case.game, case.folder)
        with objects.word_errors_of_user_code(f"{case.world.label!r} cannot be checked"):
            environment.check(game, case.runs, case.horizon)
        strategy = objects.build_player_strategy(
            case.player, case.game, case.horizon, environment.dimension, case.folder
        )
        check_simulated_players(strategy, environment)
        case.rounds()
    except SidelightError as error:
        return str(error)
    return ""
