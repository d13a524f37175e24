"""Looking up monitors by the names in addresses, for callers who may use them."""

from __future__ import annotations

import asyncio

from sidelight.service.auth.cache import SECONDS, Remembered
from sidelight.service.auth.keys import Caller
from sidelight.service.domain import monitors
from sidelight.service.domain.service import Service
from sidelight.service.faults import text_fault
from sidelight.service.problems import Problem


class Names:
    """Names of monitors, at most a few seconds out of date.

    If a name was given to another monitor meanwhile, no harm is done: an archived monitor cannot be changed.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._known: Remembered[str, str] = Remembered()

    async def find(self, caller: Caller, name: str) -> str:
        """Return the id of a monitor that the caller may use."""
        known = self._known.get(name)
        id = known[0] if known is not None else await asyncio.to_thread(self._look_up, name)
        if caller.monitors is not None and id not in caller.monitors:
            # The same whether or not the monitor exists, so that callers cannot find out names.
            raise Problem("forbidden", "this key or account has no access to this monitor: ask an administrator")
        if id is None:
            raise Problem("not-found", "there is no monitor with this name: list the monitors with GET /v1/monitors")
        return id

    def forget(self, name: str) -> None:
        """Look up a name again the next time."""
        self._known.forget(name)

    def _look_up(self, name: str) -> str | None:
        if text_fault(name) is not None:
            return None
        begin = self._known.clock()
        try:
            with self._service.read() as tx:
                id = monitors.find(tx, name).id
        except Problem:
            return None
        self._known.put(name, id, begin + SECONDS)
        return id
