"""The chain of the journal."""

import hashlib
import json

import pytest

from sidelight.service.journal import entry as journal

ENTRIES = [
    (1, "created", None, 1.7e9, "key:first", "{}"),
    (2, "decided", b"\x00\xff" * 8, 1700000000.1234567, 'key:"quoted" \\ ž', '{"id":"\\u017e\\n\\"","class":7}'),
    (10**12, "answered", b"k" * 16, 1e-5, "", "\u2028 \U0001f34e"),
    (3, "decided", bytes(16), 1e22, "key:b", "[]"),
]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_chain_is_the_digest_of_the_chain_before_and_the_entry_as_json(entry):
    number, kind, key, at, actor, body = entry
    text = json.dumps([number, kind, None if key is None else key.hex(), at, actor, body], separators=(",", ":"))
    before = hashlib.sha256(b"before").digest()
    chain = journal.next_journal_chain(before, *entry)
    assert chain == hashlib.sha256(before + text.encode("ascii")).digest()
    assert journal.JournalEntry(*entry, chain).chained_to(before)
    assert not journal.JournalEntry(*entry, chain).chained_to(chain)
