"""The pages for administrators: reviewers, keys, webhooks, new monitors, and the audit log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.responses import RedirectResponse

from sidelight.service.auth import keys, reviewers
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.domain import monitors
from sidelight.service.journal import audit
from sidelight.service.store.base import Reader
from sidelight.service.web import visitors
from sidelight.service.web.rendering import page_address, render_page
from sidelight.service.webhooks import endpoints
from sidelight.service.webhooks.formats import EVENTS, FORMATS, GENERIC
from sidelight.service.writer.unit import Job

router = visitors.make_page_router()
_SECTIONS = (
    ("/admin", "Reviewers"),
    ("/admin/keys", "Keys"),
    ("/admin/webhooks", "Webhooks"),
    ("/admin/audit", "Audit"),
)
_SCOPES = (
    ("decide", "ask for decisions"),
    ("answer", "review and answer"),
    ("settle", "settle disagreements"),
    ("report", "see dashboards and reports"),
    ("admin", "administer everything"),
)
_ROWS: dict[str, Callable[[Reader], list[Any]]] = {
    "Reviewers": reviewers.list_reviewers,
    "Keys": keys.list_keys,
    "Webhooks": endpoints.list_webhooks,
}
_CHANGES: dict[tuple[str, str], Callable[[str, str], Job[None]]] = {
    ("reviewers", "disable"): reviewers.disable_reviewer,
    ("reviewers", "enable"): reviewers.enable_reviewer,
    ("keys", "revoke"): keys.revoke_key,
    ("webhooks", "remove"): endpoints.remove_webhook,
}
_DAY = 86_400.0
_ONCE = "copy it now; it will not be shown again."


class Secret(NamedTuple):
    """A secret that is shown only once."""

    title: str
    text: str
    value: str


@router.get("/admin")
def reviewers_page(request: Request) -> Response:
    """Show who may sign in."""
    return _list_on_admin_page(request, visitors.enter_admin_page(request), "Reviewers")


@router.post("/admin/reviewers")
def invite_reviewer_form(request: Request) -> Response:
    """Add a reviewer and show the link that lets them choose a password."""
    visitor, form = visitors.enter_admin_page(request), visitors.form_of_page(request)
    job = reviewers.invite_reviewer(visitor.actor, form.get("name"), form.all("scope"), _monitors_in_admin_form(form))
    return _list_on_admin_page(
        request, visitor, "Reviewers", _password_link_on_admin_page(request, visitors.service_of_page(request).do(job))
    )


@router.get("/admin/keys")
def keys_page(request: Request) -> Response:
    """Show the keys that programs use."""
    return _list_on_admin_page(request, visitors.enter_admin_page(request), "Keys")


@router.post("/admin/keys")
def create_key_form(request: Request) -> Response:
    """Create a key and show it once."""
    visitor, form = visitors.enter_admin_page(request), visitors.form_of_page(request)
    days = form.number("days")
    seconds = None if days is None else days * _DAY
    job = keys.create_key(visitor.actor, form.get("name"), form.all("scope"), _monitors_in_admin_form(form), seconds)
    return _list_on_admin_page(
        request, visitor, "Keys", Secret("New key:", _ONCE, visitors.service_of_page(request).do(job).key)
    )


@router.get("/admin/webhooks")
def webhooks_page(request: Request) -> Response:
    """Show the webhooks."""
    return _list_on_admin_page(request, visitors.enter_admin_page(request), "Webhooks")


@router.post("/admin/webhooks")
def create_webhook_form(request: Request) -> Response:
    """Create a webhook and show its secret once, if it has one."""
    visitor, form = visitors.enter_admin_page(request), visitors.form_of_page(request)
    given = (
        form.get("url").strip(),
        form.all("event"),
        _monitors_in_admin_form(form),
        request.app.state.options.egress,
    )
    format = next((one for one in FORMATS if one == form.get("format")), GENERIC)
    job = endpoints.create_webhook(visitor.actor, *given, format, form.get("routing_key").strip() or None)
    new = visitors.service_of_page(request).do(job)
    if new.secret is None:
        return RedirectResponse("/admin/webhooks", 303)
    text = "the receiver needs it to check signatures. Copy it now; it will not be shown again."
    return _list_on_admin_page(request, visitor, "Webhooks", Secret("Webhook secret:", text, new.secret))


@router.post("/admin/{kind}/{id}")
def change_access_form(request: Request, kind: str, id: str) -> Response:
    """Change the scopes of a reviewer or key, give them a new link or key, or end or renew their access."""
    visitor, form, service = (
        visitors.enter_admin_page(request),
        visitors.form_of_page(request),
        visitors.service_of_page(request),
    )
    what, actor = form.get("do"), visitor.actor
    if (kind, what) == ("reviewers", "link"):
        return _list_on_admin_page(
            request,
            visitor,
            "Reviewers",
            _password_link_on_admin_page(request, service.do(reviewers.renew_password_link(actor, id))),
        )
    if (kind, what) == ("keys", "rotate"):
        new = service.do(keys.rotate_key(actor, id))
        return _list_on_admin_page(
            request, visitor, "Keys", Secret("New key:", f"{_ONCE} The old key works for another day.", new.key)
        )
    if what == "scopes":
        change = keys.change_key if kind == "keys" else reviewers.change_reviewer
        service.do(change(actor, id, {"scopes": form.all("scope")}))
    elif (kind, what) in _CHANGES:
        service.do(_CHANGES[kind, what](actor, id))
    return RedirectResponse("/admin" if kind == "reviewers" else f"/admin/{kind}", 303)


@router.get("/admin/audit")
def audit_page(request: Request, at: float | None = None, id: str = "") -> Response:
    """Show the audit log."""
    visitor = visitors.enter_admin_page(request)
    with visitors.service_of_page(request).read() as tx:
        notes = audit.read_audit_log(tx, None if at is None else (at, id))
        names = reviewers.reviewer_names(tx)
    entries = [
        {
            "at": one.at,
            "who": names.get(one.actor, one.actor),
            "action": one.action,
            "subject": one.subject,
            "detail": "; ".join(
                f"{name}: {_join_words_on_admin_page(value)}" for name, value in one.detail.items() if value is not None
            ),
        }
        for one in notes
    ]
    older = page_address("/admin/audit", at=repr(notes[-1].at), id=notes[-1].id) if len(notes) == audit.PAGE else None
    return _render_admin_page(visitor, "Audit", {"entries": entries, "older": older})


@router.post("/admin/monitors")
def create_monitor_form(request: Request) -> Response:
    """Create a monitor from the most common settings."""
    visitor, form = visitors.enter_admin_page(request), visitors.form_of_page(request)
    settings: dict[str, Any] = {"tolerance": form.number("tolerance"), "confidence": form.number("confidence")}
    settings |= {"daily_cap": form.whole("daily_cap"), "reviews": form.whole("reviews")}
    labels = [one.strip() for one in form.get("labels").split(",") if one.strip()]
    settings |= {"labels": labels or None, "blind": True if form.get("blind") else None}
    given = {name: value for name, value in settings.items() if value is not None}
    row = visitors.service_of_page(request).do(
        monitors.create_served_monitor(form.get("name").strip(), given, actor=visitor.actor)
    )
    return RedirectResponse(f"/m/{row.name}", 303)


def _list_on_admin_page(request: Request, visitor: Reviewer, section: str, secret: Secret | None = None) -> Response:
    """Show keys, reviewers or webhooks, and a new secret."""
    with visitors.service_of_page(request).read() as tx:
        context: dict[str, Any] = {
            "rows": monitors.with_monitor_names(tx, _ROWS[section](tx)),
            "secret": secret,
            "monitor_names": [one.name for one in monitors.list_served_monitors(tx)],
            "all_events": EVENTS.items(),
            "formats": FORMATS.items(),
            "waiting": dict(tx.all("SELECT endpoint, COUNT(*) FROM outbox WHERE sent_at IS NULL GROUP BY endpoint")),
            "now": tx.now(),
        }
    return _render_admin_page(visitor, section, context)


def _render_admin_page(visitor: Reviewer, section: str, context: dict[str, Any]) -> Response:
    shared = {"section": section, "sections": _SECTIONS, "all_scopes": _SCOPES, "secret": None}
    return render_page("admin.html", visitors.page_context(visitor, tab="Admin") | shared | context)


def _password_link_on_admin_page(request: Request, invitation: reviewers.Invitation) -> Secret:
    text = "it works once, within seven days, and will not be shown again. Send it to no one else."
    link = reviewers.address_of_password_link(visitors.own_address_of_pages(request), invitation.code)
    return Secret(f"Link for {invitation.reviewer.name}:", text, link)


def _monitors_in_admin_form(form: visitors.PageForm) -> list[str] | None:
    return form.all("monitor") or None


def _join_words_on_admin_page(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
