"""The verifications of a monitor: disagreements first, then the newest."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import Query, Request, Response

from sidelight.service.auth import reviewers
from sidelight.service.domain.queue import (
    IS_DISPUTED,
    MOST_NUMBER,
    ReviewSlot,
    review_slots_of_verifications,
    verifications_where,
)
from sidelight.service.domain.reviews import reviews_disagree
from sidelight.service.domain.verifications import DELETED, FORGOTTEN
from sidelight.service.journal import entry as journal
from sidelight.service.problems import MOST_CHARACTERS
from sidelight.service.settings import ReviewSettings
from sidelight.service.store.base import Reader, Value
from sidelight.service.web.pages.review import describe_answer_on_page, describe_state_on_page
from sidelight.service.web.rendering import page_address, render_page
from sidelight.service.web.visitors import (
    enter_page,
    make_page_router,
    monitor_of_visitor,
    new_page_etag,
    page_context,
    service_of_page,
)
from sidelight.service.writer.unit import Verification

router = make_page_router()
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


@router.get("/m/{monitor}/verifications")
def verifications_page(
    request: Request,
    monitor: str,
    state: str = "",
    before: int | None = None,
    q: Annotated[str, Query(max_length=MOST_CHARACTERS)] = "",
) -> Response:
    """Show a page of verifications."""
    q = q.strip()
    visitor, service = enter_page(request), service_of_page(request)
    name = request.query_params.get("class")
    with service.read() as tx:
        row, review = monitor_of_visitor(tx, visitor, monitor, "report")
        state = state if state in _STATES else ""
        name = None if review.blind else name  # filtering by class would reveal the predictions
        shown, older = _verifications_on_page(tx, row.id, review, state, name, q, before)
        slots = review_slots_of_verifications(tx, row.id, [one.number for one in shown])
        names, now = reviewers.reviewer_names(tx), tx.now()
    live = {number: [one for one in found if one.live(now)] for number, found in slots.items()}
    etag = new_page_etag(request, visitor, row.last, shown, live)
    asked = {"state": state, "class_": name, "q": q}
    context = page_context(visitor, row, "Verifications") | {
        "rows": [_verification_row_on_page(one, live.get(one.number, []), names, review) for one in shown],
        "names": names,
        "filters": [(key, words) for key, words in _STATES.items() if key != "disputed" or review.reviews > 1],
        "state": state,
        "blind": review.blind,
        "chosen": None if name is None else _class_name_on_page(name),
        "class_name": name,
        "q": q,
        "link": lambda **changes: page_address(f"/m/{row.name}/verifications", **asked | changes),
        "older": None if older is None else page_address(f"/m/{row.name}/verifications", **asked, before=older),
        "newer": None if before is None else page_address(f"/m/{row.name}/verifications", **asked),
        "poll": None if q else 5,  # searching reads all verifications
        "etag": etag,
    }
    return render_page("verifications.html", context)


def _verifications_on_page(
    tx: Reader, monitor: str, review: ReviewSettings, state: str, name: str | None, q: str, before: int | None
) -> tuple[list[Verification], int | None]:
    """Return the verifications of a page, and where the next page begins, if there is one.

    `name` is the JSON of a class, and `q` part of an id, or the number of a verification.
    """
    where, values = ["v.monitor = ?"], list[Value]([monitor])
    if name is not None:
        where.append("v.class = ?")
        values.append(name)
    if q:
        where.append("(LOWER(v.id) LIKE LOWER(?) ESCAPE '!' OR v.number = ?)")
        plain = re.sub("[!%_]", lambda found: f"!{found[0]}", q)
        values += [f"%{plain}%", int(q) if q.isascii() and q.isdigit() and len(q) < _DIGITS else 0]
    first: list[Verification] = []
    if before is None and review.reviews > 1 and state in ("", "open"):
        sql = f"{' AND '.join([*where, IS_DISPUTED])} ORDER BY v.number LIMIT {_PAGE}"
        first = verifications_where(tx, sql, *values, review.reviews)
    if state == "disputed":
        where.append(IS_DISPUTED)
        values.append(review.reviews)
    elif state:
        where.append("v.state = ?")
        values.append(state)
    if before is not None:
        where.append("v.number < ?")
        values.append(max(0, min(before, MOST_NUMBER)))
    rows = verifications_where(tx, f"{' AND '.join(where)} ORDER BY v.number DESC LIMIT {_PAGE + 1}", *values)
    older = rows[_PAGE - 1].number if len(rows) > _PAGE else None
    listed = {one.number for one in first}
    return first + [one for one in rows[:_PAGE] if one.number not in listed], older


def _verification_row_on_page(
    verification: Verification, slots: list[ReviewSlot], names: dict[str, str], review: ReviewSettings
) -> dict[str, Any]:
    """Return a verification with its state and its reviews in words."""
    differ = verification.open and reviews_disagree(slots, review.reviews)
    word, tone = ("disagreement", "near") if differ else describe_state_on_page(verification, review.blind)
    said = [one for one in slots if verification.open or one.answer is not None]
    return verification._asdict() | {
        "word": word,
        "tone": tone,
        "reviews": [
            (names.get(one.reviewer, one.reviewer), _describe_review_on_page(one, review.blind)) for one in said
        ],
        "shown": verification.state not in (FORGOTTEN, DELETED),
        "disputed": differ,
    }


def _describe_review_on_page(slot: ReviewSlot, blind: bool) -> str:
    return "is reviewing" if slot.answer is None else describe_answer_on_page(slot, blind)


def _class_name_on_page(name: str) -> str:
    try:
        return str(journal.read_journal_json(name))
    except (ValueError, RecursionError):
        return name
