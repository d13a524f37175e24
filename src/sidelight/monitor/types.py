"""What a monitor says: decisions about predictions, what answers changed, and the events that both can cause."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor.stats.confidence import Verdict

Label = str | int | float | bool
Id = str | int
Status = Literal["recorded", "unchanged", "corrected", "released", "withdrawn"]

RULE = 4
"""Which rule the monitor decides by: the number is raised whenever the same predictions and answers would lead to other
decisions than before. A service compares it before it lets one monitor go on where another has stopped."""


class Reason(StrEnum):
    """Why a prediction is verified or let pass; as text, the sentence that people read."""

    OPEN = "open: the verdict is not certain yet"
    FIRST = "open: the policy looks at the first prediction of a class"
    EXPLORING = "open: the policy verifies a number of predictions that is fixed beforehand"
    GUARDED = "guarded: predictions of a class above tolerance are verified"
    SPOT = "spot check: a closed class is looked at now and then"
    LIKELY_BELOW = "passed: the class looks better than its tolerance to the policy"
    CERTAIN = "closed: the verdict on the class is certain"
    EXPLORED = "closed: the class has as many verifications as the policy wants"
    FINISHED = "closed: the class has reached class_predictions"
    CLASS_CAP = "capped: the class has reached class_cap"
    TOTAL_CAP = "capped: the monitor has reached its cap on verifications"
    DAILY_CAP = "capped: the verifications of this day are used up"
    ENOUGH_PENDING = "waiting: as many answers are pending as the verdict is expected to need"
    MOST_PENDING = "waiting: max_pending answers are pending"
    RATIONED = "rationed: the verifications that are left go to classes where a verdict costs fewer"
    HOPELESS = "rationed: the class cannot be decided with its foreseeable traffic"
    SPARED = "open: predictions with such a score are verified with a certain chance, and this one is not"
    COMPARED = "compared: two versions of the model disagree"

    code: int
    """The number that files and databases store: its place in this list, so new reasons go to the end."""
    refuses: bool
    """Whether the policy wanted a verification that a limit refused."""

    def __repr__(self) -> str:
        return f"Reason.{self.name}"

    @staticmethod
    def of(code: int) -> Reason:
        """Return the reason with this code."""
        return _BY_CODE[code]


_BY_CODE = tuple(Reason)
for _code, _reason in enumerate(_BY_CODE):
    _reason.code = _code
    _reason.refuses = _BY_CODE.index(Reason.CLASS_CAP) <= _code <= _BY_CODE.index(Reason.HOPELESS)


class UnknownIdError(SidelightError):
    """An answer to a verification that was never asked for, or that has been forgotten."""


class Decision(NamedTuple):
    """Whether to verify one prediction, and why."""

    verify: bool
    id: Id
    reason: str
    """A `Reason`; clients of a service may have others."""
    prediction: Label
    propensity: float | None = None
    """With a score: the chance with which this prediction was verified; None where scores do not matter."""


class Verification(NamedTuple):
    """A prediction that was chosen for verification and has no answer yet."""

    id: Id
    prediction: Label
    number: int
    """Its place among all verifications, from 1 in the order of asking."""
    reason: Reason
    age: int
    """How many decisions were made since."""
    overdue: bool
    """Whether the monitor has given up waiting; the answer is still welcome."""


ANSWERS, LATE, CORRECTED, DRIFTED = "answers", "a late answer", "a correction", "drift"


class VerdictChanged(NamedTuple):
    """The verdict on a class changed, or a drift alarm started the class from scratch."""

    decision: int
    """How many decisions the monitor had made."""
    verification: int
    """How many verifications it had asked for."""
    prediction: Label
    before: Verdict
    verdict: Verdict
    cause: str
    """"answers" (the usual way), "a late answer", "a correction", "drift" (the class starts from scratch)."""
    ago: int | None = None
    """After an alarm of drift: how many answers of the class ago the rate changed, as far as can be told."""

    @property
    def text(self) -> str:
        """What happened, in words."""
        if self.cause == DRIFTED:
            change = f"drift, by a change about {self.ago} answers before"
            if self.before == "unknown":
                return f"started from scratch after verification {self.verification}: {change}"
            return f"{self.before!r} was certain until verification {self.verification}; reopened by {change}"
        if self.before == "unknown":
            return f"{self.verdict!r} is certain since verification {self.verification}, by {self.cause}"
        text = f"{self.before!r} was certain until verification {self.verification}; reopened by {self.cause}"
        return text if self.verdict == "unknown" else f"{text}, and is now {self.verdict!r}"


class VerificationClosed(NamedTuple):
    """The monitor no longer waits for the answer to a verification."""

    number: int
    """Its place among all verifications, from 1 in the order of asking."""
    forgotten: bool
    """Whether its id is forgotten, so that an answer could not be taken any more; otherwise it is overdue."""


Event = VerdictChanged | VerificationClosed
Events = tuple[Event, ...]
"""What a decision or an answer caused, in order; mostly nothing."""


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
