"""Strategies as they are written on a command line: `RandCBP:bins=10,sigma=2`, or `package.module:Class`."""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight.cli.numbers import whole_number_option
from sidelight.errors import SidelightError
from sidelight.simulation import players

if TYPE_CHECKING:
    from sidelight.game import Game
    from sidelight.strategies import Strategy
    from sidelight.studies import PlayerEntry

_NEXT = re.compile(r",(?=\s*[A-Za-z_]\w*\s*=)")
_WORDS = {"true": True, "false": False, "none": None}


def build_strategy_from_argument(text: str, game: Game, horizon: int, dimension: int = 0) -> Strategy:
    """Make the strategy that `text` describes; pass it the horizon or the size of contexts if it needs them."""
    kind, given = _parse_strategy_argument(text)
    values = players.complete_player_parameters(kind, _check_strategy_argument(kind, given), horizon, dimension)
    return players.make_player(kind, game, values)


def _parse_strategy_argument(text: str) -> tuple[type[Strategy], dict[str, str]]:
    """Split a text into the class it names and its parameters, still as text."""
    head, rest = players.split_player_name(text)
    if players.is_known_player_name(head):
        return players.find_player_class(head), split_argument_pairs(rest, text)
    name, _, parameters = (rest or "").partition(":")
    if name and "=" not in name:
        return players.import_own_player(head, name, text), split_argument_pairs(parameters or None, text)
    raise SidelightError(players.no_such_player_error(head))


def split_argument_pairs(text: str | None, whole: str, example: str = "bins=10") -> dict[str, str]:
    """Split 'a=1,b=2', a part of a whole argument."""
    found: dict[str, str] = {}
    for part in [] if text is None else _NEXT.split(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and name and value):
            raise SidelightError(
                f"in {whole!r}, {part.strip()!r} is not a parameter: write name=value, as in {example}"
            )
        if name in found:
            raise SidelightError(f"in {whole!r}, the parameter {name!r} is given twice")
        found[name] = value
    return found


def _check_strategy_argument(kind: type[Strategy], given: dict[str, str]) -> dict[str, Any]:
    """Read the values of the parameters, and refuse names that the strategy does not have."""
    players.check_player_parameters(kind, given, seed="--seed")
    known = players.signature_of_player(kind)
    return {name: _read_value_in_strategy_argument(text, known.get(name)) for name, text in given.items()}


def _read_value_in_strategy_argument(text: str, parameter: inspect.Parameter | None) -> Any:
    """Read a value; 2e4 becomes a whole number where one is expected."""
    wanted = "" if parameter is None else str(parameter.annotation)
    number = whole_number_option(text) if "int" in wanted and "float" not in wanted else None
    return parse_argument_value(text) if number is None else number


def parse_argument_value(text: str) -> Any:
    """Read a value: a number (such as 1/3), true, false, none, a text in quotes, a list in brackets, or plain text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for read in (int, float, lambda each: float(Fraction(each))):
        with contextlib.suppress(ValueError, ZeroDivisionError):
            return read(text)
    if text[:1] in tuple("([{'\""):
        with contextlib.suppress(ValueError, SyntaxError):
            return ast.literal_eval(text)
    return text


def player_from_argument(text: str, folder: str = "") -> PlayerEntry:
    """Return the player that `text` describes, for a study whose paths begin at `folder`.

    Paths in `text` begin at the current folder.
    """
    from sidelight.studies import PlayerEntry

    kind, given = _parse_strategy_argument(text)
    head, rest = players.split_player_name(text)
    if head.endswith(".py"):
        head = _relative_path_in_argument(head, folder)
    name = head if players.is_known_player_name(head) else f"{head}:{(rest or '').partition(':')[0]}"
    return PlayerEntry(name, _check_strategy_argument(kind, given))


def _relative_path_in_argument(file: str, folder: str) -> str:
    """Return a path as a study writes it: relative to the study's folder if the file is in it, else absolute."""
    path = Path(file).resolve()
    base = Path(folder).resolve()
    return path.relative_to(base).as_posix() if folder and path.is_relative_to(base) else str(path)
