"""What a monitor knows about one predicted class."""

from __future__ import annotations

import bisect
from typing import Any

from sidelight.monitor.confidence import Verdict, rate_test
from sidelight.monitor.decisions import Label
from sidelight.monitor.randomness import key_of
from sidelight.monitor.settings import Settings

_UNTOLD = -1
_MOST_EVENTS = 20
_SUFFIXES = tuple(8 << k for k in range(8))
# A closed class is tested for drift at every answer and over several stretches of answers; the level is shared out.
_DRIFT_SHARE = 0.01


class ClassState:
    """Counts of one class, and the verdict that follows from them.

    `verified` and `errors` count all answers; `n` and `e` those that the verdict rests on. The two differ only where
    a drift is followed: then answers are kept in the order in which they were asked for, from number `since` on, and
    the verdict rests on the last `window` of them, or on all since the last restart.
    """

    __slots__ = (
        "_needed",
        "_rule",
        "asked",
        "e",
        "errors",
        "events",
        "guard",
        "key",
        "marks",
        "n",
        "name",
        "numbers",
        "pending",
        "predictions",
        "reopened",
        "settings",
        "since",
        "skipped",
        "spot_key",
        "test",
        "tolerance",
        "verdict",
        "verified",
    )

    def __init__(self, name: Label, settings: Settings) -> None:
        self.name, self.settings = name, settings
        self.tolerance = settings.tolerance_of(name)
        self.test = rate_test(self.tolerance, settings.confidence)
        self._rule: Any = None
        self.guard = settings.mode == "guard"
        self.key, self.spot_key = (key_of(settings.seed, name, purpose) for purpose in ("policy", "spot"))
        self.predictions = self.asked = self.pending = self.skipped = 0
        self.verified = self.errors = self.n = self.e = 0
        self.verdict: Verdict = "unknown"
        self.reopened = self.since = 0
        self.events: list[str] = []
        self.numbers: list[int] = []
        self.marks: list[int] = []
        self._needed: int | None = _UNTOLD

    @property
    def rule(self) -> Any:
        """What the policy's `rule` returns for the tolerance of the class."""
        if self._rule is None:
            self._rule = self.settings.policy.rule(self.tolerance)
        return self._rule

    def count(self, number: int, wrong: bool, change: int) -> None:
        """Add (change = 1) or take back (-1) the answer to verification `number`, and follow it with the verdict."""
        self.verified += change
        self.errors += change * wrong
        if not self.settings.drifting:
            self.n, self.e = self.verified, self.errors
        elif number > self.since:
            self._keep(number, wrong, change)

    def settle(self, why: str, newest: int) -> bool:
        """Bring the verdict up to date after counts have changed; say whether it is another one than before.

        `newest` is the number of the last verification that was asked for; a restart begins after it.
        """
        before = self.verdict
        self._needed = _UNTOLD
        self.verdict = self.test.verdict(self.e, self.n)
        if self.settings.restart_on_drift and self.verdict != "unknown" and self._drifted():
            why = "drift"
            self.since, self.n, self.e, self.verdict = newest, 0, 0, "unknown"
            self.numbers.clear()
            self.marks.clear()
        if before not in ("unknown", self.verdict):
            self.reopened += 1
            # Later answers take a verdict back now and then where verifying goes on: counted, but no news.
            if why:
                text = f"{before!r} was certain until verification {newest}; reopened by {why}"
                self.events = [*self.events[1 - _MOST_EVENTS :], text]
        return before != self.verdict

    def needed(self) -> int | None:
        """Estimate how many more answers the verdict needs; None if the rate is too close to the tolerance."""
        if self._needed == _UNTOLD:
            self._needed = self.test.labels_needed(self.e, self.n)
        return self._needed

    def interval(self) -> tuple[float, float]:
        """Return the interval of the error rate."""
        return self.test.interval(self.e, self.n, self.verdict)

    def _keep(self, number: int, wrong: bool, change: int) -> None:
        place = bisect.bisect_left(self.numbers, number)
        if change > 0:
            self.numbers.insert(place, number)
            self.marks.insert(place, int(wrong))
        else:
            del self.numbers[place], self.marks[place]
        if self.settings.window is None:
            self.n, self.e = self.n + change, self.e + change * wrong
        else:
            recent = self.marks[-self.settings.window :]
            self.n, self.e = len(recent), sum(recent)

    def _drifted(self) -> bool:
        """Say whether a stretch of the latest answers is certain to lie on the other side than the verdict."""
        other = "below" if self.verdict == "above" else "above"
        strict = rate_test(self.tolerance, 1.0 - (1.0 - self.settings.confidence) * _DRIFT_SHARE)
        return any(
            strict.verdict(sum(self.marks[-length:]), length) == other
            for length in _SUFFIXES
            if length <= len(self.marks)
        )

    def plain(self) -> dict[str, Any]:
        """Return everything that play changes as JSON can hold it."""
        return {name: getattr(self, name) for name in _SAVED}

    def restore(self, data: dict[str, Any]) -> None:
        """Put saved values back."""
        for name in _SAVED:
            setattr(self, name, data[name])


_SAVED = (
    "predictions",
    "asked",
    "pending",
    "skipped",
    "verified",
    "errors",
    "n",
    "e",
    "verdict",
    "reopened",
    "since",
    "events",
    "numbers",
    "marks",
)
