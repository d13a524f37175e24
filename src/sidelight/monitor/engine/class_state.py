"""What a monitor knows about one predicted class."""

from __future__ import annotations

import bisect
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.engine.line import OVERDUE, PENDING, RIGHT, WRONG, Line
from sidelight.monitor.inputs import seconds_of
from sidelight.monitor.settings import SPOT_SHARE, Settings
from sidelight.monitor.stats.confidence import Verdict
from sidelight.monitor.stats.drift import WINDOW, Drift
from sidelight.monitor.stats.notice import History, share_of
from sidelight.monitor.stats.randomness import key_of
from sidelight.monitor.stats.spot_checks import SpotChecks
from sidelight.monitor.types import ANSWERS, DRIFTED, PLACES, REASONS, Closed, Event, Label

_UNTOLD = -1
_MOST_EVENTS = 100
_MOST_FORESEEN = 100_000
_BITS = 5
_ROUNDING = 1e-9
"""Far more than the last bits in which two ways to compute the evidence of drift differ."""


class Journal:
    """What has happened in the whole monitor: counters, and events that hooks have not been told yet.

    A batch is handed out as a whole: all its requests are as old as its last decision, number `batch_end`. `first_time`
    and `last_time` are the times of the first and the last decision that had one, as given. `closed` is None unless a
    hook wants to know which requests the monitor has given up. `settled` counts how often the status of a request has
    changed since the monitor was made or loaded.
    """

    __slots__ = ("asked", "batch_end", "closed", "decided", "first_time", "last_time", "news", "settled")

    def __init__(self) -> None:
        self.decided = self.asked = self.batch_end = self.settled = 0
        self.first_time: Any = None
        self.last_time: Any = None
        self.news: list[Event] = []
        self.closed: list[Closed] | None = None

    def note_time(self, time: Any) -> None:
        """Remember the time of a decision; it is parsed only when it is needed."""
        if self.first_time is None:
            self.first_time = time
        self.last_time = time

    def times(self) -> list[float] | None:
        """Return the first and the last time in seconds since 1970, if they can be read."""
        try:
            return [seconds_of(self.first_time), seconds_of(self.last_time)]
        except SidelightError:
            return None


class ClassState(Line):
    """Counts of one class, and the verdict that follows from them.

    `verified` and `errors` count all answers; `n` and `e` those that the verdict rests on, see `Line`. The verdict is
    the latest one that their counts reach in the order of asking: it stays while the tests say "unknown", and turns
    when the counts reach another one. This is as valid as staying with the first. If the rate is above the tolerance,
    "below" is ever shown only if the test below ever reaches its limit, which happens with probability at most α over
    all times (Ville), whatever was shown before; likewise for "above" and "near". With a window the verdict is that of
    the window, regardless of earlier verdicts. `folded` is the verdict of what `base` counts.
    """

    __slots__ = (
        "_doubling",
        "_interval",
        "_needed",
        "_rule",
        "_share",
        "alarms",
        "asked",
        "drift",
        "errors",
        "events",
        "folded",
        "guard",
        "journal",
        "key",
        "name",
        "overdue",
        "pending",
        "predictions",
        "reopened",
        "settings",
        "skipped",
        "spot_checks",
        "stalled",
        "test",
        "tolerance",
        "verdict",
        "verified",
    )

    def __init__(self, name: Label, settings: Settings, journal: Journal, place: int) -> None:
        super().__init__(settings.window)
        self.name, self.settings, self.journal = name, settings, journal
        self.tolerance = settings.tolerance_of(name)
        self.test = settings.test_of(self.tolerance, place)
        self._rule: Any = None
        self.guard = settings.mode == "guard"
        self.key = key_of(settings.seed, name, "policy")
        self.spot_checks = SpotChecks(key_of(settings.seed, name, "spot"))
        self.predictions = self.asked = self.pending = self.skipped = self.overdue = 0
        self.verified = self.errors = self.reopened = self.alarms = 0
        self.verdict: Verdict = "unknown"
        self.folded: Verdict = "unknown"
        self.stalled: str | None = None
        self.events: list[Event] = []
        self.drift = Drift() if settings.drift else None
        self._needed: int | None
        self._doubling: int | None
        self._interval: tuple[float, float] | None
        self._share: float | None
        self._forget_results()

    @property
    def rule(self) -> Any:
        """What the policy's `rule` returns for the tolerance of the class."""
        if self._rule is None:
            self._rule = self.settings.policy.rule(self.tolerance)
        return self._rule

    def mark(self, place: int, status: int, cause: str) -> None:
        """Enter the new status of a request; `cause` says why, if it changes what already counts."""
        i, marks = place - self.origin, self.marks
        if i < 0:  # before the last restart
            return
        before, marks[i] = marks[i], status
        if i > self.counted:
            self.ahead += _answered(status) - _answered(before)
        elif i < self.counted:
            if _answered(status) or _answered(before):
                self.change(i, before, status)
                self._reconsider(i, cause)
        elif status != PENDING:
            self.ahead += status <= WRONG
            self._advance()

    def needed(self) -> int | None:
        """Estimate how many more answers the verdict needs; None if the rate is too close to the tolerance."""
        if self._needed == _UNTOLD:
            self._needed = self.test.labels_needed(self.e, self.n)
        return self._needed

    def interval(self) -> tuple[float, float]:
        """Return the interval of the error rate."""
        if self._interval is None:
            self._interval = self.test.interval(self.e, self.n, self.verdict)
        return self._interval

    def spot_share(self) -> float:
        """Return the share of predictions whose answers are needed while the policy lets them pass."""
        if self._share is None:
            given, within = self.settings.spot_checks, self.settings.notice_within
            if given is None and within is not None and self.verdict != "unknown":
                given = share_of(self.history(), self.settings.notice, within)
            self._share = SPOT_SHARE if given is None else given
        return self._share

    def doubling(self) -> int | None:
        """Return within how many predictions a rate of twice the tolerance would be noticed in most cases.

        For a class above, it is half the tolerance. It is None if the class is open, or the number very large.
        """
        if self._doubling == _UNTOLD:
            self._doubling = None
            if self.verdict != "unknown" and (self.drift is not None or self.window is not None):
                known = self.history()
                self._doubling = known.predictions(known.target(2.0), self.spot_share(), _MOST_FORESEEN)
        return self._doubling

    def history(self) -> History:
        """Return what is known, to say when a change would be noticed; rounded, so that not every answer matters."""
        alarm = None if self.drift is None else self.settings.drift_alarm_every
        rounded = 0 if self.drift is None else max(0, self.n.bit_length() - _BITS)
        n = self.n >> rounded << rounded
        return History(n, min(n, self.e), self.test, self.tolerance, alarm, self.window)

    def _forget_results(self) -> None:
        """Forget what was computed from the counts and the verdict."""
        self._needed = self._doubling = _UNTOLD
        self._interval = self._share = None

    def stands(self) -> tuple[int, int] | None:
        """Return (k, m): the verdict would follow if at most k of the m missing answers that count were against it.

        k is -1 if the verdict, which earlier counts have reached, does not follow from all counts together.
        """
        m = self.counted - self.marks.count(RIGHT, 0, self.counted) - self.marks.count(WRONG, 0, self.counted)
        if self.verdict in ("unknown", "near") or self.window is not None or not m:
            return None
        against = [self.e + k if self.verdict == "below" else self.e + m - k for k in range(m + 1)]
        return bisect.bisect_left(against, True, key=lambda e: self.test.verdict(e, self.n + m) != self.verdict) - 1, m

    def _advance(self) -> None:
        """Count the requests that are now settled, starting at the first one that was not."""
        marks = self.marks
        while self.counted < len(marks) and marks[self.counted] != PENDING:
            status = marks[self.counted]
            self.counted += 1
            if status <= WRONG:
                self.ahead -= 1
                self._count(status == WRONG)

    def _count(self, wrong: bool) -> None:
        """Count one more answer, and update the verdict."""
        self.add(wrong)
        self._forget_results()
        found = self.test.verdict(self.e, self.n)
        if found != self.verdict and (found != "unknown" or self.window is not None):
            self._turn(found, ANSWERS)
        if self.drift is not None:
            self.drift.add(wrong)
            if self.suspects_drift(self.settings.drift_alarm_every):
                self._restart()

    def _reconsider(self, i: int, cause: str) -> None:
        """Find the verdict again after `marks[i]` has changed,."""
        self._forget_results()
        found = self.test.verdict(self.e, self.n)
        if found == "unknown" and self.window is None:
            # Nothing before the change is different: if the verdict was unknown there, no counts there reach another.
            found = self._latest_verdict(i if self.verdict == "unknown" else 0, self.counted)
        self._turn(found, cause)
        if self.drift is not None and self.renew_drift() >= self.settings.drift_alarm_every:
            self._restart()

    def _latest_verdict(self, start: int, end: int) -> Verdict:
        """Return the latest certain verdict that counts before `marks[end]` reach, going back to `marks[start]`."""
        n, e = self.counts_before(end)
        verdict, marks = self.test.verdict, self.marks
        found = verdict(e, n)
        while found == "unknown" and end > start:
            end -= 1
            status = marks[end]
            if PENDING < status <= WRONG:
                n, e = n - 1, e - (status == WRONG)
                found = verdict(e, n)
        return self.folded if found == "unknown" else found

    def forget(self, place: int) -> None:
        """Replace the part before a place, which can no longer change, by its counts and verdict."""
        i = self.foldable(place, WINDOW)
        if i and self.window is None:
            self.folded = self._latest_verdict(0, i)
        self.fold(i)

    def renew_drift(self) -> float:
        """Recompute the evidence for a change of the rate from the answers; return it."""
        assert self.drift is not None
        return self.drift.renew(self.n, self.e, self.latest(WINDOW))

    def suspects_drift(self, limit: float) -> bool:
        """Say whether the evidence for a change of the rate reaches a limit.

        Evidence that is updated answer by answer differs in its last bits from evidence that is recomputed when a
        monitor is saved or loaded. Near the limit the recomputed one decides, so that saving and loading change
        nothing.
        """
        if self.drift is None:
            return False
        near = abs(self.drift.value - limit) <= _ROUNDING * limit
        return (self.renew_drift() if near else self.drift.value) >= limit

    def _restart(self) -> None:
        """Start from scratch after an alarm: earlier answers say nothing about the rate now."""
        assert self.drift is not None
        self.renew_drift()
        ago = self.drift.since_change()
        self.alarms += 1
        self.overdue -= self.marks.count(OVERDUE, 0, self.counted)  # their answers would not count any more
        self.restart()
        self.folded = "unknown"
        self.drift = Drift()
        self._forget_results()
        self._turn("unknown", DRIFTED, ago)

    def _turn(self, verdict: Verdict, cause: str, ago: int | None = None) -> None:
        """Set the verdict, and record an event if it has changed or there was an alarm."""
        before, self.verdict = self.verdict, verdict
        if before == verdict and ago is None:
            return
        self.reopened += before != "unknown"
        event = Event(self.journal.decided, self.journal.asked, self.name, before, verdict, cause, ago)
        self.events = [*self.events[1 - _MOST_EVENTS :], event]
        self.journal.news.append(event)

    def plain(self) -> dict[str, Any]:
        """Return everything that changes, as plain data for JSON."""
        if self.drift is not None:
            self.renew_drift()  # so that this monitor goes on from the same bits as the one that is made of the data
        return {name: getattr(self, name) for name in _SAVED} | {
            "line": self.text(),
            "asked_after": self.asked_after.tolist(),
            "base": list(self.base),
            "stalled": None if self.stalled is None else PLACES[self.stalled],
            "events": [[*event[:2], *event[3:]] for event in self.events],
        }

    def restore(self, data: dict[str, Any]) -> None:
        """Put saved values back."""
        for name in _SAVED:
            setattr(self, name, data[name])
        self.refill(data["line"], data["counted"], data["asked"], tuple(data["base"]), data["asked_after"])
        if self.drift is not None:
            self.renew_drift()
        self.stalled = None if data["stalled"] is None else REASONS[data["stalled"]]
        self.events = [Event(decided, asked, self.name, *rest) for decided, asked, *rest in data["events"]]


def _answered(status: int) -> bool:
    return PENDING < status <= WRONG


_SAVED = (
    "predictions",
    "asked",
    "pending",
    "skipped",
    "overdue",
    "verified",
    "errors",
    "counted",
    "verdict",
    "folded",
    "reopened",
    "alarms",
)
