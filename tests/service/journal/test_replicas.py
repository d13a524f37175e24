"""Processes that share a database follow each other's journals, of one monitor or of many at a time."""

import pytest

from sidelight.service.domain import monitors
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import Prediction
from sidelight.service.domain.service import Service
from sidelight.service.maintenance.check import check_database
from sidelight.service.options import Options
from sidelight.service.store import open_storage
from sidelight.service.writer.writer import WriterTicket

MONITORS = 7


@pytest.fixture
def two(postgres_url):
    """Two services, as two processes would have them."""
    found = [Service(open_storage(postgres_url), options=Options(snapshot_every=10_000)) for _ in range(2)]
    yield found
    for one in found:
        one.close()


@pytest.fixture
def names(two):
    settings = {"tolerance": 0.2, "cap": 1000}
    return [two[0].do(monitors.create_served_monitor(f"m{n}", settings, actor="test")).id for n in range(MONITORS)]


def together(service, ids, turn):
    """Decide about one prediction of each monitor, all in one group."""
    tickets = [
        WriterTicket(decide_predictions(service, id, [Prediction(f"{turn}-{n}", "abc"[(turn + n) % 3])], actor="test"))
        for n, id in enumerate(ids)
    ]
    with service.writer._wake:
        service.writer._waiting.extend(tickets)
        service.writer._wake.notify()
    return [ticket.future.result(60.0)[0] for ticket in tickets]


def questions(service, monkeypatch):
    """Count the pages of journals that are read one by one."""
    from sidelight.service.journal import entry as journal

    found, entries = [], journal.read_journal_entries
    monkeypatch.setattr(
        journal, "read_journal_entries", lambda tx, monitor, *rest: found.append(monitor) or entries(tx, monitor, *rest)
    )
    return found


def test_many_monitors_are_followed_together(two, names, monkeypatch):
    together(two[1], names, 0)
    asked = questions(two, monkeypatch)
    for turn in range(1, 9):
        together(two[turn % 2], names[: 2 + turn % (MONITORS - 1)], turn)
    assert len(asked) <= MONITORS  # only a monitor that a process meets for the first time is read by itself
    for id in names:
        assert two[0].report(id) == two[1].report(id)
    assert check_database(two[0].storage) == []


@pytest.mark.parametrize("more", [0, 1, 5])
def test_journals_that_went_back_are_noticed_in_a_group_of_many(two, names, more):
    """Several journals are taken back by three entries, as after a failover, and go on otherwise by some entries."""
    for turn in range(6):
        together(two[turn % 2], names, turn)
    together(two[1], names, 6)
    with two[0].storage.write() as tx:
        for id in names[1:4]:
            (last,) = tx.one("SELECT last FROM monitors WHERE id = ?", id)
            tx.run("DELETE FROM journal WHERE monitor = ? AND number > ?", id, last - 3)
            (chain,) = tx.one("SELECT chain FROM journal WHERE monitor = ? AND number = ?", id, last - 3)
            tx.run("DELETE FROM verifications WHERE monitor = ? AND number > ?", id, 4)
            tx.run("UPDATE monitors SET last = ?, chain = ? WHERE id = ?", last - 3, chain, id)
    for turn in range(100, 100 + more):
        together(two[0], names, turn)
    decided = together(two[1], names, 200)
    assert len(decided) == MONITORS
    assert check_database(two[0].storage) == []
    for id in names:
        assert two[0].report(id) == two[1].report(id)
