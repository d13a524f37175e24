"""Where results come from: the game as a file stores it, and the versions and machine that produced them."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import platform
from collections.abc import Hashable
from datetime import UTC, datetime
from typing import Any

from sidelight._version import __version__
from sidelight.errors import GameError
from sidelight.game import Game

FORMAT = "sidelight results"
FORMAT_VERSION = 1

TEXT_SYMBOLS = "symbols_as_text"
"""Manifest key: the symbols that no file can hold and that are stored as their `repr`."""

ORIGINS = ("sidelight", "python", "numpy", "numba", "platform", "created")
"""Manifest keys that say when, where and with what the results were made."""


def collect_provenance() -> dict[str, Any]:
    """Return the versions in use, the platform and the present time (UTC, ISO 8601)."""
    return dict(_machine_of_results()) | {"created": datetime.now(UTC).isoformat(timespec="seconds")}


@functools.cache
def _machine_of_results() -> tuple[tuple[str, str | None], ...]:
    return (
        ("sidelight", __version__),
        ("python", platform.python_version()),
        ("numpy", installed_version("numpy")),
        ("numba", installed_version("numba")),
        ("platform", platform.platform()),
    )


def installed_version(package: str) -> str | None:
    """Return the version of an installed package without importing it, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def write_game_in_results(game: Game) -> dict[str, Any]:
    """Return the game as the JSON of a game file; symbols that no file can hold are written as their `repr`."""
    return write_game_and_texts_in_results(game)[0]


def write_game_and_texts_in_results(game: Game) -> tuple[dict[str, Any], list[str]]:
    """Return the game as the JSON of a game file, and the texts that stand in for symbols that no file can hold."""
    return _write_game(game, game.name, game.actions, game.outcomes)


@functools.lru_cache(maxsize=64)
def _write_game(game: Game, *names: Any) -> tuple[dict[str, Any], list[str]]:
    """Convert a game; names are arguments because games are equal whatever their names."""
    texts = _stand_ins_for_symbols(game)
    feedback = [[symbol if _is_symbol_storable(symbol) else texts[symbol] for symbol in row] for row in game.feedback]
    return Game(game.loss, feedback, *names).to_dict(), sorted(texts.values())


def read_game_in_results(description: Any) -> Game:
    """Return the game that `write_game_in_results` described."""
    return _read_cached_game_in_results(json.dumps(description))


@functools.lru_cache(maxsize=64)
def _read_cached_game_in_results(text: str) -> Game:
    return Game.from_dict(json.loads(text))


def is_same_game_of_results(a: Game | None, b: Game | None) -> bool:
    """Say whether two games are equal, or are the same one before and after a file that could not hold its symbols."""
    if a is None or b is None or a == b:
        return a == b
    first, second = write_game_in_results(a), write_game_in_results(b)
    return bool(first["loss"] == second["loss"] and first["feedback"] == second["feedback"])


def _stand_ins_for_symbols(game: Game) -> dict[Hashable, str]:
    """Return a text for each symbol that no file can hold; different symbols (0.5 and "0.5") get different texts."""
    symbols = [symbol for row in game.feedback for symbol in row]
    taken = {symbol for symbol in symbols if _is_symbol_storable(symbol)}
    result: dict[Hashable, str] = {}
    for symbol in symbols:
        if symbol not in taken and symbol not in result:
            text = base = repr(symbol)
            count = 1
            while text in taken:
                count += 1
                text = f"{base} #{count}"
            taken.add(text)
            result[symbol] = text
    return result


def _is_symbol_storable(symbol: Hashable) -> bool:
    try:
        Game([[0]], [[symbol]]).to_dict()
    except GameError:
        return False
    return True
