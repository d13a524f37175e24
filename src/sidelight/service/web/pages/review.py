"""Reviewing verifications one by one: by keyboard, by touch, or with plain forms.

Whoever types what they see must not mislabel: a label of one character has that key, even if it is the key of a button,
which then has another one. A key that is left over stands for a longer label only if no label begins with it.

Payloads become markup here: text stays text, and nothing in a payload is ever interpreted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from fastapi import Request, Response
from markupsafe import Markup, escape
from starlette.responses import RedirectResponse

from sidelight.service.auth import reviewers
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.domain import inputs, queue
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.domain.reviews import Said, give_review, reviews_disagree, settle_over_reviews, withdraw_review
from sidelight.service.domain.service import Service
from sidelight.service.domain.verifications import DELETED, FORGOTTEN
from sidelight.service.problems import Problem
from sidelight.service.settings import ReviewSettings
from sidelight.service.store.base import Reader
from sidelight.service.web.rendering import page_address, render_page
from sidelight.service.web.visitors import (
    PageForm,
    enter_page,
    form_of_page,
    make_page_router,
    monitor_of_visitor,
    page_context,
    service_of_page,
)
from sidelight.service.writer.unit import Job, Verification

router = make_page_router()
_DAY = 86_400.0
_BUTTONS = {"right": "r+", "wrong": "w-", "skip": "s/", "undo": "u<", "withdraw": "x*", "next": "n>"}
"""The key of each button, and the one it has if a label has the first."""
_SPARE = [one for one in "1234567890abcdefghijklmnopqrstuvwxyz" if one not in "".join(_BUTTONS.values())]
_NOTICES = {
    "conflict": ("warn", "Someone else has settled verification {}: your answer was not recorded."),
    "gone": ("warn", "Verification {} no longer needs an answer: yours was not recorded."),
    "forbidden": (
        "warn",
        "Verification {} needs a reviewer who may settle disagreements: your answer was not recorded.",
    ),
    "invalid": ("bad", "Your answer to verification {} could not be read: please choose again."),
    "withdrawn": ("good", "Your answer to verification {} was withdrawn; the verification is waiting again."),
    "disputed": ("warn", "You and another reviewer disagree on verification {}; someone else will settle it."),
}


@router.get("/m/{monitor}/review")
def review_page(
    request: Request, monitor: str, verification: int | None = None, told: str = "", about: int | None = None
) -> Response:
    """Show the requested verification, or the one that the visitor holds, or how many are waiting."""
    visitor, service = enter_page(request), service_of_page(request)
    with service.read() as tx:
        row, review = monitor_of_visitor(tx, visitor, monitor, "answer")
        held = queue.verifications_claimed_by(tx, row.id, visitor.actor)
        number = verification if verification is not None else held[0] if held else None
        waiting = queue.count_claimable_verifications(
            tx, row.id, visitor.actor, review.reviews, visitor.may("settle", row.id)
        )
        last = queue.last_verification_answered_by(tx, row.id, visitor.actor)
        context: dict[str, Any] = {
            "waiting": waiting._replace(verifications=waiting.verifications + len(held)),
            "held": _held_by_others_on_review_page(tx, row.id, visitor.actor),
            "last": None if last == number else last,
            "done": _reviews_done_on_review_page(tx, row.id, visitor.actor),
            "instructions": review.instructions,
            "now": tx.now(),
            "notice": _notice_on_review_page(told, about),
            "verification": None,
            "poll": 4 if number is None else None,
            "keys": keyboard_keys_of_buttons(review.labels),
        }
        hosts: Sequence[str] = ()
        if number is not None:
            found = queue.find_verification(tx, row.id, number)
            look = payload_on_review_page(tx, row.id, row.name, found.number, review)
            context |= {"payload": look.markup} | label_choices_on_review_page(review, found.prediction)
            context["verification"] = _verification_on_review_page(tx, visitor, row, review, found)
            hosts = look.hosts
    return render_page("review.html", page_context(visitor, row, "Review") | context, image_hosts=hosts)


@router.post("/m/{monitor}/review")
def review_form(request: Request, monitor: str) -> Response:
    """Record an answer and go to the next verification."""
    visitor, service, form = enter_page(request), service_of_page(request), form_of_page(request)
    with service.read() as tx:
        row, _ = monitor_of_visitor(tx, visitor, monitor, "answer")
    number, told = form.whole("verification"), ""
    job = _job_of_review_form(form, visitor, row, number)
    if job is not None:
        try:
            status = service.do(job).status
            told = status if status in _NOTICES else ""
        except Problem as problem:
            if problem.kind not in _NOTICES:
                raise
            told = problem.kind
            if told == "invalid":
                return RedirectResponse(
                    page_address(f"/m/{row.name}/review", verification=number, told=told, about=number), 303
                )
    following = _claim_next_for_review_page(service, visitor, row)
    return RedirectResponse(
        page_address(f"/m/{row.name}/review", verification=following, told=told, about=number if told else None), 303
    )


def _job_of_review_form(form: PageForm, visitor: Reviewer, row: MonitorRow, number: int | None) -> Job[Any] | None:
    """Return the job that the form asks for; None if it only asks for the next verification."""
    said = _review_in_form(form)
    if number is None or (said is None and form.get("answer") != "withdraw"):
        return None
    if said is None:
        return withdraw_review(row.id, visitor.actor, number)
    revision, replace, settles = (
        form.whole("revision"),
        form.get("replace") == "1",
        visitor.may("settle", row.id),
    )
    if form.get("settle") == "1" and settles:
        return settle_over_reviews(row.id, visitor.actor, number, said, revision, replace)
    return give_review(row.id, visitor.actor, number, said, revision, replace, settles)


def _review_in_form(form: PageForm) -> Said | None:
    if form.get("label"):
        return Said(label=form.get("label"))
    return {"right": Said(correct=True), "wrong": Said(correct=False), "skip": Said(skipped=True)}.get(
        form.get("answer")
    )


def _claim_next_for_review_page(service: Service, visitor: Reviewer, row: MonitorRow) -> int | None:
    claimed = service.do(queue.claim_verifications(row.id, visitor.actor, settle=visitor.may("settle", row.id)))
    return claimed[0].verification.number if claimed else None


def _verification_on_review_page(
    tx: Reader, visitor: Reviewer, row: MonitorRow, review: ReviewSettings, verification: Verification
) -> dict[str, Any]:
    """Return the visible facts of a verification; in blind mode none depends on the prediction."""
    slots = queue.review_slots_of_verification(tx, row.id, verification.number)
    own = next((one for one in slots if one.reviewer == visitor.actor and one.answer is not None), None)
    settles = visitor.may("settle", row.id)
    settling = verification.open and reviews_disagree(slots, review.reviews) and settles
    names = reviewers.reviewer_names(tx) if settling or not verification.open else {}
    others = [one for one in slots if one.slot > 0 and one.answer is not None] if settling else []
    return verification._asdict() | {
        "prediction": None if review.blind else str(verification.prediction),
        "own": None if own is None or settling else describe_answer_on_page(own, review.blind),
        "others": [
            {"name": names.get(one.reviewer, one.reviewer), "answer": describe_answer_on_page(one, review.blind)}
            for one in others
        ],
        "settling": settling,
        "settled": None if verification.open else describe_state_on_page(verification, review.blind)[0],
        "settled_by": names.get(verification.settled_by or "", verification.settled_by),
        # Whoever may not replace the answer of others can only look at it.
        "locked": not verification.open
        and (verification.state in (FORGOTTEN, DELETED) or (own is None and not settles)),
    }


def describe_state_on_page(verification: Verification, blind: bool) -> tuple[str, str]:
    """Return the state or answer of a verification in words, and the verdict whose color suits it."""
    if verification.state != "answered":
        return {"open": "waiting"}.get(verification.state, verification.state), "unknown"
    if blind:
        return "answered" if verification.label is None else str(verification.label), "unknown"
    if verification.correct:
        return "right", "below"
    return "wrong" if verification.label is None else f"wrong, it is {verification.label}", "above"


def describe_answer_on_page(slot: queue.ReviewSlot, blind: bool) -> str:
    """Describe a reviewer's answer; in blind mode, without its correctness."""
    said = slot.answer or {}
    if said.get("skipped"):
        return "skipped"
    label = said.get("label")
    if blind:
        return "–" if label is None else str(label)
    word = "right" if said.get("correct") else "wrong"
    return word if label is None or said.get("correct") else f"{word}, it is {label}"


def label_choices_on_review_page(review: ReviewSettings, prediction: Any) -> dict[str, Any]:
    """Return the labels to choose from, without a visible prediction, for which there is the button "right".

    The keys of labels do not depend on the prediction. Its own is `also`, a second key for "right".
    """
    keys = keyboard_keys_of_labels(review.labels)
    also = "" if review.blind else keys.pop(str(prediction), "")
    return {"labels": list(keys.items()), "also": also}


def _held_by_others_on_review_page(tx: Reader, monitor: str, reviewer: str) -> int:
    sql = "SELECT COUNT(*) FROM slots WHERE monitor = ? AND reviewer <> ? AND answer IS NULL AND lease_until > ?"
    row = tx.one(sql, monitor, reviewer, tx.now())
    return 0 if row is None else row[0]


def _reviews_done_on_review_page(tx: Reader, monitor: str, reviewer: str) -> int:
    sql = "SELECT COUNT(*) FROM slots WHERE reviewer = ? AND answered_at > ? AND monitor = ?"
    row = tx.one(sql, reviewer, tx.now() - _DAY, monitor)
    return 0 if row is None else row[0]


def _notice_on_review_page(told: str, about: int | None) -> dict[str, str] | None:
    if told not in _NOTICES:
        return None
    kind, text = _NOTICES[told]
    return {"kind": kind, "text": text.format("" if about is None else about)}


def keyboard_keys_of_labels(labels: Sequence[str]) -> dict[str, str]:
    """Return the keys of labels; some have none if there are many."""
    found = {one: one for one in labels if len(one) == 1 and one.isprintable() and not one.isspace()}
    first = {one[0].lower() for one in labels}
    spare = iter([one for one in _SPARE if one not in first])
    return found | {one: next(spare, "") for one in labels if one not in found}


def keyboard_keys_of_buttons(labels: Iterable[str]) -> dict[str, str]:
    """Return the keys of the buttons, which make way for labels; a button has none if labels have both of its keys."""
    taken = {one.lower() for one in labels if len(one) == 1}
    return {name: next((one for one in keys if one not in taken), "") for name, keys in _BUTTONS.items()}


_MOST_FACTS = 24
_HOST = re.compile(r"[a-z0-9.-]+(:[0-9]+)?")


class Shown(NamedTuple):
    """A payload as markup, and the hosts that its page may load images from."""

    markup: Markup
    hosts: tuple[str, ...] = ()


def payload_on_review_page(tx: Reader, monitor: str, name: str, number: int, review: ReviewSettings) -> Shown:
    """Return the payload of a verification; `name` is that of its monitor."""
    row = tx.one("SELECT media_type, content FROM payloads WHERE monitor = ? AND verification = ?", monitor, number)
    if row is None:
        return Shown(Markup('<p class="faint">This verification has no payload, or it was deleted.</p>'))
    kind, content = row[0], bytes(row[1])
    if kind.startswith("image/"):
        source = f"/m/{name}/verifications/{number}/image"
        return Shown(Markup('<img src="{}" alt="Picture of verification {}">').format(source, number))
    text = content.decode("utf-8", "replace")
    if kind == inputs.LINK:
        return _payload_link_markup(text, number, review.image_hosts)
    if kind == inputs.JSON:
        return Shown(_payload_json_markup(text))
    return Shown(Markup('<p class="text" dir="auto">{}</p>').format(text))


def _payload_link_markup(link: str, number: int, hosts: tuple[str, ...]) -> Shown:
    parts = urlsplit(link)
    if parts.scheme not in ("http", "https"):
        return Shown(Markup('<p class="wrap">{}</p>').format(link))
    anchor = Markup('<a href="{0}" rel="noreferrer noopener" target="_blank">{0}</a>').format(link)
    host = parts.netloc.lower()
    if parts.scheme != "https" or not _HOST.fullmatch(host) or host not in {one.lower() for one in hosts}:
        return Shown(Markup('<p class="wrap">{}</p>').format(anchor))
    image = Markup('<img src="{}" alt="Picture of verification {}" referrerpolicy="no-referrer">').format(link, number)
    return Shown(Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(image, anchor), (host,))


def _payload_json_markup(text: str) -> Markup:
    value = json.loads(text)
    if isinstance(value, dict) and 0 < len(value) <= _MOST_FACTS and all(map(_is_plain_json_on_page, value.values())):
        rows = Markup("").join(
            Markup("<dt>{}</dt><dd>{}</dd>").format(key, _json_value_on_page(one)) for key, one in value.items()
        )
        return Markup('<dl class="facts record" dir="auto">{}</dl>').format(rows)
    pretty = json.dumps(value, indent=2, ensure_ascii=False)
    return Markup('<pre class="json" tabindex="0">{}</pre>').format(escape(pretty))


def _is_plain_json_on_page(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _json_value_on_page(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
