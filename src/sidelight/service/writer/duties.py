"""Periodic duties of the service: send webhooks, mark verifications as overdue, delete old payloads.

A duty runs in one process at a time: the process that writes its name into the duty's row runs it, and no other process
may until `until`. If the process dies, another one takes over after that time. A duty must be safe to repeat.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidelight.service.store.base import Reader
from sidelight.service.writer.unit import WriterUnit, writer_job

if TYPE_CHECKING:
    from sidelight.service.domain.service import Service

LEASE = 120.0
"""Seconds for which a duty belongs to the process that started it."""
_LOOK = 1.0
_LOG = logging.getLogger("sidelight.duties")


class Duty(NamedTuple):
    """Something to do at regular intervals."""

    name: str
    every: float
    run: Callable[[Service], object]
    when: Callable[[Reader], bool]
    """Whether there is anything to do; if not, the row is not even written."""


DUTIES: dict[str, Duty] = {}


def register_periodic_duty(
    name: str, *, every: float, when: Callable[[Reader], bool] = lambda tx: True
) -> Callable[[Callable[[Service], object]], Callable[[Service], object]]:
    """Register a function that is called with the service every `every` seconds, by one process at a time."""

    def register_duty(run: Callable[[Service], object]) -> Callable[[Service], object]:
        DUTIES[name] = Duty(name, every, run, when)
        return run

    return register_duty


class DutyClock:
    """A thread that checks every second which duties are due, and runs those that it can take."""

    def __init__(
        self,
        service: Service,
        duties: Sequence[Duty] | None = None,
        look: float = _LOOK,
        each_time: Callable[[], object] = lambda: None,
    ) -> None:
        self.holder = secrets.token_hex(8)
        self._each_time = each_time
        self._service, self._duties, self._look = service, duties, look
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sidelight-duties", daemon=True)

    def start(self) -> None:
        """Start the thread of the clock."""
        self._service.ending.clear()
        self._thread.start()

    def stop(self, timeout: float = 20.0) -> None:
        """Stop after the running duty, or abandon it after `timeout` seconds."""
        self._stop.set()
        self._service.ending.set()
        if self._thread.ident is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        while not self._stop.wait(self._look):
            try:
                self._each_time()
                self.run_due()
            except Exception:  # the next check may find the database again
                _LOG.exception("checking for due duties failed")

    def run_due(self) -> list[str]:
        """Run each due duty that no other process runs; return their names."""
        done = []
        duties = list(DUTIES.values()) if self._duties is None else self._duties
        for one in self._due(duties):
            if self._stop.is_set() or not self._service.do(_take_periodic_duty(one.name, self.holder)):
                continue
            begin = time.monotonic()
            try:
                one.run(self._service)
                done.append(one.name)
            except Exception:  # a failing duty must not stop the others
                _LOG.exception("the duty %s failed", one.name)
            self._service.do(_release_periodic_duty(one.name, self.holder, one.every))
            if time.monotonic() - begin > LEASE:
                _LOG.warning("the duty %s took longer than its lease of %g s", one.name, LEASE)
        return done

    def _due(self, duties: Sequence[Duty]) -> list[Duty]:
        with self._service.read() as tx:
            now = tx.now()
            busy = {
                name
                for name, until, next_at in tx.all("SELECT name, until, next_at FROM duties")
                if max(until, next_at) > now
            }
            return [one for one in duties if one.name not in busy and one.when(tx)]


@writer_job
def _take_periodic_duty(work: WriterUnit, name: str, holder: str) -> bool:
    """Take a duty, unless another process has it or has just done it."""
    insert = "INSERT INTO duties (name, holder, until, next_at) VALUES (?, '', 0, 0) ON CONFLICT (name) DO NOTHING"
    work.writing().run(insert, name)
    update = "UPDATE duties SET holder = ?, until = ? WHERE name = ? AND until <= ? AND next_at <= ?"
    return work.writing().run(update, holder, work.now + LEASE, name, work.now, work.now) == 1


@writer_job
def _release_periodic_duty(work: WriterUnit, name: str, holder: str, every: float) -> None:
    """Release a duty and set when it is due again."""
    update = "UPDATE duties SET until = 0, next_at = ? WHERE name = ? AND holder = ?"
    work.writing().run(update, work.now + every, name, holder)
