"""Events that nobody wants to hear of cost a group of requests next to nothing."""

import pytest

from service.api.conftest import SQLITE
from sidelight.service.domain import monitors
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import Prediction
from sidelight.service.store.sqlite import SQLiteTransaction

pytestmark = SQLITE


@pytest.fixture
def inserted(monkeypatch):
    """The tables that rows were brought to, one entry for each time."""
    found, insert = [], SQLiteTransaction.insert

    def counting(self, table, columns, rows):
        found.append(table)
        insert(self, table, columns, rows)

    monkeypatch.setattr(SQLiteTransaction, "insert", counting)
    return found


def test_events_without_a_webhook_do_not_split_a_group(service, inserted):
    settings = {"tolerance": 0.2, "policy": "explore", "patience": 5}
    monitor = service.do(monitors.create_served_monitor("digits", settings, actor="test")).id
    for turn in range(2):
        inserted.clear()
        rows = [Prediction(f"{turn}-{n}", f"class {n % 50}") for n in range(300)]
        service.do(decide_predictions(service, monitor, rows, actor="test"))
    with service.read() as tx:
        assert tx.one("SELECT count(*) FROM verifications WHERE state = 'overdue'")[0] > 100
    assert inserted.count("journal") == 1
