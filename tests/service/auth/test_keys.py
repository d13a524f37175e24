"""Keys: shown once, stored as hashes, for some time, rotated, revoked; and who is let in meanwhile."""

import asyncio
import re

import pytest

from service.api.conftest import SQLITE
from sidelight.service.auth import callers, keys
from sidelight.service.auth.callers import KeyRing
from sidelight.service.auth.keys import GRACE, create_key, note_key_use, revoke_key, rotate_key
from sidelight.service.journal import audit
from sidelight.service.problems import Problem
from sidelight.service.store.postgres import PostgresTransaction
from sidelight.service.store.sqlite import SQLiteTransaction


def make(service, **others):
    return service.do(create_key("test", others.pop("name", "tests"), others.pop("scopes", ["report"]), **others))


def caller(ring, key):
    return asyncio.run(ring.caller(key.key))


class FakeClock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def ring(service, clock):
    return KeyRing(service, clock=clock)


def test_a_key_has_a_visible_name_and_256_random_bits_and_only_its_hash_is_stored(service):
    new = make(service, scopes=["report", "decide"])
    assert re.fullmatch(r"sl_[0-9a-f]{10}_[A-Za-z0-9_-]{43}", new.key)
    assert new.key.startswith(new.prefix + "_")
    assert new.scopes == ("decide", "report")
    with service.read() as tx:
        rows = [*tx.all("SELECT * FROM keys"), *tx.all("SELECT * FROM audit")]
        assert keys.find_key(tx, new.key).id == new.id
        assert [one.id for one in keys.list_keys(tx)] == [new.id]
        assert keys.find_key(tx, new.key[:-1]) is None
    secret = new.key.removeprefix(new.prefix + "_")
    assert secret not in repr(rows)
    assert new.key != make(service).key


@SQLITE
@pytest.mark.parametrize(
    "wrong",
    [
        {"scopes": []},
        {"scopes": ["root"]},
        {"scopes": ["report", ""]},
        {"only": []},
        {"only": ["nowhere"]},
        {"only": ["\ud800"]},
        {"seconds": 0.0},
        {"seconds": -1.0},
        {"seconds": 1e12},
        {"seconds": float("nan")},
        {"name": ""},
        {"name": "\x00"},
        {"name": "x" * 201},
    ],
)
def test_what_is_no_key_is_refused(service, wrong):
    with pytest.raises(Problem) as caught:
        make(service, **wrong)
    assert caught.value.status == 422
    with service.read() as tx:
        assert keys.list_keys(tx) == []


def test_a_caller_is_remembered_for_five_seconds_at_most(service, ring, clock):
    new = make(service)
    assert caller(ring, new) == (new.actor, {"report"}, None)
    service.do(revoke_key("test", new.id))
    clock.now += 4.9
    assert caller(ring, new) is not None
    clock.now += 0.2
    assert caller(ring, new) is None
    with pytest.raises(Problem, match="no working key"):
        service.do(revoke_key("test", new.id))


@pytest.fixture
def stopped(monkeypatch):
    """The clock of the databases, stopped, so that a busy machine does not let keys end sooner."""
    now = FakeClock()
    for kind in (SQLiteTransaction, PostgresTransaction):
        monkeypatch.setattr(kind, "now", lambda tx: now())
    return now


def test_a_key_that_ends_sooner_is_remembered_no_longer_than_that(service, ring, clock, stopped):
    new = make(service, seconds=3.0)
    assert caller(ring, new) is not None
    stopped.now += 4.0
    clock.now += 2.9
    assert caller(ring, new) is not None
    clock.now += 0.2
    assert caller(ring, new) is None


def test_a_rotated_key_works_for_a_while_beside_the_new_one(service, ring, clock, stopped):
    old = make(service, scopes=["decide"], seconds=30 * 86_400.0)
    new = service.do(rotate_key("test", old.id))
    assert (new.scopes, new.monitors, new.name) == (old.scopes, old.monitors, old.name)
    assert new.expires_at - new.created_at == pytest.approx(30 * 86_400.0)
    assert caller(ring, old) is not None
    assert caller(ring, new) is not None
    with service.read() as tx:
        assert keys.find_key(tx, old.key).expires_at == tx.now() + GRACE
    stopped.now += GRACE + 1.0
    clock.now += 5.1
    assert caller(ring, old) is None
    assert caller(ring, new) is not None
    with pytest.raises(Problem, match="no working key"):
        service.do(rotate_key("test", old.id))


def test_rotating_never_makes_a_key_last_longer(service):
    old = make(service, seconds=60.0)
    service.do(rotate_key("test", old.id))
    with service.read() as tx:
        assert keys.find_key(tx, old.key).expires_at == old.expires_at


def test_unknown_keys_are_nobody_and_fill_no_memory(monkeypatch, service, clock):
    monkeypatch.setattr(callers, "_MOST_KNOWN", 10)
    ring = KeyRing(service, clock=clock)

    async def guess():
        for i in range(50):
            assert await ring.caller(f"sl_{i}") is None
        assert await ring.caller("\ud800") is None

    asyncio.run(guess())
    assert len(ring._known) == 10


def test_use_is_written_down_now_and_then(service, ring, clock):
    new = make(service)
    caller(ring, new)
    ((id, at),) = ring.used()
    assert id == new.id
    assert ring.used() == []
    service.do(note_key_use([(id, at)]))
    service.do(note_key_use([(id, at - 100.0)]))
    with service.read() as tx:
        assert keys.find_key(tx, new.key).used_at == at
    clock.now += 6.0
    caller(ring, new)
    assert ring.used() == []


def test_the_audit_log_says_who_did_what_newest_first(service):
    new = make(service)
    service.do(rotate_key("alice", new.id))
    service.do(revoke_key("bob", new.id))
    with service.read() as tx:
        notes = audit.read_audit_log(tx)
        first = audit.read_audit_log(tx, most=2)
        rest = audit.read_audit_log(tx, (first[-1].at, first[-1].id), most=10)
    told = [(one.actor, one.action) for one in notes]
    assert told[0] == ("bob", "key revoked")
    assert sorted(told[1:3]) == [("alice", "key created"), ("alice", "key rotated")]
    assert told[3] == ("test", "key created")
    assert first + rest == notes
