"""In which order tasks are done."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from sidelight.tasks.task import Task

T = TypeVar("T", bound=Task)


def in_order(tasks: Sequence[T]) -> list[T]:
    """Put one task of each compiled loop first, then one of each kind, then the others, the longest first.

    So compiling is over early, and so is learning what each kind costs. Which task of a kind comes first, and in which
    order kinds come, has nothing to do with their cost, so that what is known of some says something about the others.
    """
    longest = sorted(tasks, key=lambda task: -task.seconds)
    kernels, rest = _one_of_each(longest, lambda task: task.kernel)
    kinds, _ = _one_of_each(sorted(rest, key=_shuffled), lambda task: task.kind, [task.kind for task in kernels])
    chosen = set(kinds)
    return [*kernels, *kinds, *(task for task in rest if task not in chosen)]


def _one_of_each(
    tasks: Sequence[T], key: Callable[[T], Hashable], known: Iterable[Hashable] = ()
) -> tuple[list[T], list[T]]:
    """Split tasks into the first one of each key that is not known yet, and the others."""
    seen = set(known)
    first: list[T] = []
    others: list[T] = []
    for task in tasks:
        (others if key(task) in seen else first).append(task)
        seen.add(key(task))
    return first, others


def _shuffled(task: Task) -> bytes:
    return hashlib.sha256(task.title.encode()).digest()
