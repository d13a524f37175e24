"""How a service is run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit


def stop_process(error: BaseException) -> None:
    """End the process at once: nothing that waits may be answered after the disk has failed."""
    sys.stderr.write(f"sidelight: {error}; stopping\n")
    sys.stderr.flush()
    os._exit(70)


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a service is run; the defaults suit one machine."""

    most_waiting: int = 4096
    """Requests that may wait for the writer; more are refused for the moment."""
    most_in_group: int = 1024
    """Requests that are committed together at most."""
    most_rows_in_group: int = 5000
    """Predictions and answers after which no further request is added to a group."""
    snapshot_every: int = 50_000
    """Entries of the journal after which the state of a monitor is stored, so that starting does not replay them."""
    retry_days: float = 7.0
    """How long a decision can be asked for again by its id."""
    time_back: float = 86_400.0
    """How many seconds before now the `time` of a prediction may lie; it decides which day's cap applies."""
    time_ahead: float = 300.0
    url: str | None = None
    """The address that users know, https://... behind a proxy; links begin with it."""
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    """Names that requests may ask for, without ports; that of `url` is one of them anyway."""
    requests_per_second: float = 1000.0
    """How often each key may ask each process."""
    webhooks_to_loopback: bool = False
    """Whether webhooks may go to this machine, by http, too: for tests."""
    on_fatal: Callable[[BaseException], None] = stop_process
    """Called when the disk has failed."""

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """All names that requests may ask for."""
        own = urlsplit(self.url).hostname if self.url else None
        return frozenset(self.hosts) | ({f"[{own}]" if ":" in own else own} if own else set())
