"""The settings of a monitor: all of them for readers, fields for those that an administrator may change, and its end.

The fields are those that `PATCH /v1/monitors/{m}` takes; how each is written follows from its description there.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.responses import RedirectResponse

from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.domain import monitors
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.journal import entry as journal
from sidelight.service.problems import Problem
from sidelight.service.settings import CHANGEABLE_SCHEMA, SERVED, plain_review_settings
from sidelight.service.web import visitors
from sidelight.service.web.rendering import render_page
from sidelight.service.writer.unit import WriterUnit, monitor_writer_job

router = visitors.make_page_router()
_FIELDS: Mapping[str, Mapping[str, Any]] = CHANGEABLE_SCHEMA["properties"]
_FIXED = [name for name in SERVED if name not in _FIELDS]
_KINDS = {"boolean": "switch", "array": "lines", "string": "text"}
_COMMA = re.compile(r"-?\d+,\d+")
_LONGEST_VALUE = 200
_SAVED = {"kind": "good", "text": "The settings are saved."}


class Field(NamedTuple):
    """A setting that can be changed, as a form shows it."""

    name: str
    kind: str
    """"switch", "lines" (a list), "text", or "value" (anything else, as JSON)."""
    text: str
    words: str


@monitor_writer_job
def _settings_of_page(work: WriterUnit, monitor: str) -> dict[str, Any]:
    """Return the settings that a monitor has, with the defaults of the version that created it."""
    replica = work.replica(monitor)
    return replica.monitor.settings.plain() | plain_review_settings(replica.review)


@router.get("/m/{monitor}/settings")
def settings_page(request: Request, monitor: str, saved: bool = False) -> Response:
    """Show all settings."""
    visitor = visitors.enter_page(request)
    with visitors.service_of_page(request).read() as tx:
        row, _ = visitors.monitor_of_visitor(tx, visitor, monitor, "report")
    return _render_settings_page(request, visitor, row, notice=_SAVED if saved else None)


@router.post("/m/{monitor}/settings")
def change_settings_form(request: Request, monitor: str) -> Response:
    """Change the settings whose fields were changed."""
    visitor, row = _administrator_of_settings_page(request, monitor)
    service, form = visitors.service_of_page(request), visitors.form_of_page(request)
    before = service.do(_settings_of_page(row.id))
    try:
        if form.get("seen") != _digest_of_settings_form(before):
            raise Problem("conflict", "someone changed the settings meanwhile: look at them and try again")
        # Texts are compared, not values: a form cannot say everything that a request can, such as spaces at an end.
        texts = {
            name: (
                _normalize_text_of_form(form.get(name)),
                _normalize_text_of_form(text_of_settings_field(kind_of_settings_field(name), before.get(name))),
            )
            for name in _FIELDS
        }
        changed = {
            name: value_of_settings_field(kind_of_settings_field(name), new)
            for name, (new, old) in texts.items()
            if new != old
        }
        if changed:
            service.do(monitors.change_served_monitor(row.id, changed, actor=visitor.actor))
    except Problem as problem:
        if problem.kind not in ("invalid", "conflict"):
            raise
        return _render_settings_page(request, visitor, row, form=form, problem=problem)
    return RedirectResponse(f"/m/{row.name}/settings?saved=1", 303)


@router.post("/m/{monitor}/archive")
def archive_monitor_form(request: Request, monitor: str) -> Response:
    """Archive a monitor whose name was typed."""
    visitor, row = _administrator_of_settings_page(request, monitor)
    if visitors.form_of_page(request).get("confirm").strip() != row.name:
        problem = Problem("invalid", "to archive the monitor, type its name; nothing changed")
        return _render_settings_page(request, visitor, row, problem=problem)
    visitors.service_of_page(request).do(monitors.archive_served_monitor(row.id, actor=visitor.actor))
    request.app.state.names.forget(row.name)
    return RedirectResponse("/", 303)


def _administrator_of_settings_page(request: Request, monitor: str) -> tuple[Reviewer, MonitorRow]:
    visitor = visitors.enter_page(request)
    with visitors.service_of_page(request).read() as tx:
        return visitor, visitors.monitor_of_visitor(tx, visitor, monitor, "admin")[0]


def _render_settings_page(
    request: Request,
    visitor: Reviewer,
    row: MonitorRow,
    *,
    form: visitors.PageForm | None = None,
    notice: dict[str, str] | None = None,
    problem: Problem | None = None,
) -> Response:
    values = visitors.service_of_page(request).do(_settings_of_page(row.id))
    fields = []
    for name, schema in _FIELDS.items():
        kind = kind_of_settings_field(name)
        text = text_of_settings_field(kind, values.get(name)) if form is None else form.get(name)
        fields.append(Field(name, kind, text, schema.get("description", "")))
    context = visitors.page_context(visitor, row, "Settings") | {
        "fields": fields,
        "editable": visitor.may("admin", row.id),
        "fixed": [(name, journal.journal_json(value)) for name, value in values.items() if name in _FIXED],
        "seen": _digest_of_settings_form(values),
        "notice": notice if problem is None else {"kind": "bad", "text": visitors.describe_problem_on_page(problem)},
        "created_at": row.created_at,
    }
    return render_page("settings.html", context, status=200 if problem is None else problem.status)


def kind_of_settings_field(name: str) -> str:
    """Return how a setting is written."""
    return _KINDS.get(_FIELDS[name].get("type", ""), "value")


def text_of_settings_field(kind: str, value: Any) -> str:
    """Return the text of a field with this value."""
    if kind == "switch":
        return "1" if value else ""
    if kind == "lines":
        return "\n".join(value or ())
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def value_of_settings_field(kind: str, text: str) -> Any:
    """Return the value of a field with this text; invalid values are refused later, as in a request."""
    if kind == "switch":
        return bool(text)
    if kind == "lines":
        return [one.strip() for one in text.splitlines() if one.strip()]
    if kind == "text":
        return text
    text = text.strip()
    if not text or len(text) > _LONGEST_VALUE:
        return text[:_LONGEST_VALUE] or None
    try:
        return json.loads(text.replace(",", ".") if _COMMA.fullmatch(text) else text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def _normalize_text_of_form(text: str) -> str:
    """Return a text with the line breaks that every browser agrees on."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _digest_of_settings_form(values: Mapping[str, Any]) -> str:
    """Return a digest of the settings, by which a form notices that they have changed meanwhile."""
    return hashlib.sha256(journal.journal_json(values).encode()).hexdigest()[:16]
