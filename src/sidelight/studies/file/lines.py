"""Find the lines of keys and tables in a TOML file, which Python's parser does not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sidelight.studies.problems import Place

_INNER = "parameters"  # a table in an entry, whose keys may as well stand in the entry itself

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w-]+)[\w.\s"'-]*=""")
_STRING = re.compile(r'"""|\'\'\'|"(?:\\.|[^"\\])*"|\'[^\']*\'|#.*')
_LONG = ('"""', "'''")


def places(text: str) -> dict[Place, int]:
    """Return the line, counted from 1, on which each table and each key begins."""
    found: dict[Place, int] = {}
    counts: dict[str, int] = {}
    table: Place = ()
    depth, until = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        if until:
            until, rest = _after(line, until)
        elif depth:
            rest = line
        elif header := _HEADER.match(line):
            name = header[2].strip("\"' ")
            if header[1] == "[[":
                counts[name] = counts.get(name, -1) + 1
                table = (name, counts[name])
            else:
                outer, _, inner = name.partition(".")
                table = (outer.strip(), counts[outer.strip()], inner.strip()) if outer.strip() in counts else (name,)
            found.setdefault(table, number)
            continue
        else:
            if key := _KEY.match(line):
                found.setdefault((*table, key[1].strip("\"'")), number)
            rest = line
        outside, until = _outside_strings(rest) if not until else ("", until)
        depth = max(0, depth + sum(map(outside.count, "[{")) - sum(map(outside.count, "]}")))
    return found


def line_of(place: Place, lines: Mapping[Place, int]) -> int | None:
    """Return the line of a place, or of the innermost table around it."""
    # A parameter stands in the entry itself, or in a table of its own, which may be written on one line.
    short = tuple(part for part in place if part != _INNER)
    for whole in (place, short):
        if whole in lines:
            return lines[whole]
    return next((lines[place[:end]] for end in range(len(place) - 1, 0, -1) if place[:end] in lines), None)


def _after(line: str, until: str) -> tuple[str, str]:
    """Return the quotes that still end a multi-line text, and the rest of the line after them."""
    _, end, rest = line.partition(until)
    return ("", rest) if end else (until, "")


def _outside_strings(line: str) -> tuple[str, str]:
    """Return a line without texts and comments, and the quotes that end a text that continues on the next line."""
    outside, position = "", 0
    while match := _STRING.search(line, position):
        outside += line[position : match.start()]
        position = match.end()
        if match[0] in _LONG:
            end = line.find(match[0], position)
            if end < 0:
                return outside, match[0]
            position = end + 3
    return outside + line[position:], ""
