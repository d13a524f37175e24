"""Names of actions and outcomes, shortened and placed to fit on a figure."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from fractions import Fraction

from sidelight.analysis import Analysis
from sidelight.game import Game
from sidelight.report.figures.fonts import drawable_text

_LONGEST = 26


def groups(analysis: Analysis) -> list[tuple[int, ...]]:
    """Return the actions, those with equal losses together, in the order of their lowest index."""
    shared = {member: group for group in analysis.duplicates for member in group}
    everyone = [shared.get(action, (action,)) for action in range(analysis.game.n_actions)]
    return list(dict.fromkeys(tuple(group) for group in everyone))


def action_labels(analysis: Analysis) -> dict[int, str]:
    """Return one label for each group of actions with equal losses, under its lowest index; no two are the same."""
    full = {group[0]: [_name(analysis.game.actions[member], member) for member in group] for group in groups(analysis)}
    short = {first: _joined(names) for first, names in full.items()}
    taken = list(short.values())
    return {first: text if taken.count(text) == 1 else f"{text} [{first}]" for first, text in short.items()}


def outcome_label(game: Game, outcome: int) -> str:
    """Return the name of an outcome; a bare number gets the word outcome."""
    name = _name(game.outcomes[outcome], outcome)
    return f"outcome {name}" if name.isdigit() else shortened_label(name)


def shortened_label(text: str, longest: int = _LONGEST) -> str:
    """Cut a text that is too long, between words if possible, and show that it was cut."""
    if len(text) <= longest:
        return text
    start = text[:longest]
    words = start.rpartition(" ")[0]
    return (words if len(words) > longest / 2 else start[:-1]).rstrip() + "…"


def wrapped_label(text: str, width: int) -> str:
    """Break a label into lines."""
    return textwrap.fill(text, width, break_on_hyphens=False)


def listed_in_label(texts: Sequence[str], most: int = 12) -> str:
    """Return texts joined by commas; if there are many, the last ones are only counted."""
    rest = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {rest} more" if rest > 0 else "")


def number(value: Fraction) -> str:
    """Write a fraction exactly if that is short, and to four digits if it is not."""
    exact = str(value)
    return exact if len(exact) <= 7 else f"≈{float(value):.4g}"


def drawable_line(text: str) -> str:
    """Return a text on one line, with squares for what no font can write."""
    return drawable_text(" ".join(text.split()))


def _joined(names: list[str]) -> str:
    """Name a group: 'a = b', or as many as there is room for."""
    text = " = ".join(names)
    if len(text) <= _LONGEST:
        return text
    more = f" = {len(names) - 1} more" if len(names) > 1 else ""
    return shortened_label(names[0], _LONGEST - len(more)) + more


def _name(text: str, index: int) -> str:
    """Return a name on one line; the index if there is none."""
    return drawable_line(text) or f"#{index}"
