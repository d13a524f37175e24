"""One contract for both databases."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import psycopg
import pytest

from sidelight.errors import SidelightError
from sidelight.service.store import open_storage, postgres, schema, sqlite, sqlite_file_of_storage
from sidelight.service.store.base import ConflictError, DiskError, StorageError, UnavailableError, UnknownOutcomeError

COLUMNS = ("monitor", "verification", "media_type", "content")
COUNT = "SELECT count(*) FROM payloads"


def rows(*numbers):
    return [("m", number, "text/plain", bytes([number % 256, 0])) for number in numbers]


def test_values_come_back_as_they_were(storage):
    values = ("žluťoučký 'kůň' % ? \" \\", 2**62, 0.1 + 0.2, b"\x00\xff", None)
    with storage.write() as tx:
        sql = "INSERT INTO outbox (endpoint, event, monitor, number, bytes, created_at, next_at, tries, failure) "
        text, number, time, content, nothing = values
        assert tx.run(f"{sql} VALUES (?, ?, 'm', ?, ?, ?, 0, 0, ?)", text, text, number, content, time, nothing) == 1
    with storage.read() as tx:
        found = tx.one("SELECT endpoint, number, created_at, bytes, failure FROM outbox WHERE endpoint = ?", text)
        assert (*found[:3], bytes(found[3]), found[4]) == values
        assert tx.one("SELECT 1 FROM outbox WHERE endpoint = ?", "nobody") is None
        assert tx.all("SELECT 1 FROM outbox WHERE endpoint LIKE '%kůň%'") == [(1,)]


def test_many_rows_go_in_and_are_found(storage):
    with storage.write() as tx:
        tx.insert("payloads", COLUMNS, rows(*range(2000)))
        tx.insert("payloads", COLUMNS, [])
        tx.many(
            "UPDATE payloads SET media_type = ? WHERE verification = ?", [("image/png", 3), ("image/gif", 3), ("x", -1)]
        )
    with storage.read() as tx:
        found = tx.among(
            "SELECT verification FROM payloads WHERE verification IN (??) AND monitor = ?", list(range(0, 4000, 2)), "m"
        )
        assert sorted(number for (number,) in found) == list(range(0, 2000, 2))
        assert tx.among("SELECT verification FROM payloads WHERE verification IN (??)", []) == []
        assert tx.one("SELECT media_type FROM payloads WHERE verification = 3") == ("image/gif",)
        assert len(tx.among("SELECT verification FROM payloads WHERE content IN (??)", [b"\x07\x00"])) == 8


def test_an_error_takes_everything_back(storage):
    def write(error, *numbers):
        with storage.write() as tx:
            tx.insert("payloads", COLUMNS, rows(*numbers))
            raise error

    with pytest.raises(ZeroDivisionError):
        write(ZeroDivisionError, 1)
    with pytest.raises(ConflictError):
        write(ZeroDivisionError, 1, 2, 1)
    with storage.write() as tx:
        assert tx.one(COUNT) == (0,)
        tx.insert("payloads", COLUMNS, rows(1))
    with storage.read() as tx:
        assert tx.one(COUNT) == (1,)


def test_who_reads_cannot_write_and_sees_one_state(storage):
    with pytest.raises((StorageError, psycopg.Error)), storage.read() as tx:
        tx.insert("payloads", COLUMNS, rows(1))
    with storage.read() as tx:
        assert tx.one(COUNT) == (0,)
        thread = threading.Thread(target=_write, args=(storage,))
        thread.start()
        thread.join()
        assert tx.one(COUNT) == (0,)
    with storage.read() as tx:
        assert tx.one(COUNT) == (1,)


def _write(storage, number=1):
    with storage.write() as tx:
        tx.insert("payloads", COLUMNS, rows(number))


def test_rows_are_locked_and_the_clock_is_read_after_that(postgres_url):
    sql = "SELECT verification FROM payloads WHERE verification IN (??) ORDER BY verification"
    first, second = open_storage(postgres_url), open_storage(postgres_url)
    waiting = threading.Event()
    found = []

    def wait():
        with second.write() as tx:
            waiting.set()
            found.append((tx.lock(sql, [1, 2, 5]), tx.now(), tx.now()))

    with first.write() as tx:
        tx.insert("payloads", COLUMNS, rows(1, 2, 3))
    with first.write() as tx:
        assert tx.lock(sql, [2, 1]) == [(1,), (2,)]
        thread = threading.Thread(target=wait)
        thread.start()
        waiting.wait(10)
        time.sleep(0.3)
        late = tx.one("SELECT extract(epoch FROM clock_timestamp())::double precision")[0]
        assert not found
    thread.join(10)
    (locked, now, again), *_ = found
    assert locked == [(1,), (2,)]
    assert now == again >= late
    for one in (first, second):
        one.close()


def test_opening_again_changes_nothing(database):
    for _ in range(2):
        storage = open_storage(database)
        with storage.read() as tx:
            assert tx.all("SELECT version FROM schema_version") == [(schema.VERSION,)]
        storage.close()


def test_a_newer_schema_is_refused(database):
    storage = open_storage(database)
    with storage.write() as tx:
        tx.run("INSERT INTO schema_version (version) VALUES (999)")
    storage.close()
    for readonly in (False, True):
        with pytest.raises(StorageError, match="install a newer one"):
            open_storage(database, readonly=readonly)


@pytest.mark.parametrize("table", ["monitors", "schema_version"])
def test_a_database_of_another_program_is_refused_and_left_as_it_is(database, table):
    create = f"CREATE TABLE {table} (other BIGINT)"
    if database.startswith("postgresql"):
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute(create)
    else:
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute(create)
    for readonly, words in ((True, "contains no data of sidelight"), (False, "its own database")):
        with pytest.raises(StorageError, match=words):
            open_storage(database, readonly=readonly)
    if not database.startswith("postgresql"):
        with contextlib.closing(sqlite3.connect(database)) as connection:
            assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [(table,)]
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


@pytest.mark.parametrize(
    ("database", "error"),
    [
        ("mysql://somewhere/x", "is not supported"),
        (":memory:", "in memory"),
        ("sqlite://", "give the path"),
        ("postgresql:///x?host=/nowhere", "cannot be used now"),
        ("/proc/nothing/x.db", "cannot write in the folder of"),
        ("/", "is a folder"),
    ],
)
def test_addresses_that_cannot_be_opened(database, error):
    with pytest.raises(SidelightError, match=error):
        open_storage(database)


def test_only_reading_needs_a_database(tmp_path, postgres_url):
    for database in (str(tmp_path / "none.db"), postgres_url):
        with pytest.raises(SidelightError, match=r"there is no file|contains no data of sidelight"):
            open_storage(database, readonly=True)
    assert not list(tmp_path.iterdir())


def test_a_sqlite_file_has_one_server(tmp_path):
    database = f"sqlite:///{tmp_path / 'a b%41.db'}".replace("%", "%25")
    storage = open_storage(database)
    assert (tmp_path / "a b%41.db").stat().st_mode & 0o777 == 0o600
    program = f"from sidelight.service.store import open_storage; open_storage({database!r})"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "in use by another process" in found.stderr
    with pytest.raises(SidelightError, match="in use"):
        open_storage(database)
    reader = open_storage(database, readonly=True)
    with reader.read() as tx:
        assert tx.one(COUNT) == (0,)
    with pytest.raises(StorageError, match="for reading only"), reader.write():
        pass
    reader.close()
    storage.close()
    open_storage(database).close()


def test_commits_wait_for_the_disk_and_checkpoints_are_ours(tmp_path):
    storage = open_storage(str(tmp_path / "test.db"))
    found = [storage._writer.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "wal_autocheckpoint")]
    assert found == [2, 0]
    log = tmp_path / "test.db-wal"
    while log.stat().st_size < sqlite._LARGE_WAL:
        with storage.write() as tx:
            tx.insert("payloads", COLUMNS, [("m", tx.one(COUNT)[0], "x", bytes(3_000_000))])
    before = (tmp_path / "test.db").stat().st_size
    storage.tidy()
    assert (tmp_path / "test.db").stat().st_size >= before + 10_000_000
    _write(storage, 1000)
    storage.close()
    assert not log.exists()


def test_network_file_systems_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "_read_mounted_file_systems", lambda: {"/": "ext4", str(tmp_path): "nfs4"})
    with pytest.raises(SidelightError, match="network file system"):
        open_storage(str(tmp_path / "test.db"))
    monkeypatch.setattr(sqlite, "_read_mounted_file_systems", lambda: {"/": "nfs4", str(tmp_path): "ext4"})
    open_storage(str(tmp_path / "test.db")).close()


def test_a_commit_that_fails_is_unknown(database, monkeypatch):
    """The last statement is the commit: what it raises says nothing about what is stored."""
    storage = open_storage(database)
    connection = storage._writer

    class Broken:
        def __init__(self, genuine):
            self.genuine = genuine

        def execute(self, sql, *values):
            if sql == "COMMIT":
                raise (
                    sqlite3.OperationalError("database is locked")
                    if storage.kind == "sqlite"
                    else (psycopg.OperationalError("server closed the connection"))
                )
            return self.genuine.execute(sql, *values)

        def __getattr__(self, name):
            return getattr(self.genuine, name)

    storage._writer = Broken(connection)
    with pytest.raises(UnknownOutcomeError), storage.write() as tx:
        tx.insert("payloads", COLUMNS, rows(1))
    if storage.kind == "sqlite":
        storage._writer = connection
    _write(storage)  # a new transaction works
    storage.close()


def test_connections_that_died_are_replaced(postgres_server, postgres_url):
    storage = open_storage(postgres_url)
    name = urlsplit(postgres_url).path[1:]
    with storage.read() as tx:
        tx.one(COUNT)
    kill = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    postgres_server.execute(kill)
    with storage.read() as tx:
        assert tx.one(COUNT) == (0,)
    _write(storage)

    def die():
        with storage.write() as tx:
            postgres_server.execute(kill)
            tx.insert("payloads", COLUMNS, rows(2))

    with pytest.raises(UnavailableError):
        die()
    with storage.read() as tx:
        assert tx.one(COUNT) == (1,)
    storage.close()


def test_many_readers_share_few_connections(postgres_url):
    storage = open_storage(postgres_url)
    most, lock = [0, 0], threading.Lock()
    sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sidelight' AND datname = current_database()"

    def read():
        with storage.read() as tx:
            found = tx.one(sql)[0]
            time.sleep(0.05)
        with lock:
            most[0], most[1] = max(most[0], found), most[1] + 1

    threads = [threading.Thread(target=read) for _ in range(60)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert most[1] == 60  # all of them were served
    assert 1 < most[0] <= 1 + 16  # and one that writes
    storage.close()


def test_who_waits_too_long_to_read_is_told(postgres_url, monkeypatch):
    monkeypatch.setattr(postgres, "_PATIENCE", 0.2)
    storage = open_storage(postgres_url)
    with contextlib.ExitStack() as stack:
        for _ in range(16):
            stack.enter_context(storage.read())
        with pytest.raises(UnavailableError, match="all 16 connections for reading are busy"), storage.read():
            pass
    with storage.read() as tx:
        assert tx.one("SELECT 1") == (1,)
    storage.close()


def test_settings_are_made_in_every_transaction(postgres_url):
    storage = open_storage(postgres_url)
    with storage.write() as tx:
        for name, value in (("synchronous_commit", "on"), ("lock_timeout", "10s"), ("statement_timeout", "1min")):
            assert tx.one(f"SHOW {name}") == (value,)
        assert tx.one("SHOW transaction_isolation") == ("read committed",)
    assert storage._writer.execute("SHOW lock_timeout").fetchone() == ("0",)
    storage.close()


def test_a_log_that_somebody_reads_is_cut_off_later(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "_LARGE_WAL", 1 << 17)
    storage = open_storage(str(tmp_path / "test.db"))
    log, checkpoints = tmp_path / "test.db-wal", []
    checkpoint = sqlite.SQLiteStorage._checkpoint
    monkeypatch.setattr(
        sqlite.SQLiteStorage, "_checkpoint", lambda self, writer: checkpoints.append(checkpoint(self, writer))
    )
    with storage.read() as tx:
        assert tx.one(COUNT) == (0,)
        for k in range(200):
            _write(storage, k)
            storage.tidy()
        assert tx.one(COUNT) == (0,)
    grown = log.stat().st_size
    assert grown >= 2 << 17
    assert 1 <= len(checkpoints) <= grown // (1 << 17)  # not again and again
    for k in range(200, 260):
        _write(storage, k)
        storage.tidy()
    assert log.stat().st_size < 2 << 17
    with storage.read() as tx:
        assert tx.one(COUNT) == (260,)
    storage.close()


@pytest.mark.parametrize("how", ["a write", "closing"])
def test_a_log_that_was_deleted_is_not_written_to_and_nothing_is_lost(tmp_path, how):
    path = tmp_path / "test.db"
    storage = open_storage(str(path))
    _write(storage, 1)
    (tmp_path / "test.db-wal").unlink()
    if how == "a write":
        with pytest.raises(DiskError, match="stop the service before"):
            _write(storage, 2)
    else:
        storage.close()
    # What is in the file alone is what a process would find after this one was killed.
    alone = tmp_path / "alone.db"
    shutil.copyfile(path, alone)
    with contextlib.closing(sqlite3.connect(alone)) as connection:
        assert connection.execute(COUNT).fetchone() == (1,)
    storage.close()


def test_a_file_is_in_use_under_all_its_names(tmp_path):
    (tmp_path / "link.db").symlink_to("test.db")
    storage = open_storage(str(tmp_path / "link.db"))
    try:
        with pytest.raises(SidelightError, match="in use"):
            open_storage(str(tmp_path / "test.db"))
        assert sqlite_file_of_storage(str(tmp_path / "link.db")) == tmp_path.resolve() / "test.db"
    finally:
        storage.close()
