"""Names of actions and outcomes, shortened and placed to fit on a figure."""

from __future__ import annotations

import textwrap
from fractions import Fraction

from sidelight.analysis import Analysis
from sidelight.game import Game
from sidelight.report.figures.fonts import drawable_text

_LONGEST = 26


def duplicate_action_groups(analysis: Analysis) -> list[tuple[int, ...]]:
    """Return the actions, those with equal losses together, in the order of their lowest index."""
    shared = {member: group for group in analysis.duplicates for member in group}
    everyone = [shared.get(action, (action,)) for action in range(analysis.game.n_actions)]
    return list(dict.fromkeys(tuple(group) for group in everyone))


def action_labels_in_figure(analysis: Analysis) -> dict[int, str]:
    """Return one label for each group of actions with equal losses, under its lowest index; no two are the same."""
    full = {
        group[0]: [_name_in_label(analysis.game.actions[member], member) for member in group]
        for group in duplicate_action_groups(analysis)
    }
    short = {first: _join_names_in_label(names) for first, names in full.items()}
    taken = list(short.values())
    return {first: text if taken.count(text) == 1 else f"{text} [{first}]" for first, text in short.items()}


def outcome_label_in_figure(game: Game, outcome: int) -> str:
    """Return the name of an outcome; a bare number gets the word outcome."""
    name = _name_in_label(game.outcomes[outcome], outcome)
    return f"outcome {name}" if name.isdigit() else shorten_figure_label(name)


def shorten_figure_label(text: str, longest: int = _LONGEST) -> str:
    """Cut a text that is too long, between words if possible, and show that it was cut."""
    if len(text) <= longest:
        return text
    start = text[:longest]
    words = start.rpartition(" ")[0]
    return (words if len(words) > longest / 2 else start[:-1]).rstrip() + "…"


def wrap_figure_label(text: str, width: int) -> str:
    """Break a label into lines."""
    return textwrap.fill(text, width, break_on_hyphens=False)


def fraction_in_figure(value: Fraction) -> str:
    """Write a fraction exactly if that is short, and to four digits if it is not."""
    exact = str(value)
    return exact if len(exact) <= 7 else f"≈{float(value):.4g}"


def drawable_line_of_text(text: str) -> str:
    """Return a text on one line, with squares for what no font can write."""
    return drawable_text(" ".join(text.split()))


def _join_names_in_label(names: list[str]) -> str:
    """Name a group: 'a = b', or as many as there is room for."""
    text = " = ".join(names)
    if len(text) <= _LONGEST:
        return text
    more = f" = {len(names) - 1} more" if len(names) > 1 else ""
    return shorten_figure_label(names[0], _LONGEST - len(more)) + more


def _name_in_label(text: str, index: int) -> str:
    """Return a name on one line; the index if there is none."""
    return drawable_line_of_text(text) or f"#{index}"
