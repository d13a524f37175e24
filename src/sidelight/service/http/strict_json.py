"""Strict reading of JSON in requests: anything that another program might read differently is refused.

Python's reader accepts NaN and Infinity, reads 1e999 as Infinity, keeps the last of two equal keys, and accepts half a
surrogate pair, which cannot be written as UTF-8 later. Here each of these is a `Problem`, and so is what the reader
itself fails at: numbers with thousands of digits, and brackets nested too deep.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from sidelight.service.limits import DEEPEST, PARTS, PLACES
from sidelight.service.problems import Problem, place

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING = re.compile(rb'"[^"]*"')
_AS_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NOT_IN_OUTLINE = bytes(set(range(256)) - set(b'[]{}:"'))


def parse_json(body: bytes) -> Any:
    """Return the value of a JSON text, or raise a `Problem`."""
    outline = _outline(body)
    if len(outline) > PARTS and outline.count(b"[") + outline.count(b":") > PARTS:
        raise _unreadable(f"the body has more than {PARTS} arrays, objects and keys: send fewer rows at once")
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _unreadable(f"byte {error.start} of the body is not UTF-8: send JSON in UTF-8") from None
    except json.JSONDecodeError as error:
        raise _unreadable(f"the body is not JSON: {error.msg} at character {error.pos}; send one JSON value") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # int() refuses more than 4 300 digits
        raise _unreadable("a number in the body has too many digits: send it as text") from None
    if _too_nested(outline):
        raise _too_deep()
    if _ESCAPED_SURROGATE.search(body):
        some = itertools.islice(_halves(value, ()), PLACES)
        halves = [place(path, "half of a surrogate pair: send whole characters") for path in some]
        if halves:
            raise Problem("invalid", "some text is not valid Unicode", places=halves)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _unreadable("an object in the body contains a key twice: send each key once")
    return found


def _constant(name: str) -> NoReturn:
    raise _unreadable(f"the body contains {name}, which is not JSON: leave the value out or send null")


def _number(text: str) -> float:
    found = float(text)
    if math.isinf(found):
        raise _unreadable("a number in the body is larger than programs can read: send it as text")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_number)


def _unreadable(detail: str) -> Problem:
    return Problem("bad-request", detail)


def _too_deep() -> Problem:
    return _unreadable(f"the body is nested too deep: nest arrays and objects at most {DEEPEST} deep")


def _outline(body: bytes) -> bytes:
    """Return the brackets and colons of a JSON text that are not in strings; braces become brackets.

    Everything here is done by C in one pass, before anything is parsed. If there are few brackets, their depth does not
    matter, and the result is empty.
    """
    if len(body) <= PARTS and body.count(b"[") + body.count(b"{") <= DEEPEST:
        return b""
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    # Removing two quotation marks that meet does not change what is between others.
    outline = unescaped.translate(_AS_BRACKETS, _NOT_IN_OUTLINE).replace(b'""', b"")
    return _STRING.sub(b"", outline) if b'"' in outline else outline


def _too_nested(outline: bytes) -> bool:
    """Say whether arrays and objects are nested too deep: each round removes the innermost ones."""
    rest = outline.replace(b":", b"")
    for _ in range(DEEPEST):
        if not rest:
            return False
        rest = rest.replace(b"[]", b"")
    return bool(rest)


def _halves(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of strings, including keys, with half a surrogate pair."""
    if isinstance(value, str):
        if _SURROGATE.search(value):
            yield path
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _halves(one, (*path, index))
    elif isinstance(value, dict):
        for key, one in value.items():
            if _SURROGATE.search(key):
                yield (*path, key)
            yield from _halves(one, (*path, key))
