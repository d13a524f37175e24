"""Games as they are named on a command line, and what commands say about them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from sidelight import games
from sidelight.errors import SidelightError
from sidelight.text import did_you_mean

if TYPE_CHECKING:
    from sidelight.game import Game

_SUFFIXES = (".toml", ".json")
set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PARAMETER=VALUE",
    help="Set a parameter of a game in the catalogue; repeatable.",
)


def find_command_line_game(name: str, otherwise: str = "") -> games.Entry:
    """Return the entry of the game called `name`, or raise an error that suggests a name or another way."""
    if name in games.names():
        return games.describe(name)
    hint = did_you_mean(name, games.names())
    raise SidelightError(f"there is no game {name!r}: {hint}'sidelight games' lists the catalogue{otherwise}")


def load_command_line_game(name: str, settings: tuple[str, ...]) -> Game:
    """Load a game by its name or from a file."""
    from sidelight.game import Game

    separators = [separator for separator in (os.sep, os.altsep) if separator]
    if name.lower().endswith(_SUFFIXES) or any(separator in name for separator in separators):
        if settings:
            raise SidelightError(f"--set works only for games in the catalogue; change the file {name!r} instead")
        return Game.load(name)
    find_command_line_game(name, f"; a game of your own is given as a file, for instance {name}.toml or {name}.json")
    return games.load(name, **games.parse_parameters(name, settings))


def check_figure_option(path: str) -> None:
    """Refuse a figure that could not be drawn or written, before any work is done."""
    from sidelight.report.figures.saving import check_figure_path, require_matplotlib

    check_figure_path(path)
    require_matplotlib()


def terminal_game_title(game: Game) -> str:
    """Return the heading of a game: its name and size."""
    return str(game).partition("\n")[0]


def terminal_action_labels(game: Game) -> list[str]:
    """Return the names of actions as explanations write them; lines must not break inside them."""
    return [f"{index} {name}" for index, name in enumerate(game.actions)]
