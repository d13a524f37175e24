"""What a monitor remembers: verifications, what answers to them change, the latest passes, and caps on asking."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.clock import AnswerPatience, EngineClock
from sidelight.monitor.engine.line import OVERDUE, PENDING, RIGHT, SKIPPED, WRONG
from sidelight.monitor.settings import Settings
from sidelight.monitor.types import (
    CORRECTED,
    LATE,
    Answer,
    Decision,
    Events,
    Id,
    Label,
    Reason,
    Status,
    UnknownIdError,
    Verification,
    VerificationClosed,
)

_LEAST_SHARE, _LEAST_PROMPT = 0.1, 0.2
_MADE_UP = "auto-"


@dataclass(slots=True, eq=False)
class LedgerEntry:
    """One verification; numbers count from 1 in the order of asking."""

    state: ClassState
    number: int
    reason: Reason
    status: int
    place: int
    """Counts the verifications of the class from 0."""
    asked_at: int
    """How many decisions had been made, itself included, when it was asked for."""
    due: float | None = None
    """When it is overdue, in seconds since 1970; None where decisions are counted."""
    propensity: float | None = None
    """The chance of the verification if the prediction has a score."""

    @property
    def outdated(self) -> bool:
        """Whether the class has started from scratch since, so that the answer no longer counts."""
        return self.place < self.state.line.origin

    @property
    def saved(self) -> tuple[float | None, float | None]:
        """When it is due, while it is waited for, and its propensity."""
        return self.due if self.status == PENDING else None, self.propensity


class VerificationLedger:
    """Memory of ids. It grows with verifications, up to `forget_after` of them if that is given."""

    def __init__(self, settings: Settings, clock: EngineClock) -> None:
        self.forget_after, self.remember_passes = settings.forget_after, settings.remember_passes
        self.clock = clock
        self.patience = AnswerPatience(settings.patience)
        self.verifications: dict[Id, LedgerEntry] = {}
        self.passes: dict[Id, tuple[ClassState, Reason, float | None]] = {}
        self.days: dict[str, int] = {}
        self.pending = self.answered = self.late = self.lost = self.forgotten = self.spot_checks = 0
        self.compared = (0, 0, 0.0)
        """Late answers, errors among them, and as many errors as answers around the same time let expect."""
        self._passed_order: deque[Id] = deque()
        self._asked_order: deque[Id] = deque()
        self._named = 0

    def tick(self, time: Any, now: float | None) -> Events:
        """Count one more decision, and close overdue verifications.

        `time` is as given; `now` is the same in seconds, if patience is measured in seconds.
        """
        clock, queue = self.clock, self.patience.queue
        clock.decided += 1
        if time is not None:
            clock.note_time(time)
        if now is not None or (queue and clock.decided - queue[0].asked_at > self.patience.limit):
            return self.expire(now)
        return ()

    def expire(self, now: float | None) -> Events:
        """Close verifications that are overdue by now."""
        events: Events = ()
        for entry in self.patience.overdue(self.clock.decided, now):
            events += (*self.settle(entry, OVERDUE, ""), VerificationClosed(entry.number, False))
        return events

    def fresh_id(self) -> Id:
        """Return an id for a prediction that has none."""
        name = self._next_id()
        self._named += 1
        return name

    def is_next(self, id: Id) -> bool:
        """Return whether a given id is the one that would be made up next; `fresh_id` then skips it."""
        found = isinstance(id, str) and id.startswith(_MADE_UP) and id == self._next_id()
        self._named += found
        return found

    def _next_id(self) -> str:
        while True:
            name = f"{_MADE_UP}{self._named + 1}"
            if name not in self.verifications and name not in self.passes:
                return name
            self._named += 1

    def ask(
        self,
        decision: Decision,
        state: ClassState,
        reason: Reason,
        day: str | None,
        now: float | None,
        tag: int,
    ) -> Events:
        """Enter a verification; forget the oldest one where memory is bounded."""
        clock = self.clock
        clock.asked += 1
        self.pending += 1
        state.asked += 1
        state.pending += 1
        state.stalled = None
        self.spot_checks += reason is Reason.SPOT
        if day is not None:
            self.days[day] = self.days.get(day, 0) + 1
        due = None if now is None else now + self.patience.limit
        asked_at = max(clock.decided, clock.batch_end)
        place = state.line.append(state.predictions, tag)
        entry = LedgerEntry(state, clock.asked, reason, PENDING, place, asked_at, due, decision.propensity)
        self.verifications[decision.id] = entry
        self.patience.wait_for(entry)
        events: Events = ()
        if self.forget_after is not None:
            self._asked_order.append(decision.id)
            while len(self._asked_order) > self.forget_after:
                events += self._forget(self._asked_order.popleft())
        return events

    def change_patience(self, setting: int | float | timedelta | None) -> None:
        """Change the patience, also for verifications under way; overdue ones stay overdue."""
        before, self.patience = self.patience, AnswerPatience(setting)
        more = self.patience.limit - before.limit
        for record in self.verifications.values():
            if record.status == PENDING:
                known = record.due is not None and self.patience.timed
                record.due = record.due + more if known else None  # type: ignore[operator]
                self.patience.wait_for(record)

    def settle(self, record: LedgerEntry, status: int, cause: str) -> Events:
        """Set the new status of a verification."""
        state, before = record.state, record.status
        self.clock.settled += 1
        if before == PENDING:
            self.pending -= 1
            state.pending -= 1
        elif before == SKIPPED:
            self.lost -= 1
            state.skipped -= 1
        elif before == OVERDUE:
            self.lost -= 1
            state.overdue -= not record.outdated
        else:
            self.answered -= 1
            state.verified -= 1
            state.errors -= before == WRONG
        if status == SKIPPED:
            self.lost += 1
            state.skipped += 1
        elif status == OVERDUE:
            self.lost += 1
            state.overdue += 1
        else:
            self.answered += 1
            if before == OVERDUE:
                self._compare(record, status)
            state.verified += 1
            state.errors += status == WRONG
            if before in (PENDING, OVERDUE):
                self.patience.learn(max(0, self.clock.decided - record.asked_at))
        record.status = status
        return state.mark(record.place, status, cause)

    def _compare(self, record: LedgerEntry, status: int) -> None:
        """Compare a late answer with those to verifications around the same time."""
        self.late += 1
        rate = record.state.line.rate_near(record.place)
        if rate is not None:
            n, errors, usual = self.compared
            self.compared = n + 1, errors + (status == WRONG), usual + rate

    def expected(self, state: ClassState) -> float:
        """Estimate how many pending verifications of a class will be answered: a share of them.

        It is the share of all verifications that were answered, and at least a tenth, so that at most ten times as many
        are pending as are needed. Before the first answer it is unknown.
        """
        share = (self.answered + 1) / (self.answered + self.lost + 1) if self.answered else 1.0
        return state.ahead + state.pending * max(_LEAST_SHARE, share)

    def spot_share(self, state: ClassState) -> float:
        """Return the share of spot checks in a class: more where not all answers come in time, unless it is given."""
        share = state.spot_share()
        if state.settings.spot_checks is not None:
            return share
        prompt = (self.answered - self.late + 1) / (self.answered + self.lost + 1)
        return min(1.0, share / max(_LEAST_PROMPT, prompt))

    def let_pass(self, decision: Decision, state: ClassState, reason: Reason) -> None:
        """Remember a prediction that was let pass."""
        self.passes[decision.id] = (state, reason, decision.propensity)
        self._passed_order.append(decision.id)
        if len(self._passed_order) > self.remember_passes:
            del self.passes[self._passed_order.popleft()]

    def entry(self, id: Id) -> LedgerEntry:
        """Return the verification with this id, or say why there is none."""
        record = self.verifications.get(id)
        if record is not None:
            return record
        if id in self.passes:
            raise UnknownIdError(f"the prediction {id!r} was let pass, not chosen for verification; nothing changed")
        forgotten = " (or it is forgotten: see forget_after)" if self.forgotten else ""
        raise UnknownIdError(f"there is no verification with the id {id!r}{forgotten}; nothing changed")

    def waiting(self) -> list[Verification]:
        """Return the verifications that have no answer yet, in the order of asking."""
        rows = self.verifications.items()
        return [self._seen(id, one) for id, one in rows if one.status in (PENDING, OVERDUE) and not one.outdated]

    def oldest_pending(self) -> dict[ClassState, Verification]:
        """Return the oldest pending verification of each class."""
        found: dict[ClassState, Verification] = {}
        if self.pending:
            for id, one in self.verifications.items():
                if one.status == PENDING and one.state not in found:
                    found[one.state] = self._seen(id, one)
        return found

    def _seen(self, id: Id, one: LedgerEntry) -> Verification:
        age = max(0, self.clock.decided - one.asked_at)
        return Verification(id, one.state.name, one.number, one.reason, age, one.status == OVERDUE)

    def known(self, id: Id, prediction: Label) -> Decision | None:
        """Return the decision about an id that was decided before."""
        record = self.verifications.get(id)
        if record is not None:
            state, reason, propensity = record.state, record.reason, record.propensity
        elif id in self.passes:
            state, reason, propensity = self.passes[id]
        else:
            return None
        if state.name != prediction:
            raise SidelightError(f"the id {id!r} was decided as {state.name!r} and is now {prediction!r}: use a new id")
        return Decision(record is not None, id, reason, prediction, propensity)

    def _forget(self, id: Id) -> Events:
        """Forget an id; an answer can no longer be accepted after that."""
        entry = self.verifications.pop(id)
        self.forgotten += 1
        events = self.settle(entry, SKIPPED, "") if entry.status in (PENDING, OVERDUE) else ()
        return (*events, VerificationClosed(entry.number, True))

    def plain(self, places: dict[ClassState, int]) -> dict[str, Any]:
        """Return everything as JSON can hold it; `places` numbers the classes."""
        return {
            **{name: getattr(self, name) for name in _SAVED},
            "decided": self.clock.decided,
            "batch_end": max(self.clock.decided, self.clock.batch_end),
            "asked": self.clock.asked,
            "compared": list(self.compared),
            "times": self.clock.times(),
            "named": self._named,
            "delays": self.patience.delays,
            "verifications": [
                [id, places[one.state], one.number, one.reason.code, one.status, one.place, one.asked_at, *one.saved]
                for id, one in self.verifications.items()
            ],
            "passes": [[id, places[state], reason.code, chance] for id, (state, reason, chance) in self.passes.items()],
        }

    def restore(self, data: dict[str, Any], states: list[ClassState]) -> None:
        """Restore saved values."""
        for name in _SAVED:
            setattr(self, name, data[name])
        self.clock.decided, self.clock.asked, self.clock.batch_end = data["decided"], data["asked"], data["batch_end"]
        self.clock.first_time, self.clock.last_time = data["times"] or (None, None)
        self.compared, self._named = tuple(data["compared"]), data["named"]
        for delay in data["delays"]:
            self.patience.learn(delay)
        for id, place, number, reason, *rest in data["verifications"]:
            record = self.verifications[id] = LedgerEntry(states[place], number, Reason.of(reason), *rest)
            if record.status == PENDING:
                self.patience.wait_for(record)
        self.passes = {id: (states[place], Reason.of(reason), chance) for id, place, reason, chance in data["passes"]}
        self._passed_order = deque(self.passes)
        self._asked_order = deque(self.verifications if self.forget_after is not None else ())


_SAVED = ("pending", "answered", "lost", "late", "forgotten", "spot_checks", "days")


def engine_cap_refusing_verification(
    settings: Settings, ledger: VerificationLedger, state: ClassState, day: str | None
) -> Reason | None:
    """Return which limit a verification would exceed, or None."""
    if settings.class_cap is not None and state.verified + state.pending >= settings.class_cap:
        return Reason.CLASS_CAP
    reached = engine_cap_used_up(settings, ledger, day)
    if reached is not None:
        return reached
    if (state.pending or state.ahead) and state.verdict == "unknown" and settings.policy.waits:
        needed = state.needed()
        if needed is not None and ledger.expected(state) >= needed:
            return Reason.ENOUGH_PENDING
    return None


def engine_cap_used_up(settings: Settings, ledger: VerificationLedger, day: str | None) -> Reason | None:
    """Return which limit of the whole monitor is reached, or None."""
    if settings.cap is not None and ledger.clock.asked >= settings.cap:
        return Reason.TOTAL_CAP
    if settings.daily_cap is not None and ledger.days.get(day or "", 0) >= settings.daily_cap:
        return Reason.DAILY_CAP
    if settings.max_pending is not None and ledger.pending >= settings.max_pending:
        return Reason.MOST_PENDING
    return None


_STATUSES = {True: RIGHT, False: WRONG, None: SKIPPED}
_SAID = {RIGHT: True, WRONG: False}
_WORDS = {RIGHT: "right", WRONG: "wrong", SKIPPED: "skipped", PENDING: "pending", OVERDUE: "overdue"}


def enter_answer_into_engine(ledger: VerificationLedger, id: Id, correct: bool | None) -> tuple[Answer, Events]:
    """Enter an answer (None to skip the verification); return the events that it caused."""
    entry, status = ledger.entry(id), _STATUSES[correct]
    state, before = entry.state, entry.status
    previous, was = _SAID.get(before), state.verdict
    if status == before:
        text = f"{id!r} was {_WORDS[status]} already: nothing changed"
        return Answer("unchanged", id, state.name, correct, correct, was, False, text), ()
    events = ledger.settle(entry, status, LATE if previous is None else CORRECTED)
    if correct is None:
        kind: Status = "released" if previous is None else "withdrawn"
    else:
        kind = "recorded" if previous is None else "corrected"
    text = f"{id!r} ({state.name!r}) is {_WORDS[status]}"
    if previous is not None or before == OVERDUE:
        text += f"; it was {_WORDS[before]} before"
    if entry.outdated:
        text += (
            "; it does not count, because the class has started from scratch since, after a change of its error rate"
        )
    changed = was != state.verdict
    text += f"; the verdict is {state.verdict!r} and was {was!r}" if changed else ""
    return Answer(kind, id, state.name, correct, previous, state.verdict, changed, text), events
