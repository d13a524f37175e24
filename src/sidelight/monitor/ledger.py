"""Which ids a monitor remembers: verifications asked for, and the latest predictions that were let pass."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.classes import ClassState
from sidelight.monitor.decisions import PLACES, REASONS, Decision, Id, Label, Pending, UnknownIdError

PENDING, RIGHT, WRONG, SKIPPED = 0, 1, 2, 3

_MADE_UP = re.compile(r"auto-([1-9]\d*)")


class Verification:
    """One prediction that was chosen for verification; numbers count from 1 in the order of asking."""

    __slots__ = ("number", "reason", "state", "status")

    def __init__(self, state: ClassState, number: int, reason: str, status: int = PENDING) -> None:
        self.state, self.number, self.reason, self.status = state, number, reason, status


class Ledger:
    """Memory of ids. It grows with verifications, and not beyond `forget_after` of them where that is given."""

    def __init__(self, forget_after: int | None, remember_passes: int) -> None:
        self.forget_after, self.remember_passes = forget_after, remember_passes
        self.verifications: dict[Id, Verification] = {}
        self.passes: dict[Id, tuple[ClassState, str]] = {}
        self.days: dict[str, int] = {}
        self.asked = 0
        self.pending = 0
        self.forgotten = 0
        self._passed_order: deque[Id] = deque()
        self._asked_order: deque[Id] = deque()
        self._named = 0

    def fresh_id(self) -> Id:
        """Return an id for a prediction that has none."""
        while True:
            self._named += 1
            name = f"auto-{self._named}"
            if name not in self.verifications and name not in self.passes:
                return name

    def made_up(self, id: Id) -> bool:
        """Say whether an id is one of `fresh_id`, which then does not return it again."""
        found = _MADE_UP.fullmatch(id) if isinstance(id, str) else None
        if found:
            self._named = max(self._named, int(found[1]))
        return found is not None

    def ask(self, id: Id, state: ClassState, reason: str, day: str | None) -> None:
        """Enter a verification; forget the oldest one where memory is bounded."""
        self.asked += 1
        self.pending += 1
        state.asked += 1
        state.pending += 1
        if day is not None:
            self.days[day] = self.days.get(day, 0) + 1
        self.verifications[id] = Verification(state, self.asked, reason)
        if self.forget_after is not None:
            self._asked_order.append(id)
            while len(self._asked_order) > self.forget_after:
                self._forget(self._asked_order.popleft())

    def let_pass(self, id: Id, state: ClassState, reason: str) -> None:
        """Remember a prediction that was let pass."""
        self.passes[id] = (state, reason)
        self._passed_order.append(id)
        if len(self._passed_order) > self.remember_passes:
            del self.passes[self._passed_order.popleft()]

    def verification(self, id: Id) -> Verification:
        """Return the verification with this id, or say why there is none."""
        record = self.verifications.get(id)
        if record is not None:
            return record
        if id in self.passes:
            raise UnknownIdError(f"the prediction {id!r} was let pass, not chosen for verification; nothing changed")
        forgotten = " (or it is forgotten: see forget_after)" if self.forgotten else ""
        raise UnknownIdError(f"there is no verification with the id {id!r}{forgotten}; nothing changed")

    def waiting(self) -> list[Pending]:
        """Return the verifications that have no answer yet, in the order of asking."""
        records = self.verifications.items()
        return [Pending(id, one.state.name, one.number, one.reason) for id, one in records if one.status == PENDING]

    def known(self, id: Id, prediction: Label) -> Decision | None:
        """Return the decision about an id that was decided before."""
        record = self.verifications.get(id)
        if record is not None:
            state, reason = record.state, record.reason
        elif id in self.passes:
            state, reason = self.passes[id]
        else:
            return None
        if state.name != prediction:
            raise SidelightError(f"the id {id!r} was decided as {state.name!r} and is now {prediction!r}: use a new id")
        return Decision(record is not None, id, reason, prediction)

    def _forget(self, id: Id) -> None:
        """Forget an id; an answer that has not come by now is not waited for any more."""
        record = self.verifications.pop(id)
        self.forgotten += 1
        if record.status == PENDING:
            self.pending -= 1
            record.state.pending -= 1
            record.state.skipped += 1

    def plain(self, places: dict[ClassState, int]) -> dict[str, Any]:
        """Return everything as JSON can hold it, column by column; `places` numbers the classes."""
        records = self.verifications.values()
        return {
            "asked": self.asked,
            "pending": self.pending,
            "forgotten": self.forgotten,
            "named": self._named,
            "days": self.days,
            "verifications": {
                "id": list(self.verifications),
                "class": [places[one.state] for one in records],
                "number": [one.number for one in records],
                "reason": [PLACES[one.reason] for one in records],
                "status": [one.status for one in records],
            },
            "passes": {
                "id": list(self.passes),
                "class": [places[state] for state, _ in self.passes.values()],
                "reason": [PLACES[reason] for _, reason in self.passes.values()],
            },
        }

    def restore(self, data: dict[str, Any], states: list[ClassState]) -> None:
        """Put saved values back."""
        self.asked, self.pending, self.forgotten = data["asked"], data["pending"], data["forgotten"]
        self._named, self.days = data["named"], dict(data["days"])
        columns = data["verifications"]
        rows = zip(*(columns[key] for key in ("id", "class", "number", "reason", "status")), strict=True)
        for id, place, number, reason, status in rows:
            self.verifications[id] = Verification(states[place], number, REASONS[reason], status)
        columns = data["passes"]
        for id, place, reason in zip(*(columns[key] for key in ("id", "class", "reason")), strict=True):
            self.passes[id] = (states[place], REASONS[reason])
        self._passed_order = deque(self.passes)
        self._asked_order = deque(self.verifications if self.forget_after is not None else ())
