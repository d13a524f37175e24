"""Reading and writing the description of a game as TOML or JSON, exactly."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Hashable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from sidelight._storage import replacing_file
from sidelight.errors import GameError, NoFileError

_KEYS = ("name", "actions", "outcomes", "loss", "feedback")
_STORABLE = "a file can hold symbols that are text, integers, booleans, None or tuples of them"


def read_game_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the arguments of `Game` that the file at `path` describes."""
    file, name = Path(path), repr(os.fspath(path))
    suffix = _format_of_game_file(file)
    if not os.path.exists(file):
        raise NoFileError(f"there is no file {name}: give the path of a .toml or .json game file")
    if os.path.isdir(file):
        raise GameError(f"{name} is a folder: give the path of a .toml or .json game file")
    try:
        return game_arguments_from_data(_parse_game_file(file.read_text(encoding="utf-8-sig"), suffix))
    except GameError as error:
        raise GameError(f"{name}: {error}") from None
    except (ValueError, RecursionError) as error:  # what the JSON, TOML and UTF-8 readers raise
        raise GameError(f"{name} is not valid {suffix[1:].upper()}: {error}") from None


def write_game_file(path: str | os.PathLike[str], fields: Mapping[str, Any]) -> None:
    """Write the arguments of `Game` to `path`, completely or not at all."""
    file = Path(path)
    if os.path.isdir(file):
        raise GameError(f"{os.fspath(path)!r} is a folder: give the path of a .toml or .json file")
    text = _write_game_json(fields) if _format_of_game_file(file) == ".json" else _write_game_toml(fields)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise GameError(f"the game holds text that no file can: {error}") from None
    with replacing_file(file) as draft:
        draft.write_bytes(content)


def plain_fraction_in_game_file(value: Fraction) -> int | str:
    """Return the shortest exact way to write a fraction: 3, or '1/3'."""
    return value.numerator if value.denominator == 1 else str(value)


def _format_of_game_file(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in (".toml", ".json"):
        raise GameError(f"cannot tell the format of {str(file)!r}: name the file .toml or .json")
    return suffix


def _parse_game_file(text: str, suffix: str) -> Any:
    """Parse a file; decimals stay exact, so that 0.1 is one tenth."""
    if suffix == ".toml":
        return tomllib.loads(text, parse_float=Decimal)
    return json.loads(
        text, parse_float=Decimal, parse_constant=Decimal, object_pairs_hook=_game_file_object_without_duplicates
    )


def _game_file_object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object, refusing a key that is given twice (TOML does so by itself)."""
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise GameError(f"the key {key!r} is given twice: keep one")
    return dict(pairs)


def game_arguments_from_data(data: Any) -> dict[str, Any]:
    """Turn a parsed file into the arguments of `Game`."""
    if not isinstance(data, dict):
        raise GameError("a game file holds the keys loss and feedback (and name, actions, outcomes), not a bare value")
    for key in data:
        if key not in _KEYS:
            raise GameError(f"unknown key {key!r}: the keys of a game are {', '.join(_KEYS)}")
    for key in ("loss", "feedback"):
        if key not in data:
            raise GameError(f"the key {key!r} is missing: give one row per action")
    fields = dict(data)
    if isinstance(fields["feedback"], list):
        fields["feedback"] = [
            [_decode_game_symbol(value, f"feedback row {r}, column {c}") for c, value in enumerate(row)]
            if isinstance(row, list)
            else row
            for r, row in enumerate(fields["feedback"])
        ]
    return fields


def _decode_game_symbol(value: Any, where: str) -> Hashable:
    """Read one symbol from a file: lists are tuples, `{none = true}` is None."""
    if isinstance(value, list | tuple):
        return tuple(_decode_game_symbol(part, where) for part in value)
    if isinstance(value, dict) and list(value) == ["none"] and value["none"] is True:
        return None
    if value is None or isinstance(value, str | int):
        return value
    raise GameError(f"{where} is {_show_game_file_value(value)}: {_STORABLE}")


def _show_game_file_value(value: Any) -> str:
    return str(value) if isinstance(value, Decimal) else f"{value!r} of type {type(value).__name__}"


def _encode_game_symbol(value: Hashable, where: str, none: Any) -> Any:
    """Write one symbol, or raise an error if no file can hold it."""
    if value is None:
        return none
    if type(value) in (str, int, bool):
        return value
    if type(value) is tuple:
        return [_encode_game_symbol(part, where, none) for part in value]
    raise GameError(f"{where} is {_show_game_file_value(value)}: {_STORABLE}")


def game_arguments_to_data(fields: Mapping[str, Any], none: Any = None) -> dict[str, Any]:
    """Turn the arguments of `Game` into plain data, in a readable order."""
    feedback = [
        [_encode_game_symbol(value, f"feedback row {r}, column {c}", none) for c, value in enumerate(row)]
        for r, row in enumerate(fields["feedback"])
    ]
    loss = [[plain_fraction_in_game_file(value) for value in row] for row in fields["loss"]]
    labels = {key: list(value) if key != "name" else value for key, value in fields.items()}
    return labels | {"loss": loss, "feedback": feedback}


def _write_game_json(fields: Mapping[str, Any]) -> str:
    lines = []
    for key, value in game_arguments_to_data(fields).items():
        if key in ("loss", "feedback"):
            rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in value)
            lines.append(f'  "{key}": [\n{rows}\n  ]')
        else:
            lines.append(f'  "{key}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _write_game_toml(fields: Mapping[str, Any]) -> str:
    lines = []
    for key, value in game_arguments_to_data(fields, {"none": True}).items():
        if key in ("loss", "feedback"):
            rows = "".join(f"  {_game_value_as_toml(row)},\n" for row in value)
            lines.append(f"{key} = [\n{rows}]\n")
        else:
            lines.append(f"{key} = {_game_value_as_toml(value)}\n")
    return "".join(lines)


def _game_value_as_toml(value: Any) -> str:
    """Write a value of a game in TOML, which the standard library can only read."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_game_value_as_toml, value)) + "]"
    if isinstance(value, dict):
        return "{none = true}"
    # JSON's text is TOML's, but for the delete character, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
