"""Copies, exports and backups: everything is in them, byte by byte, or they are not there at all."""

import io
import json
import os
import stat

import pyarrow.parquet as pq
import pytest

from service.filling import ODD, fill
from sidelight.errors import FileError, SidelightError
from sidelight.service.domain import monitors
from sidelight.service.domain.service import Service
from sidelight.service.maintenance import copy, export
from sidelight.service.maintenance.check import check_database
from sidelight.service.store import open_storage
from sidelight.service.store.base import ConflictError
from sidelight.service.store.sqlite import SQLiteTransaction


def exported(storage, what="journal", names=()):
    stream = io.StringIO()
    export.write_export_as_json_lines(export.export_rows(storage, what, names), stream)
    return stream.getvalue()


def all_exports(storage):
    return {what: exported(storage, what) for what in export.COLUMNS}


@pytest.fixture
def filled(service):
    fill(service, 300, "digits")
    old = fill(service, 60, "old")
    service.do(monitors.archive_served_monitor(old, actor="key:1"))
    return service


@pytest.fixture
def there(postgres_server):
    storage = open_storage(postgres_server.create())
    yield storage
    storage.close()


def test_there_and_back_again_gives_the_same_bytes(filled, there, tmp_path):
    before = all_exports(filled.storage)
    counted = copy.copy_database(filled.storage, there)
    assert counted["journal"] == len(before["journal"].splitlines())
    assert counted["payloads"] > 0
    assert all_exports(there) == before
    back = open_storage(str(tmp_path / "back.db"))
    assert copy.copy_database(there, back) == counted
    assert all_exports(back) == before
    back.close()


@pytest.mark.slow
def test_many_decisions_there_and_back_again(tmp_path, there):
    """`make torture` takes 100 000."""
    service = Service(open_storage(str(tmp_path / "source.db")))
    fill(service, int(os.environ.get("SIDELIGHT_DECISIONS", "3000")), batch=1000)
    back = open_storage(str(tmp_path / "back.db"))
    copy.copy_database(service.storage, there)
    copy.copy_database(there, back)
    paths = []
    for number, storage in enumerate((service.storage, there, back)):
        for what in export.COLUMNS:
            paths.append(tmp_path / f"{number}-{what}.jsonl")
            export.write_export(export.export_rows(storage, what), what, paths[-1])
    contents = [path.read_bytes() for path in paths]
    assert contents[:2] == contents[2:4] == contents[4:]
    back.close()
    service.close()


def test_a_copy_goes_on_as_the_original_does(filled, tmp_path):
    target = open_storage(str(tmp_path / "copy.db"))
    copy.copy_database(filled.storage, target)
    with filled.read() as tx:
        monitor = monitors.find_served_monitor(tx, "digits").id
    expected = filled.report(monitor)
    twin = Service(target)
    assert twin.report(monitor) == expected
    twin.close()


def test_every_table_is_copied_or_left_behind_on_purpose(storage):
    with storage.read() as tx:
        tables = {table: tx.columns(table) for table in (*copy.TABLES, *copy.LEFT_BEHIND)}
        sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        if storage.kind == "postgres":
            sql = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
        assert {name for (name,) in tx.all(sql)} == set(tables)
    assert all(tables.values())
    for table, key in copy.TABLES.items():
        assert set(key) <= set(tables[table])


def test_a_database_in_use_is_no_target(filled, tmp_path):
    other = open_storage(str(tmp_path / "other.db"))
    service = Service(other)
    monitor = fill(service, 20, "kept")
    before = exported(other)
    with pytest.raises(SidelightError, match=r"the target already contains data \(in monitors, journal"):
        copy.copy_database(filled.storage, other)
    assert exported(other) == before
    assert service.report(monitor).predictions == 20
    service.close()


def test_a_copy_that_fails_leaves_nothing(filled, tmp_path, monkeypatch):
    target = open_storage(str(tmp_path / "target.db"))
    insert = SQLiteTransaction.insert

    def failing(self, table, columns, rows):
        insert(self, table, columns, rows)
        if table == "verifications":
            raise ConflictError("no more")

    monkeypatch.setattr(SQLiteTransaction, "insert", failing)
    with pytest.raises(ConflictError):
        copy.copy_database(filled.storage, target)
    with target.read() as tx:
        assert tx.one("SELECT count(*) FROM journal") == (0,)
    monkeypatch.undo()
    copy.copy_database(filled.storage, target)
    assert check_database(target) == []
    target.close()


def test_the_source_may_be_served(filled, tmp_path):
    """What happens while pages are read is not in the copy, nor is half of it."""
    target = open_storage(str(tmp_path / "copy.db"))
    before = exported(filled.storage)
    grown = []

    def grow(table, rows):
        if table == "journal":
            grown.append(fill(filled, 50, f"new{len(grown)}"))

    copy.copy_database(filled.storage, target, grow)
    assert grown
    assert exported(target) == before
    assert exported(filled.storage) != before
    target.close()


def test_decisions_are_exported_with_what_became_of_them(filled):
    rows = [json.loads(line) for line in exported(filled.storage, "decisions", ["digits"]).splitlines()]
    assert len(rows) == 300
    assert list(rows[0]) == list(export.COLUMNS["decisions"])
    assert rows[0]["id"] == f"digits 0 {ODD}"
    assert rows[0]["prediction"] == ODD
    states = {row["state"] for row in rows}
    assert {None, "answered"} < states
    for row in rows:
        assert (row["state"] is None) is not row["verify"]
        assert (row["correct"] is None) == (row["state"] != "answered")
    assert any(row["label"] == "a" and row["correct"] is False for row in rows)


def test_monitors_that_are_not_there(filled, tmp_path):
    with pytest.raises(SidelightError, match="no monitor 'letters': the monitors are digits, old"):
        export.write_export(export.export_rows(filled.storage, "journal", ["letters"]), "journal", tmp_path / "x.jsonl")
    assert list(tmp_path.glob("x*")) == []


@pytest.mark.parametrize("what", list(export.COLUMNS))
def test_parquet_holds_what_json_lines_hold(filled, what, tmp_path):
    lines = [json.loads(line) for line in exported(filled.storage, what).splitlines()]
    path = tmp_path / f"{what}.parquet"
    assert export.write_export(export.export_rows(filled.storage, what), what, path) == len(lines)
    table = pq.read_table(path)
    assert table.column_names == list(export.COLUMNS[what])
    assert table.num_rows == len(lines)
    for row, line in zip(table.to_pylist()[:100], lines[:100], strict=True):
        for name in export.COLUMNS[what]:
            value, found = line[name], row[name]
            if name in ("segment", "body"):
                found, value = json.loads(found or "null"), value
            elif name in ("time", "settled_at"):
                found = found and found.isoformat(timespec="microseconds")
            assert found == value


def test_a_backup_is_one_private_file_with_everything(filled, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    path = folder / "backup.db"
    before = all_exports(filled.storage)
    assert copy.back_up_database(filled.storage, path) == path.stat().st_size
    assert os.listdir(folder) == ["backup.db"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    restored = open_storage(str(path))
    assert all_exports(restored) == before
    restored.close()
    fill(filled, 20, "later")  # the original goes on
    with pytest.raises(FileError, match="backups are not overwritten"):
        copy.back_up_database(filled.storage, path)


def test_a_backup_that_fails_leaves_nothing(filled, tmp_path, monkeypatch):
    folder = tmp_path / "backups"
    folder.mkdir()

    def fail(path):
        path.write_bytes(b"half")
        raise ConflictError("the disk is full")

    monkeypatch.setattr(filled.storage, "save_to", fail)
    with pytest.raises(ConflictError):
        copy.back_up_database(filled.storage, folder / "backup.db")
    assert os.listdir(folder) == []
    with pytest.raises(FileError, match="cannot write"):
        copy.back_up_database(filled.storage, tmp_path / "nowhere" / "backup.db")
