"""Verifications: all of them as rows, which are pending, and deleting the payloads of predictions on request."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Body, Query, Response
from pydantic import BeforeValidator, Field, WithJsonSchema
from typing_extensions import TypedDict

from sidelight.monitor import Reason
from sidelight.service.api.requests import ApiCall, Page, api_monitor_scope, prefers_media_type
from sidelight.service.api.routing import BatchRoute, api_refusals, make_api_router
from sidelight.service.auth.keys import caller_sees_predictions
from sidelight.service.auth.reviewers import reviewer_names
from sidelight.service.domain import monitors, retention
from sidelight.service.domain.inputs import TIME_SCHEMA, Label, Shape, Text, seconds_of_input_time
from sidelight.service.domain.retention import Erased
from sidelight.service.domain.verifications import (
    ABOUT_PREDICTION,
    OVERDUE,
    ROW_COLUMNS,
    State,
    VerificationRow,
    Wanted,
    read_verification_rows,
)
from sidelight.service.http.guards import SAFE_HEADERS, http_reply
from sidelight.service.journal import entry as journal
from sidelight.service.limits import BATCH
from sidelight.service.problems import Problem
from sidelight.service.store.base import Reader

router = make_api_router("verifications", BatchRoute)
_SQL = (
    "SELECT id, class, number, reason, asked_at, state FROM verifications "
    "WHERE monitor = ? AND number > ? AND state IN ('open', 'overdue') ORDER BY number LIMIT ?"
)


class PendingOut(TypedDict):
    """A pending verification."""

    id: str
    prediction: Annotated[Label | None, Field(description="The class; null if the monitor is reviewed blind.")]
    number: Annotated[int, Field(description="Its number among all verifications, from 1 in the order requested.")]
    reason: str
    asked_at: Annotated[float, Field(description="Seconds since 1970.")]
    overdue: Annotated[bool, Field(description="Whether the monitor has stopped waiting; the answer still counts.")]


class PendingsOut(TypedDict):
    """Pending verifications, oldest first."""

    pending: list[PendingOut]


@router.get("/v1/monitors/{monitor}/pending", name="pending")
async def pending_route(
    query: Annotated[Page, Query()], call: Annotated[ApiCall, api_monitor_scope("answer")]
) -> PendingsOut:
    """List pending verifications in the order requested; fewer than `limit` means that no more are left."""

    def read_pending_for_route(tx: Reader) -> list[Any]:
        blind = monitors.find_served_monitor(tx, call.name).settings.get("blind", False)
        return [
            {
                "id": id,
                "prediction": None if blind else journal.read_journal_json(name),
                "number": number,
                "reason": Reason.of(reason),
                "asked_at": asked_at,
                "overdue": state == OVERDUE,
            }
            for id, name, number, reason, asked_at, state in tx.all(_SQL, call.monitor, query.after, query.limit)
        ]

    return {"pending": await call.read(read_pending_for_route)}


def _seconds_in_query(text: str) -> float | None:
    """Read a time in a query, where numbers are text, too."""
    try:
        return seconds_of_input_time(float(text))
    except ValueError:
        return seconds_of_input_time(text)


_Moment = Annotated[float | None, BeforeValidator(_seconds_in_query), WithJsonSchema(TIME_SCHEMA)]


class VerificationsPage(Page):
    """Which verifications to return, and how."""

    prediction: Annotated[Text | None, Field(description="Only of this predicted class; 7 is also the text 7.")] = None
    state: Annotated[State | None, Field(description="Only in this state; open is waiting for an answer.")] = None
    since: Annotated[_Moment, Field(description="Only predictions of this time or later.")] = None
    until: Annotated[_Moment, Field(description="Only predictions before this time.")] = None
    format: Annotated[Literal["json", "csv"] | None, Field(description="Instead of an Accept header.")] = None


class VerificationsOut(TypedDict):
    """One page, oldest first."""

    verifications: list[VerificationRow]
    next: Annotated[int | None, Field(description="Give it as `after` to go on; null if no more are left.")]


_CSV = "text/csv"


@router.get(
    "/v1/monitors/{monitor}/verifications",
    name="list_all",
    response_model=VerificationsOut,
    responses={200: {"content": {_CSV: {"schema": {"type": "string"}}}}},
)
async def list_all_route(
    query: Annotated[VerificationsPage, Query()], call: Annotated[ApiCall, api_monitor_scope("report")]
) -> Response:
    """List verifications in the order requested, as JSON, or as CSV if `format` or the Accept header says so."""
    wanted = Wanted(query.prediction, query.state, query.since, query.until)

    def read_rows_for_route(tx: Reader) -> list[dict[str, Any]]:
        blind = monitors.find_served_monitor(tx, call.name).settings.get("blind", False)
        hidden = () if caller_sees_predictions(call.caller, call.monitor, blind) else ABOUT_PREDICTION
        if hidden and wanted.prediction is not None:
            detail = "predictions are hidden in this monitor: choosing verifications by them needs the scope admin"
            raise Problem("forbidden", detail)
        names, rows = reviewer_names(tx), read_verification_rows(tx, call.monitor, query.after, query.limit + 1, wanted)
        for row in rows:
            row |= dict.fromkeys(hidden)
            row["settled_by"] = names.get(row["settled_by"], row["settled_by"])
        return rows

    rows = await call.read(read_rows_for_route)
    following = rows[query.limit - 1]["number"] if len(rows) > query.limit else None
    rows = rows[: query.limit]
    if query.format != "csv" and (query.format or not prefers_media_type(call.request.headers.get("accept", ""), _CSV)):
        return http_reply({"verifications": rows, "next": following})
    headers = SAFE_HEADERS | {"Content-Disposition": 'attachment; filename="verifications.csv"'}
    if following is not None:
        given = urlencode(dict(call.request.query_params) | {"after": following})
        headers["Link"] = f'<?{given}>; rel="next"'
    return Response(_csv_reply_of_route(rows), media_type=_CSV, headers=headers)


def _csv_reply_of_route(rows: Sequence[dict[str, Any]]) -> bytes:
    """Return rows as CSV (RFC 4180) in UTF-8; texts are as they are, quoted where they must be, and None is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(ROW_COLUMNS)
    for row in rows:
        values = (row[name] for name in ROW_COLUMNS)
        writer.writerow([one if one is None or isinstance(one, str) else journal.journal_json(one) for one in values])
    return stream.getvalue().encode("utf-8")


class ErasuresIn(Shape):
    """The predictions whose payloads to delete."""

    ids: Annotated[list[Text], Field(max_length=BATCH)]


class ErasuresOut(TypedDict):
    """Results in the order of the ids."""

    erased: list[Erased]


@router.post("/v1/monitors/{monitor}/erase", name="erase", responses=api_refusals("gone"))
async def erase_route(
    body: Annotated[ErasuresIn, Body()], call: Annotated[ApiCall, api_monitor_scope("admin")]
) -> ErasuresOut:
    """Delete payloads on request now, whatever the retention; waiting verifications are released."""
    return {
        "erased": await call.do(retention.erase_prediction_payloads(call.monitor, body.ids, actor=call.caller.actor))
    }
