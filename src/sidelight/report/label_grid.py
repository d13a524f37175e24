"""Labels that name two things at once: what is common to all lines of a hue, and to all lines with the same dashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Meanings(NamedTuple):
    """What each family and each member stands for, by its index and in the order of appearance."""

    families: list[tuple[int, str]]
    members: list[tuple[int, str]]
    member_of: dict[str, str]
    """What the member of each label stands for."""

    @property
    def longest(self) -> int:
        """The length of the longest name of a member."""
        return max(len(text) for _, text in self.members)


def split_labels(labels: Sequence[tuple[str, int, int]]) -> Meanings | None:
    """Split labels such as "a=1, b=2", given with their family and member; None if they are not made of two parts.

    Parts are set apart by commas. Those that all labels share count to the family. Splitting is worth it, and done,
    only if there are several families and several members, and fewer of both together than there are labels.
    """
    found = [(_parts(label), family, member) for label, family, member in labels]
    families = list(dict.fromkeys(family for _, family, _ in found))
    members = list(dict.fromkeys(member for *_, member in found))
    if min(len(families), len(members)) < 2 or len(families) + len(members) >= len(found):
        return None
    everywhere = _shared([parts for parts, *_ in found])
    of_member = {}
    for member in members:
        shared = _shared([parts for parts, _, other in found if other == member])
        of_member[member] = [part for part in shared if part not in everywhere]
    taken = {part for parts in of_member.values() for part in parts}
    of_family = {}
    for family in families:
        shared = _shared([parts for parts, other, _ in found if other == family])
        of_family[family] = [part for part in shared if part not in taken]
    split = all(set(parts) == {*of_family[family], *of_member[member]} for parts, family, member in found)
    texts = [[(key, ", ".join(parts)) for key, parts in each.items()] for each in (of_family, of_member)]
    if not split or any(len({text for _, text in each} - {""}) < len(each) for each in texts):
        return None
    named = dict(texts[1])
    return Meanings(texts[0], texts[1], {label: named[member] for label, _, member in labels})


def _parts(label: str) -> list[str]:
    return [part.strip() for part in label.split(",")]


def _shared(labels: Sequence[list[str]]) -> list[str]:
    """Return the parts that all labels have, in the order of the first one."""
    return [part for part in labels[0] if all(part in other for other in labels)]
