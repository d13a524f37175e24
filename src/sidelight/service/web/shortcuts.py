"""The keys of the review page.

Whoever types what they see must not mislabel: a label of one character has that key, even if it is the key of a button,
which then has another one. A key that is left over stands for a longer label only if no label begins with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_BUTTONS = {"right": "r+", "wrong": "w-", "skip": "s/", "undo": "u<", "withdraw": "x*", "next": "n>"}
"""The key of each button, and the one it has if a label has the first."""
_SPARE = [one for one in "1234567890abcdefghijklmnopqrstuvwxyz" if one not in "".join(_BUTTONS.values())]


def label_keys(labels: Sequence[str]) -> dict[str, str]:
    """Return the keys of labels; some have none if there are many."""
    found = {one: one for one in labels if len(one) == 1 and one.isprintable() and not one.isspace()}
    first = {one[0].lower() for one in labels}
    spare = iter([one for one in _SPARE if one not in first])
    return found | {one: next(spare, "") for one in labels if one not in found}


def button_keys(labels: Iterable[str]) -> dict[str, str]:
    """Return the keys of the buttons, which make way for labels; a button has none if labels have both of its keys."""
    taken = {one.lower() for one in labels if len(one) == 1}
    return {name: next((one for one in keys if one not in taken), "") for name, keys in _BUTTONS.items()}
