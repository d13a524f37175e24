"""Who may answer what: the rule that the queue, the pages and the interface share.

Everyone with the scope `answer` may give one review of each verification, and change or withdraw it. Whatever goes over
the reviews of others needs the scope `settle`.

An answer by id (`POST .../answers`) is no review: it settles its verification at once. So it needs `settle`, too. The
exception is a key in a monitor that shows predictions and wants one review: it belongs to a program that delivers
labels, whose word counts as much as that of a reviewer. People who have signed in use the queue.
"""

from __future__ import annotations

from sidelight.service.auth.keys import Caller
from sidelight.service.problems import Problem
from sidelight.service.settings import ReviewSettings

PERSON = "reviewer:"
"""How the actors of people who have signed in begin; those of keys begin otherwise."""


def check_settling(settles: bool, why: str) -> None:
    """Refuse to go over the reviews of others without the scope `settle`."""
    if not settles:
        raise Problem("forbidden", f"{why} needs the scope settle")


def check_direct(actor: str, settles: bool, review: ReviewSettings) -> None:
    """Refuse an answer by id from someone who may only review."""
    if review.blind or review.reviews > 1:
        check_settling(settles, "this monitor wants two reviews or hides predictions: use the queue; an answer by id")
    if actor.startswith(PERSON):
        check_settling(settles, "people review through the queue; an answer by id")


def sees_predictions(caller: Caller, monitor: str, blind: bool) -> bool:
    """Say whether a caller may see single predictions: if reviews are blind, only whoever may read the journal."""
    return not blind or caller.may("admin", monitor)
