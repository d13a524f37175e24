"""How many of the requested verifications were answered, over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sidelight.service.store.base import Reader

_HOUR, _DAY = 3600, 86400
_SIZES: Sequence[tuple[int, str]] = (
    (300, "%H:%M"),
    (1800, "%b %d, %H:%M"),
    (_HOUR, "%b %d, %H:00"),
    (6 * _HOUR, "%b %d, %H:00"),
    (_DAY, "%b %d"),
    (7 * _DAY, "%b %d"),
    (28 * _DAY, "%b %Y"),
)
_MOST = 50


def asked_over_time(tx: Reader, monitor: str) -> list[tuple[str, float, float]]:
    """Return, for each time span, how many of the verifications requested in it were answered, and how many were not.

    Spans are long enough that a few cover all verifications; after some years only the latest are shown.
    """
    ends = tx.one("SELECT MIN(asked_at), MAX(asked_at) FROM verifications WHERE monitor = ?", monitor)
    if ends is None or ends[0] is None:
        return []
    first, last = ends
    size, form = next((one for one in _SIZES if last - first <= one[0] * (_MOST - 2)), _SIZES[-1])
    # Whole seconds, because dividing integers truncates in both databases; a cast may round to the next second.
    sql = (
        "SELECT CAST(asked_at AS BIGINT) / ?, SUM(CASE WHEN state = 'answered' THEN 1 ELSE 0 END), COUNT(*)"
        " FROM verifications WHERE monitor = ? GROUP BY 1"
    )
    found = {at: (float(answered), float(asked - answered)) for at, answered, asked in tx.all(sql, size, monitor)}
    spans = range(max(min(found), max(found) + 1 - _MOST), max(found) + 1)
    return [(datetime.fromtimestamp(at * size, UTC).strftime(form), *found.get(at, (0.0, 0.0))) for at in spans]
