"""Limits on reviewing: why a verification that the policy wants is not requested."""

from __future__ import annotations

from sidelight.monitor import types
from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.ledger import Ledger
from sidelight.monitor.settings import Settings


def refused(settings: Settings, ledger: Ledger, state: ClassState, day: str | None) -> str | None:
    """Return which limit a verification would exceed, or None."""
    if settings.class_cap is not None and state.verified + state.pending >= settings.class_cap:
        return types.CLASS_CAP
    if settings.cap is not None and ledger.journal.asked >= settings.cap:
        return types.TOTAL_CAP
    if settings.daily_cap is not None and ledger.days.get(day or "", 0) >= settings.daily_cap:
        return types.DAILY_CAP
    if settings.max_pending is not None and ledger.pending >= settings.max_pending:
        return types.MOST_PENDING
    if (state.pending or state.ahead) and state.verdict == "unknown" and settings.policy.waits:
        needed = state.needed()
        if needed is not None and ledger.expected(state) >= needed:
            return types.ENOUGH_PENDING
    return None
