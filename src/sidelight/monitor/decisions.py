"""What a monitor says: decisions about predictions, and what it made of answers."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor.confidence import Verdict

Label = str | int | float | bool
Id = str | int
Status = Literal["recorded", "unchanged", "corrected", "released", "withdrawn"]

OPEN = "open: the verdict is not certain yet"
FIRST = "open: the policy looks at the first prediction of a class"
EXPLORING = "open: the policy verifies every prediction up to its number of labels"
GUARDED = "guarded: predictions of a class above tolerance are verified"
SPOT = "spot check: a closed class is looked at now and then"
LIKELY_BELOW = "passed: the class looks better than its tolerance to the policy"
CERTAIN = "closed: the verdict on the class is certain"
EXPLORED = "closed: the class has the number of labels that the policy wants"
FINISHED = "closed: the class has reached class_predictions"
CLASS_CAP = "capped: the class has reached class_cap"
TOTAL_CAP = "capped: the monitor has reached its cap on verifications"
DAILY_CAP = "capped: the verifications of this day are used up"
ENOUGH_PENDING = "waiting: as many answers are pending as the verdict is expected to need"
MOST_PENDING = "waiting: max_pending answers are pending"

REASONS = (
    OPEN,
    FIRST,
    EXPLORING,
    GUARDED,
    SPOT,
    LIKELY_BELOW,
    CERTAIN,
    EXPLORED,
    FINISHED,
    CLASS_CAP,
    TOTAL_CAP,
    DAILY_CAP,
    ENOUGH_PENDING,
    MOST_PENDING,
)
"""All reasons; a saved monitor refers to them by their place, so new ones go to the end."""


PLACES = {reason: place for place, reason in enumerate(REASONS)}


def bad_reason(giver: str, reason: object) -> SidelightError:
    """Return the error for a reason that a saved monitor could not refer to."""
    names = ", ".join(name for name, value in globals().items() if value in REASONS)
    return SidelightError(
        f"{giver} gives the reason {reason!r}: give one of sidelight.monitor.decisions, which are {names}"
    )


class UnknownIdError(SidelightError):
    """An answer to a verification that nobody asked for, or that has been forgotten."""


class Decision(NamedTuple):
    """Whether to verify one prediction, and why."""

    verify: bool
    id: Id
    reason: str
    prediction: Label


class Pending(NamedTuple):
    """A verification that was asked for and is not answered yet."""

    id: Id
    prediction: Label
    number: int
    """Its place among all verifications, from 1 in the order of asking."""
    reason: str


class Answer(NamedTuple):
    """What an answer changed."""

    status: Status
    """"recorded"; "unchanged" (said before); "corrected" (another answer is replaced); "released" (skipped, nothing is
    waited for any more); "withdrawn" (an answer is taken back)."""
    id: Id
    prediction: Label
    correct: bool | None
    previous: bool | None
    verdict: Verdict
    """The verdict on the class now."""
    changed: bool
    """Whether this answer changed it."""
    text: str
