"""Limits on reviewing: why a verification that the policy wants is not asked for."""

from __future__ import annotations

from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.ledger import Ledger
from sidelight.monitor.settings import Settings
from sidelight.monitor.types import Reason


def refused_by_cap(settings: Settings, ledger: Ledger, state: ClassState, day: str | None) -> Reason | None:
    """Return which limit a verification would exceed, or None."""
    if settings.class_cap is not None and state.verified + state.pending >= settings.class_cap:
        return Reason.CLASS_CAP
    reached = used_up_cap(settings, ledger, day)
    if reached is not None:
        return reached
    if (state.pending or state.ahead) and state.verdict == "unknown" and settings.policy.waits:
        needed = state.needed()
        if needed is not None and ledger.expected(state) >= needed:
            return Reason.ENOUGH_PENDING
    return None


def used_up_cap(settings: Settings, ledger: Ledger, day: str | None) -> Reason | None:
    """Return which limit of the whole monitor is reached, or None."""
    if settings.cap is not None and ledger.clock.asked >= settings.cap:
        return Reason.TOTAL_CAP
    if settings.daily_cap is not None and ledger.days.get(day or "", 0) >= settings.daily_cap:
        return Reason.DAILY_CAP
    if settings.max_pending is not None and ledger.pending >= settings.max_pending:
        return Reason.MOST_PENDING
    return None
