"""What a monitor knows about one predicted class."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

from sidelight.monitor.engine.clock import EngineClock
from sidelight.monitor.engine.line import OVERDUE, PENDING, RIGHT, WRONG, VerificationLine
from sidelight.monitor.engine.rounds import EngineRounds
from sidelight.monitor.settings import SPOT_SHARE, Settings
from sidelight.monitor.stats.confidence import Verdict
from sidelight.monitor.stats.drift import WINDOW, DriftStatistic
from sidelight.monitor.stats.notice import NoticeStatistics, share_of_spot_checks_to_notice
from sidelight.monitor.stats.randomness import SpotChecks, random_key_of_class
from sidelight.monitor.stats.scores.bins import Prior
from sidelight.monitor.types import ANSWERS, DRIFTED, Events, Label, Reason, VerdictChanged

_UNTOLD = -1
_MOST_EVENTS = 100
_MOST_FORESEEN = 100_000
_BITS = 5
_ROUNDING = 1e-9
"""Far more than the last bits in which two ways to compute the evidence of drift differ."""


class ClassState:
    """Counts of one class, and the verdict that follows from them.

    `verified` and `errors` count all answers; `n` and `e` those of its `line` that the verdict rests on. The verdict is
    the latest one that their counts reach in the order of asking: it stays while the tests say "unknown", and turns
    when the counts reach another one. This is as valid as staying with the first. If the rate is above the tolerance,
    "below" is ever shown only if the test below ever reaches its limit, which happens with probability at most α over
    all times (Ville), whatever was shown before; likewise for "above" and "near". With a window the verdict is that of
    the window, regardless of earlier verdicts. `rounds` is what scores add, None for a class that has had none: then
    only counts matter.
    """

    def __init__(self, name: Label, settings: Settings, clock: EngineClock, place: int) -> None:
        self.name, self.settings, self.clock = name, settings, clock
        self.line = VerificationLine(settings.window)
        self.tolerance = settings.tolerance_of(name)
        self.test = settings.test_of(self.tolerance, place)
        self._rule: Any = None
        self.guard = settings.mode == "guard"
        self.key = random_key_of_class(settings.seed, name, "policy")
        self.spot_checks = SpotChecks(random_key_of_class(settings.seed, name, "spot"))
        self.predictions = self.asked = self.pending = self.skipped = self.overdue = 0
        self.verified = self.errors = self.reopened = self.alarms = 0
        self.verdict: Verdict = "unknown"
        self.stalled: Reason | None = None
        self.events: list[VerdictChanged] = []
        self.drift = DriftStatistic() if settings.drift else None
        self.rounds: EngineRounds | None = None
        self._needed: int | None
        self._doubling: int | None
        self._interval: tuple[float, float] | None
        self._share: float | None
        self._forget_results()

    @property
    def n(self) -> int:
        """Answers that the verdict rests on."""
        return self.line.n

    @property
    def e(self) -> int:
        """Errors among them."""
        return self.line.e

    @property
    def ahead(self) -> int:
        """Answers that wait for an earlier verification."""
        return self.line.ahead

    @property
    def rule(self) -> Any:
        """The policy's rule for the tolerance of the class."""
        if self._rule is None:
            self._rule = self.settings.policy.rule(self.tolerance)
        return self._rule

    @property
    def estimate(self) -> float | None:
        """The error rate as the answers that count suggest it; None before the first."""
        if self.rounds is not None:
            return self.rounds.estimate()
        return self.e / self.n if self.n else None

    @property
    def fair(self) -> tuple[int, int]:
        """Answers that count and would have been asked for with any score, and errors among them."""
        return (self.n, self.e) if self.rounds is None else (self.rounds.fair_n, self.rounds.fair_e)

    @property
    def e_fair(self) -> int:
        """Estimated errors among the counted answers, had they been chosen regardless of scores."""
        return self.e if self.rounds is None else round(self.n * (self.rounds.estimate() or 0.0))

    def use_scores(self, edges: Sequence[Sequence[float]]) -> None:
        """Begin to use scores: `edges` are those of the whole monitor, which are set later."""
        key = random_key_of_class(self.settings.seed, self.name, "score")
        self.rounds = EngineRounds(self.test, self.line, key, edges)

    def redesign(self, prior: Prior) -> None:
        """Choose new propensities; `prior` is the slope that other classes suggest."""
        assert self.rounds is not None
        self.rounds.redesign(prior)
        self._forget_results()

    def mark(self, place: int, status: int, cause: str) -> Events:
        """Enter the new status of a verification; `cause` is the reason if a counted answer changes."""
        line = self.line
        i, marks = place - line.origin, line.marks
        if i < 0:  # before the last restart
            return ()
        before, marks[i] = marks[i], status
        if self.rounds is not None:
            self.rounds.learn(i, before, status)
        if i > line.counted:
            line.ahead += _is_answered_status(status) - _is_answered_status(before)
        elif i < line.counted:
            if _is_answered_status(status) or _is_answered_status(before):
                line.change(i, before, status)
                if self.rounds is not None:
                    self.rounds.change(i, before, status)
                return self._reconsider(i, cause)
        elif status != PENDING:
            line.ahead += status <= WRONG
            return self._advance()
        return ()

    def needed(self) -> int | None:
        """Estimate how many more answers the verdict needs; None if the rate is too close to the tolerance."""
        if self._needed == _UNTOLD:
            self._needed = None if self.rounds is None else self.rounds.needed()
            if self._needed is None:
                self._needed = self.test.labels_needed(self.e_fair, self.n)
        return self._needed

    def interval(self) -> tuple[float, float]:
        """Return the interval of the error rate."""
        if self._interval is None:
            if self.rounds is not None:
                self._interval = self.rounds.interval(self.verdict)
            else:
                self._interval = self.test.interval(self.e, self.n, self.verdict)
        return self._interval

    def adopt(self, settings: Settings) -> None:
        """Use these settings from now on."""
        self.settings, self._share = settings, None

    def spot_share(self) -> float:
        """Return the share of predictions whose answers are needed while the policy lets them pass."""
        if self._share is None:
            given, within = self.settings.spot_checks, self.settings.notice_within
            if given is None and within is not None and self.verdict != "unknown":
                given = share_of_spot_checks_to_notice(self.history(), self.settings.notice, within)
            self._share = SPOT_SHARE if given is None else given
        return self._share

    def doubling(self) -> int | None:
        """Return within how many predictions a rate of twice the tolerance would be noticed in most cases.

        For a class above, it is half the tolerance. It is None if the class is open, or the number very large.
        """
        if self._doubling == _UNTOLD:
            self._doubling = None
            if self.verdict != "unknown" and (self.drift is not None or self.line.window is not None):
                known = self.history()
                self._doubling = known.predictions(known.target(2.0), self.spot_share(), _MOST_FORESEEN)
        return self._doubling

    def history(self) -> NoticeStatistics:
        """Return the rounded counts that decide how soon a change is noticed; few answers alter them."""
        alarm = None if self.drift is None else self.settings.drift_alarm_every
        n, e = self.fair
        rounded = 0 if self.drift is None else max(0, n.bit_length() - _BITS)
        n = n >> rounded << rounded
        return NoticeStatistics(n, min(n, e), self.test, self.tolerance, alarm, self.line.window)

    def _forget_results(self) -> None:
        """Forget cached results that depend on the counts and the verdict."""
        self._needed = self._doubling = _UNTOLD
        self._interval = self._share = None

    def stands(self) -> tuple[int, int] | None:
        """Return (k, m): the verdict would follow if at most k of the m missing answers that count were against it.

        k is -1 if the verdict, which earlier counts have reached, does not follow from all counts together.
        """
        line = self.line
        m = line.counted - line.marks.count(RIGHT, 0, line.counted) - line.marks.count(WRONG, 0, line.counted)
        if self.verdict in ("unknown", "near") or line.window is not None or not m:
            return None
        if self.rounds is not None and self.rounds.designed:  # missing answers weigh differently
            return None
        against = [line.e + k if self.verdict == "below" else line.e + m - k for k in range(m + 1)]
        return bisect.bisect_left(against, True, key=lambda e: self.test.verdict(e, line.n + m) != self.verdict) - 1, m

    def _advance(self) -> Events:
        """Count the answers to verifications that are now settled, starting at the first one that was not."""
        line, marks = self.line, self.line.marks
        events: Events = ()
        while line.counted < len(marks) and marks[line.counted] != PENDING:
            status = marks[line.counted]
            line.counted += 1
            if status <= WRONG:
                line.ahead -= 1
                events += self._count(line.counted - 1, status)
        return events

    def _count(self, i: int, status: int) -> Events:
        """Count the answer at `marks[i]`, and update the verdict."""
        line, rounds, wrong = self.line, self.rounds, status == WRONG
        events: Events = ()
        line.add(wrong)
        if rounds is not None:
            rounds.count(i, status)
        self._forget_results()
        found = self._find_verdict()
        if found != self.verdict and (found != "unknown" or line.window is not None):
            events = self._turn_verdict(found, ANSWERS)
        if self.drift is not None and (rounds is None or rounds.fair(i)):
            self.drift.add(wrong)
            if self.suspects_drift(self.settings.drift_alarm_every):
                events += self._restart()
        return events

    def _find_verdict(self) -> Verdict:
        """Return the verdict of everything that counts."""
        return self.test.verdict(self.line.e, self.line.n) if self.rounds is None else self.rounds.verdict()

    def _reconsider(self, i: int, cause: str) -> Events:
        """Find the verdict again after `marks[i]` has changed."""
        line = self.line
        self._forget_results()
        found = self._find_verdict()
        if found == "unknown" and line.window is None:
            # Nothing before the change is different: if the verdict was unknown there, no counts there reach another.
            found = self._latest_verdict(i if self.verdict == "unknown" else 0, line.counted)
        events = self._turn_verdict(found, cause)
        if self.drift is not None and self.renew_drift() >= self.settings.drift_alarm_every:
            events += self._restart()
        return events

    def _latest_verdict(self, start: int, end: int) -> Verdict:
        """Return the latest certain verdict that counts before `marks[end]` reach, going back to `marks[start]`."""
        if self.rounds is not None:
            return self.rounds.latest_verdict(start, end)
        n, e = self.line.counts_before(end)
        verdict, marks = self.test.verdict, self.line.marks
        found = verdict(e, n)
        while found == "unknown" and end > start:
            end -= 1
            status = marks[end]
            if PENDING < status <= WRONG:
                n, e = n - 1, e - (status == WRONG)
                found = verdict(e, n)
        return found

    def renew_drift(self) -> float:
        """Recompute the evidence for a change of the rate from the answers; return it."""
        assert self.drift is not None
        latest = self.line.latest(WINDOW) if self.rounds is None else self.rounds.latest_fair(WINDOW)
        return self.drift.renew(*self.fair, latest)

    def suspects_drift(self, limit: float) -> bool:
        """Return whether the evidence for a change of the rate reaches a limit.

        Evidence that is updated answer by answer differs in its last bits from evidence that is recomputed when a
        monitor is saved or loaded. Near the limit the recomputed one decides, so that saving and loading change
        nothing.
        """
        if self.drift is None:
            return False
        near = abs(self.drift.value - limit) <= _ROUNDING * limit
        return (self.renew_drift() if near else self.drift.value) >= limit

    def _restart(self) -> Events:
        """Start from scratch after an alarm: earlier answers say nothing about the rate now."""
        assert self.drift is not None
        self.renew_drift()
        ago = self.drift.since_change()
        self.alarms += 1
        self.overdue -= self.line.marks.count(OVERDUE, 0, self.line.counted)  # their answers would not count any more
        counted = self.line.counted
        self.line.restart()
        if self.rounds is not None:
            self.rounds.restart(counted)
        self.drift = DriftStatistic()
        self._forget_results()
        return self._turn_verdict("unknown", DRIFTED, ago)

    def _turn_verdict(self, verdict: Verdict, cause: str, ago: int | None = None) -> Events:
        """Set the verdict; return an event if it has changed or there was an alarm."""
        before, self.verdict = self.verdict, verdict
        if before == verdict and ago is None:
            return ()
        self.reopened += before != "unknown"
        event = VerdictChanged(self.clock.decided, self.clock.asked, self.name, before, verdict, cause, ago)
        self.events = [*self.events[1 - _MOST_EVENTS :], event]
        return (event,)

    def plain(self) -> dict[str, Any]:
        """Return everything that changes, as plain data for JSON."""
        if self.drift is not None:
            self.renew_drift()  # so that this monitor goes on from the same bits as the one that is made of the data
        return {name: getattr(self, name) for name in _SAVED} | {
            **self.line.plain(),
            "stalled": None if self.stalled is None else self.stalled.code,
            "events": [[*event[:2], *event[3:]] for event in self.events],
            "rounds": None if self.rounds is None else self.rounds.plain(),
        }

    def restore(self, data: dict[str, Any], edges: Sequence[Sequence[float]]) -> None:
        """Restore saved values; `edges` are those of the bins of scores."""
        for name in _SAVED:
            setattr(self, name, data[name])
        self.line.restore(data)
        if data["rounds"] is not None:
            self.use_scores(edges)
            assert self.rounds is not None
            self.rounds.restore(data["rounds"])
        if self.drift is not None:
            self.renew_drift()
        self.stalled = None if data["stalled"] is None else Reason.of(data["stalled"])
        self.events = [VerdictChanged(decided, asked, self.name, *rest) for decided, asked, *rest in data["events"]]


def _is_answered_status(status: int) -> bool:
    return PENDING < status <= WRONG


_SAVED = (
    "predictions",
    "asked",
    "pending",
    "skipped",
    "overdue",
    "verified",
    "errors",
    "verdict",
    "reopened",
    "alarms",
)
