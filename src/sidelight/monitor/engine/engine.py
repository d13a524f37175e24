"""What a monitor stores, and how it decides about one prediction; the caller holds the lock."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor import types
from sidelight.monitor.engine.caps import refused
from sidelight.monitor.engine.class_state import ClassState, Journal
from sidelight.monitor.engine.ledger import Ledger
from sidelight.monitor.engine.rationing import Rationing
from sidelight.monitor.inputs import check_spelling, moment_of
from sidelight.monitor.settings import Settings
from sidelight.monitor.stats.spot_checks import ALWAYS, IF_SUSPICIOUS, SUSPICION
from sidelight.monitor.types import PLACES, Decision, Id, Label, bad_reason

_NO_TIME = (None, None)


class Watch:
    """Classes, requests and settings of a monitor."""

    def _begin(self, settings: Settings) -> None:
        self._states: dict[Label, ClassState] = {}
        named = (*(settings.tolerance if isinstance(settings.tolerance, dict) else ()), *(settings.weights or ()))
        self._spelled: dict[str, Label] = {str(name): name for name in named if name is not None}
        self._journal = Journal()
        self._ledger = Ledger(settings, self._journal)
        self._rationing = Rationing(settings, self._ledger) if settings.rationed else None
        self._adopt(settings)
        self._suspicious = settings.drift_alarm_every * SUSPICION
        for name in settings.classes:
            self._state(name)

    def _adopt(self, settings: Settings) -> None:
        """Use these settings from now on, in the whole monitor."""
        self._settings = settings
        self._daily = settings.daily_cap is not None
        self._dated = self._daily or self._ledger.patience.timed
        for state in self._states.values():
            state.settings = settings
        if self._rationing is not None:
            self._rationing.settings = settings

    def _state(self, name: Label) -> ClassState:
        state = self._states.get(name)
        if state is None:
            state = self._states[name] = ClassState(name, self._settings, self._journal, len(self._states))
            self._spelled.setdefault(str(name), name)
        return state

    def _known_class(self, name: Label) -> ClassState:
        """Return the state of a class; it may be new, but not another spelling of a known class."""
        state = self._states.get(name)
        if state is None:
            check_spelling(name, self._spelled)
            state = self._state(name)
        return state

    def _day_and_seconds(self, time: Any) -> tuple[str | None, float | None]:
        """Return the day and the moment of a time, each only if something depends on it."""
        if not self._dated:
            return None, None
        moment = moment_of(time)
        day = moment.date().isoformat() if self._daily else None
        return day, moment.timestamp() if self._ledger.patience.timed else None

    def _begin_decision(self, state: ClassState, time: Any, when: tuple[str | None, float | None]) -> None:
        """Let time pass, and count the prediction if labels are rationed."""
        self._ledger.tick(time, when[1])
        if self._rationing is not None:
            self._rationing.arrive(state, when[0])

    def _decide(self, prediction: Label, id: Id | None, time: Any) -> Decision:
        ledger = self._ledger
        if id is not None:
            before = ledger.known(id, prediction)
            if before is not None:
                return before
        when = self._day_and_seconds(time) if self._dated else _NO_TIME
        state = self._states.get(prediction)
        if state is None:
            state = self._known_class(prediction)
        self._begin_decision(state, time, when)
        wanted, reason = self._wanted(state, when[0])
        if wanted:
            refusal = refused(self._settings, ledger, state, when[0])
            if refusal is not None:
                wanted, reason = False, refusal
        if isinstance(id, str):
            ledger.is_next(id)
        decision = Decision(wanted, ledger.fresh_id() if id is None else id, reason, prediction)
        self._enter(state, decision, when, id is not None)
        return decision

    def _record(self, decision: Decision, time: Any, named: bool | None) -> None:
        """Enter a decision that was made elsewhere."""
        ledger, id = self._ledger, decision.id
        before = ledger.known(id, decision.prediction)
        if before is not None:
            if before.verify != decision.verify:
                raise SidelightError(
                    f"the id {id!r} was already decided: {before.reason!r}, not {decision.reason!r}; use a new id"
                )
            return
        when = self._day_and_seconds(time)
        state = self._known_class(decision.prediction)
        made_up = ledger.is_next(id)
        self._begin_decision(state, time, when)
        self._enter(state, decision, when, not made_up if named is None else named)

    def _begin_batch(self, labels: Iterable[Label], names: Iterable[Id | None]) -> None:
        """Check the classes and ids of a batch against what is known and each other, and let it age as a whole."""
        fresh, seen = 0, dict[Id, Label]()
        spelled = ChainMap({}, self._spelled)
        for name, one in zip(names, labels, strict=True):
            if one not in self._states:
                check_spelling(one, spelled)
                self._settings.tolerance_of(one)
                spelled.setdefault(str(one), one)
            if name is None:
                fresh += 1
            elif self._ledger.known(name, one) is None and seen.setdefault(name, one) != one:
                raise SidelightError(
                    f"the id {name!r} stands for {seen[name]!r} and for {one!r} in this batch: give each prediction "
                    "its own id"
                )
        self._journal.batch_end = self._journal.decided + fresh + len(seen)

    def _contradictory(self, taken: Iterable[Decision]) -> bool:
        """Say whether decisions contradict those that were made here, or each other, unless some are forgotten."""
        first: dict[Id, Decision] = {}
        for one in taken:
            before = self._ledger.known(one.id, one.prediction) or first.setdefault(one.id, one)
            if before.verify != one.verify:
                return True
        return False

    def _enter(self, state: ClassState, decision: Decision, when: tuple[str | None, float | None], own: bool) -> None:
        """Enter a decision; a pass is remembered if the caller gave its id and so may ask about it again."""
        verify, id, reason, _ = decision
        state.predictions += 1
        if verify:
            self._ledger.ask(id, state, reason, *when)
            return
        if reason in types.REFUSALS:
            state.stalled = reason
        if own:
            self._ledger.let_pass(id, state, reason)

    def _wanted(self, state: ClassState, day: str | None) -> tuple[bool, str]:
        """Say what the policy wants before any cap, and why; now and then a passed prediction gets a spot check."""
        settings, rationing, t = self._settings, self._rationing, state.predictions
        if settings.class_predictions is not None and t >= settings.class_predictions:
            return False, types.FINISHED
        wanted, reason = settings.policy.wants(state)
        if reason not in PLACES:
            raise bad_reason(f"the policy {settings.policy.name!r}", reason)
        if wanted and rationing is not None:
            refusal = rationing.refusal(state, day)
            if refusal is not None:
                wanted, reason = False, refusal
        if not wanted and settings.spot_checks != 0.0 and self._spot_check(state, t):
            spared = rationing is None or rationing.spares_spot_check(state, day)
            return (True, types.SPOT) if spared else (False, reason)
        return wanted, reason

    def _spot_check(self, state: ClassState, t: int) -> bool:
        """Say whether a passed prediction gets a spot check: more often while there is some evidence of drift."""
        level = state.spot_checks.level(t, self._ledger.spot_share(state))
        if level != IF_SUSPICIOUS:
            return level == ALWAYS
        return state.suspects_drift(self._suspicious)
