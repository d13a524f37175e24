"""What callers hand to a monitor, made plain: answers, moments, columns."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.decisions import Label
from sidelight.monitor.ledger import RIGHT, SKIPPED, WRONG
from sidelight.monitor.settings import label


def status_of(prediction: Label, correct: Any, true: Any, skipped: bool) -> int:
    """Return the status that an answer gives to a verification."""
    if (correct is not None) + (true is not None) + bool(skipped) != 1:
        raise SidelightError("an answer is one of correct=True or False, label=..., or skipped=True; nothing changed")
    if skipped:
        return SKIPPED
    if true is not None:
        return RIGHT if label(true) == prediction else WRONG
    plain = correct.item() if hasattr(correct, "item") else correct
    if plain not in (True, False):
        raise SidelightError(f"correct is {correct!r}: give True or False; nothing changed")
    return RIGHT if plain else WRONG


def day_of(time: Any) -> str:
    """Return the day of a moment; moments with a time zone, and seconds since 1970, are taken in UTC."""
    moment = datetime.now(UTC) if time is None else time
    if hasattr(moment, "astype"):
        moment = moment.astype("datetime64[s]").item()
    try:
        if isinstance(moment, str):
            moment = datetime.fromisoformat(moment)
        elif isinstance(moment, int | float) and not isinstance(moment, bool):
            moment = datetime.fromtimestamp(moment, UTC)
    except (ValueError, OverflowError, OSError):
        moment = None
    if isinstance(moment, datetime):
        return (moment.astimezone(UTC) if moment.tzinfo else moment).date().isoformat()
    if isinstance(moment, date):
        return moment.isoformat()
    raise SidelightError(f"time is {time!r}: give a datetime, a date, ISO text or seconds since 1970")


def listed(values: Any) -> list[Any]:
    """Return a list, of plain values where the column can make them."""
    if isinstance(values, str | bytes):
        raise SidelightError(
            f"predictions is the text {values!r}: give a list or a column; `decide` takes a single one"
        )
    for method in ("to_list", "tolist"):
        if hasattr(values, method):
            plain = getattr(values, method)()
            return plain if isinstance(plain, list) else [plain]
    return list(values)


def column(name: str, values: Any, length: int) -> list[Any]:
    """Return as many values as there are predictions; Nones where there is nothing."""
    if values is None:
        return [None] * length
    found = listed(values)
    if len(found) != length:
        raise SidelightError(f"there are {length} predictions and {len(found)} {name}: give one for each")
    return found
