"""Looking up monitors by the names in addresses, for callers who may use them."""

from __future__ import annotations

import asyncio

from cachetools import TTLCache

from sidelight.service.auth.callers import SECONDS
from sidelight.service.auth.keys import Caller
from sidelight.service.domain import monitors
from sidelight.service.domain.service import Service
from sidelight.service.faults import text_fault
from sidelight.service.problems import Problem

_MOST_KNOWN = 10_000


class Names:
    """Names of monitors, at most a few seconds out of date.

    If a name was given to another monitor meanwhile, no harm is done: an archived monitor cannot be changed.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._known: TTLCache[str, str] = TTLCache(_MOST_KNOWN, ttl=SECONDS)

    async def find(self, caller: Caller, name: str) -> str:
        """Return the id of a monitor that the caller may use."""
        id = self._known.get(name)
        if id is None:
            id = await asyncio.to_thread(self._look_up, name)
            if id is not None:
                self._known[name] = id
        if caller.monitors is not None and id not in caller.monitors:
            # The same whether or not the monitor exists, so that callers cannot find out names.
            raise Problem("forbidden", "this key or account has no access to this monitor: ask an administrator")
        if id is None:
            raise Problem("not-found", "there is no monitor with this name: list the monitors with GET /v1/monitors")
        return id

    def forget(self, name: str) -> None:
        """Look up a name again the next time."""
        self._known.pop(name, None)

    def _look_up(self, name: str) -> str | None:
        if text_fault(name) is not None:
            return None
        try:
            with self._service.read() as tx:
                return monitors.find_monitor(tx, name).id
        except Problem:
            return None
