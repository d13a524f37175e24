"""The items of a monitor: disagreements first, then the newest."""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

from fastapi import Query, Request, Response

from sidelight.service import journal
from sidelight.service.auth import reviewers
from sidelight.service.domain.queue import DISPUTED_ITEM, MOST_NUMBER, Slot, items_where, slots_among
from sidelight.service.domain.reviews import disputed
from sidelight.service.domain.verifications import DELETED, FORGOTTEN
from sidelight.service.faults import MOST_CHARACTERS
from sidelight.service.settings import ReviewSettings
from sidelight.service.store.base import Reader, Value
from sidelight.service.web.etags import etag_of, unchanged
from sidelight.service.web.pages.review import answer_words, item_words
from sidelight.service.web.rendering import address, render
from sidelight.service.web.visitors import enter, make_router, monitor_for, service_of
from sidelight.service.writer.unit import Verification

router = make_router()
_PAGE = 50
_DIGITS = len(str(MOST_NUMBER))
_STATES = {
    "": "All",
    "disputed": "Disagreements",
    "open": "Waiting",
    "answered": "Answered",
    "skipped": "Skipped",
    "overdue": "Overdue",
}


@router.get("/m/{monitor}/items")
def items(
    request: Request,
    monitor: str,
    state: str = "",
    before: int | None = None,
    q: Annotated[str, Query(max_length=MOST_CHARACTERS)] = "",
) -> Response:
    """Show a page of items."""
    q = q.strip()
    visitor, service = enter(request), service_of(request)
    name = request.query_params.get("class")
    with service.read() as tx:
        row, review = monitor_for(tx, visitor, monitor, "report")
        state = state if state in _STATES else ""
        name = None if review.blind else name  # filtering by class would reveal the predictions
        shown, older = _page(tx, row.id, review, Wanted(state, name, q, before))
        slots = slots_among(tx, row.id, [one.number for one in shown])
        names, now = reviewers.names(tx), tx.now()
    live = {number: [one for one in found if one.live(now)] for number, found in slots.items()}
    etag = etag_of(request, visitor.reviewer, row.last, shown, live)
    short = unchanged(request, etag)
    if short is not None:
        return short
    asked = {"state": state, "class_": name, "q": q}
    context = visitor.context(row, "Items") | {
        "rows": [_row(one, live.get(one.number, []), names, review) for one in shown],
        "filters": [(key, words) for key, words in _STATES.items() if key != "disputed" or review.reviews > 1],
        "state": state,
        "blind": review.blind,
        "chosen": None if name is None else _class_words(name),
        "class_name": name,
        "q": q,
        "link": lambda **changes: address(f"/m/{row.name}/items", **asked | changes),
        "older": None if older is None else address(f"/m/{row.name}/items", **asked, before=older),
        "newer": None if before is None else address(f"/m/{row.name}/items", **asked),
        "poll": None if q else 5,  # searching reads all items
        "etag": etag,
    }
    return render("items.html", context, headers={"ETag": etag})


class Wanted(NamedTuple):
    """Which items to list."""

    state: str
    name: str | None
    """The JSON of a class."""
    q: str
    """Part of an id, or the number of an item."""
    before: int | None


def _page(tx: Reader, monitor: str, review: ReviewSettings, wanted: Wanted) -> tuple[list[Verification], int | None]:
    """Return the items of a page, and where the next page begins, if there is one."""
    state, name, q, before = wanted
    where, values = ["i.monitor = ?"], list[Value]([monitor])
    if name is not None:
        where.append("i.class = ?")
        values.append(name)
    if q:
        where.append("(LOWER(i.id) LIKE LOWER(?) ESCAPE '!' OR i.number = ?)")
        plain = re.sub("[!%_]", lambda found: f"!{found[0]}", q)
        values += [f"%{plain}%", int(q) if q.isascii() and q.isdigit() and len(q) < _DIGITS else 0]
    first: list[Verification] = []
    if before is None and review.reviews > 1 and state in ("", "open"):
        sql = f"{' AND '.join([*where, DISPUTED_ITEM])} ORDER BY i.number LIMIT {_PAGE}"
        first = items_where(tx, sql, *values, review.reviews)
    if state == "disputed":
        where.append(DISPUTED_ITEM)
        values.append(review.reviews)
    elif state:
        where.append("i.state = ?")
        values.append(state)
    if before is not None:
        where.append("i.number < ?")
        values.append(max(0, min(before, MOST_NUMBER)))
    rows = items_where(tx, f"{' AND '.join(where)} ORDER BY i.number DESC LIMIT {_PAGE + 1}", *values)
    older = rows[_PAGE - 1].number if len(rows) > _PAGE else None
    listed = {one.number for one in first}
    return first + [one for one in rows[:_PAGE] if one.number not in listed], older


def _row(item: Verification, slots: list[Slot], names: dict[str, str], review: ReviewSettings) -> dict[str, Any]:
    differ = item.open and disputed(slots, review.reviews)
    word, tone = ("disagreement", "near") if differ else item_words(item, review.blind)
    return {
        "number": item.number,
        "id": item.id,
        "prediction": str(item.prediction),
        "word": word,
        "tone": tone,
        "settled": None if item.settled_by is None else f"by {names.get(item.settled_by, item.settled_by)}",
        "reviews": [
            (names.get(one.reviewer, one.reviewer), _said(one, review.blind))
            for one in slots
            if item.open or one.answer is not None
        ],
        "asked_at": item.asked_at,
        "shown": item.state not in (FORGOTTEN, DELETED),
        "disputed": differ,
    }


def _said(slot: Slot, blind: bool) -> str:
    return "is reviewing" if slot.answer is None else answer_words(slot, blind)


def _class_words(name: str) -> str:
    try:
        return str(journal.read_text(name))
    except (ValueError, RecursionError):
        return name
