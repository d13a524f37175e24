"""Somebody restores an older copy of the database while a process has it open."""

import shutil

import pytest

from service.conftest import fatal
from service.traffic import Traffic
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import Prediction
from sidelight.service.domain.service import Service
from sidelight.service.maintenance.check import check_database
from sidelight.service.options import Options
from sidelight.service.problems import Problem
from sidelight.service.store import open_storage
from sidelight.service.store.base import DiskError

TABLES = ("monitors", "journal", "snapshots", "verifications", "history")


def decisions(service, monitor, name, count):
    for k in range(count):
        service.do(decide_predictions(service, monitor, [Prediction(f"{name}{k}", "a")], actor="key:1"))


@pytest.mark.parametrize("others", [3, 5, 8], ids=["shorter", "as long", "longer"])
def test_a_restored_postgres_is_noticed(postgres_url, others):
    """After the restore another process goes on, so that the journal is as long as before but another one."""
    here, there = (Service(open_storage(postgres_url), options=Options(on_fatal=fatal)) for _ in range(2))
    try:
        monitor = Traffic(here).monitor
        decisions(here, monitor, "before", 10)
        with there.storage.write() as tx:
            for table in TABLES:
                tx.run(f"CREATE TABLE copy_of_{table} AS SELECT * FROM {table}")
        decisions(here, monitor, "lost", 5)
        with there.storage.write() as tx:
            for table in TABLES:
                tx.run(f"DELETE FROM {table}")
                tx.run(f"INSERT INTO {table} SELECT * FROM copy_of_{table}")
        decisions(there, monitor, "after", others)
        decisions(here, monitor, "here", 4)
        assert here.report(monitor) == there.report(monitor)
        assert here.report(monitor).predictions == 10 + others + 4
        assert check_database(here.storage) == []
    finally:
        here.close()
        there.close()


def within_a_tick(copy, database):
    """Overwrite a file whose file system has a clock that has not moved since the last checkpoint."""
    shutil.copyfile(copy, database)
    shutil.copystat(copy, database)


@pytest.mark.parametrize("how", [shutil.copyfile, shutil.move, within_a_tick])
def test_a_restored_sqlite_file_stops_the_process(tmp_path, how):
    database = tmp_path / "test.db"
    first = Service(open_storage(str(database)))
    monitor = Traffic(first).monitor
    decisions(first, monitor, "before", 10)
    first.close()
    shutil.copy2(database, tmp_path / "copy.db")
    ends = []
    service = Service(open_storage(str(database)), options=Options(on_fatal=ends.append))
    try:
        decisions(service, monitor, "lost", 5)
        how(tmp_path / "copy.db", database)
        with pytest.raises(Problem) as caught:
            decisions(service, monitor, "here", 1)
        assert caught.value.status == 503
        (error,) = ends
        assert isinstance(error, DiskError)
        assert "restore" in str(error)
    finally:
        service.close()


def test_a_snapshot_of_what_is_no_more_is_not_used(service):
    """Entries are gone and others came, but snapshots of the old ones are still there."""
    traffic = Traffic(service)
    decisions(service, traffic.monitor, "before", 40)
    with service.read() as tx:
        rows = {
            table: tx.all(f"SELECT * FROM {table}") for table in ("monitors", "journal", "verifications", "history")
        }
        names = {table: list(range(len(found[0]))) for table, found in rows.items() if found}
    decisions(service, traffic.monitor, "lost", 80)  # a snapshot is taken at entry 100

    class Restore:
        monitors = ()
        keys = verification_keys = ()

        def run(self, work):
            for table, found in rows.items():
                work.writing().run(f"DELETE FROM {table}")
                marks = ", ".join("?" * len(names.get(table, ())))
                for row in found:
                    work.writing().run(f"INSERT INTO {table} VALUES ({marks})", *row)

    service.do(Restore())
    decisions(service, traffic.monitor, "after", 90)
    with service.read() as tx:
        assert tx.one("SELECT count(*) FROM snapshots")[0] >= 1
    service.writer.replicas.forget()
    assert service.report(traffic.monitor).predictions == 130
    decisions(service, traffic.monitor, "more", 3)
    assert [one.text for one in check_database(service.storage)] == ["snapshot 100 does not follow from the journal"]
