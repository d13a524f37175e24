"""The audit log: who changed keys, webhooks, reviewers and monitors, and who took data out.

What a monitor decides and which answers it gets is in its journal.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any

from sidelight.service.journal.entry import journal_json
from sidelight.service.store.base import Reader, Transaction

PAGE = 100


@dataclass(frozen=True, slots=True)
class Note:
    """One entry."""

    id: str
    at: float
    actor: str
    action: str
    """A noun and a verb, as in "key created"."""
    subject: str
    detail: dict[str, Any]


def write_audit_log(tx: Transaction, actor: str, action: str, subject: str, **detail: Any) -> None:
    """Note a change, in the transaction that makes it; never write a secret here."""
    values = (secrets.token_hex(8), tx.now(), actor, action, subject, journal_json(detail))
    tx.run("INSERT INTO audit (id, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)", *values)


def read_audit_log(tx: Reader, before: tuple[float, str] | None = None, most: int = PAGE) -> list[Note]:
    """Return one page, newest first; the next page is the one before the last entry's time and id."""
    where, values = ("WHERE (at, id) < (?, ?)", before) if before else ("", ())
    sql = f"SELECT id, at, actor, action, subject, detail FROM audit {where} ORDER BY at DESC, id DESC LIMIT ?"
    rows = tx.all(sql, *values, most)
    return [Note(id, at, actor, action, subject, json.loads(detail)) for id, at, actor, action, subject, detail in rows]
