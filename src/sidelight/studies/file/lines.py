"""Find the lines of keys and tables in a TOML file, which Python's parser does not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sidelight.studies.problems import Place

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]\s]+)\s*\]")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""")
_INNER = "parameters"  # a table in an entry, whose keys may as well stand in the entry itself


def find_lines_in_study_file(text: str) -> dict[Place, int]:
    """Return the line, counted from 1, on which each table and each key begins; texts of several lines may mislead."""
    found: dict[Place, int] = {}
    counts: dict[str, int] = {}
    table: Place = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            outer, _, inner = header[2].partition(".")
            if header[1] == "[[":
                counts[outer] = counts.get(outer, -1) + 1
            table = (outer, *([counts[outer]] if outer in counts else []), *([inner] if inner else []))
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, key[1]), number)
    return found


def line_in_study_file(place: Place, lines: Mapping[Place, int]) -> int | None:
    """Return the line of a place, or of the innermost table around it."""
    short = tuple(part for part in place if part != _INNER)
    for whole in (place, short):
        if whole in lines:
            return lines[whole]
    return next((lines[place[:end]] for end in range(len(place) - 1, 0, -1) if place[:end] in lines), None)
