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
    return dict(_machine()) | {"created": datetime.now(UTC).isoformat(timespec="seconds")}


@functools.cache
def _machine() -> tuple[tuple[str, str | None], ...]:
    return (
        ("sidelight", __version__),
        ("python", platform.python_version()),
        ("numpy", _version("numpy")),
        ("numba", _version("numba")),
        ("platform", platform.platform()),
    )


def _version(package: str) -> str | None:
    """Return the version of an installed package without importing it, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def written_game(game: Game) -> dict[str, Any]:
    """Return the game as the JSON of a game file; symbols that no file can hold are written as their `repr`."""
    return written_game_with_texts(game)[0]


def written_game_with_texts(game: Game) -> tuple[dict[str, Any], list[str]]:
    """Return the game as the JSON of a game file, and the texts that stand in for symbols that no file can hold."""
    return _written(game, game.name, game.actions, game.outcomes)


@functools.lru_cache(maxsize=64)
def _written(game: Game, *names: Any) -> tuple[dict[str, Any], list[str]]:
    """Convert a game; names are arguments because games are equal whatever their names."""
    texts = _stand_ins(game)
    feedback = [[symbol if _storable(symbol) else texts[symbol] for symbol in row] for row in game.feedback]
    return Game(game.loss, feedback, *names).to_dict(), sorted(texts.values())


def read(description: Any) -> Game:
    """Return the game that `written_game` described."""
    return _read(json.dumps(description))


@functools.lru_cache(maxsize=64)
def _read(text: str) -> Game:
    return Game.from_dict(json.loads(text))


def same_game(a: Game | None, b: Game | None) -> bool:
    """Say whether two games are equal, or are the same one before and after a file that could not hold its symbols."""
    if a is None or b is None or a == b:
        return a == b
    first, second = written_game(a), written_game(b)
    return bool(first["loss"] == second["loss"] and first["feedback"] == second["feedback"])


def _stand_ins(game: Game) -> dict[Hashable, str]:
    """Return what is written for each symbol that no file can hold; different ones (0.5 and "0.5") stay different."""
    symbols = [symbol for row in game.feedback for symbol in row]
    taken = {symbol for symbol in symbols if _storable(symbol)}
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


def _storable(symbol: Hashable) -> bool:
    try:
        Game([[0]], [[symbol]]).to_dict()
    except GameError:
        return False
    return True
