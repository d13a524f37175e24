"""The core of a monitor: it decides about predictions, takes answers, and returns the events that each of them caused.

    decision, events = engine.decide("cat", id="req-1", score=0.2)
    answer, events = engine.answer("req-1", correct=False)
    events = engine.record(decision, score=0.2)         # one that was made elsewhere
    events = engine.expire(time)            # time passes

An event is a `VerdictChanged` or a `VerificationClosed`, and events come in the order in which things happened. Nothing
else is told anywhere: whoever journals, counts or sends events reads them here.

An engine takes plain values (`sidelight.monitor.inputs` makes them) and has no lock: who shares one between threads
lets one of them in at a time. A method that raises an error has changed nothing. If two engines with the same settings
get the same calls, with `record` instead of `decide` for one of them, their `to_dict` are equal, whatever the policy,
the caps and the order of the answers.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Iterable, Mapping
from typing import Any, Self

from sidelight.errors import SidelightError
from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.clock import EngineClock
from sidelight.monitor.engine.ledger import (
    VerificationLedger,
    engine_cap_refusing_verification,
    engine_cap_used_up,
    enter_answer_into_engine,
)
from sidelight.monitor.engine.line import UNTOLD
from sidelight.monitor.engine.pairs import EngineVersionPairs, Others
from sidelight.monitor.engine.rationing import VerificationRationing
from sidelight.monitor.engine.rounds import EngineScores
from sidelight.monitor.engine.segments import VERSION, EngineSegments, Segment
from sidelight.monitor.inputs import check_label_spelling, monitor_input_moment, plain_label
from sidelight.monitor.settings import Settings
from sidelight.monitor.stats.randomness import ALWAYS, IF_SUSPICIOUS, SUSPICION
from sidelight.monitor.types import RULE, Answer, Decision, Events, Id, Label, Reason

_Moment = tuple[str | None, float | None]
_NO_TIME: _Moment = (None, None)
_MOST_TRUTHS = 10_000
_About = tuple[float | None, Segment, Others]
"""What came with a prediction: its score, its segment, and what other versions predict."""


class Engine:
    """The classes, verifications and settings of one monitor.

    `classes` holds what is known about each class, `ledger` the ids and verifications, `rationing` what distributes a
    cap, if there is one, and `scores`, `segments` and `pairs` what came with predictions.
    """

    def __init__(self, settings: Settings) -> None:
        named = (*(settings.tolerance if isinstance(settings.tolerance, dict) else ()), *(settings.weights or ()))
        self.spelled: dict[str, Label] = {str(name): name for name in named if name is not None}
        self.clock = EngineClock()
        self.classes: dict[Label, ClassState] = {}
        self.ledger = VerificationLedger(settings, self.clock)
        self.rationing: VerificationRationing | None = None
        self.scores, self.segments = EngineScores(self.classes), EngineSegments()
        self.pairs = EngineVersionPairs(settings.confidence, settings.version_margin)
        self.truths: dict[Label, int] = {}
        """True classes that answers have named, with their numbers in lines."""
        self._adopt(settings)
        self._suspicious = settings.drift_alarm_every * SUSPICION
        for name in settings.classes:
            self._add(name)

    @property
    def asked(self) -> int:
        """How many verifications were asked for: the number of the latest one."""
        return self.clock.asked

    @property
    def version(self) -> tuple[int, ...]:
        """A value that differs after every change of this object; it cannot be used to compare two engines."""
        clock = self.clock
        return clock.decided, clock.batch_end, clock.asked, clock.settled, id(self.settings)

    def decide(
        self,
        prediction: Label,
        id: Id | None = None,
        time: Any = None,
        score: float | None = None,
        segment: Segment = (),
        others: Others = (),
    ) -> tuple[Decision, Events]:
        """Decide about one prediction: verify it or let it pass. An id that was decided before keeps its decision.

        A larger score means that an error is more likely; it is None, or NaN, where there is none. `segment` says to
        which parts of the traffic the prediction belongs, and `others` what other versions predict about the item.
        """
        ledger = self.ledger
        if id is not None:
            before = ledger.known(id, prediction)
            if before is not None:
                return before, ()
        when = self._read_moment_of_prediction(time) if self.dated else _NO_TIME
        state = self._state(prediction, score)
        events = self._begin(state, time, when)
        wanted, reason = self._wanted(state, when[0])
        if wanted:
            refusal = engine_cap_refusing_verification(self.settings, ledger, state, when[0])
            if refusal is not None:
                wanted, reason = False, refusal
        chance = None
        if wanted and state.rounds is not None:
            wanted, reason, chance = self._toss(state, reason, score)
        others = self._compared(segment, others, when[0]) if others else ()
        if not wanted and any(said != prediction for _, said in others):
            wanted, reason = True, Reason.COMPARED
        if isinstance(id, str):
            ledger.is_next(id)
        decision = Decision(wanted, ledger.fresh_id() if id is None else id, reason, prediction, chance)
        entered = self._enter(state, decision, reason, when, id is not None, (score, segment, others))
        return decision, events + entered if events else entered

    def record(
        self,
        decision: Decision,
        time: Any = None,
        score: float | None = None,
        segment: Segment = (),
        others: Others = (),
    ) -> Events:
        """Enter a decision that was made elsewhere, by an engine with the same settings.

        The policy is not asked, and caps are counted but not applied. A known decision changes nothing; one that
        contradicts what was decided here about the same id is an error.
        """
        verify, id, why, prediction, _ = decision
        before = self.ledger.known(id, prediction)
        if before is not None:
            if before.verify != verify:
                raise SidelightError(f"the id {id!r} was already decided: {before.reason}; use a new id")
            return ()
        reason, when = Reason(why), self._read_moment_of_prediction(time)
        state = self._state(prediction, score)
        self.ledger.is_next(id)
        events = self._begin(state, time, when)
        others = self._compared(segment, others, when[0]) if others else ()
        return events + self._enter(state, decision, reason, when, True, (score, segment, others))

    def prediction_of(self, id: Id) -> Label:
        """Return the predicted class of a verification, or raise an error if there is no such verification."""
        return self.ledger.entry(id).state.name

    def answer(self, id: Id, correct: bool | None, truth: Label | None = None) -> tuple[Answer, Events]:
        """Enter the answer to a verification (None to skip it), and the true class, if given."""
        done = enter_answer_into_engine(self.ledger, id, correct)
        entry = self.ledger.entry(id)
        named = 0 if truth is None or correct is not False else self._truth(truth)
        self.clock.settled += entry.state.line.tell(entry.place, named)
        self.pairs.tell(id, correct, truth)
        self.scores.plan(entry.state)
        return done

    def _truth(self, name: Label) -> int:
        """Return the number of a true class; after 10 000 of them, new ones are not told apart."""
        if len(self.truths) >= _MOST_TRUTHS and name not in self.truths:
            return UNTOLD
        return self.truths.setdefault(name, UNTOLD + 1 + len(self.truths))

    def begin_batch(self, size: int) -> None:
        """Announce that the next `size` decisions are handed out together: they are as old as the last of them."""
        self.clock.batch_end = self.clock.decided + size

    def expire(self, time: Any = None) -> Events:
        """Let time pass without a decision: if patience is a time, close overdue verifications."""
        now = self._read_moment_of_prediction(time)[1]
        return () if now is None else self.ledger.expire(now)

    def change(self, **limits: Any) -> None:
        """Give limits other values from now on; see `ClassifierMonitor.change`."""
        settings = self.settings.changed(**limits)
        if settings.patience != self.settings.patience:
            self.ledger.change_patience(settings.patience)
        self._adopt(settings)

    def check_batch(self, predictions: Iterable[Label], ids: Iterable[Id | None]) -> int:
        """Check the ids of a batch for contradictions; return how many new decisions it takes."""
        fresh, seen = 0, dict[Id, Label]()
        faults = self.faults(predictions := list(predictions))
        for place, (id, one) in enumerate(zip(ids, predictions, strict=True)):
            if place in faults:
                raise SidelightError(faults[place])
            if id is None:
                fresh += 1
            elif self.ledger.known(id, one) is None and seen.setdefault(id, one) != one:
                both = f"the id {id!r} stands for {seen[id]!r} and for {one!r} in this batch"
                raise SidelightError(f"{both}: give each prediction its own id")
        return fresh + len(seen)

    def faults(self, predictions: Iterable[Any]) -> dict[int, str]:
        """Return the faults of predictions, by place: classes without a tolerance, or with another spelling."""
        found: dict[int, str] = {}
        spelled = ChainMap[str, Label]({}, self.spelled)
        for place, one in enumerate(predictions):
            try:
                name = plain_label(one)
                if name not in self.classes:
                    check_label_spelling(name, spelled)
                    self.settings.tolerance_of(name)
                    spelled.setdefault(str(name), name)
            except SidelightError as error:
                found[place] = str(error)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        asides = list(self.pairs.asides.values())
        states = [*self.classes.values(), *asides]
        places = {state: place for place, state in enumerate(states)}
        return {
            "rule": RULE,
            "settings": self.settings.plain(),
            "classes": [{"name": state.name, **state.plain()} for state in self.classes.values()],
            **self.ledger.plain(places),
            "rationing": None if self.rationing is None else self.rationing.plain(places),
            "scores": self.scores.plain(places),
            "truths": list(self.truths),
            "pairs": self.pairs.plain(),
            "asides": [{"name": one.name, **one.plain()} for one in asides],
            "segments": self.segments.plain(places),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Restore an engine from the data of `to_dict`; it continues exactly as the saved one would have."""
        try:
            engine = cls(Settings.from_plain(data["settings"]))
            states = [engine.classes.get(row["name"]) or engine._add(row["name"]) for row in data["classes"]]
            for row in data["asides"]:
                states.append(engine.pairs.aside(engine.classes[row["name"]]))
            engine.pairs.restore(data["pairs"])
            engine.ledger.restore(dict(data), states)
            engine.scores.restore(data["scores"], states)
            for name in data["truths"]:
                engine._truth(name)
            engine.segments.restore(data["segments"], states)
            for state, row in zip(states, [*data["classes"], *data["asides"]], strict=True):
                state.restore(row, engine.scores.edges)
            if engine.rationing is not None and data["rationing"] is not None:
                engine.rationing.restore(data["rationing"], states)
        except SidelightError:
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise SidelightError(
                f"this does not describe a monitor ({type(error).__name__}: {error}): give what to_dict returned"
            ) from None
        return engine

    def _adopt(self, settings: Settings) -> None:
        """Use these settings from now on, in the whole engine."""
        self.settings = settings
        self._daily = settings.daily_cap is not None
        self.dated = self._daily or self.ledger.patience.timed
        """Whether anything depends on the times of decisions."""
        for state in self.classes.values():
            state.adopt(settings)
        if not settings.rationed:
            self.rationing = None
        elif self.rationing is None:
            self.rationing = VerificationRationing(settings, self.ledger)
        else:
            self.rationing.settings = settings

    def _add(self, name: Label) -> ClassState:
        state = self.classes[name] = ClassState(name, self.settings, self.clock, len(self.classes))
        self.spelled.setdefault(str(name), name)
        return state

    def _state(self, prediction: Label, score: float | None) -> ClassState:
        """Return the state of a prediction's class; its first score begins its rounds."""
        state = self.classes.get(prediction)
        given = score is not None and score == score and (state is None or state.rounds is None)
        if given:
            self.settings.check_scores(prediction)
        if state is None:
            check_label_spelling(prediction, self.spelled)
            state = self._add(prediction)
        if given:
            state.use_scores(self.scores.edges)
        return state

    def _compared(self, segment: Segment, others: Others, day: str | None) -> Others:
        """Return the predictions of the versions to compare with; none if no verifications are left."""
        if engine_cap_used_up(self.settings, self.ledger, day) is not None:
            return ()
        return self.pairs.open(dict(segment)[VERSION], others, self.ledger)

    def _read_moment_of_prediction(self, time: Any) -> _Moment:
        """Return the day and the seconds of a time, each only if something depends on it."""
        if not self.dated:
            return _NO_TIME
        moment = monitor_input_moment(time)
        day = moment.date().isoformat() if self._daily else None
        return day, moment.timestamp() if self.ledger.patience.timed else None

    def _begin(self, state: ClassState, time: Any, when: _Moment) -> Events:
        """Let time pass, and count the prediction if verifications are rationed."""
        events = self.ledger.tick(time, when[1])
        if self.rationing is not None:
            self.rationing.arrive(state, when[0])
        return events

    def _enter(
        self, state: ClassState, decision: Decision, reason: Reason, when: _Moment, own: bool, about: _About
    ) -> Events:
        """Enter a decision; a pass is remembered if the caller gave its id and so may ask about it again."""
        score, segment, others = about
        tag = self.segments.enter(state, segment) if segment else 0
        aside = reason is Reason.COMPARED
        # A prediction that is verified only to compare versions is, for its class, what it would have been without.
        if state.rounds is not None and (decision.propensity is not None or (decision.verify and not aside)):
            self._enter_round(state, decision.verify and not aside, reason, math.nan if score is None else score)
        state.predictions += 1
        if others:
            self.pairs.enter(dict(segment)[VERSION], others, decision.prediction, decision.id)
        if decision.verify:
            place = self.pairs.aside(state) if aside else state
            return self.ledger.ask(decision, place, reason, *when, tag)
        if reason.refuses:
            state.stalled = reason
        if own:
            self.ledger.let_pass(decision, state, reason)
        return ()

    @staticmethod
    def _toss(state: ClassState, reason: Reason, score: float | None) -> tuple[bool, Reason, float]:
        """Return whether a prediction that may be verified is, why, and with which propensity."""
        assert state.rounds is not None
        if reason is not Reason.OPEN:
            return True, reason, 1.0
        verify, chance = state.rounds.toss(state.predictions, math.nan if score is None else score)
        return verify, reason if verify else Reason.SPARED, chance

    def _enter_round(self, state: ClassState, verify: bool, reason: Reason, score: float) -> None:
        assert state.rounds is not None
        if verify:
            state.rounds.ask(state.predictions, score, reason is Reason.OPEN)
        else:
            state.rounds.spare(score)
        self.scores.note(state, score)

    def _wanted(self, state: ClassState, day: str | None) -> tuple[bool, Reason]:
        """Return the policy's choice before any cap, with its reason; some passed predictions get a spot check."""
        settings, rationing, t = self.settings, self.rationing, state.predictions
        if settings.class_predictions is not None and t >= settings.class_predictions:
            return False, Reason.FINISHED
        wanted, reason = settings.policy.wants(state)
        if not isinstance(reason, Reason):
            raise SidelightError(
                f"the policy {settings.policy.name!r} gives the reason {reason!r}: give one of "
                f"sidelight.monitor.types.Reason, which are {', '.join(Reason.__members__)}"
            )
        if wanted and rationing is not None:
            refusal = rationing.refusal(state, day)
            if refusal is not None:
                wanted, reason = False, refusal
        if not wanted and settings.spot_checks != 0.0 and self._spot_check(state, t):
            spared = rationing is None or rationing.spares_spot_check(state, day)
            return (True, Reason.SPOT) if spared else (False, reason)
        return wanted, reason

    def _spot_check(self, state: ClassState, t: int) -> bool:
        """Return whether a passed prediction gets a spot check: more often while there is some evidence of drift."""
        level = state.spot_checks.level(t, self.ledger.spot_share(state))
        if level != IF_SUSPICIOUS:
            return level == ALWAYS
        return state.suspects_drift(self._suspicious)
