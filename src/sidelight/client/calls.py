"""The calls about one monitor, and how requests are split into batches."""

from __future__ import annotations

import base64
import itertools
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from sidelight.client.exchange import (
    ServiceHealth,
    Steps,
    UnreachableError,
    exchange_with_service,
    expect_service_reply,
)
from sidelight.errors import SidelightError
from sidelight.monitor.inputs import (
    monitor_input_column,
    monitor_input_flag,
    monitor_input_id,
    monitor_input_list,
    monitor_input_moment,
    monitor_input_score,
    monitor_input_segment,
    monitor_input_versions,
    plain_label,
)
from sidelight.monitor.types import Decision, Label

if TYPE_CHECKING:
    from sidelight.monitor.report.breakdown import TrueClasses
    from sidelight.monitor.report.records import Report

UNREACHABLE = "unreachable"
"""The reason of a decision without the service: no one answered in time, so the prediction passes."""

LARGEST_BATCH = 1000
_LARGEST_BODY = 4 << 20  # half of what the service accepts


class Answer(NamedTuple):
    """What an answer changed, according to the service."""

    status: str
    """"recorded"; "unchanged" (the same as before); "corrected"; "released"; "withdrawn"; "not chosen" (it was let
    pass, so its label would bias the estimate). In a batch also "unknown" (never decided), "conflict" (a different
    answer exists) and "gone" (forgotten or deleted), which are errors of a single answer."""
    id: str
    verdict: str | None
    """The verdict on the class now; None if the answer belongs to no class."""
    text: str
    """What happened, in words."""


class Pending(NamedTuple):
    """A verification that was requested and is not answered yet."""

    id: str
    prediction: Label | None
    """None if the monitor is reviewed blind."""
    number: int
    """Its number among all verifications, from 1 in the order requested."""
    reason: str
    asked_at: datetime
    overdue: bool
    """Whether the monitor has stopped waiting; the answer still counts."""


class Limits(NamedTuple):
    """How long to try for decisions and for everything else, and how often to retry."""

    timeout: float
    patience: float
    retries: int


class ClientCalls:
    """The calls about one monitor."""

    def __init__(self, name: str, limits: Limits, health: ServiceHealth) -> None:
        if not isinstance(name, str) or not name:
            raise SidelightError(f"{name!r} is not the name of a monitor: give text, as in client.monitor('digits')")
        self._path = f"/v1/monitors/{quote(name, safe='')}"
        self._limits, self._health = limits, health

    def decide(
        self,
        prediction: Any,
        id: Any = None,
        time: Any = None,
        *,
        payload: Any = None,
        score: Any = None,
        segment: Mapping[str, Any] | None = None,
        version: Any = None,
        others: Mapping[str, Any] | None = None,
    ) -> Steps[Decision]:
        """Decide about one prediction: verify it or let it pass.

        An `id` that was decided before gets the same decision again and counts once. Without an id one is made up.
        `time` says which day's cap applies; by default, the service's current time. The `payload` is what a reviewer
        sees: text, plain data, the bytes of a picture, or {"link": address}; it is kept only if the prediction is to be
        verified. For the other arguments see `ClassifierMonitor.decide`.
        """
        row = prediction_row_to_send(prediction, id, time, payload, score, segment, version, others)
        return (yield from self.decided([row], single=True))[0]

    def decide_many(
        self,
        predictions: Any,
        ids: Any = None,
        times: Any = None,
        *,
        payloads: Any = None,
        scores: Any = None,
        segments: Any = None,
        versions: Any = None,
        others: Any = None,
    ) -> Steps[list[Decision]]:
        """Decide about a batch: any iterable or data frame column, with columns of ids, times, payloads and so on.

        A request holds at most 1 000 predictions and is decided completely or not at all. After an error, earlier
        requests may have been decided; asking again with the same ids is safe.
        """
        labels = monitor_input_list(predictions)
        given = {"ids": ids, "times": times, "payloads": payloads}
        given |= {"scores": scores, "segments": segments, "versions": versions, "others": others}
        columns = (monitor_input_column(name, values, len(labels)) for name, values in given.items())
        return (yield from self.decided([prediction_row_to_send(*row) for row in zip(labels, *columns, strict=True)]))

    def decided(self, rows: Sequence[Mapping[str, Any]], single: bool = False) -> Steps[list[Decision]]:
        """Ask for decisions, in batches; the predictions pass if no one answers."""
        found: list[Decision] = []
        for batch, body in _request_bodies_to_send("predictions", rows, single):
            if self._health.resting:
                self._health.passed(len(batch))
                found += map(decision_without_service, batch)
                continue
            try:
                reply = yield from self._ask("POST", "/decisions", body, self._limits.timeout)
                with expect_service_reply("decisions"):
                    found += map(
                        _decision_from_reply,
                        batch,
                        _replies_to_client_batch(batch, [reply] if single else reply["decisions"]),
                    )
                self._health.worked()
            except UnreachableError as error:
                self._health.failed(len(batch), str(error))
                found += map(decision_without_service, batch)
        return found

    def answer(
        self, id: Any, correct: bool | None = None, *, label: Any = None, skipped: bool = False, replace: bool = False
    ) -> Steps[Answer]:
        """Record what a verification showed: `correct`, or the true `label`, or `skipped=True` to release it.

        The same answer twice changes nothing; replacing a different one needs `replace=True`. An id that was let pass
        has the status "not chosen"; one that was never decided, or was forgotten, is an error. In a monitor with two
        reviews or hidden predictions, the key also needs the scope settle.
        """
        return (yield from self._answered([_answer_row_to_send(id, correct, label, skipped, replace)], single=True))[0]

    def answer_many(
        self, ids: Any, correct: Any = None, *, labels: Any = None, skipped: Any = None, replace: bool = False
    ) -> Steps[list[Answer]]:
        """Record what many verifications showed: columns of ids and of `correct`, `labels` or `skipped`.

        Each has its own status, so an answer that cannot be recorded does not affect the others.
        """
        names = monitor_input_list(ids, "ids", "answer")
        given = {"answers": correct, "labels": labels, "skips": skipped}
        columns = (monitor_input_column(name, values, len(names), "ids", "answer") for name, values in given.items())
        rows = [
            _answer_row_to_send(*row)
            for row in zip(names, *columns, itertools.repeat(replace, len(names)), strict=True)
        ]
        return (yield from self._answered(rows))

    def _answered(self, rows: Sequence[Mapping[str, Any]], single: bool = False) -> Steps[list[Answer]]:
        """Send answers, in batches."""
        found: list[Answer] = []
        for batch, body in _request_bodies_to_send("answers", rows, single):
            reply = yield from self._ask("POST", "/answers", body)
            with expect_service_reply("answers"):
                found += map(
                    _answer_from_reply, _replies_to_client_batch(batch, [reply] if single else reply["answers"])
                )
        return found

    def report(self) -> Steps[Report]:
        """Return what is known about every class."""
        from sidelight.monitor.report.records import Report  # needs NumPy

        with expect_service_reply("a report"):
            return Report.from_dict((yield from self._ask("GET", "/report")))

    def true_classes(self) -> Steps[TrueClasses]:
        """Return what the true classes are where answers have told them: a confusion matrix, and what is missed.

        The service tells of at most 100 classes, those with the most answers.
        """
        from sidelight.monitor.report.breakdown import TrueClasses  # needs NumPy

        with expect_service_reply("true classes"):
            return TrueClasses.from_dict((yield from self._ask("GET", "/true-classes")))

    def pending(self) -> Steps[list[Pending]]:
        """Return the pending verifications, in the order they were requested."""
        found: list[Pending] = []
        while True:
            after = found[-1].number if found else 0
            reply = yield from self._ask("GET", f"/pending?after={after}&limit={LARGEST_BATCH}")
            with expect_service_reply("a list of what is pending"):
                page = [
                    Pending(**one | {"asked_at": datetime.fromtimestamp(one["asked_at"], UTC)})
                    for one in reply["pending"]
                ]
            found += page
            if len(page) < LARGEST_BATCH:
                return found

    def verification_page(
        self, after: int, prediction: Any = None, state: str | None = None, since: Any = None, until: Any = None
    ) -> Steps[tuple[list[dict[str, Any]], int | None]]:
        """Return the verifications after a number, and after which to go on; None if no more are left."""
        given: dict[str, Any] = {"after": after, "limit": LARGEST_BATCH, "state": state}
        if prediction is not None:
            given["prediction"] = name if isinstance(name := plain_label(prediction), str) else json.dumps(name)
        times = {"since": since, "until": until}
        given |= {name: monitor_input_moment(time).isoformat() for name, time in times.items() if time is not None}
        query = urlencode({name: value for name, value in given.items() if value is not None})
        reply = yield from self._ask("GET", f"/verifications?{query}")
        with expect_service_reply("a list of verifications"):
            for row in reply["verifications"]:
                for name in ("time", "settled_at"):
                    row[name] = None if row[name] is None else datetime.fromisoformat(row[name])
            return reply["verifications"], reply["next"]

    def _ask(self, method: str, path: str, body: bytes | None = None, seconds: float | None = None) -> Steps[Any]:
        limits = self._limits
        return exchange_with_service(method, self._path + path, body, seconds or limits.patience, limits.retries)


def call_to_create_monitor(name: str, settings: Mapping[str, Any], limits: Limits) -> Steps[Any]:
    """Create a monitor."""
    body = _request_json_to_send({"name": name, "settings": dict(settings)}, "these settings", "plain values")
    return exchange_with_service("POST", "/v1/monitors", body.encode("ascii"), limits.patience, limits.retries)


def prediction_row_to_send(
    prediction: Any,
    id: Any,
    time: Any,
    payload: Any = None,
    score: Any = None,
    segment: Any = None,
    version: Any = None,
    others: Any = None,
) -> dict[str, Any]:
    """Return one prediction as the service expects it; without an id one is made up, so that a retry counts once."""
    row: dict[str, Any] = {
        "id": uuid.uuid4().hex if id is None else str(monitor_input_id(id)),
        "prediction": plain_label(prediction),
    }
    if time is not None:
        row["time"] = monitor_input_moment(time).isoformat()
    if payload is not None:
        row["payload"] = _payload_json_to_send(payload)
    number = monitor_input_score(score)
    if number == number:
        row["score"] = number
    parts = monitor_input_segment(segment, version)
    if parts:
        row["segment"] = dict(parts)
    said = monitor_input_versions(others, parts)
    if said:
        row["others"] = dict(said)
    return row


def _answer_row_to_send(id: Any, correct: Any, true: Any, skipped: Any, replace: bool) -> dict[str, Any]:
    """Return one answer as the service expects it."""
    skip = skipped is not None and monitor_input_flag("skipped", skipped)
    if (correct is not None) + (true is not None) + skip != 1:
        raise SidelightError("an answer is one of correct=True or False, label=..., or skipped=True; nothing changed")
    row: dict[str, Any] = {"id": str(monitor_input_id(id))}
    if skip:
        row["skipped"] = True
    elif true is not None:
        row["label"] = plain_label(true)
    else:
        row["correct"] = monitor_input_flag("correct", correct)
    return row | {"replace": True} if replace else row


def decision_without_service(row: Mapping[str, Any]) -> Decision:
    """Return the decision for a prediction that the service did not decide."""
    return Decision(False, row["id"], UNREACHABLE, row["prediction"])


def _payload_json_to_send(value: Any) -> Any:
    """Return the payload in the form the service expects: text, JSON, or the bytes of a picture."""
    if isinstance(value, bytes | bytearray | memoryview):
        return {"image": base64.b64encode(value).decode("ascii")}
    return {"text": value} if isinstance(value, str) else value


Rows = list[Mapping[str, Any]]


def _request_bodies_to_send(name: str, rows: Sequence[Mapping[str, Any]], single: bool) -> Iterator[tuple[Rows, bytes]]:
    """Yield batches that are small enough for one request, each with its body; a single row is its own body."""
    # All are checked before the first is sent.
    texts = [
        _request_json_to_send(row, f"row {n} (id {row['id']!r})", "a payload of plain values")
        for n, row in enumerate(rows)
    ]
    if single:
        yield list(rows), texts[0].encode("ascii")
        return
    start, size = 0, 0
    for place, text in enumerate(texts):
        if place > start and (place - start == LARGEST_BATCH or size + len(text) > _LARGEST_BODY):
            yield list(rows[start:place]), _join_rows_to_send(name, texts[start:place])
            start, size = place, 0
        size += len(text) + 1
    if texts:
        yield list(rows[start:]), _join_rows_to_send(name, texts[start:])


def _join_rows_to_send(name: str, texts: Sequence[str]) -> bytes:
    return f'{{"{name}":[{",".join(texts)}]}}'.encode("ascii")


def _request_json_to_send(data: Mapping[str, Any], what: str, remedy: str) -> str:
    try:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SidelightError(f"{what} cannot be written as JSON ({error}): give {remedy}; nothing was sent") from None


def _replies_to_client_batch(batch: Rows, replies: Any) -> list[dict[str, Any]]:
    """Return the replies to a batch, which name the same ids."""
    if [one["id"] for one in replies] != [row["id"] for row in batch]:
        raise ValueError("the ids differ")
    found: list[dict[str, Any]] = replies
    return found


def _decision_from_reply(row: Mapping[str, Any], one: Mapping[str, Any]) -> Decision:
    if not isinstance(one["verify"], bool) or not isinstance(one["reason"], str):
        raise TypeError("this is no decision")
    return Decision(one["verify"], row["id"], one["reason"], row["prediction"], one.get("propensity"))


def _answer_from_reply(one: Mapping[str, Any]) -> Answer:
    text = one.get("detail") or f"{one['id']!r}: {one['status']}"
    return Answer(str(one["status"]), one["id"], one.get("verdict"), str(text))
