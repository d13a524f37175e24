"""The journal: the ordered record of everything that happened to a monitor, each entry chained to the one before.

The chain of an entry is the SHA-256 of the chain before it and the entry as JSON. The last chain shows whether anything
before it was changed, and whether a journal is still the one that a process has followed so far.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sidelight.service.store.base import Reader, Row

CREATED, DECIDED, ANSWERED, REVIEWED = "created", "decided", "answered", "reviewed"
SETTINGS, EXPIRED, SEALED = "settings", "expired", "sealed"
BEGINNING = bytes(32)
"""The chain before the first entry."""

COLUMNS = ("monitor", "number", "kind", "key", "at", "actor", "body", "chain")
_COLUMNS = "number, kind, key, at, actor, body, chain"
_SELECT = f"SELECT {_COLUMNS} FROM journal"
_PAGE, _TOGETHER = 5000, 100


class JournalEntry(NamedTuple):
    """One entry; `body` is the stored text."""

    number: int
    kind: str
    key: bytes | None
    at: float
    actor: str
    body: str
    chain: bytes

    def chained_to(self, before: bytes) -> bool:
        """Say whether the chain of this entry follows from the one before it."""
        return self.chain == next_journal_chain(before, *self[:6])

    @property
    def data(self) -> dict[str, Any]:
        """The body as data."""
        found: dict[str, Any] = read_journal_json(self.body)
        return found

    def plain(self) -> dict[str, Any]:
        """Return the entry as plain data for JSON."""
        key = None if self.key is None else self.key.hex()
        return self._asdict() | {"key": key, "body": self.data, "chain": self.chain.hex()}


def journal_key_of_prediction(monitor: str, id: str) -> bytes:
    """Return the 16 bytes that identify the prediction with this id."""
    return hashlib.blake2b(f"{monitor}\0{id}".encode(), digest_size=16).digest()


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=dataclasses.asdict)


def journal_json(body: Any) -> str:
    """Return data, which may contain records, as compact JSON in ASCII."""
    return _ENCODER.encode(body)


def read_journal_json(text: str) -> Any:
    """Return the data in a text made by `journal_json`."""
    return json.loads(text)


def next_journal_chain(
    before: bytes, number: int, kind: str, key: bytes | None, at: float, actor: str, body: str
) -> bytes:
    """Return the chain of an entry: SHA-256 of the chain before it and of a JSON array, built by hand here."""
    name = "null" if key is None else f'"{key.hex()}"'
    text = f"[{number},{journal_json(kind)},{name},{at!r},{journal_json(actor)},{journal_json(body)}]"
    return hashlib.sha256(before + text.encode("ascii")).digest()


def journal_entry_of_row(row: Row) -> JournalEntry:
    """Return the entry in a row of the database."""
    number, kind, key, at, actor, body, chain = row
    return JournalEntry(number, kind, None if key is None else bytes(key), float(at), actor, body, bytes(chain))


def read_journal_entries(tx: Reader, monitor: str, after: int, most: int = _PAGE) -> list[JournalEntry]:
    """Return at most `most` entries after a number, in order."""
    sql = f"{_SELECT} WHERE monitor = ? AND number > ? ORDER BY number LIMIT ?"
    return [journal_entry_of_row(row) for row in tx.all(sql, monitor, after, most)]


def read_all_journal_entries(tx: Reader, monitor: str, after: int) -> Iterator[JournalEntry]:
    """Yield the entries after a number, read page by page in one transaction."""
    while page := read_journal_entries(tx, monitor, after):
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].number


def read_journals_of_monitors(tx: Reader, after: Mapping[str, int]) -> dict[str, list[JournalEntry]]:
    """Return the entries of several monitors, each after its own number, with few queries."""
    found: dict[str, list[JournalEntry]] = {monitor: [] for monitor in after}
    pairs = list(after.items())
    for start in range(0, len(pairs), _TOGETHER):
        some = pairs[start : start + _TOGETHER]
        where = " OR ".join(["(monitor = ? AND number > ?)"] * len(some))
        sql = f"SELECT monitor, {_COLUMNS} FROM journal WHERE {where} ORDER BY monitor, number"
        for monitor, *row in tx.all(sql, *(value for pair in some for value in pair)):
            found[monitor].append(journal_entry_of_row(tuple(row)))
    return found
