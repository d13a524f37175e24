"""What a monitor offers to code that mirrors it, such as a service that journals what happens and replays it.

If two monitors with the same settings get the same calls, with `record` instead of `decide` for one of them, their
`to_dict` are equal, whatever the policy, the caps and the order of the answers.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from sidelight.errors import NoEntryError, SidelightError
from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.engine import Watch
from sidelight.monitor.engine.rationing import Rationing
from sidelight.monitor.inputs import check_spelling, label
from sidelight.monitor.settings import LIMITS, Settings, checked_patience
from sidelight.monitor.types import Closed, Event, Label, Standing


class Followed(Watch):
    """The part of a monitor that others follow."""

    _lock: threading.RLock

    def _begin(self, settings: Settings) -> None:
        self._lock = threading.RLock()
        self._hooks: list[Callable[[Event], object]] = []
        self._closing_hooks: list[Callable[[Closed], object]] = []
        super()._begin(settings)

    @property
    def asked(self) -> int:
        """How many verifications were requested: the number of the latest one."""
        return self._journal.asked

    @property
    def version(self) -> tuple[int, ...]:
        """A value that differs after every change of this object; it cannot be used to compare two monitors."""
        journal = self._journal
        return journal.decided, journal.batch_end, journal.asked, journal.settled, id(self._settings)

    def begin_batch(self, size: int) -> None:
        """Say that the next `size` decisions are handed out together: their requests are as old as the last of them."""
        with self._lock:
            self._journal.batch_end = self._journal.decided + size

    def expire(self, time: Any = None) -> None:
        """Let time pass without a decision: if patience is a time, give up what is overdue by now."""
        now = self._day_and_seconds(time)[1]
        if now is not None:
            with self._lock:
                self._ledger.expire(now)
            self._tell()

    def change(self, **limits: Any) -> None:
        """Give `cap`, `daily_cap`, `class_cap`, `max_pending` or `patience` other values from now on.

        None means no limit, and for `patience` the default. A new patience also holds for requests under way; those
        that are overdue stay so. From decisions to a time, requests under way age from the next known time on.
        """
        unknown = sorted(set(limits) - set(LIMITS))
        if unknown:
            raise SidelightError(f"{unknown[0]} cannot be changed, only {', '.join(LIMITS)}: make a new monitor")
        if "patience" in limits:
            limits["patience"] = checked_patience(limits["patience"])
        with self._lock:
            settings = Settings.from_plain(replace(self._settings, **limits).plain())
            if settings.patience != self._settings.patience:
                self._ledger.change_patience(settings.patience)
            self._adopt(settings)
            if not settings.rationed:
                self._rationing = None
            elif self._rationing is None:
                self._rationing = Rationing(settings, self._ledger)

    def faults(self, predictions: Iterable[Any]) -> dict[int, str]:
        """Return what is wrong with predictions, by place: classes without a tolerance, or with another spelling."""
        found: dict[int, str] = {}
        spelled: dict[str, Label] = {}
        with self._lock:
            for place, one in enumerate(predictions):
                try:
                    name = label(one)
                    if name not in self._states:
                        self._settings.tolerance_of(name)
                        check_spelling(name, self._spelled)
                        check_spelling(name, spelled)
                        spelled.setdefault(str(name), name)
                except SidelightError as error:
                    found[place] = str(error)
        return found

    def standing(self, prediction: Any) -> Standing:
        """Return where a class stands; unlike a report it costs the same however many classes there are."""
        with self._lock:
            state = self._seen_class(prediction)
            return Standing(state.predictions, state.asked, state.n, state.e, state.verdict, state.name)

    def interval(self, prediction: Any) -> tuple[float, float]:
        """Return the interval of the error rate of a class, as a report does."""
        with self._lock:
            return self._seen_class(prediction).interval()

    def _seen_class(self, prediction: Any) -> ClassState:
        state = self._states.get(label(prediction))
        if state is None:
            raise NoEntryError(f"no prediction of class {prediction!r} has been seen")
        return state

    def on_verdict(self, hook: Callable[[Event], object]) -> Callable[[Event], object]:
        """Call `hook(event)` whenever a verdict changes or a drift alarm starts a class from scratch.

        It is called after the decision or the answer has been entered, in the same thread and without a lock, so it may
        call the monitor. An error in it becomes a warning. Hooks are neither saved nor copied.
        """
        self._hooks.append(hook)
        return hook

    def on_closed(self, hook: Callable[[Closed], object]) -> Callable[[Closed], object]:
        """Call `hook(closed)` whenever a request is given up as overdue or forgotten, as `on_verdict` does."""
        self._closing_hooks.append(hook)
        if self._journal.closed is None:
            self._journal.closed = []
        return hook

    def _tell(self) -> None:
        """Tell the hooks what has happened."""
        journal = self._journal
        with self._lock:
            news, journal.news = journal.news, []
            closed = journal.closed
            if closed:
                journal.closed = []
        for event in news:
            for hook in tuple(self._hooks):
                _call(hook, event)
        for one in closed or ():
            for closing_hook in tuple(self._closing_hooks):
                _call(closing_hook, one)


def _call(hook: Callable[[Any], object], event: object) -> None:
    try:
        hook(event)
    except Exception as error:
        text = f"the hook {hook!r} failed ({type(error).__name__}: {error}); the monitor itself recorded everything"
        warnings.warn(text, RuntimeWarning, stacklevel=4)
